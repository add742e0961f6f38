package configs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/game"
	"gyges/tournament/schedule"
)

type nobody struct{ agents.Base }

func (nobody) NewGame(context.Context, agents.Setup) error { return nil }

func (nobody) Choose(context.Context, *rules.Game, agents.Request) (agents.Decision, error) {
	return agents.Decision{}, errors.New("nobody plays")
}

// testRegistry has the names of the kinds that ship, and none of their sense.
func testRegistry() *agents.Registry {
	kind := func(name string, params ...agents.ParamDef) agents.Kind {
		return agents.Kind{Name: name, Params: params, Interactive: name == "human",
			New: func(agents.Config) (agents.Agent, error) { return nobody{}, nil }}
	}
	params := agents.ParamsOf(&struct {
		Depth      int `param:"depth" check:"1..1000000000"`
		Iterations int `param:"iterations" check:"1..1000000000"`
	}{})
	return agents.NewRegistry(kind("random"), kind("greedy"), kind("alphabeta", params[0]), kind("mcts", params[1]),
		kind("human"))
}

// write writes a file named t.yaml and returns its path.
func write(t testing.TB, text string) string {
	path := filepath.Join(t.TempDir(), "t.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestLoadTournament(t *testing.T) {
	path := write(t, `
name: "2024"
rules:
  - standard
  - standard:repetition=none,null_move=allow
  - kang:kang_entry=optional,max_plies=100
agents: [random, 'alphabeta:depth=3', mcts:iterations=10]
pairs: 7
openings: {policy: random, plies: 2}
limits:
  depth: 4
  nodes: 100000000000
  movetime: 1.5s
seed: 18446744073709551615
workers: 3
out: some/where
on_repetition: ask-next
clock: 60+0.6
time_margin: 20ms
suspend: 7
stall_timeout: 90s
`)
	c, err := LoadTournament(path, testRegistry())
	require.NoError(t, err)
	require.Equal(t, tournament.Config{
		Name: "2024",
		Rules: []*rules.Rules{
			rules.MustParse("standard"),
			rules.MustParse("standard:null_move=allow,repetition=none"),
			rules.MustParse("kang:kang_entry=optional,max_plies=100"),
		},
		Agents: []agents.Spec{
			{Kind: "random"},
			{Kind: "alphabeta", Params: []agents.Param{{Name: "depth", Value: "3"}}},
			{Kind: "mcts", Params: []agents.Param{{Name: "iterations", Value: "10"}}},
		},
		Pairs: 7,
		Settings: game.Settings{
			Openings: schedule.Openings{Policy: schedule.RandomOpenings, Plies: 2},
			Limits:   agents.Limits{Depth: 4, Nodes: 100_000_000_000, MoveTime: 1500 * time.Millisecond},
			Clock:    game.Clock{Base: time.Minute, Increment: 600 * time.Millisecond}, OnRepetition: agents.AskNext,
			TimeMargin: new(20 * time.Millisecond), StallTimeout: 90 * time.Second,
		},
		Seed: 1<<64 - 1, Workers: 3, Out: "some/where", Suspend: 7,
	}, c)
}

func TestDefaults(t *testing.T) {
	c, err := LoadTournament(write(t, "agents: [random, greedy]"), testRegistry())
	require.NoError(t, err)
	want := tournament.DefaultConfig()
	want.Name, want.Pairs = "t", tournament.UnsetPairs
	want.Agents = []agents.Spec{{Kind: "random"}, {Kind: "greedy"}}
	require.Equal(t, want, c)
}

func FuzzLoad(f *testing.F) {
	for _, path := range []string{"tournaments/quick.yaml", "tournaments/ci.yaml", "tournaments/nodes.yaml",
		"tuning/texel.yaml", "tuning/spsa.yaml"} {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := write(t, text)
		if c, err := LoadTournament(path, testRegistry()); err == nil {
			require.NoError(t, c.Validate(testRegistry()))
		}
		if c, err := LoadTexel(path, nil); err == nil {
			require.NoError(t, c.Validate())
		}
		if c, err := LoadSPSA(t.Context(), path, nil, testRegistry()); err == nil {
			require.NoError(t, c.Validate(testRegistry()))
		}
	})
}
