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
	p, err := r.ParsePosition("213132/000000/000000/000000/000000/112233 s" +
		map[bool]string{true: " 000/000 0-0 -"}[r.Options().Kang])
	require.NoError(t, err)
	g := rules.NewGame(r, p)
	for range plies {
		ms := g.Legal()
		for i := range ms.Len() {
			if m := ms.At(i); !m.IsGoal() {
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
		clock      Clock
		rules      string
		plies      int
		soft, hard time.Duration
	}{
		{Clock{Left: 60 * s}, "standard", 0, 12 * s, 30 * s},
		{Clock{Left: 60 * s}, "standard", 5, 20 * s, 30 * s},
		{Clock{Left: 60 * s}, "standard", 14, 20 * s, 30 * s},
		{Clock{Left: 70 * s}, "kang", 0, 5 * s, 15 * s},
		{Clock{Left: 60 * s}, "simplified", 0, 20 * s, 30 * s},
		{Clock{Left: 60 * s}, "simplified", 9, 30 * s, 30 * s},
		{Clock{Left: 60 * s, Increment: 5 * s}, "standard", 0, 16 * s, 30 * s},
		{Clock{Left: 60 * s, Increment: 5 * s, Overhead: 30 * ms}, "standard", 0, 15970 * ms, 29970 * ms},
		{Clock{Left: 60 * s, MovesToGo: 30}, "standard", 0, 2 * s, 6 * s},
		{Clock{Left: 60 * s, MovesToGo: 1, Overhead: 30 * ms}, "standard", 0, 47970 * ms, 47970 * ms},
		{Clock{Left: 2 * s, Increment: 10 * s}, "standard", 0, 1600 * ms, 1600 * ms}, // the increment comes too late for this move
		{Clock{Left: 20 * ms, Overhead: 30 * ms}, "standard", 0, ms, ms},
		{Clock{Left: ms}, "standard", 0, ms, ms},
		{Clock{Left: 24 * time.Hour, Increment: 24 * time.Hour, MovesToGo: 1e8}, "standard", 0, 69120 * s, 69120 * s},
	} {
		soft, hard := Limits{Clock: c.clock}.Times(gameAt(t, c.rules, c.plies))
		require.Equal(t, c.soft, soft, "%+v in %s after %d plies", c.clock, c.rules, c.plies)
		require.Equal(t, c.hard, hard, "%+v in %s after %d plies", c.clock, c.rules, c.plies)
	}
}

func TestMoveTime(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	for _, c := range []struct {
		clock Clock
		rules string
		plies int
		want  time.Duration
	}{
		{Clock{Left: 60 * s}, "standard", 0, 6 * s},
		{Clock{Left: 60 * s}, "standard", 5, 7500 * ms},
		{Clock{Left: 60 * s}, "kang", 0, 2500 * ms},
		{Clock{Left: 60 * s}, "standard", 14, 12 * s},
		{Clock{Left: 60 * s, Increment: s, Overhead: 30 * ms}, "standard", 0, 6870 * ms},
		{Clock{Left: 60 * s, MovesToGo: 1, Overhead: 30 * ms}, "standard", 0, 47970 * ms},
		{Clock{}, "standard", 0, ms},
	} {
		require.Equal(t, c.want, c.clock.MoveTime(gameAt(t, c.rules, c.plies)), "%+v in %s after %d plies", c.clock,
			c.rules, c.plies)
	}
}

// A side that takes the time it should, in games as long as those of strong players are until their outcome is proven,
// uses most of its clock. It never loses on time, even if it always takes as long as it may.
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
