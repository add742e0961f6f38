package tournament

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/record"
)

// BenchmarkRandomVsRandom is the whole machinery with agents that cost next to
// nothing: schedule, openings, checks of every move, records in a file.
func BenchmarkRandomVsRandom(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			c := testConfig(b, "random", "random:id=1")
			c.Rules, c.Pairs, c.Workers = []*rules.Rules{rules.MustParse("standard")}, 1000, workers
			folder, plies, run := c.Out, 0, 0
			for b.Loop() {
				run++
				c.Out = filepath.Join(folder, strconv.Itoa(run))
				s, err := Run(b.Context(), c, testRegistry(nil), func(g *record.Record) { plies += g.Plies })
				require.NoError(b, err)
				require.Equal(b, s.Scheduled, s.Played)
			}
			b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
			b.ReportMetric(float64(plies)/float64(run), "plies/op")
		})
	}
}
