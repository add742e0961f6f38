package configs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
)

func exploring() *agents.Registry { return builtin.Registry() }

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
		"agents: [greedy]":                               ":1: agents[0]: agent \"explore:agent=greedy,temperature=0.2\": greedy does not explore by temperature",
		"agents: [random]\nexplore: 3":                   ":2: explore: expected explore as keys and values, found \"3\"",
		"agents: [random]\nsplit: {a: }":                 ":2: split: unknown key \"a\" in split, expected one of: validation, test",
		"agents: [random]\nexplore: {temperature: .nan}": ":2: explore.temperature: expected",
	} {
		_, err := LoadSelfPlay(write(t, text), exploring())
		require.ErrorContains(t, err, want)
	}
}
