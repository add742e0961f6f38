package main

import (
	"bufio"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every manual is a topic with a title and a sentence on what it is about.
func TestManuals(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, topic := range topics {
		if topic.file != "" {
			text, err := os.ReadFile(filepath.Join(root, topic.file))
			require.NoError(t, err)
			require.Equal(t, string(text), topic.manual, topic.name)
		}
		title, about := topic.summary()
		require.Regexp(t, `^[^#]`, title, topic.name)
		require.Regexp(t, `^[^#\[`+"`"+`]+$`, about, topic.name)
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

func TestColumns(t *testing.T) {
	for value, want := range map[string]int{"": 80, "x": 80, "0": 80, "-5": 80, "10": 40, "64": 64, "200": 100} {
		t.Setenv("COLUMNS", value)
		require.Equal(t, want, columns(&output{w: new(bufio.Writer)}), value)
	}
}
