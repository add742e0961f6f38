package game

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament/record"
)

// How players used their time, as computed by hand.
func TestUseOfTime(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	// South moves first, and takes 2 s, 100 ms, 5 s; North 400 ms, 109 ms.
	moves := []float64{2000, 400, 100, 109, 5000}
	for name, c := range map[string]struct {
		clock, moveTime string // of the run
		south, north    string // parameters
		worker          string
		want            [2]TimeUse
	}{
		"no limits": {},
		"a clock": {clock: "10s+1s", want: [2]TimeUse{
			{Used: 7100. / 13000, Left: 4900 * ms}, // 10000 - 2000 + 1000 - 100 + 1000 - 5000
			{Used: 509. / 12000, Left: 9600 * ms},
		}},
		"a clock of one's own": {clock: "10s+1s", north: ":clock=500ms+5ms", want: [2]TimeUse{
			{Used: 7100. / 13000, Left: 4900 * ms},
			{Used: 509. / 514, Left: 0}, // 500 - 400 + 5 - 109 is less than 0, within the margin
		}},
		"periods": {clock: "2/3s+0s", want: [2]TimeUse{
			{Used: 7100. / 7100, Left: 0}, // 3000 - 2000 - 100 + 3000 - 5000, within the margin
			{Used: 509. / 6000, Left: 2491 * ms},
		}},
		"move times": {moveTime: "2s", north: ":movetime=100ms", want: [2]TimeUse{
			{MoveTime: 2 * time.Second, Overruns: []time.Duration{5 * time.Second}},
			{MoveTime: 100 * ms, Overruns: []time.Duration{400 * ms}}, // 9 ms may be the machine's
		}},
		"another machine": {clock: "10s+1s", moveTime: "2s", worker: "w"},
	} {
		r := &record.Record{
			Opening: "123123/000000/000000/000000/000000/123123 s",
			Moves:   []string{"a", "b", "c", "d", "e"}, Plies: 5,
			Limits: record.Limits{MoveTime: c.moveTime, Clock: c.clock},
			Timing: record.Timing{MoveMS: moves, Worker: c.worker},
		}
		for side, want := range c.want {
			got := UseOfTime(r, rules.Side(side), "random"+[]string{c.south, c.north}[side])
			require.InDelta(t, want.Used, got.Used, 1e-9, name)
			got.Used = want.Used
			require.Equal(t, want, got, name)
		}
		// Placements take time, too, but are no moves of a period and have no move time.
		if c.clock == "2/3s+0s" || c.clock == "" {
			r.Moves = append([]string{"1@a1", "2@f6"}, r.Moves...)
			r.Timing.MoveMS = append([]float64{900, 300}, moves...)
			got := UseOfTime(r, rules.South, "random")
			if c.clock == "" {
				require.Equal(t, c.want[0], got, name)
			} else {
				require.InDelta(t, 8000./8000, got.Used, 1e-9)
				require.Zero(t, got.Left) // 3000 - 900 - 2000 - 100 + 3000 - 5000
				got = UseOfTime(r, rules.North, "random")
				require.InDelta(t, 809./6000, got.Used, 1e-9)
				require.Equal(t, 2191*ms, got.Left)
			}
		}
		r.Timing.MoveMS = nil
		require.Zero(t, UseOfTime(r, rules.South, "random"), "times that aren't known")
	}
}
