package configs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/explore"
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/training"
)

// Every key arrives where it belongs, and its name in messages is right.
func TestLoadGenerations(t *testing.T) {
	c, err := LoadGenerations(write(t, `
name: better
rules: kang
agent: alphabeta:nodes=100
weights: default
generations: 7
selfplay:
  agent: alphabeta:depth=1
  pairs: 11
  openings: {policy: random, plies: 3}
  limits: {nodes: 50}
  temperature: 0.3
  random: 0.1
  validation: 9
  test: 4
tune: {window: 2, features: [near], positions: 1000, quiet: false, leaves: true, lambda: 0.7, l2: 0.01, scale: 0.004, iterations: 9, patience: 3,
  network: {epochs: 6, batch: 64, rate: 0.01, decay: 0.001, seed: 8}}
match:
  sprt: elo0=1,elo1=8
  pairs: 13
  openings: {policy: random, plies: 1}
  limits: {depth: 2}
rating: 17
seed: 5
workers: 3
out: some/where
`), exploring())
	require.NoError(t, err)
	want := training.DefaultGenerations()
	want.Name, want.Rules = "better", rules.MustParse("kang")
	want.Agent = agents.Spec{Kind: "alphabeta", Params: []agents.Param{{Name: "nodes", Value: "100"}}}
	want.SelfPlayAgent = agents.Spec{Kind: "alphabeta", Params: []agents.Param{{Name: "depth", Value: "1"}}}
	want.Count, want.Window, want.Rating, want.Seed, want.Workers, want.Out = 7, 2, 17, 5, 3, "some/where"
	want.Weights, err = eval.Default(eval.Kang)
	require.NoError(t, err)
	s := &want.SelfPlay
	s.Tournament.Pairs, s.Tournament.Openings.Plies, s.Tournament.Limits.Nodes = 11, 3, 50
	s.Explore = explore.Options{Temperature: 0.3, Random: 0.1}
	s.Split.Validation, s.Split.Test = 9, 4
	want.Choice.Positions, want.Choice.Quiet, want.Choice.Leaves = 1000, false, true
	f := &want.Settings
	f.Network = &texel.Network{Epochs: 6, Batch: 64, Rate: 0.01, Decay: 0.001, Seed: 8}
	f.Lambda, f.L2, f.Scale, f.Iterations, f.Patience = 0.7, 0.01, 0.004, 9, 3
	for _, name := range eval.Names() {
		f.Frozen = append(f.Frozen, name != "near")
	}
	m := &want.Match
	m.Pairs, m.Openings.Plies, m.Limits.Depth = 13, 1, 2
	m.SPRT = sprt.Test{Elo0: 1, Elo1: 8, Alpha: 0.05, Beta: 0.05, Model: sprt.Normalized}
	require.Equal(t, want, c)
}

func TestGenerationsProblems(t *testing.T) {
	path := write(t, `agent: alphabeta:depth=1
weights: nowhere.json
selfplay:
  pairs: 0
  openings: {policy: book}
tune:
  lambda: 2
  colour: blue
match:
  pairs: 0
rating: -1
`)
	_, err := LoadGenerations(path, exploring())
	require.Error(t, err)
	var got []string
	for line := range strings.Lines(err.Error()) {
		got = append(got, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), path))
	}
	require.Equal(t, []string{
		`:2: weights: weights: open nowhere.json: no such file or directory`,
		`:4: selfplay.pairs: expected a number from 1 to 1000000, found 0`,
		`:5: selfplay.openings.policy: expected random, agents, setups or file, found "book"`,
		`:7: tune.lambda: expected a number above 0, at most 1, found 2`,
		`:8: tune: unknown key "colour" in a fit, expected one of: window, data, features, positions, quiet, leaves, network, lambda, l2, scale, iterations, patience`,
		`:10: match.pairs: expected a number from 1 to 1000000, found 0`,
		`:11: rating: expected a number from 0 (none) to 100000, found -1`,
	}, got)
	for text, want := range map[string]string{
		"selfplay: {pairs: 0}":                  ":2: selfplay.pairs: expected a number from 1",
		"selfplay:\n  openings: {policy: book}": ":3: selfplay.openings.policy: expected",
		"tune:\n  lambda: 2":                    ":3: tune.lambda: expected a number above 0",
		"match:\n  pairs: 0":                    ":3: match.pairs: expected",
		"rating: -1":                            ":2: rating: expected",
		"workers: -1":                           ":2: workers: expected",
	} {
		path := write(t, "agent: alphabeta:depth=1\n"+text)
		_, err := LoadGenerations(path, exploring())
		require.ErrorContains(t, err, path+want)
		require.NotContains(t, err.Error(), "\n", "one problem, one line")
	}
	_, err = LoadGenerations(write(t, ""), exploring())
	require.Error(t, err)
}

func TestShippedGenerations(t *testing.T) {
	files, err := filepath.Glob("training/*[^l].yaml") // small.yaml has a test of its own
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, path := range files {
		c, err := LoadGenerations(path, exploring())
		require.NoError(t, err)
		require.Equal(t, strings.TrimSuffix(filepath.Base(path), ".yaml"), c.Rules.String())
		require.Equal(t, tournament.RandomOpenings, c.Match.Openings.Policy)
	}
}
