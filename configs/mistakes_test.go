package configs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament/game"
)

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
  - kang:max_plies=0
  - standard:goals=3
  - preset: kang
  - standard
  - standard
  - 7
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
  policy: list
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
		`5: rules: rules "kang:max_plies=0": rule option max_plies: expected a number from 1 to 100000, found 0`,
		`6: rules: rules "standard:goals=3": unknown rule option "goals"; expected one of: `,
		`7: rules: expected a rule set, like standard or standard:null_move=allow, found keys and values`,
		`9: rules[1]: rule set standard is listed twice`,
		`10: rules: unknown rules "7"; expected one of: `,
		`13: agents: agent "alphabeta:": expected param=value, found ""`,
		`14: agents[1]: agent "nobody": unknown kind "nobody"; expected one of: `,
		`15: agents[2]: agent "alphabeta:depth=0": parameter depth: expected a whole number from 1 to 1000000000, found "0"`,
		`16: agents: expected a list of values of "kind", found "greedy"; write [greedy]`,
		`17: agents[3]: agent "random" is listed twice; give one a name, like random:name=b`,
		`18: agents[4]: agent "alphabeta:deepth=1,width=2": unknown parameter "deepth", did you mean "depth"?`,
		`18: agents[4]: agent "alphabeta:deepth=1,width=2": unknown parameter "width"; alphabeta takes depth`,
		`19: agents[5]: agent "human" needs a person at the terminal`,
		`20: pairs: expected a number from 1 to 1000000, found 0`,
		`21: duplicate key "pairs", first on line 20`,
		`23: openings.policy: expected random, agents, setups or file, found "list"`,
		`24: openings.plies: expected a whole number, found "two"`,
		`25: openings: unknown key "book" in openings, expected one of: policy, plies`,
		`27: limits.depth: expected a number from 0 (no limit) to 1000, found -1`,
		`28: limits.movetime: expected a time with its unit, like 100ms or 1.5s, found "100"`,
		`29: seed: expected a whole number from 0 to 2^64-1, found "-1"`,
		`30: workers: expected a whole number, found "1.5"`,
		`31: on_repetition: expected forfeit, ask-next or allow, found "never"`,
		`32: stall_timeout: expected a time with its unit, like 100ms or 1.5s, found "1"`,
		`33: out: expected a folder, in quotes if it is a number, found nothing`,
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
		"agents null": {"agents:", "1: agents: expected a list of agents, found nothing"},
		"bad syntax":  {"# c\nagents: [random\npairs: 1", "2: not valid YAML near here: "},
		"tab":         {two + "\tpairs: 1", "2: not valid YAML near here: YAML is indented by blanks, not tabs"},
		"tab after": {"agents:\n  - random\n\t- greedy\n",
			"2: not valid YAML near here: YAML is indented by blanks, not tabs"},
		"sign": {two + "name: @x", "2: not valid YAML near here: YAML is indented by blanks, not tabs; a value that begins with @, % or ` is in quotes"},
		"indent": {two + " limits:\n  depth: 3\n",
			"2: not valid YAML near here: expected a key, indented by as many blanks as those before it"},
		"quote":     {two + "name: \"x\n", "2: not valid YAML near here: a quote is not closed"},
		"no blank":  {two + "name:x\npairs: 1\n", `2: not valid YAML near here: expected "key: value"`},
		"bracket":   {"agents: [a, b\nname: x", "2: not valid YAML near here: expected ',' or ']'"},
		"encoding":  {"agents: [random, M\xfcller]", "1: not valid YAML near here: expected a text in UTF-8"},
		"no anchor": {"agents: *a", "1: not valid YAML near here: aliases, like *name, are not supported"},
		"comma": {"agents: [random, alphabeta:depth=2,hash=1]", `1: agents: agent "hash=1": expected kind or ` +
			"kind:param=value,…, like alphabeta:depth=4; a value with commas is put in quotes"},
		"no list": {"agents: random", `1: agents: expected a list of agents, found "random"; write [random]`},
		"clock": {two + "clock: soon", `2: clock: expected a time from 1ms to 24h and an increment, like 60+0.6 ` +
			`(seconds) or 1m+600ms, or for 1 to 1000 moves, like 40/60+1, found "soon"`},
		"no moves":           {two + "clock: 0/60", `2: clock: expected a time from 1ms to 24h `},
		"moves only":         {two + "clock: {moves: 40}", `2: clock: expected a time from 1ms to 24h and an increment, like 60+0.6 `},
		"many moves":         {two + "clock: {moves: 1001, base: 60}", `2: clock: expected a time from 1ms to 24h and an increment, like 60+0.6 `},
		"a zero in a period": {two + "clock: 040/60", `2: clock: expected a time and an increment, like 60+0.6, without leading zeros, found "040/60"`},
		"two":                {two + "---\npairs: 1", "2: expected one document, found a second one"},
		"bad second":         {two + "---\n]", "3: not valid YAML near here: "},
		"alias": {"agents: &a [random, greedy]\nrules: *a",
			"2: rules: expected a list of rules, found an alias, which is not supported"},
		"merge": {"agents: [random, greedy]\n<<: {pairs: 3}", `2: unknown key "<<" in a tournament`},
		"key":   {two + "[a]: 3", "2: expected a key in a tournament, found a list"},
		"tag":   {two + "pairs: !!str 3", `2: pairs: expected a whole number, found "3"`},
		"large": {two + "pairs: 99999999999999999999",
			`2: pairs: expected a whole number, found "99999999999999999999", which is too large`},
		"no octal":          {two + "pairs: 08", `2: pairs: expected a whole number, without leading zeros, found "08"`},
		"a zero in a clock": {two + "clock: 60+00.6", `2: clock: expected a time and an increment, like 60+0.6, without leading zeros, found "60+00.6"`},
		"a zero in a group's clock": {two + "clock: {base: 060}",
			`2: clock.base: expected a time with its unit, like 100ms or 1.5s, without leading zeros, found "060s"`},
		"a zero in a sweep": {"agents: [{agent: alphabeta, depth: [1, 02]}]", `1: agents[1]: agent "alphabeta:depth=02": ` +
			`parameter depth: expected a whole number from 1 to 1000000000, without leading zeros, found "02"`},
		"a zero in rules": {two + "rules: [standard:max_plies=0100]", `2: rules: rules "standard:max_plies=0100": ` +
			`rule option max_plies: expected a whole number, without leading zeros, found "0100"`},
		"a zero in an adjudication": {two + "adjudication: draw=09:2", `2: adjudication: expected `},
		"plies": {two + "openings: {policy: agents, plies: 3}",
			"2: openings.plies: expected none with policy agents, found 3"},
		"no opening": {two + "rules: [standard:max_plies=2]\nopenings:\n  plies: 3",
			"4: openings: rules standard:max_plies=2: none of 10000 random openings"},
		"long value": {two + "pairs: " + strings.Repeat("x", 100_000), `2: pairs: expected a whole number, found "` +
			strings.Repeat("x", 60) + `"`},
		"empty policy": {two + "openings: {policy: ''}",
			`2: openings.policy: expected random, agents, setups or file, found ""`},
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
	require.ErrorContains(t, err, "expected at most 1048576 bytes, found more")
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
	require.Equal(t, path+":43: rules: expected a list of rules, found an alias, which is not supported", lines[41])

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

// A key that other programs have for a setting is answered with ours, where a file of the kind has
// it.
func TestKeysOfOtherPrograms(t *testing.T) {
	for key, want := range map[string]string{
		"concurrency: 4": "workers", "games: 10": "pairs, of two games each", "threads: 2": "workers, games at a time; ",
		"engines: [a]": "agents", "tc: 10+0.1": "clock", "st: 1": "limits.movetime", "each: {tc: 1}": "limits or clock",
		"variant: kang": "rules", "pgnout: x.pgn": "out, the folder of a run; gyges export ", "timemargin: 5": "time_margin",
		"srand: 3": "seed", "format: swiss": "schedule", "book: x": "openings.file",
	} {
		path := write(t, "agents: [random, greedy]\n"+key+"\n")
		name, _, _ := strings.Cut(key, ":")
		_, err := LoadTournament(path, testRegistry())
		requireProblems(t, path, err, fmt.Sprintf("2: unknown key %q in a tournament; expected %s", name, want))
	}
	path := write(t, "openings: {book: x}\nagents: [random, greedy]")
	_, err := LoadTournament(path, testRegistry())
	requireProblems(t, path, err, `1: openings: unknown key "book" in openings, expected one of: policy, plies`)
}

// The parts of a clock are seconds without a unit, as the clock is.
func TestClockInSeconds(t *testing.T) {
	want := game.Clock{Base: 2500 * time.Millisecond, Increment: 100 * time.Millisecond}
	for _, text := range []string{"2.5+0.1", "{base: 2.5, increment: 0.1}", "{base: 2.5s, increment: 100ms}"} {
		c, err := LoadTournament(write(t, "agents: [random, greedy]\nclock: "+text), testRegistry())
		require.NoError(t, err)
		require.Equal(t, want, c.Clock, text)
	}
	want.Moves = 40
	for _, text := range []string{"40/2.5+0.1", "40/2500ms+100ms", "{moves: 40, base: 2.5, increment: 0.1}"} {
		c, err := LoadTournament(write(t, "agents: [random, greedy]\nclock: "+text), testRegistry())
		require.NoError(t, err)
		require.Equal(t, want, c.Clock, text)
	}
}
