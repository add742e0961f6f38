package builtin

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

func newAgent(t *testing.T, spec string) agents.Agent {
	t.Helper()
	s, err := agents.ParseSpec(spec)
	require.NoError(t, err)
	a, err := Registry().New(s)
	require.NoError(t, err)
	return a
}

// In a game that is over, and once their context has ended, agents decide nothing.
func TestChooseFails(t *testing.T) {
	r := rules.MustParse("standard")
	over := agenttest.Game(t, r, "023112/000000/000000/000000/000000/321123 n 1-0")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, spec := range []string{"random", "greedy", "alphabeta", "mcts"} {
		a := newAgent(t, spec)
		require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: r}))
		_, err := a.Choose(ctx, rules.NewGame(r, r.Start()), agents.Request{})
		require.ErrorIs(t, err, context.Canceled, spec)
		_, err = a.Choose(t.Context(), over, agents.Request{})
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
	registry := Registry()
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
		for _, c := range agenttest.WinsNow {
			g := agenttest.Game(t, r, c)
			a := newAgent(t, spec)
			require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: r, Side: g.Position().Side()}))
			d := agenttest.Choose(t, a, g, agents.Limits{})
			require.True(t, d.Move.IsGoal(), c)
			require.Equal(t, agents.WinIn(1), d.Score, c)
			require.Equal(t, []rules.Move{d.Move}, d.PV, c)
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
