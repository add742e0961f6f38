package tournament

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// A loss on time is marked as the host's if the program, or the machine, was late by as much during the move, not
// before it.
func TestLossesOnTimeOfTheHost(t *testing.T) {
	const ms, overrun = time.Millisecond, 300 * time.Millisecond
	change := func(last func(time.Time) time.Time) func(*hostMonitor) {
		return func(h *hostMonitor) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.last = last(h.last)
		}
	}
	stop := func(d time.Duration) func(*hostMonitor) { // the last tick was long ago
		return change(func(last time.Time) time.Time { return last.Add(-d) })
	}
	sleep := change(func(last time.Time) time.Time { return last.Round(0).Add(-time.Hour) })
	for name, c := range map[string]struct {
		before, during func(*hostMonitor)
		tasks          int
		want           record.HostState
	}{
		"nothing":                   {},
		"late":                      {during: stop(350 * ms), want: record.HostOverloaded},
		"late by less":              {during: stop(200 * ms)},
		"late before the move":      {before: stop(350 * ms)},
		"stopped":                   {during: stop(12 * time.Second), want: record.HostSuspended},
		"a busy machine":            {tasks: runtime.NumCPU()},
		"more tasks than cores":     {tasks: 2*runtime.NumCPU() + 2, want: record.HostOverloaded},
		"stopped with many a task":  {during: stop(12 * time.Second), tasks: 10_000, want: record.HostSuspended},
		"asleep by the wall's time": {during: sleep, want: record.HostSuspended},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &Runner{referee: new(referee)}
				r.referee.host.runnable = func() int { return c.tasks }
				slow := &faulty{after: 1}
				slow.wrong = func(ctx context.Context, g *rules.Game) (agents.Decision, error) {
					if c.during != nil {
						c.during(&r.referee.host)
					}
					time.Sleep(100*ms + overrun)
					return slow.picker.Choose(ctx, g, agents.Limits{})
				}
				m := newTestGame(t, rules.MustParse("standard"), 1, slow, &picker{})
				m.Limits.MoveTime, m.TimeMargin, m.StallTimeout = 100*ms, 0, time.Hour
				m.OnMove = func(*rules.Game, agents.Decision) {
					if c.before != nil {
						c.before(&r.referee.host)
						time.Sleep(2 * hostTick) // a tick comes in between
					}
				}
				g, _, err := r.playWatched(t.Context(), m)
				require.NoError(t, err)
				requireSound(t, g)
				require.Equal(t, record.FaultTimeout, g.Fault.Kind)
				require.Equal(t, c.want, g.Fault.Host, g.Timing.HostDetail)
				require.Equal(t, c.want != "", g.Timing.HostDetail != "")
			})
		})
	}
}

// The time in which the program itself was stopped is not part of the stall timeout.
func TestStallTimeoutLeavesOutSuspensions(t *testing.T) {
	for _, stopped := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := &Runner{referee: new(referee)}
			slow := &faulty{after: 1}
			slow.wrong = func(ctx context.Context, g *rules.Game) (agents.Decision, error) {
				if stopped {
					r.referee.host.mu.Lock()
					r.referee.host.last = r.referee.host.last.Add(-90 * time.Second)
					r.referee.host.mu.Unlock()
				}
				select {
				case <-time.After(2 * time.Minute):
				case <-ctx.Done():
				}
				return slow.picker.Choose(ctx, g, agents.Limits{})
			}
			m := newTestGame(t, rules.MustParse("standard:max_plies=4"), 1, slow, &picker{})
			m.StallTimeout = time.Minute
			g, _, err := r.playWatched(t.Context(), m)
			require.NoError(t, err)
			require.Equal(t, stopped, g.Fault == nil)
		})
	}
}
