package alphabeta

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

func TestTakesAWin(t *testing.T) {
	for _, c := range agenttest.WinsNow() {
		g := agenttest.Game(t, rules.MustParse("standard"), c.Position)
		d := agenttest.Choose(t, agenttest.New(t, Kind(), "alphabeta", g), g, agents.Limits{})
		require.True(t, d.Move.IsGoal(), c.Name)
		require.Equal(t, agents.WinIn(1), d.Score, c.Name)
		require.Equal(t, []rules.Move{d.Move}, d.PV, c.Name)
	}
}

// Forced results, and the depth at which they can be seen: the last ply is seen
// without being searched.
func TestProvesWinsAndLosses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules, position string
		plies           int // positive: the side to move wins
	}{
		// The printed game in Zago's "Help gyges" where South resigns.
		{"standard", "200000/200200/003113/003000/002300/000101 s", -2},
		{"standard", "210201/002300/000030/000000/000003/130102 n", 3},
		{"standard", "000003/001023/000200/302000/210013/000100 n", 3},
		{"standard", "120000/000003/000301/031022/000000/030201 s", -4},
		{"standard", "000100/300002/330230/101000/200000/002100 s", 5},
		{"simplified", "000002/010201/033203/000000/103201/000000 n", 3},
		{"simplified", "000023/022001/002000/010330/000300/110000 n", -4},
		{"simplified", "232101/030000/000000/000100/003001/230200 s", 5},
		{"kang", "000000/020000/220120/131133/000000/000300 s 000/000 2-0 -", 3},
	} {
		r := rules.MustParse(c.rules)
		g := agenttest.Game(t, r, c.position)
		want := agents.WinIn(c.plies)
		if c.plies < 0 {
			want = -agents.WinIn(-c.plies)
		}
		d := agenttest.Choose(t, agenttest.New(t, Kind(), "alphabeta:depth=6", g), g, agents.Limits{})
		require.Equal(t, want, d.Score, c.position)
		// The last ply needs no search, and often the last two: an attacked leaf
		// without an evasion is lost.
		require.LessOrEqual(t, d.Depth, max(c.plies, -c.plies)-1, "stops as soon as the result is proven: %s", c.position)
		require.Len(t, d.PV, max(c.plies, -c.plies), c.position)
		if c.plies < 4 && c.plies > -4 {
			e, err := eval.ForRules(r)
			require.NoError(t, err)
			require.Equal(t, want, minimax(g, e, max(c.plies, -c.plies)-1, 0), c.position)
		}
	}
}

// From Zago's "Help gyges": North threatens to win by bounces, and South can
// parry by leading away the piece on e1.
func TestParriesAThreat(t *testing.T) {
	r := rules.MustParse("standard")
	for depth := 1; depth <= 2; depth++ {
		g := agenttest.Game(t, r, "000020/302201/102303/001010/300000/000000 s")
		require.True(t, r.CanReachGoal(g.Position(), rules.North))
		d := agenttest.Choose(t, agenttest.New(t, Kind(), fmt.Sprintf("alphabeta:depth=%d", depth), g), g, agents.Limits{})
		require.NoError(t, g.Play(d.Move))
		require.False(t, r.CanReachGoal(g.Position(), rules.North))
	}
}

// A lost position is a draw where the game ends before the loss, and so is a
// won one.
func TestSeesTheEndByLength(t *testing.T) {
	t.Parallel()
	for plies, want := range map[int]agents.Score{2: 0, 3: agents.WinIn(3), 400: agents.WinIn(3)} {
		r := rules.MustParse(fmt.Sprintf("standard:max_plies=%d", plies))
		g := agenttest.Game(t, r, "000003/001023/000200/302000/210013/000100 n")
		d := agenttest.Choose(t, agenttest.New(t, Kind(), "alphabeta:depth=4", g), g, agents.Limits{})
		require.Equal(t, want, d.Score, plies)
	}
}

func TestBoundsAreKept(t *testing.T) {
	t.Parallel()
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	for _, nodes := range []int64{1, 2, 100, 1000, 5000} {
		a := agenttest.New(t, Kind(), fmt.Sprintf("alphabeta:nodes=%d", nodes), g)
		d := agenttest.Choose(t, a, g, agents.Limits{})
		// The moves of one node are evaluated and counted together.
		require.LessOrEqual(t, d.Nodes, nodes+600)
		again := agenttest.New(t, Kind(), "alphabeta:depth=60", g)
		require.Equal(t, d, agenttest.Choose(t, again, g, agents.Limits{Nodes: nodes}), "the tighter bound counts")
	}
	d := agenttest.Choose(t, agenttest.New(t, Kind(), "alphabeta:depth=3", g), g, agents.Limits{Depth: 1})
	require.Equal(t, 1, d.Depth)
	d = agenttest.Choose(t, agenttest.New(t, Kind(), "alphabeta", g), g, agents.Limits{})
	require.Equal(t, defaultDepth, d.Depth)
}

func TestMoveTimeEndsTheSearch(t *testing.T) {
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	for _, d := range []time.Duration{time.Microsecond, 20 * time.Millisecond} {
		a := agenttest.New(t, Kind(), "alphabeta", g)
		agenttest.Choose(t, a, g, agents.Limits{MoveTime: d})
	}
}

func TestCancellation(t *testing.T) {
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	a := agenttest.New(t, Kind(), "alphabeta:depth=20", g)
	for _, n := range []int{0, 1} { // before the first result
		_, err := a.Choose(agenttest.CancelAfter(n), g, agents.Limits{})
		require.ErrorIs(t, err, context.Canceled, n)
	}
	d, err := a.Choose(agenttest.CancelAfter(100), g, agents.Limits{})
	require.NoError(t, err)
	require.NoError(t, g.Check(d.Move))
	require.True(t, d.Scored)
	require.Less(t, d.Nodes, int64(100*(pollEvery+600)))
}

func TestGameOver(t *testing.T) {
	r := rules.MustParse("standard")
	g := agenttest.Game(t, r, agenttest.WinsNow()[0].Position)
	a := agenttest.New(t, Kind(), "alphabeta", g)
	g.PlayLegal(agenttest.Choose(t, a, g, agents.Limits{}).Move)
	_, err := a.Choose(context.Background(), g, agents.Limits{})
	require.True(t, errors.Is(err, rules.ErrOver))
}

// What an agent has searched before must not change what it plays in a new game.
func TestNewGameForgets(t *testing.T) {
	t.Parallel()
	r := rules.MustParse("simplified")
	rng := rand.New(rand.NewPCG(6, 6))
	g := agenttest.RandomGame(r, rng, 4)
	a := agenttest.New(t, Kind(), "alphabeta:nodes=3000,hash=1", g)
	first := agenttest.Choose(t, a, g, agents.Limits{})
	for range 5 {
		agenttest.Choose(t, a, agenttest.RandomGame(r, rng, 6), agents.Limits{})
	}
	require.NoError(t, a.NewGame(context.Background(), agents.Setup{Rules: r}))
	require.Equal(t, first, agenttest.Choose(t, a, g, agents.Limits{}))
}

func BenchmarkSearchDepth2(b *testing.B) { benchmarkSearch(b, "alphabeta:depth=2") }
func BenchmarkSearchDepth3(b *testing.B) { benchmarkSearch(b, "alphabeta:depth=3") }

func benchmarkSearch(b *testing.B, spec string) {
	g := agenttest.Game(b, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	a := agenttest.New(b, Kind(), spec, g)
	ctx := context.Background()
	b.ReportAllocs()
	var nodes int64
	for b.Loop() {
		b.StopTimer() // each search starts with an empty table
		require.NoError(b, a.NewGame(ctx, agents.Setup{Rules: g.Rules()}))
		b.StartTimer()
		d, err := a.Choose(ctx, g, agents.Limits{})
		require.NoError(b, err)
		nodes += d.Nodes
	}
	b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
}
