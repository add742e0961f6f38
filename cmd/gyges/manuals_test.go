package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"gyges/agents/tuning/dataset"
	"gyges/rules"
	"gyges/tournament/training"
)

// TestManualsAreComplete looks in the manuals for what a user can name: rule sets and options,
// what the files of a training hold, commands and their flags. It must stand in code, inline or in a
// block. Config files, records, agents and the protocol of engines have tests of their own.
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
	for _, o := range rules.OptionList() {
		options = append(append(options, o.Name), o.Choices...)
	}
	e := newEnv(strings.NewReader(""), io.Discard, io.Discard)
	for _, file := range documentFiles(t) {
		if filepath.Base(file) == "README.md" {
			manuals = append(manuals, file)
		}
	}
	in("rule sets", presets, "rules/README.md")
	in("rule options and their values", options, "rules/README.md")
	for what, names := range map[string][]string{
		"columns of training positions": positionColumns(t), "keys of a run's history": jsonNames(training.Line{}),
	} {
		in(what, names, "agents/tuning/README.md", "tournament/training/README.md")
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
		for _, f := range command.Flags {
			if !f.Hidden && command.Name != "help" && !regexp.MustCompile(`--`+f.Name+`\b`).MatchString(code) {
				t.Errorf("no README.md names the flag --%s of %s", f.Name, command.FullPath())
			}
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
