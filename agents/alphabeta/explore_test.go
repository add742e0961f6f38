package alphabeta

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// The move chosen has the highest sum of minimax score and noise.
func TestNoisyChoiceIsTheHighestSum(t *testing.T) {
	t.Parallel()
	others := 0
	for _, c := range []struct {
		rules            string
		depth, positions int
		plies            int
		lines            uint64
	}{
		{"simplified", 3, 60, 25, 5000},
		{"standard", 2, 30, 40, 2000},
		{"kang", 2, 20, 60, 2000},
	} {
		gs := newGames(t, c.rules, c.depth, c.plies, c.lines)
		rng := rand.New(rand.NewPCG(5, 5))
		for range c.positions {
			g := gs.next()
			noises := map[rules.Move]agents.Score{}
			for m := range g.Legal().All() {
				noises[m] = agents.Score(rng.NormFloat64() * 150)
			}
			noise := func(m rules.Move) agents.Score { return noises[m] }
			a := agenttest.New(t, Kind(), "alphabeta:selective=0,hash=1", g)
			d := agenttest.Ask(t, a, g, agents.Request{Limits: agents.Limits{Depth: c.depth}, Noise: noise})

			best, sum := -infinity, -3*infinity
			sums := map[rules.Move]agents.Score{}
			for m := range noises {
				g.PlayLegal(m)
				score := -minimax(g, gs.eval, c.depth-1, 1)
				g.Undo()
				best = max(best, score)
				if _, proven := score.Proven(); !proven {
					sums[m] = score + noises[m]
					sum = max(sum, sums[m])
				}
			}
			require.Equal(t, best, d.Score)
			if _, proven := best.Proven(); proven {
				require.Equal(t, d.PV[0], d.Move)
				continue
			}
			require.Equal(t, sum, sums[d.Move], "%v: %v", g.Rules().FormatPosition(g.Position()), d.Move)
			require.Equal(t, best, sums[d.PV[0]]-noises[d.PV[0]], "the line is that of the score")
			require.Equal(t, d.PV, d.Line())
			if d.Best != rules.NoMove {
				require.Equal(t, d.PV[0], d.Best)
				require.NotEqual(t, d.Best, d.Move)
				others++
			} else {
				require.Equal(t, d.PV[0], d.Move)
			}
		}
	}
	require.Greater(t, others, 10, "positions where noise changed the move")
}

// A search with pruning keeps to its limits, and returns its best move where all noise is equal.
func TestNoisyChoiceOfASelectiveSearch(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("standard")
	rng := rand.New(rand.NewPCG(6, 6))
	for range 20 {
		g := agenttest.RandomGame(r, rng, 10)
		a := agenttest.New(t, Kind(), "alphabeta:hash=1", g)
		plain := agenttest.Choose(t, a, g, agents.Limits{Nodes: 500})
		require.NoError(t, a.NewGame(context.Background(), agents.SetupOf(g, 0)))
		equal := func(rules.Move) agents.Score { return 7 }
		quiet := agenttest.Ask(t, a, g, agents.Request{Limits: agents.Limits{Nodes: 666}, Noise: equal})
		require.Equal(t, plain, quiet)
		noise := func(m rules.Move) agents.Score { return agents.Score(m % 400) }
		d := agenttest.Ask(t, a, g, agents.Request{Limits: agents.Limits{Nodes: 666}, Noise: noise})
		require.LessOrEqual(t, d.Nodes, int64(666))
		agenttest.Ask(t, a, g, agents.Request{Limits: agents.Limits{Nodes: 1}, Noise: noise})
	}
}
