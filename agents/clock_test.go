package agents

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

// gameAt returns a game in which a number of plies has been played.
func gameAt(t *testing.T, preset string, plies int) *rules.Game {
	t.Helper()
	r := rules.MustParse(preset)
	position := "213132/000000/000000/000000/000000/112233 s"
	if r.Options().Kang {
		position += " 000/000 0-0 -"
	}
	p, err := r.ParsePosition(position)
	require.NoError(t, err)
	g := rules.NewGame(r, p)
	for range plies {
		for m := range g.Legal().All() {
			if !m.IsGoal() {
				g.PlayLegal(m)
				break
			}
		}
	}
	require.Equal(t, plies, g.Ply())
	return g
}

func TestTimes(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	g := gameAt(t, "standard", 0)
	for limits, want := range map[Limits][2]time.Duration{ // a move time bounds what a clock allows
		{Clock: Clock{Left: 60 * s}, MoveTime: 20 * s}: {12 * s, 20 * s},
		{Clock: Clock{Left: 60 * s}, MoveTime: s}:      {s, s},
		{MoveTime: s}: {s, s},
		{Nodes: 1}:    {},
	} {
		soft, hard := limits.Times(g)
		require.Equal(t, want, [2]time.Duration{soft, hard}, "%+v", limits)
	}
	for _, c := range []struct {
		clock                Clock
		rules                string
		plies                int
		soft, hard, moveTime time.Duration
	}{
		{Clock{}, "standard", 0, 0, 0, ms},
		{Clock{Left: 60 * s}, "standard", 0, 12 * s, 30 * s, 6 * s},
		{Clock{Left: 60 * s}, "standard", 5, 20 * s, 30 * s, 7500 * ms},
		{Clock{Left: 60 * s}, "standard", 14, 20 * s, 30 * s, 12 * s},
		{Clock{Left: 84 * s}, "kang", 0, 6 * s, 18 * s, 3500 * ms},
		{Clock{Left: 60 * s}, "simplified", 0, 20 * s, 30 * s, 6 * s},
		{Clock{Left: 60 * s}, "simplified", 9, 30 * s, 30 * s, 10 * s},
		{Clock{Left: 60 * s, Increment: 5 * s}, "standard", 0, 16 * s, 30 * s, 10500 * ms},
		{Clock{Left: 60 * s, Increment: 5 * s, Overhead: 30 * ms}, "standard", 0, 15970 * ms, 29970 * ms, 10470 * ms},
		{Clock{Left: 60 * s, MovesToGo: 30}, "standard", 0, 2 * s, 6 * s, 2 * s},
		{Clock{Left: 60 * s, MovesToGo: 1, Overhead: 30 * ms}, "standard", 0, 47970 * ms, 47970 * ms, 47970 * ms},
		{Clock{Left: 2 * s, Increment: 10 * s}, "standard", 0, 1600 * ms, 1600 * ms, 1600 * ms}, // it comes after this move
		{Clock{Left: 20 * ms, Overhead: 30 * ms}, "standard", 0, ms, ms, ms},
		{Clock{Left: ms}, "standard", 0, ms, ms, ms},
		{Clock{Left: 24 * time.Hour, Increment: 24 * time.Hour, MovesToGo: 1e8}, "standard", 0, 69120 * s, 69120 * s, 69120 * s},
	} {
		g := gameAt(t, c.rules, c.plies)
		soft, hard := Limits{Clock: c.clock}.Times(g)
		want := []time.Duration{c.soft, c.hard, c.moveTime}
		require.Equal(t, want, []time.Duration{soft, hard, c.clock.MoveTime(g)}, "%+v", c)
	}
}

// A side that takes the time it should, in games as long as those of strong players are until their
// outcome is proven, uses most of its clock. It never loses on time, even if it always takes as
// long as it may.
func TestTimesUseTheClock(t *testing.T) {
	for preset, moves := range map[string]int{"standard": 6, "simplified": 4, "kang": 16} {
		for _, increment := range []time.Duration{0, 100 * time.Millisecond} {
			left, least := 10*time.Second, 10*time.Second
			total := left
			for n := range 30 {
				if n == moves {
					require.Less(t, left, total*3/10, preset)
				}
				g := gameAt(t, preset, 2*n)
				soft, _ := Limits{Clock: Clock{Left: left, Increment: increment, Overhead: DefaultMoveOverhead}}.Times(g)
				_, hard := Limits{Clock: Clock{Left: least, Increment: increment, Overhead: DefaultMoveOverhead}}.Times(g)
				left, least = left-soft, least-hard
				require.Positive(t, left, "%s, move %d", preset, n)
				require.GreaterOrEqual(t, least, time.Duration(0), "%s, move %d", preset, n)
				left, least, total = left+increment, max(least, time.Millisecond)+increment, total+increment
			}
		}
	}
}

// Under periods of moves a side never loses on time, even if it always takes as long as it may and all of its overhead,
// though few games last for a second period. What isn't used is kept.
func TestTimesInPeriods(t *testing.T) {
	for _, c := range []struct {
		moves           int
		base, increment time.Duration
	}{
		{40, time.Second, 0},
		{40, time.Second, 10 * time.Millisecond},
		{20, 2 * time.Second, 10 * time.Millisecond},
		{1, 50 * time.Millisecond, 0},
		{2, 50 * time.Millisecond, 0},
		{1000, 11 * time.Second, 0},
	} {
		left, least := c.base, c.base
		for n := range 2000 {
			if n > 0 && n%c.moves == 0 {
				require.Less(t, left, max(c.base/10, 20*time.Millisecond), "%+v: most of the period is used", c)
				left, least = left+c.base, least+c.base
			}
			clock := Clock{Left: left, Increment: c.increment, MovesToGo: c.moves - n%c.moves, Overhead: DefaultMoveOverhead}
			soft, _ := Limits{Clock: clock}.Times(gameAt(t, "standard", 0))
			clock.Left = least
			_, hard := Limits{Clock: clock}.Times(gameAt(t, "standard", 0))
			left, least = left-soft-DefaultMoveOverhead, least-hard-DefaultMoveOverhead
			require.GreaterOrEqual(t, left, time.Duration(0), "%+v, move %d", c, n)
			require.GreaterOrEqual(t, least, time.Duration(0), "%+v, move %d", c, n)
			left, least = left+c.increment, least+c.increment
		}
	}
}
