package main

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/cmd/gyges/internal/manual"
	"gyges/rules/base/textfmt"
)

// Every manual is a topic, and its lines fit on a terminal, unless they are code.
func TestManuals(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, topic := range topics {
		text, err := os.ReadFile(filepath.Join(root, topic.file))
		require.NoError(t, err)
		require.Equal(t, string(text), topic.manual, topic.name)
		title, about := manual.Summary(topic.manual)
		require.NotEmpty(t, title, topic.name)
		require.NotEmpty(t, about, topic.name)
		for _, columns := range []int{40, 80, 100} {
			out := manual.Render(topic.manual, manual.Options{Columns: columns, Address: topic.address})
			for line := range strings.Lines(out) {
				line = strings.TrimSuffix(line, "\n")
				if !strings.HasPrefix(line, "    ") {
					require.LessOrEqual(t, textfmt.Width(line), columns, topic.name)
				}
			}
		}
	}
	found := map[string]bool{}
	for _, topic := range topics {
		found[filepath.FromSlash(topic.file)] = true
	}
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		file, relErr := filepath.Rel(root, path)
		if relErr == nil && filepath.Base(path) == "manual.go" {
			require.True(t, found[filepath.Join(filepath.Dir(file), "README.md")], "%s has no topic", path)
		}
		return err
	})
	require.NoError(t, err)
}

func TestAddress(t *testing.T) {
	tuning := topic{name: "tuning", file: "agents/tuning/README.md"}
	for destination, want := range map[string]string{
		"https://example.org/a#b":                 "https://example.org/a#b",
		"mailto:a@example.org":                    "mailto:a@example.org",
		"#weights":                                "",
		"README.md#weights":                       "",
		"../README.md":                            "gyges help agents",
		"..":                                      "gyges help agents",
		"../../ratings/README.md#intervals":       "gyges help ratings",
		"../../tournament/training/":              "gyges help training",
		"../../README.md":                         "README.md",
		"../../configs/tuning/small-spsa.yaml":    "configs/tuning/small-spsa.yaml",
		"spsa.go":                                 "agents/tuning/spsa.go",
		"../../results/reference/":                "results/reference",
		"../../tournament/report/testdata/a b.md": "tournament/report/testdata/a b.md",
	} {
		require.Equal(t, want, tuning.address(destination), destination)
	}
}

func TestColumns(t *testing.T) {
	for value, want := range map[string]int{"": 80, "x": 80, "0": 80, "-5": 80, "10": 40, "64": 64, "200": 100} {
		t.Setenv("COLUMNS", value)
		require.Equal(t, want, columns(&output{w: new(bufio.Writer)}), value)
	}
}
