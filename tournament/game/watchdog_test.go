package game

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// sleeping agents take a time for each move but the first.
func sleeping(d time.Duration) agents.Agent {
	a := &faulty{After: 1}
	a.Wrong = func(ctx context.Context, g *rules.Game) (agents.Decision, error) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return a.Picker.Choose(ctx, g, agents.Request{})
	}
	return a
}

// The stall timeout is counted from the end of the time that an agent has for its move.
func TestStallTimeoutBeyondLimits(t *testing.T) {
	const timeout = 300 * time.Millisecond
	for name, test := range map[string]struct {
		sleep  time.Duration
		change func(*Task)
		detail string // of the fault; "": there is none
	}{
		"no limit, in time":    {200 * time.Millisecond, func(*Task) {}, ""},
		"no limit":             {400 * time.Millisecond, func(*Task) {}, "no answer within 300ms"},
		"nodes and depth":      {400 * time.Millisecond, func(m *Task) { m.Limits = agents.Limits{Depth: 1, Nodes: 1} }, "no answer within 300ms"},
		"increments, in time":  {2 * time.Second, func(m *Task) { m.Clock = Clock{Base: 200 * time.Millisecond, Increment: 2500 * time.Millisecond} }, ""},
		"clock":                {time.Minute, func(m *Task) { m.Clock = Clock{Base: 5 * time.Second} }, "no answer within 5.3s"},
		"the agent's own time": {time.Minute, func(m *Task) { m.Seats[0].MoveTime = time.Second }, "no answer within 1.8s"},
		"the tighter one": {time.Minute, func(m *Task) {
			m.Limits.MoveTime, m.Clock, m.TimeMargin = time.Minute, Clock{Base: 2 * time.Second}, new(time.Duration)
		}, "no answer within 2.3s"},
		"no stall timeout": {time.Hour, func(m *Task) { m.StallTimeout, m.Seats[1].MoveTime = 0, time.Second }, ""},
		"a person":         {time.Hour, func(m *Task) { m.Seats[0].Person = true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newTestGame(t, rules.MustParse("standard:max_plies=8"), 1, sleeping(test.sleep), &picker{})
				m.StallTimeout = timeout
				test.change(m)
				g, err := Play(t.Context(), m)
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

// The time in which the program itself was stopped is not part of the stall timeout, a clock or a
// move time.
func TestLimitsLeaveOutSuspensions(t *testing.T) {
	for i, limit := range []func(*Task){
		func(m *Task) { m.StallTimeout = time.Minute },
		func(m *Task) { m.StallTimeout, m.Clock = time.Hour, Clock{Base: 40 * time.Second} },
		func(m *Task) { m.StallTimeout, m.Clock = 0, Clock{Base: 40 * time.Second} },
		func(m *Task) { m.StallTimeout, m.Limits.MoveTime = time.Hour, 40*time.Second },
	} {
		for _, stopped := range []bool{false, true} {
			t.Run(fmt.Sprint(i, stopped), func(t *testing.T) { suspend(t, limit, stopped) })
		}
	}
}

// suspend plays a game by a limit with a move of two minutes, and expects no fault if most of it
// was a stop.
func suspend(t *testing.T, limit func(*Task), stopped bool) {
	synctest.Test(t, func(t *testing.T) {
		r := &Referee{}
		slow := &faulty{After: 1}
		slow.Wrong = func(ctx context.Context, g *rules.Game) (agents.Decision, error) {
			if stopped {
				w := &r.shown.Load().watchdog
				w.mu.Lock()
				w.last = w.last.Add(-90 * time.Second)
				w.mu.Unlock()
			}
			select {
			case <-time.After(2 * time.Minute):
			case <-ctx.Done():
			}
			return slow.Picker.Choose(ctx, g, agents.Request{})
		}
		m := newTestGame(t, rules.MustParse("standard:max_plies=4"), 1, slow, &picker{})
		limit(m)
		g, _, err := r.Play(t.Context(), m)
		require.NoError(t, err)
		require.Equal(t, stopped, g.Fault == nil)
		if stopped {
			require.Less(t, slices.Max(g.Timing.MoveMS), 31_000.0, "the record has it neither")
		}
	})
}
