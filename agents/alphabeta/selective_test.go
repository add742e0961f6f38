package alphabeta

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
		for i := range c.positions {
			g := gs.next()
			spec := fmt.Sprintf("alphabeta:depth=4,hash=1,threads=%d", 1+2*(i%2))
			d := agenttest.Choose(t, agenttest.New(t, Kind(), spec, g), g, agents.Limits{})
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
