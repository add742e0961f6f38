package agents

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

// Under a clock the search ends at the soft limit, earlier with a stable best move,
// later as long as it is unsettled; with a fixed time always at its end.
func TestTimer(t *testing.T) {
	g := gameAt(t, "standard", 0)
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		limits    Limits
		stable    int
		unsettled bool
		stop      time.Duration // when a search on the way ends
		last      time.Duration // when an iteration may begin
	}{
		"no limit":           {limits: Limits{Nodes: 5}, stop: time.Hour, last: time.Hour},
		"move time":          {limits: Limits{MoveTime: 100 * ms}, stop: 99 * ms, last: time.Hour},
		"stable, move time":  {limits: Limits{MoveTime: 100 * ms}, stable: 9, stop: 99 * ms, last: time.Hour},
		"short move time":    {limits: Limits{MoveTime: ms}, stop: 900 * time.Microsecond, last: time.Hour},
		"clock":              {limits: Limits{Clock: Clock{Left: 5 * time.Second}}, stop: 999 * ms, last: 499500 * time.Microsecond},
		"stable, clock":      {limits: Limits{Clock: Clock{Left: 5 * time.Second}}, stable: 9, stop: 699300 * time.Microsecond, last: 349650 * time.Microsecond},
		"unsettled, clock":   {limits: Limits{Clock: Clock{Left: 5 * time.Second}}, unsettled: true, stop: 2499 * ms, last: 499500 * time.Microsecond},
		"both, and unstable": {limits: Limits{MoveTime: 100 * ms, Clock: Clock{Left: time.Hour}}, unsettled: true, stop: 99 * ms, last: time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			w := NewTimer(began, g, c.limits)
			w.stable, w.Unsettled = c.stable, c.unsettled
			for d := time.Duration(0); d < 4*time.Second; d += 100 * time.Microsecond {
				require.Equal(t, d >= c.stop, w.Expired(), "%s after %v", name, d)
				again := w
				require.Equal(t, d >= c.last, again.Finished(w.best), "%s after %v", name, d)
				time.Sleep(100 * time.Microsecond)
			}
		})
	}
}

// A best move is stable once it has been the best of several iterations.
func TestTimerCountsStableIterations(t *testing.T) {
	var w Timer
	for i, m := range []rules.Move{5, 5, 5, 6, 6} {
		w.Finished(m)
		require.Equal(t, []int{0, 1, 2, 0, 1}[i], w.stable)
	}
}
