package tournament

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// benchConfig is the tournament both benchmarks play.
func benchConfig(b *testing.B) Config {
	c := testConfig(b, "random", "random:id=1")
	c.Rules, c.Pairs = []*rules.Rules{rules.MustParse("standard")}, 1000
	return c
}

// BenchmarkRandomVsRandom is the whole machinery with agents that cost next to
// nothing: schedule, openings, checks of every move, records in a file.
func BenchmarkRandomVsRandom(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			c := benchConfig(b)
			c.Workers = workers
			folder, plies, run := c.Out, 0, 0
			for b.Loop() {
				run++
				c.Out = filepath.Join(folder, strconv.Itoa(run))
				s, err := Run(b.Context(), c, testRegistry(nil), func(g *record.Game) { plies += g.Plies })
				require.NoError(b, err)
				require.Equal(b, s.Scheduled, s.Played)
			}
			b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
			b.ReportMetric(float64(plies)/float64(run), "plies/op")
		})
	}
}

// BenchmarkBareLoop plays the same games in a plain loop: what no runner can
// beat. Its plies/op are those of BenchmarkRandomVsRandom.
func BenchmarkBareLoop(b *testing.B) {
	c := benchConfig(b)
	s := newSchedule(&c)
	plies, run := 0, 0
	for b.Loop() {
		run++
		o := newOpener(c.Openings, c.Seed)
		for i := range s.len() {
			p := s.job(i)
			start, _, err := o.opening(c.Rules[p.Rules], p.Round)
			require.NoError(b, err)
			for game := range 2 {
				plies += bareGame(s, p, game, start)
			}
		}
	}
	b.ReportMetric(float64(plies)/b.Elapsed().Seconds(), "plies/s")
	b.ReportMetric(float64(plies)/float64(run), "plies/op")
}

// bareGame plays a game of random moves and returns its plies.
func bareGame(s *schedule, p Job, game int, start rules.Position) int {
	var chance [2]*rand.Rand
	for side := range chance {
		_, seed := s.seat(p, game, rules.Side(side))
		chance[side] = agents.Setup{Side: rules.Side(side), Seed: seed}.Rand()
	}
	g := rules.NewGame(s.config.Rules[p.Rules], start)
	var ms rules.MoveSet
	for {
		if o, _ := g.Outcome(); o != rules.Undecided {
			return g.Ply()
		}
		g.LegalMoves(&ms)
		g.PlayLegal(ms.At(chance[g.Position().Side()].IntN(ms.Len())))
	}
}
