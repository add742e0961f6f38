package mcts

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// Whatever move noise favours, it is one that was visited and not proven to lose; and a proven win
// is played as it is.
func TestNoisyChoice(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	changed, proven := 0, 0
	for i := range 90 {
		g := agenttest.RandomGame(rules.MustParse([]string{"standard", "simplified", "kang"}[i%3]), rng, 12)
		a := agenttest.New(t, Kind(), "mcts:iterations=100,hash=1", g).(*player)
		plain := agenttest.Choose(t, a, g, agents.Limits{})
		require.NoError(t, a.NewGame(context.Background(), agents.SetupOf(g, 0)))
		noise := func(m rules.Move) agents.Score { return agents.Score(m%97) * 30 }
		d := agenttest.Ask(t, a, g, agents.Request{Noise: noise})
		require.Equal(t, plain.Score, d.Score)
		if _, ok := d.Score.Proven(); ok {
			proven++
			require.Equal(t, plain.Move, d.Move)
			continue
		}
		require.Equal(t, plain.PV, d.PV)
		if d.Move != plain.Move {
			changed++
			require.Equal(t, plain.Move, d.Best)
		} else {
			require.Zero(t, d.Best)
		}
		root := &a.search.tree.nodes[a.search.tree.root]
		for _, c := range a.search.tree.children(root) {
			if c.move == d.Move {
				require.Positive(t, c.visits)
				require.Zero(t, c.result())
			}
		}
	}
	require.Greater(t, changed, 10)
	require.Positive(t, proven)
}
