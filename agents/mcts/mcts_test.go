package mcts

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// Moves that hand over a win are never played while there are others.
func TestHandsOverNoWin(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"standard", "simplified"} {
		r := rules.MustParse(name)
		rng := rand.New(rand.NewPCG(8, 8))
		for range 20 {
			g := agenttest.RandomGame(r, rng, rng.IntN(30))
			d := agenttest.Choose(t, agenttest.New(t, Kind(), "mcts:iterations=10,hash=1", g), g, agents.Limits{})
			if plies, proven := d.Score.Proven(); proven && plies == -2 {
				continue // there are no others
			}
			p := r.Apply(g.Position(), d.Move)
			require.False(t, r.CanReachGoal(p, p.Side()), r.FormatPosition(g.Position()))
		}
	}
}

func TestGameEndingByLengthIsADraw(t *testing.T) {
	for plies, want := range map[int]float64{2: 0, 3: float64(agents.WinIn(3))} {
		r := rules.MustParse(fmt.Sprintf("standard:max_plies=%d", plies))
		g := agenttest.Game(t, r, "000003/001023/000200/302000/210013/000100 n")
		d := agenttest.Choose(t, agenttest.New(t, Kind(), "mcts:iterations=300", g), g, agents.Limits{})
		require.InDelta(t, want, float64(d.Score), 5, plies) // first visits bring back the evaluation
	}
}

func TestBoundsAreKept(t *testing.T) {
	t.Parallel()
	g := agenttest.Game(t, rules.MustParse("simplified"), "321123/000000/000000/000000/000000/321123 s")
	d := agenttest.Choose(t, agenttest.New(t, Kind(), "mcts", g), g, agents.Limits{})
	require.Equal(t, int64(defaultIterations), d.Nodes)
	d = agenttest.Choose(t, agenttest.New(t, Kind(), "mcts:iterations=90", g), g, agents.Limits{Nodes: 40, Depth: 2})
	require.Equal(t, int64(40), d.Nodes)
	require.Equal(t, 2, d.Depth)
	agenttest.Choose(t, agenttest.New(t, Kind(), "mcts", g), g, agents.Limits{MoveTime: time.Microsecond})
	agenttest.Choose(t, agenttest.New(t, Kind(), "mcts:movetime=20ms", g), g, agents.Limits{})
}

func TestCancellation(t *testing.T) {
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	a := agenttest.New(t, Kind(), "mcts", g)
	_, err := a.Choose(agenttest.CancelAfter(0), g, agents.Request{})
	require.ErrorIs(t, err, context.Canceled)
	d, err := a.Choose(agenttest.CancelAfter(10), g, agents.Request{})
	require.NoError(t, err)
	require.NoError(t, g.Check(d.Move))
	require.Equal(t, int64(10), d.Nodes)
}

// What the tree knows of the position the game comes to is kept, and searched on.
func TestTreeIsKeptBetweenMoves(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("standard")
	g := agenttest.Game(t, r, "321123/000000/000000/000000/000000/321123 s")
	a := agenttest.New(t, Kind(), "mcts:iterations=300", g).(*player)
	tr := &a.search.tree
	kept := 0
	for range 4 {
		d := agenttest.Choose(t, a, g, agents.Limits{})
		if len(d.PV) < 2 {
			break
		}
		i := tr.root
		for _, m := range d.PV[:2] {
			g.PlayLegal(m)
			i, _ = tr.child(i, m)
		}
		want := tr.nodes[i]
		if want.count == 0 || want.proof != unproven {
			break
		}
		a.search.setRoot(g)
		require.Equal(t, want, tr.nodes[tr.root])
		kept++
	}
	require.Greater(t, kept, 1)
}

// Nothing is kept of another game, of another line of the same game, or where the depth is bounded.
func TestTreeIsDropped(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("standard")
	for name, change := range map[string]func(s *search, g *rules.Game) *rules.Game{
		"none": func(_ *search, g *rules.Game) *rules.Game { return g },
		"a new game": func(s *search, g *rules.Game) *rules.Game {
			s.reset(s.rules, s.eval)
			return g
		},
		"depth": func(s *search, g *rules.Game) *rules.Game {
			s.maxDepth = 3
			return g
		},
		"another start": func(_ *search, g *rules.Game) *rules.Game { return rules.NewGame(r, g.Position()) },
		"a move outside the tree": func(s *search, g *rules.Game) *rules.Game {
			g.Undo()
			child, _ := s.tree.child(s.tree.root, g.Moves()[0])
			for m := range g.Legal().All() {
				if _, ok := s.tree.child(child, m); !ok {
					g.PlayLegal(m)
					break
				}
			}
			return g
		},
	} {
		g := agenttest.Game(t, r, "321123/000000/000000/000000/000000/321123 s")
		a := agenttest.New(t, Kind(), "mcts:iterations=300", g).(*player)
		for _, m := range agenttest.Choose(t, a, g, agents.Limits{}).PV[:2] {
			g.PlayLegal(m)
		}
		s := &a.search
		s.setRoot(change(s, g))
		require.Equal(t, name == "none", len(s.tree.nodes) > 1, name)
	}
}

// A width that is not given depends on the rules, one that is given does not.
func TestWidthsByRules(t *testing.T) {
	for name, want := range map[string]int{"standard": 16, "cosmoludo": 16, "simplified": 8, "kang": 8} {
		g := rules.NewGame(rules.MustParse(name), rules.MustParse(name).RandomSetup(rand.New(rand.NewPCG(1, 2))))
		a := agenttest.New(t, Kind(), "mcts:hash=1", g).(*player)
		require.Equal(t, want, a.search.WidthMin, name)
		require.Equal(t, want == 16, a.search.WidthGrowth == 8, name)
		a = agenttest.New(t, Kind(), "mcts:hash=1,width_min=5,width_growth=2", g).(*player)
		require.Equal(t, 5, a.search.WidthMin, name)
		require.InDelta(t, 2, a.search.WidthGrowth, 0, name)
	}
}
