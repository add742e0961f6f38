package mcts

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/agents/solver"
	"gyges/rules"
)

// grow returns a tree of a root with children of these proofs.
func grow(proofs ...agents.Score) *tree {
	t := &tree{limit: 1000}
	t.reset(0)
	list := make([]node, len(proofs))
	for k, p := range proofs {
		list[k].proof = p
	}
	t.setChildren(0, list, true)
	return t
}

func TestProve(t *testing.T) {
	for _, c := range []struct {
		children []agents.Score
		want     agents.Score
	}{
		{[]agents.Score{unproven, unproven}, unproven},
		{[]agents.Score{agents.WinIn(1), unproven}, unproven},
		{[]agents.Score{agents.WinIn(1), drawn}, unproven},
		{[]agents.Score{agents.WinIn(1), agents.WinIn(3)}, -agents.WinIn(4)},
		{[]agents.Score{unproven, -agents.WinIn(2)}, agents.WinIn(3)},
		{[]agents.Score{-agents.WinIn(4), agents.WinIn(1), -agents.WinIn(2), drawn}, agents.WinIn(3)},
		{[]agents.Score{-agents.WinIn(0)}, agents.WinIn(1)},
		{[]agents.Score{agents.WinIn(0)}, -agents.WinIn(2)},
		{[]agents.Score{-agents.WinScore}, agents.WinScore}, // scores have no room for longer ones
		{[]agents.Score{agents.WinScore}, -agents.WinScore},
	} {
		tr := grow(c.children...)
		tr.update(0)
		require.Equal(t, c.want, tr.nodes[0].proof, c.children)
		tr = grow(c.children...)
		tr.nodes[0].complete = false
		tr.update(0)
		require.Equal(t, c.want >= agents.WinScore, tr.nodes[0].proof != unproven, "a loss takes all moves")
	}
}

func TestBestChild(t *testing.T) {
	tr := grow(agents.WinIn(1), unproven, unproven, agents.WinIn(3))
	tr.nodes[2].visits, tr.nodes[2].value = 5, -0.6
	tr.nodes[3].visits, tr.nodes[3].value = 5, 0.4
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
	tr.nodes[2].proof, tr.nodes[3].proof = agents.WinIn(5), agents.WinIn(1)
	require.Equal(t, 2, best(), "the slowest loss")
	tr.nodes[1].proof, tr.nodes[4].proof = -agents.WinIn(4), -agents.WinIn(2)
	require.Equal(t, 4, best(), "the quickest win")
}

// An unvisited child is as good as its evaluation, so that the first is picked
// first; visits make room for the next by their number and by bad values.
func TestPick(t *testing.T) {
	tr := grow(unproven, unproven, unproven, agents.WinIn(1))
	for k, static := range []float32{0.5, 0.4, 0.1, -1} {
		tr.nodes[k+1].static, tr.nodes[k+1].value = static, static
	}
	testParams().setPriors(tr.nodes[1:5])
	root := &tr.nodes[0]
	visit := func(v float32) uint32 {
		i, ok := tr.selectPUCT(root, 1)
		require.True(t, ok)
		root.visits++
		tr.nodes[i].visits++
		tr.nodes[i].value = v
		return i
	}
	require.Equal(t, uint32(1), visit(-0.8))
	require.Equal(t, uint32(2), visit(0))
	counts := map[uint32]int{}
	for range 1000 {
		counts[visit(0)]++
	}
	require.Greater(t, counts[1], 100)
	require.Greater(t, counts[2], 100)
	require.Greater(t, counts[3], 0, "every child is visited sooner or later")
	require.Zero(t, counts[4], "but those that lose")
	for k := range tr.children(root) {
		tr.children(root)[k].proof = agents.WinIn(1)
	}
	_, ok := tr.selectPUCT(root, 1)
	require.False(t, ok)
}

func TestPriorsShareOut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := make([]node, rapid.IntRange(1, 600).Draw(t, "moves"))
		for k := range list {
			list[k].static = float32(1 - 2*float64(k)/float64(len(list)))
		}
		testParams().setPriors(list)
		sum := 0.0
		for k := range list {
			sum += float64(list[k].prior)
			require.True(t, k == 0 || list[k].prior <= list[k-1].prior)
		}
		require.InDelta(t, 1, sum, 1e-4)
	})
}

// testParams returns the default parameters.
func testParams() *params {
	v := agents.Values{}
	for _, d := range agents.ParamsOf(&params{}) {
		v[d.Key] = d.Default()
	}
	p := &params{}
	v.Decode(p)
	return p
}

func TestValuesAndScores(t *testing.T) {
	p := testParams()
	for _, s := range []agents.Score{-500, -1, 0, 100, 900} {
		require.Equal(t, s, p.toScore(p.toValue(s)))
	}
	require.InDelta(t, 0.5, p.toValue(100), 0.01)
	for _, v := range []float64{-1, 1} {
		require.Less(t, math.Abs(float64(p.toScore(v))), float64(agents.MaxEval))
	}
}

// A million nodes take less than 100 MB, the room for copying included.
func TestAMillionNodesTakeLessThan100MB(t *testing.T) {
	const megabytes = 64
	require.GreaterOrEqual(t, limitFor(megabytes), 1_000_000)
	tr := tree{limit: limitFor(megabytes)}
	tr.reset(0)
	tr.prune(1, func() bool { return false })
	require.EqualValues(t, nodeSize, unsafe.Sizeof(node{}))
	size := (cap(tr.nodes) + cap(tr.spare)) * nodeSize
	require.LessOrEqual(t, size, megabytes<<20)
	require.GreaterOrEqual(t, min(cap(tr.nodes), cap(tr.spare)), tr.limit)
}

// shape writes down a subtree down to the nodes with fewer visits than the least.
func shape(tr *tree, i uint32, least uint32, top bool) any {
	n := tr.nodes[i]
	self := []any{n.move, n.visits, n.value, n.static, n.proof}
	if top || n.visits >= least {
		for k := range tr.children(&n) {
			self = append(self, shape(tr, n.first+uint32(k), least, false))
		}
	}
	return self
}

func TestCompactKeepsWhatIsVisitedMost(t *testing.T) {
	t.Parallel()
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	a := agenttest.New(t, Kind(), "mcts:iterations=300", g).(*player)
	agenttest.Choose(t, a, g, agents.Limits{})
	tr := &a.search.tree
	never := func() bool { return false }
	for _, least := range []uint32{1, 2, 5, 1000} {
		before, size := shape(tr, tr.root, least, true), len(tr.nodes)
		require.True(t, tr.prune(least, never))
		require.Equal(t, before, shape(tr, tr.root, 0, true))
		require.Less(t, len(tr.nodes), size)
	}
	before := tr.nodes
	require.False(t, tr.prune(1, func() bool { return true }), "stopped")
	tr.limit = 2 * (len(tr.nodes) - 1)
	require.False(t, tr.prune(1, never), "more than half would be taken")
	require.Equal(t, before, tr.nodes)
}

// When the tree is full the search goes on, and stays within the limit.
func TestTheTreeStaysWithinItsLimit(t *testing.T) {
	t.Parallel()
	g := agenttest.Game(t, rules.MustParse("kang"), "000000/000000/000000/000000/000000/000000 s 222/222 0-0 -")
	a := agenttest.New(t, Kind(), "mcts:iterations=3000,hash=1", g).(*player)
	d := agenttest.Choose(t, a, g, agents.Limits{})
	require.Equal(t, int64(3000), d.Nodes)
	tr := &a.search.tree
	require.NotEmpty(t, tr.spare, "it has been full")
	require.LessOrEqual(t, len(tr.nodes), tr.limit)
	require.LessOrEqual(t, cap(tr.nodes)+cap(tr.spare), 1<<20/nodeSize)
	require.EqualValues(t, 3000, tr.nodes[tr.root].visits)
	require.Greater(t, checkTree(t, tr), 50)
}

// checkTree checks every node that has children against them: its visits are its own first and
// theirs, its value is the opposite of the best of theirs. It returns how many it has checked.
func checkTree(t *testing.T, tr *tree) (checked int) {
	for todo := []uint32{tr.root}; len(todo) > 0; {
		n := tr.nodes[todo[0]]
		todo = todo[1:]
		best, visits := float32(-1), uint32(1)
		for k, child := range tr.children(&n) {
			todo = append(todo, n.first+uint32(k))
			best, visits = max(best, child.value), visits+child.visits
		}
		if n.count == 0 || n.proof != unproven {
			continue
		}
		require.Equal(t, -best, n.value)
		require.GreaterOrEqual(t, n.visits, visits) // more where the tree was full once
		checked++
	}
	return checked
}

// The solver, which searches all moves, proves what the search has proven.
func TestProofsAreTrue(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	prover := solver.New(1)
	wins, losses := 0, 0
	for i := range 200 {
		g := agenttest.RandomGame(rules.MustParse([]string{"simplified", "standard"}[i%2]), rng, rng.IntN(12))
		d := agenttest.Choose(t, agenttest.New(t, Kind(), "mcts:iterations=60,hash=1", g), g, agents.Limits{})
		plies, proven := d.Score.Proven()
		if !proven || max(plies, -plies) > 3 {
			continue
		}
		position := g.Rules().FormatPosition(g.Position())
		r, err := prover.Solve(t.Context(), g, 3)
		require.NoError(t, err)
		require.LessOrEqual(t, max(r.Plies, -r.Plies), max(plies, -plies), position)
		if plies > 0 {
			require.Positive(t, r.Plies, position)
			wins++
		} else {
			require.Negative(t, r.Plies, position)
			losses++
		}
	}
	require.Greater(t, wins, 20)
	require.Greater(t, losses, 2)
}
