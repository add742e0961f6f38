package configs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/explore"
	"gyges/rules"
	"gyges/tournament/schedule"
	"gyges/tournament/training"
)

func exploring() *agents.Registry { return builtin.Registry() }

func TestLoadSelfPlay(t *testing.T) {
	c, err := LoadSelfPlay(write(t, `
rules: [kang, simplified]
agents: ['alphabeta:depth=3', mcts:iterations=10]
pairs: 7
openings: {policy: random, plies: 3}
limits: {nodes: 1000}
explore: {temperature: 0.5, random: 1, plies: 9}
split: {validation: 10, test: 0}
adjudication: proven
seed: 4
out: some/where
`), exploring())
	require.NoError(t, err)
	want := training.DefaultSelfPlay()
	w := &want.Tournament
	w.Name = "t"
	w.Rules = []*rules.Rules{rules.MustParse("kang"), rules.MustParse("simplified")}
	w.Agents = []agents.Spec{
		{Kind: "alphabeta", Params: []agents.Param{{Name: "depth", Value: "3"}}},
		{Kind: "mcts", Params: []agents.Param{{Name: "iterations", Value: "10"}}},
	}
	w.Pairs, w.Seed, w.Out = 7, 4, "some/where"
	w.Openings = schedule.Openings{Policy: schedule.RandomOpenings, Plies: 3}
	w.Limits.Nodes = 1000
	require.NoError(t, w.Adjudication.UnmarshalText([]byte("proven")))
	want.Explore = explore.Options{Temperature: 0.5, Random: 1, Plies: 9}
	want.Split = training.Split{Validation: 10}
	require.Equal(t, want, c)
}

func TestSelfPlayProblems(t *testing.T) {
	path := write(t, `agents: [greedy,
  gredy]
schedul: swiss
pairs: 0
explore:
  temperature: hot
  random: 2
  steps: 3
split: {validation: 80,
  test: 20}
`)
	_, err := LoadSelfPlay(path, exploring())
	requireProblems(t, path, err,
		`2: agents[1]: agent "gredy": unknown kind "gredy", did you mean "greedy"?`,
		`3: unknown key "schedul" in self-play, did you mean "schedule"?`,
		`4: pairs: expected a number from 1 to 1000000, found 0`,
		`6: explore.temperature: expected a number, found "hot"`,
		`7: explore.random: expected a number from 0 to 1, found 2`,
		`8: explore: unknown key "steps" in explore, expected one of: temperature, random, plies`,
		`10: split.test: expected percent from 0, with validation's 80 up to 90 together, found 20`,
	)
	for text, want := range map[string]string{
		"agents: [greedy]":               ":1: agents[0]: agent \"explore:agent=greedy,temperature=0.2\": greedy does not explore by temperature",
		"- a":                            ":1: expected self-play as keys and values, found a list",
		"":                               ":1: expected keys and values, found nothing",
		"agents: [random]\nexplore: 3":   ":2: explore: expected explore as keys and values, found \"3\"",
		"agents: [random]\nsplit: {a: }": ":2: split: unknown key \"a\" in split, expected one of: validation, test",
		"agents: [random]\nexplore: {temperature: .nan}": ":2: explore.temperature: expected",
	} {
		_, err := LoadSelfPlay(write(t, text), exploring())
		require.ErrorContains(t, err, want)
	}
	_, err = LoadSelfPlay("nowhere.yaml", exploring())
	require.ErrorContains(t, err, "nowhere.yaml")
}
