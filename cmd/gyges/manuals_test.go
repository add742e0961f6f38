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
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/record/pgn"
	"gyges/tournament/schedule"
)

// TestManualsAreComplete looks in the manuals for what a user can name: rule sets and options,
// what files of games hold, and commands. It must stand in code, inline or in a
// block. Agents and the protocol of engines have tests of their own.
func TestManualsAreComplete(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	in := func(what string, names []string, manuals ...string) {
		require.NotEmpty(t, names, what)
		code := ""
		for _, manual := range manuals {
			code += codeOf(t, manual)
		}
		words := codeWord.FindAllString(code, -1)
		for _, name := range names {
			if !slices.Contains(words, name) {
				t.Errorf("%s: %s is not in %s", what, name, strings.Join(manuals, " or "))
			}
		}
	}
	var presets, options, manuals []string
	for _, p := range rules.Presets() {
		presets = append(presets, p.Name)
	}
	for _, o := range rules.DefaultOptions().List() {
		options = append(append(options, o.Key), o.Enum()...)
	}
	e := newEnv(strings.NewReader(""), io.Discard, io.Discard)
	for _, file := range documentFiles(t) {
		if filepath.Base(file) == "README.md" {
			manuals = append(manuals, file)
		}
	}
	in("rule sets", presets, "rules/README.md")
	in("rule options and their values", options, "rules/README.md")
	in("columns of training positions", positionColumns(t), "agents/tuning/README.md")
	var endings []string
	for _, e := range game.Endings() {
		endings = append(endings, e.Name)
	}
	for what, names := range map[string][]string{
		"openings":                 texts(schedule.RandomOpenings, schedule.AgentOpenings, schedule.SetupOpenings),
		"policies for repetitions": texts(agents.Forfeit, agents.AskNext, agents.Allow),
		"endings":                  endings,
		"records":                  jsonNames(record.Record{}),
		"lists of games":           append(grid.Make(gameColumns, nil).Keys(), jsonNames(record.Fault{})...),
		"exports":                  append(pgnTags(t), grid.Make(exportColumns, nil).Keys()...),
	} {
		in(what, names, "tournament/README.md", "tournament/record/README.md")
	}

	var c cli
	parser, err := newParser(&c, e)
	require.NoError(t, err)
	code := ""
	for _, manual := range manuals {
		code += codeOf(t, manual)
	}
	for _, command := range parser.Model.Leaves(true) {
		words := strings.Fields(command.FullPath()) // of gyges games list, games may be enough
		if parent := command.Parent; parent.DefaultCmd == command {
			words = strings.Fields(parent.FullPath())
		}
		if !regexp.MustCompile(strings.Join(words, `\s+`) + `\b`).MatchString(code) {
			t.Errorf("no README.md names %s", command.FullPath())
		}
	}
}

var codeWord = regexp.MustCompile(`[\pL\d_]+(-[\pL\d_]+)*`)

// codeOf returns the code in a document, inline and in blocks.
func codeOf(t *testing.T, file string) string {
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	d := parseMarkdown(file, source)
	var b strings.Builder
	for _, block := range d.blocks {
		b.WriteString(block.text + "\n")
	}
	for _, code := range d.code {
		b.WriteString(code.text + "\n")
	}
	return b.String()
}

func texts[T ~string](list ...T) []string {
	var names []string
	for _, x := range list {
		names = append(names, string(x))
	}
	return names
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
