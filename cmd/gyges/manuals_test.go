package main

import (
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/lists"
	"gyges/rules/base/settings"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/record/pgn"
	"gyges/tournament/schedule"
)

// TestManualsAreComplete looks in the code of manuals for what a user can name: rule sets and options,
// formats of tournaments, openings, what files of games hold, and commands. Agents, training positions
// and the protocol of engines have tests of their own.
func TestManualsAreComplete(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	var rulesNames, endings []string
	for _, p := range rules.Presets() {
		rulesNames = append(rulesNames, p.Name)
	}
	for _, o := range rules.DefaultOptions().List() {
		rulesNames = append(append(rulesNames, o.Key), o.Enum()...)
	}
	for _, e := range game.Endings() {
		endings = append(endings, e.Name)
	}
	const rulebook, tournaments, games = "rules/README.md", "tournament/README.md", "tournament/record/README.md"
	ofRuns := slices.Concat(choices(schedule.Name("")), choices(schedule.Openings{}),
		choices(game.Adjudication{}), choices(agents.OnRepetition("")))
	ofGames := slices.Concat(jsonNames(reflect.TypeFor[record.Record]()), pgnTags(t),
		grid.Make(gameColumns, nil).Keys(), grid.Make(exportColumns, nil).Keys())
	for _, list := range []struct{ names, manuals []string }{
		{rulesNames, []string{rulebook}},
		{ofRuns, []string{tournaments}},
		{ofGames, []string{games}},
		{endings, []string{tournaments, games}},
	} {
		var words []string
		for _, manual := range list.manuals {
			d := readDocument(t, manual)
			words = slices.Concat(words, d.code, codeWord.FindAllString(d.allCode(), -1))
		}
		for _, name := range list.names {
			assert.True(t, slices.Contains(words, name), "%q is not in the code of %v", name, list.manuals)
		}
	}
}

var codeWord = regexp.MustCompile(`[\pL\d_]+(-[\pL\d_]+)*`)

// TestManualsNameCommands looks for each command in the code of some manual.
func TestManualsNameCommands(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	all := ""
	for _, file := range documentFiles(t) {
		if filepath.Base(file) == "README.md" {
			all += readDocument(t, file).allCode()
		}
	}
	parser, err := newParser(&cli{}, newEnv(strings.NewReader(""), io.Discard, io.Discard))
	require.NoError(t, err)
	for _, command := range parser.Model.Leaves(true) {
		path := command.FullPath()
		if parent := command.Parent; parent.DefaultCmd == command { // of gyges games list, games may be enough
			path = parent.FullPath()
		}
		assert.Regexp(t, strings.ReplaceAll(path, " ", `\s+`)+`\b`, all)
	}
}

// allCode returns the code of the document, inline and in blocks.
func (d *document) allCode() string {
	all := strings.Join(d.code, "\n") + "\n"
	for _, b := range d.blocks {
		all += b.text
	}
	return all
}

// choices returns the values, or the forms of a value, that a type of settings has.
func choices(of interface{ Choices() []settings.Choice }) []string {
	return lists.Map(of.Choices(), func(c settings.Choice) string { return c.Name })
}

// jsonNames returns the keys of a struct of this program as JSON, and of the structs in it.
func jsonNames(of reflect.Type) (names []string) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || !strings.HasPrefix(of.PkgPath(), "gyges/") {
		return nil
	}
	for field := range of.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(append(names, name), jsonNames(field.Type)...)
		}
	}
	return names
}

// pgnTags returns the tags of a game in PGN that has them all.
func pgnTags(t *testing.T) (tags []string) {
	g := &record.Record{
		Game: 1, Pair: 1, Rules: "standard", Opening: "x", Policy: "random",
		South: record.Player{Agent: "random:name=a", Seed: 1}, North: record.Player{Agent: "random:name=b", Seed: 1},
		Limits:       record.Limits{Depth: 1, Nodes: 1, MoveTime: "1s", Clock: "1s"},
		OnRepetition: "allow", Adjudication: "plies=1", Moves: []string{"a1"}, Plies: 1, Result: "1-0", Reason: "illegal",
		Fault: &record.Fault{Side: "north", Kind: record.FaultIllegal, Detail: "x"},
	}
	g.Timing.Start = g.Timing.Start.AddDate(2000, 0, 0)
	text, err := pgn.Append(nil, g, "x", agents.LabelOf)
	require.NoError(t, err)
	g.South.Agent += ",clock=2s" // two clocks have other tags
	text, err = pgn.Append(text, g, "x", agents.LabelOf)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^\[(\w+) `).FindAllSubmatch(text, -1) {
		tags = append(tags, string(m[1]))
	}
	return tags
}
