package builtin

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/explore"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// quick are specs of every kind that decide in little time.
var quick = map[string]string{
	"random":    "random",
	"greedy":    "greedy",
	"alphabeta": "alphabeta:depth=2,nodes=400,hash=1",
	"mcts":      "mcts:iterations=8,hash=1",
}

func TestEveryKindIsTested(t *testing.T) {
	for _, k := range Registry().Kinds() {
		require.Contains(t, quick, k.Name)
	}
	require.Len(t, quick, len(Registry().Kinds()))
}

func newAgent(t *testing.T, spec string) agents.Agent {
	t.Helper()
	s, err := agents.ParseSpec(spec)
	require.NoError(t, err)
	a, err := Registry().New(s)
	require.NoError(t, err)
	return a
}

// playGame plays a game from its very beginning, the set-up included, checking
// every move and every expected line, and returns the moves and nodes.
func playGame(t *testing.T, r *rules.Rules, south, north agents.Agent, seed uint64) (moves []rules.Move,
	nodes []int64) {
	t.Helper()
	ctx := context.Background()
	g := rules.NewGame(r, r.Start())
	players := []agents.Agent{south, north}
	for side, a := range players {
		require.NoError(t, a.NewGame(ctx, agents.Setup{Rules: r, Side: rules.Side(side), Seed: seed}))
	}
	for {
		if o, _ := g.Outcome(); o != rules.Undecided {
			return g.Moves(), nodes
		}
		before := g.Position()
		d, err := players[before.Side()].Choose(ctx, g, agents.Limits{})
		require.NoError(t, err)
		require.Equal(t, before, g.Position(), "the game is not the agent's to change")
		checkLine(t, g, d)
		require.NoError(t, g.Play(d.Move), r.FormatPosition(before))
		nodes = append(nodes, d.Nodes)
	}
}

func checkLine(t *testing.T, g *rules.Game, d agents.Decision) {
	t.Helper()
	for i, m := range d.PV {
		require.True(t, i > 0 || m == d.Move, "the expected line begins with another move")
		require.NoError(t, g.Play(m), "expected line %v", d.PV)
	}
	for range d.PV {
		require.True(t, g.Undo())
	}
}

// Every kind plays under every preset, and under options that no preset has,
// without an illegal move.
func TestEveryKindPlaysEveryPreset(t *testing.T) {
	ruleSets := []string{
		"standard:null_move=allow,door_rule=directed,max_plies=80",
		"kang:kang_entry=optional,max_plies=80",
		"kang:relocation=false,max_plies=60",
	}
	for _, preset := range rules.Presets() {
		ruleSets = append(ruleSets, preset.Name+":max_plies=80") // random play goes on for hundreds
	}
	for kind, spec := range quick {
		for _, name := range ruleSets {
			t.Run(kind+"/"+name, func(t *testing.T) {
				t.Parallel()
				r := rules.MustParse(name)
				playGame(t, r, newAgent(t, spec), newAgent(t, "random"), 1)
				playGame(t, r, newAgent(t, "random"), newAgent(t, spec), 2)
				playGame(t, r, newAgent(t, spec), newAgent(t, spec), 3)
			})
		}
	}
}

// Equal setups give equal games, whatever the agents have played before.
func TestGamesRepeatThemselves(t *testing.T) {
	for kind, spec := range quick {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			r, other := rules.MustParse("simplified"), rules.MustParse("kang:max_plies=20")
			south, north := newAgent(t, spec), newAgent(t, "greedy")
			moves, nodes := playGame(t, r, south, north, 7)
			playGame(t, other, north, south, 8)
			again, nodesAgain := playGame(t, r, south, north, 7)
			require.Equal(t, moves, again)
			require.Equal(t, nodes, nodesAgain)
			different, _ := playGame(t, r, south, north, 9)
			require.NotEqual(t, moves, different, "the seed counts")
		})
	}
}

// In a game that is over, and once their context has ended, agents decide nothing.
func TestChooseFails(t *testing.T) {
	r := rules.MustParse("standard")
	over := agenttest.Game(t, r, "023112/000000/000000/000000/000000/321123 n 1-0")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, spec := range quick {
		a := newAgent(t, spec)
		require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: r}))
		_, err := a.Choose(ctx, rules.NewGame(r, r.Start()), agents.Limits{})
		require.ErrorIs(t, err, context.Canceled, spec)
		_, err = a.Choose(t.Context(), over, agents.Limits{})
		require.ErrorIs(t, err, rules.ErrOver, spec)
	}
}

// A weights file is refused when the agent is made if it can't be read, and
// when a game begins if it is for other rules.
func TestWeightsFiles(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "eval", "weights", "kang.json"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "mine, too.json")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	for _, kind := range []string{"greedy", "alphabeta", "mcts"} {
		spec := agents.Spec{Kind: kind, Params: []agents.Param{{Name: "weights", Value: path}}}
		a, err := Registry().New(spec)
		require.NoError(t, err)
		ctx := context.Background()
		require.NoError(t, a.NewGame(ctx, agents.Setup{Rules: rules.MustParse("kang")}))
		err = a.NewGame(ctx, agents.Setup{Rules: rules.MustParse("leather")})
		require.EqualError(t, err, "weights "+path+" are for kang rules; leather needs weights for standard rules")
		spec.Params[0].Value = path + "x"
		_, err = Registry().New(spec)
		require.ErrorContains(t, err, "no such file")
	}
}

// Agents are light if their parameters say that they decide soon.
func TestLight(t *testing.T) {
	registry := Registry(explore.Kind(Registry()))
	for text, want := range map[string]bool{
		"random": true, "greedy": true, "alphabeta": false, "alphabeta:nodes=20000": true, "alphabeta:nodes=20001": false,
		"alphabeta:depth=1": true, "alphabeta:depth=2": false, "alphabeta:movetime=1ms": false, "mcts": false,
		"explore:agent=greedy,temperature=0": true, "explore:agent=alphabeta:depth=1": true, "explore:agent=mcts": false,
		"explore": false, "explore:agent=none": false, "none": false, "alphabeta:nodes=x": false,
	} {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		require.Equal(t, want, registry.Light(spec), text)
	}
}

// Wins at once, and threats that can be parried: from Zago's "Help gyges".
func TestWinsAndThreats(t *testing.T) {
	r := rules.MustParse("standard")
	for _, spec := range []string{"greedy", "alphabeta:depth=1", "alphabeta:depth=2", "mcts:iterations=20,hash=1"} {
		for _, c := range agenttest.WinsNow() {
			g := agenttest.Game(t, r, c.Position)
			a := newAgent(t, spec)
			require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: r, Side: g.Position().Side()}))
			d := agenttest.Choose(t, a, g, agents.Limits{})
			require.True(t, d.Move.IsGoal(), c.Name)
			require.Equal(t, agents.WinIn(1), d.Score, c.Name)
			require.Equal(t, []rules.Move{d.Move}, d.PV, c.Name)
		}
		g := agenttest.Game(t, r, "000020/302201/102303/001010/300000/000000 s")
		a := newAgent(t, spec)
		require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: r}))
		require.True(t, r.CanWin(g.Position(), rules.North))
		require.NoError(t, g.Play(agenttest.Choose(t, a, g, agents.Limits{}).Move))
		require.False(t, r.CanWin(g.Position(), rules.North), spec)
	}
}

// Both searches prove forced results, and stop then. Alpha-beta finds the shortest ones; it
// sees the last ply without a search. MCTS may find a longer win first.
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
		{"simplified", "000002/010201/033203/000000/103201/000000 n", 3},
		{"simplified", "000023/022001/002000/010330/000300/110000 n", -4},
		{"simplified", "232101/030000/000000/000100/003001/230200 s", 5},
		{"kang", "000000/020000/220120/131133/000000/000300 s 000/000 2-0 -", 3},
	} {
		g := agenttest.Game(t, rules.MustParse(c.rules), c.position)
		for _, spec := range []string{"alphabeta:depth=6", "mcts:iterations=3000"} {
			a := newAgent(t, spec)
			require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: g.Rules(), Side: g.Position().Side()}))
			d := agenttest.Choose(t, a, g, agents.Limits{})
			plies, proven := d.Score.Proven()
			require.True(t, proven, "%s: %s", spec, c.position)
			if spec[0] == 'm' {
				require.Less(t, d.Nodes, int64(3000), c.position)
				require.True(t, plies == c.plies || c.plies == 5 && plies > 5 && plies%2 == 1, c.position)
				continue
			}
			require.Equal(t, c.plies, plies, c.position)
			require.LessOrEqual(t, d.Depth, max(plies, -plies)-1, c.position)
			require.Len(t, d.PV, max(plies, -plies), c.position)
		}
	}
}
