package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/tuning/dataset"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/lists"
	"gyges/rules/base/settings"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/record/pgn"
	"gyges/tournament/schedule"
)

// TestManualsAreComplete looks in the manuals for what a user can name: rule sets and options, formats of tournaments,
// openings, what files of games hold, and commands. Each must stand in the sections that say what it means, since
// many names are common words elsewhere. Agents and the protocol of engines have tests of their own.
func TestManualsAreComplete(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	const (
		cell   = "" // anywhere in the code of a table
		row    = "\n| `NAME` |"
		item   = "\n- `NAME`"
		code   = "`NAME`"
		output = "\n NAME " // of a command
	)
	const rulebook, tournaments, games = "rules/README.md#", "tournament/README.md#", "tournament/record/README.md#"
	var presets, options, endings []string
	for _, p := range rules.Presets() {
		presets = append(presets, p.Name)
	}
	for _, o := range rules.DefaultOptions().List() {
		options = append(append(options, o.Key), o.Enum()...)
	}
	for _, e := range game.Endings() {
		endings = append(endings, e.Name)
	}
	faults, exports := jsonNames(record.Fault{}), grid.Make(exportColumns, nil).Keys()
	for _, list := range []struct {
		what     string
		names    []string
		form     string // of a name in its section
		sections []string
	}{
		{"rule sets", presets, output, []string{rulebook + "Find your edition"}},
		{"rule options and their values", options, code, []string{rulebook + "Options"}},
		{"columns of training positions", positionColumns(t), cell, []string{"agents/tuning/README.md#Training positions"}},
		{"formats", choices(schedule.Name("")), code, []string{tournaments + "Choose who meets whom"}},
		{"openings", choices(schedule.Openings{}), row, []string{tournaments + "Choose the openings"}},
		{"policies for repetitions", choices(agents.OnRepetition("")), code, []string{tournaments + "End games early"}},
		{"adjudications", choices(game.Adjudication{}), item, []string{tournaments + "End games early"}},
		{"endings", endings, code, []string{games + "The record", tournaments + "When an agent fails"}},
		{"records", jsonNames(record.Record{}), cell, []string{games + "The record"}},
		{"lists of games", grid.Make(gameColumns, nil).Keys(), code, []string{games + "List and replay games"}},
		{"games as JSON", faults, code, []string{games + "List and replay games"}},
		{"tags of PGN", pgnTags(t), code, []string{games + "Export and import games"}},
		{"columns of CSV", exports, code, []string{games + "Export and import games"}},
	} {
		t.Run(list.what, func(t *testing.T) {
			text := ""
			for _, s := range list.sections {
				text += sectionOf(t, s)
			}
			tables := strings.Join(tableRow.FindAllString(text, -1), "")
			words := codeWord.FindAllString(codeIn(tables), -1)
			require.NotEmpty(t, list.names)
			for _, name := range list.names {
				found := slices.Contains(words, name)
				if list.form != cell {
					found = strings.Contains(text, strings.ReplaceAll(list.form, "NAME", name))
				}
				if !found {
					t.Errorf("%q is not in %s", name, strings.Join(list.sections, " or "))
				}
			}
		})
	}
}

// TestManualsNameCommands looks for each command in the code of some manual.
func TestManualsNameCommands(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	all := ""
	for _, file := range documentFiles(t) {
		if filepath.Base(file) == "README.md" {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			all += codeIn(string(source))
		}
	}
	var c cli
	parser, err := newParser(&c, newEnv(strings.NewReader(""), io.Discard, io.Discard))
	require.NoError(t, err)
	for _, command := range parser.Model.Leaves(true) {
		words := strings.Fields(command.FullPath()) // of gyges games list, games may be enough
		if parent := command.Parent; parent.DefaultCmd == command {
			words = strings.Fields(parent.FullPath())
		}
		if !regexp.MustCompile(strings.Join(words, `\s+`) + `\b`).MatchString(all) {
			t.Errorf("no README.md names %s", command.FullPath())
		}
	}
}

var tableRow = regexp.MustCompile(`(?m)^\|.*\n`)

var codeWord = regexp.MustCompile(`[\pL\d_]+(-[\pL\d_]+)*`)

// sectionOf returns the text of a section of a manual, given as FILE#HEADING, up to the next heading of its level.
func sectionOf(t *testing.T, section string) string {
	file, heading, _ := strings.Cut(section, "#")
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	_, text, found := strings.Cut(string(source), "\n## "+heading+"\n")
	require.True(t, found, section)
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

// codeIn returns the code in a text of Markdown, inline and in blocks.
func codeIn(source string) string {
	d := parseMarkdown("", []byte(source))
	var b strings.Builder
	for _, block := range d.blocks {
		b.WriteString(block.text + "\n")
	}
	for _, code := range d.code {
		b.WriteString(code.text + "\n")
	}
	return b.String()
}

// choices returns the values, or the forms of a value, that a type of settings has.
func choices(of interface{ Choices() []settings.Choice }) []string {
	return lists.Map(of.Choices(), func(c settings.Choice) string { return c.Name })
}

// jsonNames returns the keys of structs as JSON, those of the structs in them too.
func jsonNames(structs ...any) []string {
	var names []string
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || !strings.HasPrefix(t.PkgPath(), "gyges/") && t.PkgPath() != "main" {
			return
		}
		for field := range t.Fields() {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
				names = append(names, name)
				add(field.Type)
			}
		}
	}
	for _, x := range structs {
		add(reflect.TypeOf(x))
	}
	return names
}

// pgnTags returns the tags of a game in PGN that has them all.
func pgnTags(t *testing.T) []string {
	t.Helper()
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
	var tags []string
	for _, m := range regexp.MustCompile(`(?m)^\[(\w+) `).FindAllSubmatch(text, -1) {
		tags = append(tags, string(m[1]))
	}
	return tags
}

// positionColumns returns the columns of training positions.
func positionColumns(t *testing.T) []string {
	dir := filepath.Join(t.TempDir(), "positions")
	require.NoError(t, dataset.Write(t.Context(), dir, [dataset.NumSplits][]*dataset.Position{}, nil))
	shards, err := dataset.Shards(dir, dataset.Train)
	require.NoError(t, err)
	text, err := os.ReadFile(shards[0])
	require.NoError(t, err)
	f, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	var columns []string
	for _, c := range f.Schema().Fields() {
		columns = append(columns, c.Name())
	}
	return columns
}
