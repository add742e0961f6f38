package alphabeta

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// minimax is the search as its definition says it: every move of every
// position, nothing stored and nothing left out. It plays on the game itself, so
// that repetition and length are the game's own affair. A position in which the
// side to move wins at once counts as won, at the horizon too.
func minimax(g *rules.Game, e *eval.Evaluator, depth, ply int) agents.Score {
	switch o, _ := g.Outcome(); o {
	case rules.Undecided:
	case rules.Draw:
		return 0
	default:
		return -agents.WinIn(ply)
	}
	var ms rules.MoveSet
	g.LegalMoves(&ms)
	side := g.Position().Side()
	for m := range ms.All() {
		if g.Rules().Outcome(g.Rules().Apply(g.Position(), m)) == rules.WinFor(side) {
			return agents.WinIn(ply + 1)
		}
	}
	if depth == 0 {
		return e.Score(g.Position())
	}
	best := -infinity
	for m := range ms.All() {
		g.PlayLegal(m)
		best = max(best, -minimax(g, e, depth-1, ply+1))
		g.Undo()
	}
	return best
}

// The score at the root must be minimax's, and the expected line must lead to it.
func TestScoreIsMinimax(t *testing.T) {
	for _, c := range []struct {
		rules            string
		depth, positions int
		maxPlies         int // random moves before the position
		maxMoves         int // of the position, for minimax's sake
	}{
		{"simplified:repetition=none", 2, 40, 25, 40},
		{"simplified:repetition=none", 3, 15, 25, 25},
		{"simplified", 3, 15, 25, 25},
		{"simplified:repetition=previous", 3, 8, 25, 25},
		{"simplified:max_plies=24", 3, 15, 23, 25}, // draws by length within reach
		{"standard:repetition=none", 2, 8, 40, 60},
		{"standard", 2, 8, 40, 60},
		{"standard", 3, 4, 40, 12},
		{"kang", 2, 8, 60, 40},
		{"kang:kang_goals=1,kang_entry=optional", 2, 8, 60, 40},
		{"standard:blocked_row=pass", 2, 6, 60, 20},
	} {
		t.Run(fmt.Sprintf("%s to depth %d", c.rules, c.depth), func(t *testing.T) {
			t.Parallel()
			r := rules.MustParse(c.rules)
			e, err := eval.Source{}.Evaluator(r)
			require.NoError(t, err)
			rng := rand.New(rand.NewPCG(11, uint64(c.depth)))
			var ms rules.MoveSet
			for done := 0; done < c.positions; {
				g := agenttest.RandomGame(r, rng, rng.IntN(c.maxPlies))
				if g.LegalMoves(&ms); ms.Len() > c.maxMoves {
					continue
				}
				done++
				position := r.FormatPosition(g.Position())
				a := agenttest.New(t, Kind(), fmt.Sprintf("alphabeta:depth=%d,hash=1", c.depth), g)
				d := agenttest.Choose(t, a, g, agents.Limits{})
				want := minimax(g, e, c.depth, 0)
				require.Equal(t, want, d.Score, position)
				// The first move alone must be worth the score too.
				require.NoError(t, g.Play(d.Move))
				require.Equal(t, want, -minimax(g, e, max(d.Depth-1, 0), 1), position)
			}
		})
	}
}
