package configs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/eval"
	"gyges/agents/explore"
	"gyges/agents/tuning/texel"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/tournament/schedule"
	"gyges/tournament/training"
)

// Every key arrives where it belongs, and its name in messages is right.
func TestLoadGenerations(t *testing.T) {
	c, err := LoadGenerations(write(t, `
name: better
rules: standard
agent: alphabeta:nodes=100
weights: default
generations: 7
time: 90m
selfplay:
  agent: alphabeta:depth=1
  pairs: 11
  stages: [{from: 2, agent: "alphabeta:depth=2"}, {from: 4, pairs: 12}]
  openings: {policy: random, plies: 3}
  limits: {nodes: 50}
  explore: {temperature: 0.3, random: 0.1}
  split: {validation: 9, test: 4}
tune: {window: 2, features: [near], positions: 1000, quiet: false, leaves: true, lambda: 0.7, l2: 0.01, scale: 0.004, iterations: 9, patience: 3,
  network: {epochs: 6, batch: 64, rate: 0.01, decay: 0.001, seed: 8}}
match:
  sprt: elo0=1,elo1=8
  pairs: 130
  openings: {policy: random, plies: 1}
  limits: {depth: 2}
rating: {pairs: 17, every: 3, reference: default}
seed: 5
workers: 3
out: some/where
`), nil, exploring())
	require.NoError(t, err)
	want := training.DefaultGenerations()
	want.Name, want.Rules = "better", rules.MustParse("standard")
	want.Agent = agents.Spec{Kind: "alphabeta", Params: []agents.Param{{Name: "nodes", Value: "100"}}}
	want.SelfPlay.Agent = agents.Spec{Kind: "alphabeta", Params: []agents.Param{{Name: "depth", Value: "1"}}}
	want.SelfPlay.Stages = []training.Stage{
		{From: 2, Agent: agents.Spec{Kind: "alphabeta", Params: []agents.Param{{Name: "depth", Value: "2"}}}},
		{From: 4, Pairs: 12},
	}
	want.Rating = training.Rating{Pairs: 17, Every: 3, Reference: "default"}
	want.Count, want.Window, want.Time, want.Seed, want.Workers, want.Out = 7, 2, 90*time.Minute, 5, 3, "some/where"
	want.Weights = eval.Default(eval.Standard)
	s := &want.SelfPlay
	s.Pairs, s.Openings.Plies, s.Limits.Nodes = 11, 3, 50
	s.Explore = explore.Options{Temperature: 0.3, Random: 0.1}
	s.Split.Validation, s.Split.Test = 9, 4
	want.Choice.Positions, want.Choice.Quiet, want.Choice.Leaves = 1000, false, true
	f := &want.Settings
	f.Network = &texel.Network{Epochs: 6, Batch: 64, Rate: 0.01, Decay: 0.001, Seed: 8}
	f.Lambda, f.L2, f.Scale, f.Iterations, f.Patience = 0.7, 0.01, 0.004, 9, 3
	want.Settings.Features = []string{"near"}
	m := &want.Match
	m.Pairs, m.Openings, m.Limits.Depth = 130, schedule.Openings{Policy: schedule.RandomOpenings, Plies: 1}, 2
	m.SPRT = sprt.Test{Elo0: 1, Elo1: 8, Alpha: 0.05, Beta: 0.05, Model: sprt.Normalized}
	require.Equal(t, want, c)
}

func TestGenerationsProblems(t *testing.T) {
	path := write(t, `agent: alphabeta:depth=1
weights: nowhere.json
selfplay:
  pairs: 0
  openings: {policy: list}
tune:
  lambda: 2
  colour: blue
  network: {epochs: 0}
match:
  pairs: -1
rating: {pairs: -1, every: 0}
time: -1s
`)
	_, err := LoadGenerations(path, nil, exploring())
	requireProblems(t, path, err,
		`2: weights: weights nowhere.json: no such file or directory`,
		`4: selfplay.pairs: expected a number from 1 to 1000000, found 0`,
		`5: selfplay.openings.policy: expected random, agents, setups or file, found "list"`,
		`7: tune.lambda: expected a number above 0, at most 1, found 2`,
		`8: tune: unknown key "colour" in tune, expected one of: window, data, quiet, leaves, positions, features, lambda, l2, scale, iterations, patience, network, policy`,
		`9: tune.network.epochs: expected a number from 1 to 10000, found 0`,
		`11: match.pairs: expected a number from 0 (no match) to 1000000, found -1`,
		`12: rating.pairs: expected a number from 0 (none) to 100000, found -1`,
		`12: rating.every: expected a number from 1 to 1000, found 0`,
		`13: time: expected a time from 0s (no bound) to 1000h, found -1s`,
	)
	for text, want := range map[string]string{
		"match:\n  pairs: 1000001":                             ":3: match.pairs: expected",
		"rating:\n  reference: no.json":                        ":3: rating.reference: weights no.json",
		"time: 1001h":                                          ":2: time: expected a time from 0s",
		"selfplay:\n  stages:\n  - {from: 0}":                  ":4: selfplay.stages[0].from: expected a generation from 1 to 1000, found 0",
		"selfplay:\n  stages:\n  - {from: 2}\n  - {from: 2}":   ":5: selfplay.stages[1].from: expected a generation from 3",
		"selfplay:\n  stages:\n  - {from: 2, depth: 1}":        ":4: selfplay.stages[0]: unknown key \"depth\"",
		"selfplay:\n  stages:\n  - from: 2\n    agent: random": ":5: selfplay.stages[0].agent: agent \"random\" has no weights",
	} {
		path := write(t, "agent: alphabeta:depth=1\n"+text)
		_, err := LoadGenerations(path, nil, exploring())
		require.ErrorContains(t, err, path+want)
		require.NotContains(t, err.Error(), "\n", "one problem, one line")
	}
}

// A rule set from outside takes the place of the file's, and the initial weights are those for it.
func TestRulesInPlaceOfTheFiles(t *testing.T) {
	kang := rules.MustParse("kang")
	fit, err := LoadTexel("tuning/texel.yaml", kang)
	require.NoError(t, err)
	require.Equal(t, kang, fit.Rules)
	require.Equal(t, eval.Kang, fit.Parent.Rules)
	tuned, err := LoadSPSA(t.Context(), "tuning/spsa.yaml", kang, builtin.Registry())
	require.NoError(t, err)
	require.Equal(t, kang, tuned.Rules)
	trained, err := LoadGenerations("training/standard.yaml", kang, exploring())
	require.NoError(t, err)
	require.Equal(t, kang, trained.Rules)
	require.Equal(t, eval.Kang, trained.Weights.Rules)
}
