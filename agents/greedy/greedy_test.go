package greedy

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// slowRank judges every move by trying it: won, drawn, evaluated, or lost for the opponent wins at
// once.
func slowRanks(t *testing.T, g *rules.Game, e *eval.Evaluator) map[rules.Move]float64 {
	t.Helper()
	ranks := map[rules.Move]float64{}
	var ms, replies rules.MoveSet
	g.LegalMoves(&ms)
	side := g.Position().Side()
	for m := range ms.All() {
		require.NoError(t, g.Play(m))
		switch o, _ := g.Outcome(); o {
		case rules.WinFor(side):
			ranks[m] = 1e9
		case rules.Draw:
			ranks[m] = 0
		default:
			ranks[m] = -float64(e.Score(g.Position()))
			g.LegalMoves(&replies)
			for reply := range replies.All() {
				if g.Rules().Outcome(g.Rules().Apply(g.Position(), reply)) == rules.WinFor(side.Other()) {
					ranks[m] -= 1e6
					break
				}
			}
		}
		g.Undo()
	}
	return ranks
}

// The weights like best what hands over a win.
func TestPlaysTheBestMoveOfOnePly(t *testing.T) {
	for _, name := range []string{"standard", "simplified", "kang", "simplified:max_plies=9"} {
		r := rules.MustParse(name)
		rng := rand.New(rand.NewPCG(2, 9))
		a := agenttest.New(t, Kind(), "greedy:weight.winners_own=-900", rules.NewGame(r, r.Start()))
		e, _, err := eval.Of(a, r)
		require.NoError(t, err)
		for range 15 {
			g := agenttest.RandomGame(r, rng, rng.IntN(50))
			require.NoError(t, a.NewGame(t.Context(), agents.SetupOf(g, 1)))
			ranks := slowRanks(t, g, e)
			best := -1e18
			for _, rank := range ranks {
				best = max(best, rank)
			}
			d := agenttest.Choose(t, a, g, agents.Limits{})
			require.Equal(t, best, ranks[d.Move], "%v in %s", d.Move, r.FormatPosition(g.Position()))
			want := agents.Score(best)
			switch {
			case best >= 1e8:
				want = agents.WinIn(1)
			case best <= -1e5:
				want = -agents.WinIn(2)
			}
			require.Equal(t, want, d.Score)
		}
	}
}

// The pieces stand in mirror order, so most moves have a mirror image of equal
// worth; the seed decides between them, and nothing else does.
func TestTiesAreBrokenBySeed(t *testing.T) {
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	a, err := agents.NewRegistry(Kind()).New(agents.Spec{Kind: "greedy"})
	require.NoError(t, err)
	chosen := map[rules.Move]bool{}
	for seed := range uint64(20) {
		setup := agents.Setup{Rules: g.Rules(), Seed: seed}
		require.NoError(t, a.NewGame(context.Background(), setup))
		d := agenttest.Choose(t, a, g, agents.Limits{})
		chosen[d.Move] = true
		require.NoError(t, a.NewGame(context.Background(), setup))
		require.Equal(t, d, agenttest.Choose(t, a, g, agents.Limits{}))
	}
	require.Len(t, chosen, 2)
}
