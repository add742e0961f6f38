package alphabeta

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// What the selective search proves is true: minimax, deep enough, sees the same
// winner, and not sooner than the plies it took.
func TestSelectiveProofsHold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ positions, least int }{
		"simplified": {60, 12}, "simplified:repetition=none": {60, 12}, "kang:relocation=false": {100, 2},
	} {
		proven := 0
		gs := newGames(t, name, 3, 30, 6000)
		for range c.positions {
			g := gs.next()
			d := agenttest.Choose(t, agenttest.New(t, Kind(), "alphabeta:depth=4,hash=1", g), g, agents.Limits{})
			plies, ok := d.Score.Proven()
			if !ok || max(plies, -plies) > 4 {
				continue
			}
			proven++
			score := minimax(g, gs.eval, max(plies, -plies)-1, 0)
			found, ok := score.Proven()
			position := g.Rules().FormatPosition(g.Position())
			require.True(t, ok, "%s: said %d", position, plies)
			require.Equal(t, plies > 0, found > 0, "%s: said %d, is %d", position, plies, found)
			require.LessOrEqual(t, max(found, -found), max(plies, -plies), position)
		}
		require.Greater(t, proven, c.least, name)
	}
}

// Threads find legal moves and keep to the limits; they also see what one sees.
func TestThreads(t *testing.T) {
	r := rules.MustParse("standard")
	g := agenttest.Game(t, r, "210201/002300/000030/000000/000003/130102 n")
	d := agenttest.Choose(t, agenttest.New(t, Kind(), "alphabeta:depth=4,threads=3", g), g, agents.Limits{})
	require.Equal(t, agents.WinIn(3), d.Score)

	g = agenttest.RandomGame(r, rand.New(rand.NewPCG(4, 4)), 3)
	a := agenttest.New(t, Kind(), "alphabeta:threads=3,hash=1", g)
	for range 3 {
		d := agenttest.Choose(t, a, g, agents.Limits{Nodes: 3000})
		require.LessOrEqual(t, d.Nodes, int64(3000))
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	d, err := a.Choose(ctx, g, agents.Request{Limits: agents.Limits{Depth: 40}})
	require.NoError(t, err)
	require.NoError(t, g.Check(d.Move))
}

// A panic of any thread is one of Choose, which makes it the agent's fault; no thread is left.
func TestThreadThatPanics(t *testing.T) {
	r := rules.MustParse("standard")
	g := agenttest.RandomGame(r, rand.New(rand.NewPCG(4, 4)), 3)
	before := goleak.IgnoreCurrent()
	for broken := range 3 {
		a := agenttest.New(t, Kind(), "alphabeta:threads=3,hash=1", g).(*player)
		a.searches[broken].eval = nil
		require.Panics(t, func() {
			_, _ = a.Choose(t.Context(), g, agents.Request{Limits: agents.Limits{Depth: 40}})
		}, broken)
		goleak.VerifyNone(t, before) // a thread may end a moment after its result is there
		require.NoError(t, a.NewGame(t.Context(), agents.SetupOf(g, 0)))
		d := agenttest.Ask(t, a, g, agents.Request{Limits: agents.Limits{Depth: 1}})
		require.NoError(t, g.Check(d.Move), "after it the agent plays again")
	}
}

// The deepest result of all threads counts, a proven one more than any depth, and the first
// thread's among equals.
func TestDeepestResultCounts(t *testing.T) {
	result := func(move rules.Move, depth int, score agents.Score) agents.Decision {
		return agents.Decision{Move: move, Scored: true, Depth: depth, Score: score}
	}
	for _, c := range []struct {
		results []agents.Decision
		want    rules.Move
	}{
		{[]agents.Decision{result(1, 3, 10)}, 1},
		{[]agents.Decision{result(1, 3, 10), result(2, 3, 20), result(3, 2, 30)}, 1},
		{[]agents.Decision{result(1, 3, 10), result(2, 4, -20), result(3, 5, -30), result(4, 5, 0)}, 3},
		{[]agents.Decision{result(1, 9, 10), result(2, 4, agents.WinIn(5))}, 2},
		{[]agents.Decision{result(1, 3, -agents.WinIn(4)), result(2, 9, 10)}, 1},
		{[]agents.Decision{{}, result(2, 1, 0)}, 2},
		{[]agents.Decision{{}, {}}, rules.NoMove},
	} {
		require.Equal(t, c.want, deepest(c.results).Move, "%v", c.results)
	}
}

// The result of a helper is used where the first thread was stopped earlier.
func TestHelperIsUsed(t *testing.T) {
	g := agenttest.RandomGame(rules.MustParse("standard"), rand.New(rand.NewPCG(4, 4)), 3)
	a := agenttest.New(t, Kind(), "alphabeta:threads=2,hash=1", g).(*player)
	ctx, cancel := context.WithCancel(t.Context())
	// The first thread waits after depth 1 until the helper has finished depth 3.
	info := func(agents.Decision) {
		for e, _ := a.shared.table.find(g.Position().Hash()); e.depth < 3; e, _ = a.shared.table.find(g.Position().Hash()) {
			runtime.Gosched()
		}
		cancel()
	}
	d, err := a.Choose(ctx, g, agents.Request{Limits: agents.Limits{Depth: 30}, Info: info})
	require.NoError(t, err)
	require.GreaterOrEqual(t, d.Depth, 3)
}

// No excluded move comes back, nor begins a line, where the position has a win in
// one or is lost in two, under any rules. Wins at once come before other moves.
func TestExcludedMovesStayOut(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 8))
	wins, losses, setups := 0, 0, 0
	check := func(g *rules.Game) {
		a := agenttest.New(t, Kind(), "alphabeta:depth=2,hash=1", g).(*player)
		goals := 0
		for range g.Legal().Goals() {
			goals++
		}
		if o := g.Rules().Options(); o.Kang && g.Position().Goals(g.Position().Side()) < rules.KangGoals-1 {
			goals = 0 // no win yet
		}
		var excluded []rules.Move
		position := g.Rules().FormatPosition(g.Position())
		for n := range min(g.Legal().Len(), goals+4) {
			d := agenttest.Ask(t, a, g, agents.Request{Exclude: excluded})
			require.NotContains(t, excluded, d.Move, position)
			require.Equal(t, n < goals, d.Score == agents.WinIn(1), "%s: %v", position, d.Move)
			switch {
			case g.Rules().SettingUp(g.Position()):
				setups++
			default:
				require.Equal(t, d.Move, d.PV[0], position)
			}
			if d.Score == agents.WinIn(1) && n > 0 {
				wins++
			}
			if d.Score == -agents.WinIn(2) && n > 0 {
				losses++
			}
			excluded = append(excluded, d.Move)
		}
	}
	standard := rules.MustParse("standard")
	check(agenttest.Game(t, standard, "000000/000000/000000/032233/112300/110200 s"))
	check(agenttest.Game(t, standard, "200000/200200/003113/003000/002300/000101 s"))
	for _, preset := range rules.Presets() {
		r := rules.MustParse(preset.Name)
		check(rules.NewGame(r, r.Start()))
		for range 8 {
			check(agenttest.RandomGame(r, rng, 60))
		}
	}
	require.Greater(t, wins, 10)
	require.Greater(t, losses, 10)
	require.Greater(t, setups, 10)
}

// A search reports its result after each depth.
func TestReportsEachDepth(t *testing.T) {
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	a := agenttest.New(t, Kind(), "alphabeta:depth=3", g)
	var depths []int
	var nodes int64
	d, err := a.Choose(t.Context(), g, agents.Request{Info: func(d agents.Decision) {
		depths = append(depths, d.Depth)
		require.Greater(t, d.Nodes, nodes)
		nodes = d.Nodes
	}})
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3}, depths)
	require.Equal(t, nodes, d.Nodes)
}

// A forced move takes no time under a clock.
func TestForcedMoveIsPlayedAtOnce(t *testing.T) {
	r := rules.MustParse("standard")
	g := agenttest.Game(t, r, "200023/000010/300000/010300/000001/010223 s")
	a := agenttest.New(t, Kind(), "alphabeta", g)
	d := agenttest.Choose(t, a, g, agents.Limits{Clock: agents.Clock{Left: time.Hour}})
	require.Equal(t, 1, d.Depth)
}
