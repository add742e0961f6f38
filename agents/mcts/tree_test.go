package mcts

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

func TestNodeSize(t *testing.T) {
	require.EqualValues(t, nodeSize, unsafe.Sizeof(node{}))
}

func TestProofs(t *testing.T) {
	for plies := range 100 {
		if plies > 0 {
			require.True(t, winIn(plies).won())
			require.Equal(t, plies, winIn(plies).plies())
		}
		require.True(t, lossIn(plies).lost())
		require.False(t, lossIn(plies).won())
		require.Equal(t, plies, lossIn(plies).plies())
	}
	for _, p := range []proof{unproven, drawn} {
		require.False(t, p.won() || p.lost())
	}
	require.True(t, winIn(1<<20).won() && lossIn(1<<20).lost())
}

// grow returns a tree of a root with children of these proofs.
func grow(proofs ...proof) *tree {
	t := &tree{limit: 1000}
	t.reset()
	list := make([]node, len(proofs))
	for k, p := range proofs {
		list[k].proof = p
	}
	t.adopt(0, list)
	return t
}

func TestProve(t *testing.T) {
	for _, c := range []struct {
		children []proof
		want     proof
	}{
		{[]proof{unproven, unproven}, unproven},
		{[]proof{winIn(1), unproven}, unproven},
		{[]proof{winIn(1), drawn}, unproven},
		{[]proof{winIn(1), winIn(3)}, lossIn(4)},
		{[]proof{unproven, lossIn(2)}, winIn(3)},
		{[]proof{lossIn(4), winIn(1), lossIn(2), drawn}, winIn(3)},
		{[]proof{lossIn(0)}, winIn(1)},
	} {
		tr := grow(c.children...)
		tr.prove(0)
		require.Equal(t, c.want, tr.nodes[0].proof, c.children)
	}
}

func TestBestChild(t *testing.T) {
	tr := grow(winIn(1), unproven, unproven, winIn(3))
	tr.nodes[2].visits, tr.nodes[2].sum = 5, -3
	tr.nodes[3].visits, tr.nodes[3].sum = 5, 2
	best := func() int {
		for k := range tr.children(&tr.nodes[0]) {
			if tr.best(&tr.nodes[0]) == &tr.nodes[k+1] {
				return k + 1
			}
		}
		return 0
	}
	require.Equal(t, 3, best(), "as many visits, higher value")
	tr.nodes[2].visits = 6
	require.Equal(t, 2, best(), "more visits")
	tr.nodes[2].proof, tr.nodes[3].proof = winIn(5), winIn(1)
	require.Equal(t, 2, best(), "the slowest loss")
	tr.nodes[1].proof, tr.nodes[4].proof = lossIn(4), lossIn(2)
	require.Equal(t, 4, best(), "the quickest win")
}

// An unvisited child is as good as its evaluation, so that the first is picked
// first; visits make room for the next by their number and by bad values.
func TestPick(t *testing.T) {
	tr := grow(unproven, unproven, unproven, winIn(1))
	for k, static := range []float32{0.5, 0.4, 0.1, -1} {
		tr.nodes[k+1].static = static
	}
	setPriors(tr.nodes[1:5])
	root := &tr.nodes[0]
	visit := func(v float64) uint32 {
		i := tr.pick(root, 1)
		root.visits++
		tr.nodes[i].visits++
		tr.nodes[i].sum += v
		return i
	}
	require.Equal(t, uint32(1), visit(-0.8))
	require.Equal(t, uint32(2), visit(0.4))
	counts := map[uint32]int{}
	for range 1000 {
		counts[visit(0)]++
	}
	require.Greater(t, counts[1], 100)
	require.Greater(t, counts[2], 100)
	require.Greater(t, counts[3], 0, "every child is visited sooner or later")
	require.Zero(t, counts[4], "but those that lose")
}

func TestPriorsShareOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := make([]node, rapid.IntRange(1, 600).Draw(t, "moves"))
		for k := range list {
			list[k].static = float32(1 - 2*float64(k)/float64(len(list)))
		}
		setPriors(list)
		sum := 0.0
		for k := range list {
			sum += float64(list[k].prior)
			require.True(t, k == 0 || list[k].prior <= list[k-1].prior)
		}
		require.InDelta(t, 1, sum, 1e-4)
	})
}

func TestValuesAndScores(t *testing.T) {
	for _, s := range []agents.Score{-500, -1, 0, 100, 900} {
		require.Equal(t, s, unsquash(squash(s)))
	}
	require.InDelta(t, 0.5, squash(100), 0.01)
	for _, v := range []float64{-1, 1} {
		require.Less(t, math.Abs(float64(unsquash(v))), float64(agents.MaxEval))
	}
}

// When the tree is full the search goes on in it.
func TestTheTreeStaysWithinItsLimit(t *testing.T) {
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	a := agenttest.New(t, Kind(), "mcts:iterations=400", g).(*player)
	a.search.tree.limit = 1000
	d := agenttest.Choose(t, a, g, agents.Limits{})
	require.Equal(t, int64(400), d.Nodes)
	require.LessOrEqual(t, len(a.search.tree.nodes), 1000)
	require.Greater(t, len(a.search.tree.nodes), 500)
	require.EqualValues(t, 400, a.search.tree.nodes[0].visits)
}

// A node's visits are its own first and its children's, and what they brought
// back is the evaluation at the first, and then what the children got, seen from
// the other side.
func TestVisitsAddUp(t *testing.T) {
	g := agenttest.Game(t, rules.MustParse("kang"), "020100/003000/000010/001000/000300/001020 s 011/011 0-0 -")
	a := agenttest.New(t, Kind(), "mcts:iterations=300", g).(*player)
	agenttest.Choose(t, a, g, agents.Limits{})
	tr := &a.search.tree
	checked := 0
	for i := range tr.nodes {
		n := &tr.nodes[i]
		if n.first == 0 || n.proof != unproven {
			continue
		}
		visits, sum, proofs := uint32(1), float64(n.static), false
		if i == 0 {
			visits, sum = 0, 0
		}
		for _, child := range tr.children(n) {
			visits += child.visits
			sum -= child.sum
			proofs = proofs || child.proof != unproven
		}
		require.Equal(t, visits, n.visits)
		if !proofs { // a child proven by and by got other values at first
			require.InDelta(t, sum, n.sum, 1e-4)
			checked++
		}
	}
	require.Greater(t, checked, 20)
}

// Playouts are short and their results lie between a loss and a win; what is
// decided already they leave as it is.
func TestPlayouts(t *testing.T) {
	r := rules.MustParse("standard")
	value := func(position string, plies int) float64 {
		g := agenttest.Game(t, r, position)
		a := agenttest.New(t, Kind(), "mcts", g).(*player)
		s := &a.search
		s.playout = plies
		s.line.Begin(g)
		v := s.play(g.Position())
		require.LessOrEqual(t, s.line.Len(), plies)
		return v
	}
	for plies := 1; plies < 9; plies++ {
		require.Equal(t, -1.0, value(agenttest.WinsNow()[0].Position, plies), "the side to move wins")
		require.Equal(t, 1.0, value("023112/000000/000000/000000/000000/321123 n 1-0", plies), "the last move has won")
		v := value("321123/000000/000000/000000/000000/321123 s", plies)
		require.LessOrEqual(t, math.Abs(v), 1.0)
	}
	// One ply before a forced loss: every move hands over a win.
	require.Equal(t, 1.0, value("200000/200200/003113/003000/002300/000101 s", 1))
}
