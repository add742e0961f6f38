package alphabeta

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/internal/agenttest"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

func TestImprobable(t *testing.T) {
	var f frame
	for _, c := range []struct {
		left  int64
		depth int
		want  bool
	}{
		{250, 1, false},
		{249, 1, true},
		{125, 2, false},
		{124, 2, true},
		{32, 4, false},
		{31, 4, true},
	} {
		k := movePicker{all: 1000, left: c.left}
		require.Equal(t, c.want, k.improbable(&f, 250, c.depth), c)
		require.False(t, k.improbable(&f, 0, c.depth), "pruning is off")
		evaluated := frame{evaluated: make(lookahead.MoveHeap, 1)}
		require.False(t, k.improbable(&evaluated, 250, c.depth), "an evaluated move is left")
	}
	require.False(t, new(movePicker).improbable(&f, 1000, 1), "no move is scored yet")
}

// The moves that are drawn and those that are left always have the probability of all; a move with
// a higher score takes more of it.
func TestLikelihoods(t *testing.T) {
	for _, name := range []string{"standard", "simplified", "kang"} {
		g := agenttest.RandomGame(rules.MustParse(name), rand.New(rand.NewPCG(4, 4)), 3)
		a := agenttest.New(t, Kind(), "alphabeta:hash=1", g).(*player)
		s := &a.searches[0]
		s.begin(g, nil, budget{ctx: t.Context()})
		f := &s.stack[0]
		s.generate(g.Position(), f)
		var k movePicker
		require.NotEqual(t, rules.NoMove, s.nextMove(&k, f, g.Position(), 1))
		drawn := k.all - k.left
		require.Equal(t, int64(1<<20), drawn, "the first has the highest score")
		for last := drawn; ; {
			before := k.left
			if s.nextMove(&k, f, g.Position(), 1) == rules.NoMove {
				break
			}
			taken := before - k.left
			require.LessOrEqual(t, taken, last)
			last = taken
		}
		require.Zero(t, k.left, name)
	}
}
