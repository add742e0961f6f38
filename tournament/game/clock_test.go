package game

import (
	"cmp"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

func TestClock(t *testing.T) {
	c := Clock{Base: 30 * time.Second, Increment: time.Second}
	const margin = 100 * time.Millisecond
	require.Equal(t, "30s+1s", c.String())
	left := c.Base
	require.Equal(t, agents.Limits{Clock: agents.Clock{
		Left: left, Increment: c.Increment, Overhead: agents.DefaultMoveOverhead,
	}}, c.limits(left))
	require.Zero(t, c.spend(&left, 10*time.Second, margin))
	require.Equal(t, 21*time.Second, left)
	require.Zero(t, c.spend(&left, 21*time.Second+90*time.Millisecond, margin), "within the margin")
	require.Equal(t, time.Second, left)
	require.Equal(t, 200*time.Millisecond, c.spend(&left, 1200*time.Millisecond, margin))
	require.Positive(t, c.limits(0).Clock.Left, "a clock all the same")
	require.Zero(t, Clock{}.limits(0))
	require.Zero(t, Clock{}.spend(&left, time.Hour, 0))
	for _, bad := range []Clock{{Base: 1}, {Base: -time.Second}, {Increment: 1}, {Base: 25 * time.Hour}} {
		require.False(t, bad.Valid(), "%v", bad)
	}
}

// slowAgent takes 30 ms for each move, and stores how much it was given.
type slowAgent struct {
	picker
	given time.Duration
}

func (a *slowAgent) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	_, a.given = q.Limits.Times(g)
	time.Sleep(30 * time.Millisecond)
	return a.picker.Choose(ctx, g, q)
}

// An agent that overruns its clock or move time, its own or the game's, by more than the margin
// loses on time, and the record says by how much.
func TestLossOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rules.MustParse("standard")
		opening := newTestGame(t, r, 1, nil, nil).Opening
		var length Adjudication
		err := length.UnmarshalText([]byte("plies=12"))
		require.NoError(t, err)
		const ms = time.Millisecond
		for name, c := range map[string]struct {
			base, limit, own, margin time.Duration // base is of the game's clock; 0: an hour; a margin of 0 is the usual one
			clock                    Clock
			detail                   string // "" if nobody loses on time
		}{
			"the game's clock":     {base: 100 * ms, margin: ms, detail: "overran its clock"},
			"the game's move time": {limit: 20 * ms, margin: ms, detail: "overran its move time of 20ms"},
			"its own move time":    {limit: time.Hour, own: 15 * ms, margin: 5 * ms, detail: "overran its move time of 15ms"},
			"within the margin":    {limit: 20 * ms, margin: time.Minute},
			"the usual margin":     {own: 20 * ms, margin: 0},
			"its own clock":        {clock: Clock{Base: 60 * ms, Increment: ms}, margin: ms, detail: "overran its clock"},
		} {
			base, slow := cmp.Or(c.base, time.Hour), &slowAgent{}
			m := Task{Rules: r, Opening: opening, Settings: Settings{Clock: Clock{Base: base},
				Limits: agents.Limits{MoveTime: c.limit}, Adjudication: length},
				Seats: [2]Seat{{Name: "quick", Agent: &picker{}},
					{Name: "slow", Agent: slow, Clock: c.clock, MoveTime: c.own}}}
			if c.margin > 0 {
				m.TimeMargin = &c.margin
			}
			g, err := Play(t.Context(), &m)
			require.NoError(t, err)
			requireSound(t, g)
			require.Equal(t, base.String()+"+0s", g.Limits.Clock)
			require.Positive(t, slow.given)
			require.Less(t, slow.given, base)
			if c.detail == "" {
				require.Nil(t, g.Fault, name)
				continue
			}
			require.Equal(t, &record.Fault{Side: "north", Kind: record.FaultTimeout, Detail: c.detail}, g.Fault, name)
			require.Equal(t, "1-0", g.Result)
			require.Greater(t, g.Timing.OverrunMS, 0.9, name)
		}
	})
}

func TestParseClock(t *testing.T) {
	for text, want := range map[string]Clock{"1m": {Base: time.Minute}, "60": {Base: time.Minute},
		"10s+100ms": {10 * time.Second, 100 * time.Millisecond}, "60+0.6": {time.Minute, 600 * time.Millisecond},
		"1m+2": {time.Minute, 2 * time.Second}, "8+.08": {8 * time.Second, 80 * time.Millisecond}} {
		c, err := ParseClock(text)
		require.NoError(t, err)
		require.Equal(t, want, c)
	}
	for _, text := range []string{"", "+", "1m+", "0s", "0s+1s", "-1s", "1s+-1s", "25h", "1m+1s+1s", "NaN", "1e99", "0",
		"40/60", "1:30"} {
		_, err := ParseClock(text)
		require.ErrorContains(t, err, "like 60+0.6 (seconds) or 1m+600ms", text)
	}
}
