package configs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/tournament"
)

// A mapping stands for one agent for each value of a parameter, in order.
func TestSweep(t *testing.T) {
	const text = `
agents:
  - random
  - {agent: alphabeta, depth: [3, 1]}
  - iterations: [1_0, "20"]
    agent: "mcts:name='a, b'"
`
	var c tournament.Config
	require.NoError(t, load(write(t, text), "a tournament", &c, func(*parser) {}))
	spec := func(text string) agents.Spec {
		s, err := agents.ParseSpec(text)
		require.NoError(t, err)
		return s
	}
	require.Equal(t, []agents.Spec{spec("random"), spec("alphabeta:depth=3"), spec("alphabeta:depth=1"),
		spec("mcts:name='a, b',iterations=1_0"), spec("mcts:name='a, b',iterations=20")}, c.Agents)

	path := write(t, "agents: [{agent: alphabeta, depth: [1, 2]}, {agent: mcts, iterations: [3]}]")
	loaded, err := LoadTournament(path, testRegistry())
	require.NoError(t, err)
	require.Equal(t, []agents.Spec{spec("alphabeta:depth=1"), spec("alphabeta:depth=2"), spec("mcts:iterations=3")},
		loaded.Agents)
}

// Every mistake is a problem at its line, for each agent that has it.
func TestMistakesInSweeps(t *testing.T) {
	path := write(t, `agents:
  - {agent: mcts}
  - {iterations: [1, 2]}
  - {}
  - {agent: alphabeta, depth: [1, 2], hash: 16}
  - {agent: mcts, iterations: 100}
  - {agent: mcts, iterations: []}
  - {agent: [mcts], iterations: [1, 2]}
  - {agent: "mcts:", iterations: [1, 2]}
  - {agent: nobody, iterations: [1, 2]}
  - {agent: "alphabeta:deepth=1", depth: [1, 2]}
  - agent: alphabeta
    deepth: [1, 2]
  - agent: alphabeta
    "depth=1,name": [1, 2]
  - agent: alphabeta:depth=3
    depth: [1, 2]
  - agent: alphabeta
    depth:
      - 1
      - 0
      - 1
      - [2]
      -
      - {a: b}
  - {agent: mcts, agent: mcts, iterations: [1, 2]}
  - {agent: mcts, iterations: &a [1, 2]}
  - {agent: mcts, iterations: *a}
`)
	_, err := LoadTournament(path, testRegistry())
	const expected = "agents: expected the key agent and one parameter, like {agent: mcts, iterations: [100, 200]}"
	requireProblems(t, path, err,
		`2: `+expected,
		`3: `+expected,
		`4: `+expected,
		`5: agents: expected a list of values of "hash", found "16"; write [16]`,
		`6: agents: expected a list of values of "iterations", found "100"`,
		`7: `+expected,
		`8: agents: expected an agent spec, like random or alphabeta:depth=2, found a list`,
		`9: agents: agent "mcts:": expected param=value, found ""`,
		`10: agents[0]: agent "nobody:iterations=1": unknown kind "nobody"; expected one of: `,
		`10: agents[1]: agent "nobody:iterations=2": unknown kind "nobody"; expected one of: `,
		`11: agents[2]: agent "alphabeta:deepth=1,depth=1": unknown parameter "deepth", did you mean "depth"?`,
		`11: agents[3]: agent "alphabeta:deepth=1,depth=2": unknown parameter "deepth", did you mean "depth"?`,
		`13: agents[4]: agent "alphabeta:deepth=1": unknown parameter "deepth", did you mean "depth"?`,
		`13: agents[5]: agent "alphabeta:deepth=2": unknown parameter "deepth", did you mean "depth"?`,
		`15: agents[6]: agent "alphabeta:depth=1,name=1": unknown parameter "depth=1,name"`,
		`15: agents[7]: agent "alphabeta:depth=1,name=2": unknown parameter "depth=1,name"`,
		`20: agents[10]: agent "alphabeta:depth=1" is listed twice; give one a name, like alphabeta:depth=1,name=b`,
		`21: agents[11]: agent "alphabeta:depth=0": parameter depth: expected a whole number from 1 to 1000000000, found "0"`,
		`22: agents[12]: agent "alphabeta:depth=1" is listed twice; give one a name, like alphabeta:depth=1,name=b`,
		`23: agents: expected a value of "depth", found a list`,
		`24: agents: expected a value of "depth", found nothing`,
		`25: agents: expected a value of "depth", found keys and values`,
		`26: agents: duplicate key "agent", first on line 26`,
		`28: agents: expected a list of values of "iterations", found an alias, which is not supported`,
	)
	path = write(t, "agents:\n  - {agent: mcts, iterations: [3]}")
	_, err = LoadTournament(path, testRegistry())
	requireProblems(t, path, err, "2: agents: expected 2 to 1000 agents, found 1")
}
