package tournament

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

func decideBy(choose func(g *rules.Game) rules.Move) func(context.Context, *rules.Game) (agents.Decision, error) {
	return func(_ context.Context, g *rules.Game) (agents.Decision, error) {
		return agents.Decision{Move: choose(g)}, nil
	}
}

// stubborn agents ignore their context until release is closed.
func stubborn(release <-chan struct{}, calls *atomic.Int64) agents.Kind {
	return agents.Kind{Name: "stubborn", New: func(agents.Values) (agents.Agent, error) {
		return &faulty{after: 2, wrong: func(context.Context, *rules.Game) (agents.Decision, error) {
			calls.Add(1)
			<-release
			return agents.Decision{}, errTest
		}}, nil
	}}
}

func withKind(k agents.Kind) *agents.Registry {
	return agents.NewRegistry(append(testRegistry(nil).Kinds(), k)...)
}

// An agent that ignores its context loses by time, and the worker plays on with
// another one.
func TestStubbornAgentLoses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, calls := make(chan struct{}), new(atomic.Int64)
		defer close(release)
		c := testConfig(t, "random", "stubborn")
		c.Rules = []*rules.Rules{rules.MustParse("standard:max_plies=20")}
		c.StallTimeout = 4 * time.Minute
		w := NewRunner(&c, withKind(stubborn(release, calls)).New)
		for i := range int64(2) {
			games, err := w.Play(t.Context(), newSchedule(&c).job(i), 1)
			require.NoError(t, err)
			require.Len(t, games, 2)
			for _, g := range games {
				requireSound(t, g)
				require.Equal(t, record.FaultTimeout, g.Fault.Kind)
				require.Equal(t, "no answer within 4m0s", g.Fault.Detail)
				require.GreaterOrEqual(t, len(g.Moves), 4)
			}
			require.Equal(t, []string{"north", "south"}, []string{games[0].Fault.Side, games[1].Fault.Side})
		}
		require.EqualValues(t, 4, calls.Load())
		require.NoError(t, w.Close())
	})
}

// An agent that hangs but heeds its context is closed, and nothing is left.
func TestHangingAgentLoses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := testConfig(t, "random", "block")
		c.StallTimeout = 5 * time.Minute
		c.Limits.MoveTime = 30 * time.Second
		w := NewRunner(&c, testRegistry(nil).New)
		games, err := w.Play(t.Context(), newSchedule(&c).job(0), 1)
		require.NoError(t, err)
		require.Len(t, games, 2)
		for _, g := range games {
			requireSound(t, g)
			require.Equal(t, record.FaultTimeout, g.Fault.Kind)
			require.Equal(t, "no answer within 5m30.5s", g.Fault.Detail, "with the margin of a move time")
		}
		require.NoError(t, w.Close())
	})
}

// sleeping agents take a time for each move but the first.
func sleeping(d time.Duration) agents.Agent {
	a := &faulty{after: 1}
	a.wrong = func(ctx context.Context, g *rules.Game) (agents.Decision, error) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return a.picker.Choose(ctx, g, agents.Limits{})
	}
	return a
}

// The stall timeout is counted from the end of the time that an agent has for its move.
func TestStallTimeoutBeyondLimits(t *testing.T) {
	const timeout = 300 * time.Millisecond
	for name, test := range map[string]struct {
		sleep  time.Duration
		change func(*Game)
		detail string // of the fault; "": there is none
	}{
		"no limit, in time":    {200 * time.Millisecond, func(*Game) {}, ""},
		"no limit":             {400 * time.Millisecond, func(*Game) {}, "no answer within 300ms"},
		"nodes and depth":      {400 * time.Millisecond, func(m *Game) { m.Limits = agents.Limits{Depth: 1, Nodes: 1} }, "no answer within 300ms"},
		"increments, in time":  {2 * time.Second, func(m *Game) { m.Clock = Clock{200 * time.Millisecond, 2500 * time.Millisecond} }, ""},
		"clock":                {time.Minute, func(m *Game) { m.Clock = Clock{Base: 5 * time.Second} }, "no answer within 5.3s"},
		"the agent's own time": {time.Minute, func(m *Game) { m.Seats[0].MoveTime = time.Second }, "no answer within 1.8s"},
		"the tighter one": {time.Minute, func(m *Game) {
			m.Limits.MoveTime, m.Clock, m.TimeMargin = time.Minute, Clock{Base: 2 * time.Second}, 0
		}, "no answer within 2.3s"},
		"no stall timeout": {time.Hour, func(m *Game) { m.StallTimeout, m.Seats[1].MoveTime = 0, time.Second }, ""},
		"a person":         {time.Hour, func(m *Game) { m.Seats[0].Person = true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newTestGame(t, rules.MustParse("standard:max_plies=8"), 1, sleeping(test.sleep), &picker{})
				m.StallTimeout = timeout
				test.change(m)
				g, err := PlayGame(t.Context(), m)
				require.NoError(t, err)
				if test.detail == "" {
					require.Nil(t, g.Fault)
				} else {
					require.Equal(t, &record.Fault{Side: "south", Kind: record.FaultTimeout, Detail: test.detail}, g.Fault)
				}
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
					ticks := &r.referee.watchdog.ticks
					ticks.mu.Lock()
					ticks.last = ticks.last.Add(-90 * time.Second)
					ticks.mu.Unlock()
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

// A run that is cancelled ends even if an agent ignores it.
func TestCancelledDespiteStubbornAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, calls := make(chan struct{}), new(atomic.Int64)
		defer close(release)
		c := testConfig(t, "random", "stubborn")
		c.Rules = []*rules.Rules{rules.MustParse("standard:max_plies=20")}
		c.StallTimeout = 0
		w := NewRunner(&c, withKind(stubborn(release, calls)).New)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := w.Play(ctx, newSchedule(&c).job(0), 1)
			done <- err
		}()
		synctest.Wait()
		require.EqualValues(t, 1, calls.Load())
		start := time.Now()
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		require.Equal(t, cancelGrace, time.Since(start))
		require.NoError(t, w.Close())
	})
}
