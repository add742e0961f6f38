package game

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
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
	}}, c.limits(left, 7))
	require.Zero(t, c.spend(&left, 10*time.Second, margin, 1))
	require.Equal(t, 21*time.Second, left)
	require.Zero(t, c.spend(&left, 21*time.Second+90*time.Millisecond, margin, 2), "within the margin")
	require.Equal(t, time.Second, left)
	require.Equal(t, 200*time.Millisecond, c.spend(&left, 1200*time.Millisecond, margin, 3))
	require.Positive(t, c.limits(0, 0).Clock.Left, "a clock all the same")
	require.Zero(t, Clock{}.limits(0, 0))
	require.Zero(t, Clock{}.spend(&left, time.Hour, 0, 1))
	for _, bad := range []Clock{{Base: 1}, {Base: -time.Second}, {Increment: 1}, {Base: 25 * time.Hour},
		{Moves: 40}, {Moves: -1, Base: time.Hour}, {Moves: 1001, Base: time.Hour}} {
		require.False(t, bad.Valid(), "%v", bad)
	}
}

// After the last move of a period the base of the next one is added to what is left. A placement takes time, and counts
// for no period.
func TestClockWithPeriods(t *testing.T) {
	c := Clock{Moves: 3, Base: 10 * time.Second, Increment: time.Second}
	require.Equal(t, "3/10s+1s", c.String())
	left := c.Base
	for i, want := range []struct {
		turn, toGo int // before the move
		took, left time.Duration
	}{
		{0, 3, 2 * time.Second, 9 * time.Second},
		{0, 3, 0, 10 * time.Second},
		{1, 3, 4 * time.Second, 7 * time.Second},
		{2, 2, 8*time.Second - 500*time.Millisecond, time.Second}, // within the margin
		{3, 1, 500 * time.Millisecond, 11500 * time.Millisecond},
		{4, 3, 11500 * time.Millisecond, time.Second},
		{5, 2, time.Second, time.Second},
		{6, 1, time.Second, 11 * time.Second},
		{7, 3, 0, 12 * time.Second},
	} {
		require.Equal(t, want.toGo, c.limits(left, max(want.turn-1, 0)).Clock.MovesToGo, "%d", i)
		require.Zero(t, c.spend(&left, want.took, time.Second, want.turn), "%d", i)
		require.Equal(t, want.left, left, "%d", i)
	}
	require.Equal(t, 2*time.Second, c.spend(&left, 14*time.Second, time.Second, 9), "the base comes too late")
	c.Moves = 1
	require.Equal(t, 21*time.Second, c.After(11*time.Second, time.Second, 1))
	require.Equal(t, 11*time.Second, c.After(11*time.Second, time.Second, 0))
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

// timedAgent takes the times listed for its moves, then none, and notes what is left on its clock and the moves of the
// period.
type timedAgent struct {
	picker
	takes []time.Duration
	told  []string
}

func (a *timedAgent) Choose(ctx context.Context, g *rules.Game, q agents.Request) (agents.Decision, error) {
	if n := len(a.told); n < len(a.takes) {
		time.Sleep(a.takes[n])
	}
	clock := q.Limits.Clock
	a.told = append(a.told, fmt.Sprintf("%d/%v", clock.MovesToGo, clock.Left))
	return a.picker.Choose(ctx, g, q)
}

// A period ends with the side's own turn, also if it has placed its pieces before. What is left is kept; the base of the
// next period comes too late for the last move of the one before.
func TestPeriodsInGame(t *testing.T) {
	const ms = time.Millisecond
	r := rules.MustParse("standard:max_plies=10")
	for _, c := range []struct {
		takes     []time.Duration
		told      string
		overrunMS float64 // of the last move; 0: nobody loses on time
	}{
		{[]time.Duration{90 * ms, 10 * ms, 50 * ms}, "2/100ms 1/10ms 2/100ms 1/50ms 2/150ms", 0},
		{[]time.Duration{0, 0, 100 * ms, 100 * ms, 100 * ms}, "2/100ms 1/100ms 2/200ms 1/100ms 2/100ms", 0},
		{[]time.Duration{90 * ms, 12 * ms}, "2/100ms 1/10ms", 2},
		{[]time.Duration{0, 0, 150 * ms, 55 * ms}, "2/100ms 1/100ms 2/200ms 1/50ms", 5},
	} {
		for side := range rules.Side(2) {
			for _, placements := range []int{0, 6} {
				synctest.Test(t, func(t *testing.T) {
					m := newTestGame(t, r, 1, &picker{}, &picker{})
					if placements > 0 {
						m.Opening = r.Start()
					}
					a := &timedAgent{takes: slices.Concat(make([]time.Duration, placements), c.takes)}
					m.Seats[side].Agent = a
					m.Seats[side].Clock = Clock{Moves: 2, Base: 100 * ms}
					g, err := Play(t.Context(), m)
					require.NoError(t, err)
					require.NoError(t, m.Verify(g))
					require.Equal(t, strings.Repeat("2/100ms ", placements)+c.told, strings.Join(a.told, " "))
					require.InDelta(t, c.overrunMS, g.Timing.OverrunMS, 0)
					require.Equal(t, c.overrunMS > 0, g.Fault != nil)
				})
			}
		}
	}
}

// Placements take time and bring increments, in the game and when its record is verified.
func TestPlacementsOnTheClock(t *testing.T) {
	const ms = time.Millisecond
	r := rules.MustParse("standard:max_plies=10")
	synctest.Test(t, func(t *testing.T) {
		m := newTestGame(t, r, 1, &picker{}, &picker{})
		m.Opening = r.Start()
		a := &timedAgent{takes: []time.Duration{0, 0, 0, 0, 0, 5 * ms, 505 * ms}}
		m.Seats[rules.North].Agent = a
		m.Clock = Clock{Moves: 2, Base: 10 * ms, Increment: 100 * ms}
		g, err := Play(t.Context(), m)
		require.NoError(t, err)
		require.NoError(t, m.Verify(g))
		require.Equal(t, "2/10ms 2/110ms 2/210ms 2/310ms 2/410ms 2/510ms 2/605ms 1/200ms 2/310ms",
			strings.Join(a.told[:9], " "))

		// A placement of the record that took longer than the slowest worker has.
		g.Timing.MoveMS[0] = 161
		g.Timing.Seconds = 9
		require.ErrorContains(t, m.Verify(g), "move 1: 161 ms: overran its clock")
	})
}

func TestParseClock(t *testing.T) {
	for text, want := range map[string]Clock{"1m": {Base: time.Minute}, "60": {Base: time.Minute},
		"10s+100ms": {0, 10 * time.Second, 100 * time.Millisecond}, "60+0.6": {0, time.Minute, 600 * time.Millisecond},
		"1m+2": {0, time.Minute, 2 * time.Second}, "8+.08": {0, 8 * time.Second, 80 * time.Millisecond},
		"40/60": {40, time.Minute, 0}, "40/60+1": {40, time.Minute, time.Second}, "1/1ms": {1, time.Millisecond, 0},
		"1000/24h+24h": {1000, 24 * time.Hour, 24 * time.Hour}} {
		c, err := ParseClock(text)
		require.NoError(t, err)
		require.Equal(t, want, c)
		again, err := ParseClock(c.String())
		require.NoError(t, err)
		require.Equal(t, want, again)
	}
	for _, text := range []string{"", "+", "1m+", "0s", "0s+1s", "-1s", "1s+-1s", "25h", "1m+1s+1s", "NaN", "1e99", "0",
		"1:30", "/", "40/", "/60", "0/60", "40/60+", "-1/60", "1e9/60", "40/0", "40/60/20", "1001/1", "10001/1", "40 /60",
		"40/+1", "1.5/60", "0x10/60", "60+40/1", "∞/60", strings.Repeat("9", 99) + "/60"} {
		_, err := ParseClock(text)
		require.ErrorContains(t, err, "like 60+0.6 (seconds) or 1m+600ms, or for 1 to 1000 moves, like 40/60+1, found", text)
	}
	_, err := ParseClock("040/60")
	require.EqualError(t, err, `expected a time and an increment, like 60+0.6, without leading zeros, found "040/60"`)
}
