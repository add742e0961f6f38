package builtin

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// TestConformance tests all that an agent must do ([agents.Agent]), with every kind of the list.
func TestConformance(t *testing.T) {
	for _, kind := range Registry().Kinds() {
		for _, c := range []struct {
			name string
			test func(*testing.T, agents.Kind)
		}{
			{"describes itself and its parameters", describesItself},
			{"plays every preset and option without an illegal move, its own set-up too", playsEverywhere},
			{"plays equal games after equal setups", repeatsItself},
			{"returns soon when it is cancelled", endsSoon},
			{"does what a request asks, or refuses it", answersRequests},
			{"starts, and is closed", startsAndCloses},
		} {
			t.Run(kind.Name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				c.test(t, kind)
			})
		}
	}
}

func newAgent(t *testing.T, spec string) agents.Agent {
	t.Helper()
	s, err := agents.ParseSpec(spec)
	require.NoError(t, err)
	a, err := Registry().New(s)
	require.NoError(t, err)
	return a
}

// made returns an agent of the kind. Where it needs another agent that is alpha-beta.
func made(t *testing.T, k agents.Kind, sets ...*rules.Rules) agents.Agent {
	t.Helper()
	spec := agents.Spec{Kind: k.Name}
	for _, d := range k.Params {
		if d.NamesAgent() && d.Default() == "" {
			spec = spec.With(d.Key, "alphabeta:hash=1")
		}
	}
	a, err := Registry().New(spec, sets...)
	require.NoError(t, err)
	return a
}

// few are limits under which all kinds are quick.
var few = agents.Limits{Depth: 1, Nodes: 60}

func describesItself(t *testing.T, k agents.Kind) {
	require.NotEmpty(t, k.Doc)
	require.NotContains(t, k.Doc, "\n")
	for _, d := range k.Params {
		require.NotEmpty(t, d.Help(), d.Key)
		require.NotContains(t, d.Help(), "\n", d.Key)
	}
	made(t, k) // with all defaults
}

func playsEverywhere(t *testing.T, k agents.Kind) {
	names := []string{
		"standard:null_move=allow,door_rule=directed,max_plies=80",
		"kang:kang_entry=optional,max_plies=80",
		"kang:relocation=false,max_plies=60",
	}
	for _, preset := range rules.Presets() {
		names = append(names, preset.Name+":max_plies=80") // random play goes on for hundreds
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rules.MustParse(name)
			playGame(t, r, made(t, k, r), newAgent(t, "random"), 1, few)
			playGame(t, r, newAgent(t, "random"), made(t, k, r), 2, agents.Limits{Nodes: 8})
			playGame(t, r, made(t, k, r), made(t, k, r), 3, agents.Limits{Nodes: 8})
		})
	}
}

func repeatsItself(t *testing.T, k agents.Kind) {
	r, other := rules.MustParse("simplified"), rules.MustParse("kang:max_plies=20")
	south, north := made(t, k), newAgent(t, "greedy")
	moves, nodes := playGame(t, r, south, north, 7, few)
	playGame(t, other, north, south, 8, few)
	again, nodesAgain := playGame(t, r, south, north, 7, few)
	require.Equal(t, moves, again)
	require.Equal(t, nodes, nodesAgain)
}

// playGame plays a game from its very beginning, the set-up included, checking
// every move and every expected line, and returns the moves and nodes.
func playGame(t *testing.T, r *rules.Rules, south, north agents.Agent, seed uint64, lim agents.Limits,
) (moves []rules.Move, nodes []int64) {
	t.Helper()
	g := rules.NewGame(r, r.Start())
	players := []agents.Agent{south, north}
	for side, a := range players {
		require.NoError(t, a.NewGame(t.Context(), agents.Setup{Rules: r, Side: rules.Side(side), Seed: seed}))
	}
	for {
		if o, _ := g.Outcome(); o != rules.Undecided {
			return g.Moves(), nodes
		}
		before := g.Position()
		d := agenttest.Choose(t, players[before.Side()], g, lim)
		require.Equal(t, before, g.Position(), "the game is not the agent's to change")
		if len(d.PV) > 0 {
			require.Equal(t, cmp.Or(d.Best, d.Move), d.PV[0], "the expected line begins with the best move")
		}
		g.PlayLegal(d.Move)
		nodes = append(nodes, d.Nodes)
	}
}

// begun returns an agent in a game under way.
func begun(t *testing.T, k agents.Kind) (agents.Agent, *rules.Game) {
	g := agenttest.RandomGame(rules.MustParse("standard"), rand.New(rand.NewPCG(6, 6)), 8)
	a := made(t, k, g.Rules())
	require.NoError(t, a.NewGame(t.Context(), agents.SetupOf(g, 1)))
	return a, g
}

func endsSoon(t *testing.T, k agents.Kind) {
	a, g := begun(t, k)
	for _, wait := range []time.Duration{0, 50 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		began := time.Now()
		d, err := a.Choose(ctx, g, agents.Request{Limits: agents.Limits{MoveTime: time.Hour}})
		cancel()
		require.Less(t, time.Since(began), 30*time.Second) // on a busy machine
		if err == nil {
			require.NoError(t, g.Check(d.Move))
		} else {
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
	}
}

func answersRequests(t *testing.T, k agents.Kind) {
	a, g := begun(t, k)
	ask := func(can bool, q agents.Request) (agents.Decision, bool) {
		q.Limits = few
		require.NoError(t, a.NewGame(t.Context(), agents.SetupOf(g, 1)))
		d, err := a.Choose(t.Context(), g, q)
		if !can {
			require.ErrorIs(t, err, errors.ErrUnsupported)
			return d, false
		}
		require.NoError(t, err)
		require.NoError(t, g.Check(d.Move))
		return d, true
	}
	can := a.Capabilities()
	plain, _ := ask(true, agents.Request{})
	require.Empty(t, plain.Sample)
	var excluded []rules.Move
	for d := plain; len(excluded) < 5; {
		excluded = append(excluded, d.Move)
		var ok bool
		if d, ok = ask(can.Exclude, agents.Request{Exclude: excluded}); !ok {
			break
		}
		require.NotContains(t, excluded, d.Move)
	}
	equal := func(rules.Move) agents.Score { return 7 }
	if d, ok := ask(can.Noise, agents.Request{Noise: equal}); ok {
		require.Equal(t, plain.Score, d.Score)
	}
	if d, ok := ask(can.Sample, agents.Request{Sample: 3}); ok {
		require.NotEmpty(t, d.Sample)
		require.LessOrEqual(t, len(d.Sample), 3)
	}
	uneven := func(m rules.Move) agents.Score { return agents.Score(m % 400) }
	both := agents.Request{Exclude: excluded, Noise: uneven, Sample: 3}
	if d, ok := ask(can.Exclude && can.Noise && can.Sample, both); ok {
		require.NotContains(t, excluded, d.Move)
		require.NotContains(t, excluded, d.Best)
	}
}

func startsAndCloses(t *testing.T, k agents.Kind) {
	a := made(t, k, rules.MustParse("standard"))
	require.NoError(t, a.Start(t.Context()))
	require.Empty(t, a.Trace())
	require.NoError(t, a.Close())
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

// In a game that is over, the agents that ship decide nothing.
func TestGameIsOver(t *testing.T) {
	g := agenttest.Game(t, rules.MustParse("standard"), "023112/000000/000000/000000/000000/321123 n 1-0")
	for _, spec := range []string{"random", "greedy", "alphabeta", "mcts"} {
		a := newAgent(t, spec)
		require.NoError(t, a.NewGame(t.Context(), agents.SetupOf(g, 1)))
		_, err := a.Choose(t.Context(), g, agents.Request{})
		require.ErrorIs(t, err, rules.ErrOver, spec)
	}
}
