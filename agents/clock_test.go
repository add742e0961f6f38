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
		{Clock{Left: 60 * s}, "standard", 14, 12 * s},
		{Clock{Left: 60 * s}, "kang", 0, 2500 * ms},
		{Clock{Left: 60 * s, Increment: s}, "standard", 0, 6900 * ms},
		{Clock{Left: 60 * s, Increment: s, Overhead: 30 * ms}, "standard", 0, 6870 * ms},
		{Clock{Left: 60 * s, MovesToGo: 30}, "standard", 0, 2 * s},
		{Clock{Left: 60 * s, MovesToGo: 1, Overhead: 30 * ms}, "standard", 0, 47970 * ms},
		{Clock{Left: 2 * s, Increment: 10 * s}, "standard", 0, 1600 * ms}, // the increment comes too late for this move
		{Clock{Left: 20 * ms, Overhead: 30 * ms}, "standard", 0, ms},
		{Clock{}, "standard", 0, ms},
		{Clock{Left: 24 * time.Hour, Increment: 24 * time.Hour, MovesToGo: 1e8}, "standard", 0, 69120 * s},
	} {
		require.Equal(t, c.want, c.clock.MoveTime(gameAt(t, c.rules, c.plies)), "%+v in %s after %d plies", c.clock,
			c.rules, c.plies)
	}
}

// A side that takes the time it may, in games as long as those of strong players
// are, uses most of its clock, and never all of it.
func TestMoveTimeUsesTheClock(t *testing.T) {
	for preset, moves := range map[string]int{"standard": 10, "kang": 24} {
		for _, increment := range []time.Duration{0, 100 * time.Millisecond} {
			left, total := 10*time.Second, 10*time.Second
			for n := range 40 {
				if n == moves {
					require.Less(t, left, total*3/10, preset)
				}
				left -= Clock{Left: left, Increment: increment, Overhead: DefaultMoveOverhead}.MoveTime(gameAt(t, preset, 2*n))
				require.Positive(t, left, "%s, move %d", preset, n)
				left += increment
				total += increment
			}
		}
	}
}
