package configs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament"
)

type nobody struct{}

func (nobody) NewGame(context.Context, agents.Setup) error { return nil }
func (nobody) Choose(context.Context, *rules.Game, agents.Limits) (agents.Decision, error) {
	return agents.Decision{}, errors.New("nobody plays")
}

// testRegistry has the names of the kinds that ship, and none of their sense.
func testRegistry() *agents.Registry {
	kind := func(name string, params ...string) agents.Kind {
		k := agents.Kind{Name: name, Interactive: name == "human",
			New: func(agents.Values) (agents.Agent, error) { return nobody{}, nil }}
		for _, p := range params {
			k.Params = append(k.Params, agents.ParamDef{Name: p, Type: agents.Int, Min: 1, Max: 1e9})
		}
		return k
	}
	return agents.NewRegistry(kind("random"), kind("greedy"), kind("alphabeta", "depth"), kind("mcts", "iterations"),
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
  - {preset: kang, max_plies: 100, kang_entry: optional}
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
		Pairs:    7,
		Openings: tournament.Openings{Policy: tournament.RandomOpenings, Plies: 2},
		Limits:   agents.Limits{Depth: 4, Nodes: 100_000_000_000, MoveTime: 1500 * time.Millisecond},
		Seed:     1<<64 - 1, Workers: 3, Out: "some/where",
		OnRepetition: agents.AskNext, TimeMargin: 20 * time.Millisecond, Suspend: 7,
		StallTimeout: 90 * time.Second,
	}, c)
}

// A mapping stands for one agent for each value of a parameter, in order.
func TestSweep(t *testing.T) {
	const text = `
agents:
  - random
  - {agent: alphabeta, depth: [3, 1]}
  - iterations: [1_0, "20"]
    agent: "mcts:name='a, b'"
`
	n := newParser("")
	var c tournament.Config
	n.agentsList(n.parse(text).Content[1], &c, testRegistry())
	require.NoError(t, n.err())
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
	selfPlay, err := LoadSelfPlay(path, exploring())
	require.NoError(t, err)
	require.Equal(t, loaded.Agents, selfPlay.Tournament.Agents)
}

// Every mistake is one problem at its line, also one that all agents of a mapping share.
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
	const expected = "agents: expected the key agent and one parameter, like {agent: mcts, iterations: [100, 200]}, found "
	requireProblems(t, path, err,
		`2: `+expected+`"agent"`,
		`3: `+expected+`"iterations"`,
		`4: `+expected+`none`,
		`5: `+expected+`"agent", "depth", "hash"`,
		`6: agents: expected a list of values of "iterations", found "100"`,
		`7: agents: expected a list of values of "iterations", found an empty one`,
		`8: agents: expected an agent spec, like random or alphabeta:depth=2, found a list`,
		`9: agents: agent "mcts:": expected param=value, found ""`,
		`10: agents: agent "nobody": unknown kind "nobody"; expected one of: `,
		`11: agents: agent "alphabeta:deepth=1": unknown parameter "deepth", did you mean "depth"?`,
		`13: agents: agent "alphabeta:deepth=": unknown parameter "deepth", did you mean "depth"?`,
		`15: agents: agent "alphabeta:depth=1,name=": unknown parameter "depth=1,name"`,
		`17: agents: agent "alphabeta:depth=3": parameter depth is given twice`,
		`21: agents[1]: agent "alphabeta:depth=0": parameter depth: expected int, 1 to 1000000000, found "0"`,
		`22: agents[2]: agent "alphabeta:depth=1" is listed twice; players are told apart by their specs`,
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

func TestDefaults(t *testing.T) {
	c, err := LoadTournament(write(t, "agents: [random, greedy]"), testRegistry())
	require.NoError(t, err)
	want := tournament.DefaultConfig()
	want.Name = "t"
	want.Agents = []agents.Spec{{Kind: "random"}, {Kind: "greedy"}}
	require.Equal(t, want, c)
}

// requireProblems checks an error against its lines, each the beginning of one.
func requireProblems(t *testing.T, path string, err error, want ...string) {
	t.Helper()
	require.Error(t, err)
	got := strings.Split(err.Error(), "\n")
	for i := range min(len(got), len(want)) {
		require.True(t, strings.HasPrefix(got[i], path+":"+want[i]), "%s\nis not %s", got[i], want[i])
	}
	require.Len(t, got, len(want), "%v", err)
}

func TestEveryProblemAtOnce(t *testing.T) {
	path := write(t, `name: [a]
rule: standard
rules:
  - standerd
  - preset: kang
    kang_goals: 10
    goals: 3
  - kang_goals: 1
  - standard
  - standard
  - 7
  - {preset: italian, setup_zone: [x]}
agents:
  - random
  - "alphabeta:"
  - nobody
  - alphabeta:depth=0
  - {kind: greedy}
  - random
  - alphabeta:deepth=1,width=2
  - human
pairs: 0
pairs: 1
openings:
  policy: book
  plies: two
  book: x
limits:
  depth: -1
  movetime: 100
seed: -1
workers: 1.5
on_repetition: never
stall_timeout: 1
out:
`)
	_, err := LoadTournament(path, testRegistry())
	requireProblems(t, path, err,
		`1: name: expected a name, in quotes if it is a number, found a list`,
		`2: unknown key "rule" in a tournament, did you mean "rules"?`,
		`4: rules: unknown rules "standerd", did you mean "standard"?`,
		`6: rules: rule option kang_goals: "10" is not one of: a number from 1 to 9`,
		`7: rules: unknown rule option "goals"; expected one of: `,
		`8: rules: expected the key preset in a rule set, like preset: standard`,
		`10: rules[1]: rule set standard is listed twice`,
		`11: rules: expected a rule set, like standard or standard:null_move=allow, found "7"`,
		`12: rules: expected a value for "setup_zone", found a list`,
		`15: agents: agent "alphabeta:": expected param=value, found ""`,
		`16: agents[1]: agent "nobody": unknown kind "nobody"; expected one of: `,
		`17: agents[2]: agent "alphabeta:depth=0": parameter depth: expected int, 1 to 1000000000, found "0"`,
		`18: agents: expected the key agent and one parameter, like {agent: mcts, iterations: [100, 200]}, found "kind"`,
		`19: agents[3]: agent "random" is listed twice; players are told apart by their specs`,
		`20: agents[4]: agent "alphabeta:deepth=1,width=2": unknown parameter "deepth", did you mean "depth"?`,
		`20: agents[4]: agent "alphabeta:deepth=1,width=2": unknown parameter "width"; alphabeta takes depth`,
		`21: agents[5]: agent "human" needs a person at the terminal`,
		`22: pairs: expected a number from 1 to 1000000, found 0`,
		`23: duplicate key "pairs", first on line 22`,
		`25: openings.policy: expected random, agents, setups or file, found "book"`,
		`26: openings.plies: expected a whole number, found "two"`,
		`27: openings: unknown key "book" in openings, expected one of: policy, plies`,
		`29: limits.depth: expected a number from 0 (no limit) to 1000, found -1`,
		`30: limits.movetime: expected a time with its unit, like 100ms or 1.5s, found "100"`,
		`31: seed: expected a whole number from 0 to 18446744073709551615, found "-1"`,
		`32: workers: expected a whole number, found "1.5"`,
		`33: on_repetition: expected forfeit, ask-next or allow, found "never"`,
		`34: stall_timeout: expected a time with its unit, like 100ms or 1.5s, found "1"`,
		`35: out: expected a folder, in quotes if it is a number, found nothing`,
	)
}

func TestOneProblem(t *testing.T) {
	const two = "agents: [random, greedy]\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", "1: expected keys and values, found nothing"},
		"comment":     {"# nothing\n", "1: expected keys and values, found nothing"},
		"null":        {"~", "1: expected a tournament as keys and values, found nothing"},
		"list":        {"- a", "1: expected a tournament as keys and values, found a list"},
		"no agents":   {"\n\npairs: 1", "3: agents: expected 2 to 1000 agents, found 0"},
		"agents null": {"agents:", "1: agents: expected a list of agent specs, found nothing"},
		"bad syntax":  {"# c\nagents: [random\npairs: 1", "2: not valid YAML near here: "},
		"tab":         {two + "\tpairs: 1", "2: not valid YAML near here: "},
		"two":         {two + "---\npairs: 1", "2: expected one document, found a second one"},
		"bad second":  {two + "---\n]", "3: not valid YAML near here: "},
		"alias": {"agents: &a [random, greedy]\nrules: *a",
			"2: rules: expected a list of rule sets, found an alias, which is not supported"},
		"merge": {"agents: [random, greedy]\n<<: {pairs: 3}", `2: unknown key "<<" in a tournament`},
		"key":   {two + "[a]: 3", "2: expected a key in a tournament, found a list"},
		"tag":   {two + "pairs: !!str 3", `2: pairs: expected a whole number, found "3"`},
		"octal": {two + "pairs: 0o17", `2: pairs: expected a whole number, found "0o17"`},
		"large": {two + "pairs: 99999999999999999999",
			`2: pairs: expected a whole number, found "99999999999999999999"`},
		"plies": {two + "openings: {policy: agents, plies: 3}",
			"2: openings.plies: expected none with policy agents, found 3"},
		"no opening": {two + "rules: [standard:max_plies=2]\nopenings:\n  plies: 3",
			"4: openings: rules standard:max_plies=2: none of 10000 random openings"},
		"long value": {two + "pairs: " + strings.Repeat("x", 100_000), `2: pairs: expected a whole number, found "` +
			strings.Repeat("x", 60) + `"`},
		"empty policy": {two + "openings: {policy: ''}",
			`2: openings.policy: expected a policy, random, agents, setups or file, found ""`},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, c.text)
			_, err := LoadTournament(path, testRegistry())
			requireProblems(t, path, err, c.want)
		})
	}
}

func TestNameOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b.yaml")
	require.NoError(t, os.WriteFile(path, []byte("agents: [random, greedy]"), 0o600))
	_, err := LoadTournament(path, testRegistry())
	requireProblems(t, path, err, `1: name: expected 1 to 64 letters, digits`)
}

func TestFilesThatCannotBeRead(t *testing.T) {
	_, err := LoadTournament(filepath.Join(t.TempDir(), "none.yaml"), testRegistry())
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = LoadTournament(t.TempDir(), testRegistry())
	require.Error(t, err)
	_, err = LoadTournament(write(t, "#"+strings.Repeat("x", maxFile)), testRegistry())
	require.ErrorContains(t, err, "expected a file of at most 1048576 bytes, found a larger one")
}

// A bomb of aliases is refused at its first alias, before anything grows.
func TestAliasBomb(t *testing.T) {
	text := "agents:\n- &a0 [random, random]\n"
	for i := range 40 {
		text += fmt.Sprintf("- &a%d [*a%d, *a%d]\n", i+1, i, i)
	}
	path := write(t, text+"rules: *a40\nlimits: *a40\n")
	_, err := LoadTournament(path, testRegistry())
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, 43)
	require.Equal(t, path+":43: rules: expected a list of rule sets, found an alias, which is not supported", lines[41])

	deep := write(t, "agents: "+strings.Repeat("[", 100_000))
	_, err = LoadTournament(deep, testRegistry())
	requireProblems(t, deep, err, "1: not valid YAML near here: ")
}

func TestProblemsAreBounded(t *testing.T) {
	path := write(t, "agents:\n"+strings.Repeat("- 1\n", 5000))
	_, err := LoadTournament(path, testRegistry())
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, maxProblems+1)
	require.Equal(t, path+": and 4900 more", lines[maxProblems])
}

func TestLoadRules(t *testing.T) {
	r, err := LoadRules(write(t, "kang_goals: 2\npreset: kang\nrelocation: false\n"))
	require.NoError(t, err)
	require.Equal(t, "kang:relocation=false,kang_goals=2", r.String())

	r, err = LoadRules(write(t, "preset: leather"))
	require.NoError(t, err)
	require.Equal(t, rules.MustParse("leather"), r)

	path := write(t, "preset: kong\nrelocation: maybe\nmax_plies: 0\n")
	_, err = LoadRules(path)
	requireProblems(t, path, err,
		`1: unknown rules "kong", did you mean "kang"?`,
		`2: rule option relocation: "maybe" is not one of: true, false`,
		`3: rule option max_plies: "0" is not one of: a number from 1 to 100000`)

	path = write(t, "standard")
	_, err = LoadRules(path)
	requireProblems(t, path, err, `1: expected a rule set as keys and values, found "standard"`)
	path = write(t, "")
	_, err = LoadRules(path)
	requireProblems(t, path, err, "1: expected keys and values, found nothing")
	_, err = LoadRules(path + "x")
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestExamples(t *testing.T) {
	quick, err := LoadTournament("tournaments/quick.yaml", testRegistry())
	require.NoError(t, err)
	require.Equal(t, "quick", quick.Name)
	require.Len(t, quick.Rules, 3)
	require.Len(t, quick.Agents, 4)
	require.EqualValues(t, 360, quick.Games(), "as its comment says")

	ci, err := LoadTournament("tournaments/ci.yaml", testRegistry())
	require.NoError(t, err)
	require.EqualValues(t, 36, ci.Games())

	nodes, err := LoadTournament("tournaments/nodes.yaml", exploring())
	require.NoError(t, err)
	require.EqualValues(t, 300, nodes.Games())

	r, err := LoadRules("rules/kang-optional.yaml")
	require.NoError(t, err)
	require.Equal(t, "kang:kang_entry=optional", r.String())
}

// Every file beside this test is one of those that TestExamples reads.
func TestNoOtherExamples(t *testing.T) {
	files, err := filepath.Glob("[rt]*/*") // levels have a test of their own
	require.NoError(t, err)
	require.Equal(t, []string{"rules/kang-optional.yaml", "tournaments/ci.yaml", "tournaments/levels.yaml",
		"tournaments/nodes.yaml", "tournaments/quick.yaml",
		"training/kang.yaml", "training/simplified.yaml", "training/small.yaml", "training/standard.yaml",
		"tuning/small-spsa.yaml", "tuning/small-td.yaml", "tuning/small-texel.yaml", "tuning/spsa.yaml", "tuning/td.yaml",
		"tuning/texel.yaml"}, files)
}

func FuzzLoad(f *testing.F) {
	for _, path := range []string{"tournaments/quick.yaml", "tournaments/ci.yaml", "tournaments/nodes.yaml",
		"rules/kang-optional.yaml", "tuning/texel.yaml", "tuning/spsa.yaml", "tuning/td.yaml"} {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := write(t, text)
		if r, err := LoadRules(path); err == nil {
			again, err := rules.Parse(r.String())
			require.NoError(t, err)
			require.Equal(t, r.Options(), again.Options())
		}
		if c, err := LoadTournament(path, testRegistry()); err == nil {
			require.NoError(t, c.Validate(testRegistry()))
		}
		if c, err := LoadTexel(path); err == nil {
			require.NoError(t, c.Settings.Check())
		}
		if c, err := LoadSPSA(path, testRegistry()); err == nil {
			require.NoError(t, c.Settings.Check())
		}
		if c, err := LoadTD(path, testRegistry()); err == nil {
			require.NoError(t, c.Settings.Check())
		}
	})
}
