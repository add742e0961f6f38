package main

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
			require.Equal(t, string(text), topic.manual(), topic.name)
		}
		title, about := topic.summary()
		require.Regexp(t, `^[^#]`, title, topic.name)
		require.Regexp(t, `^[^#\[`+"`"+`]+$`, about, topic.name)
	}
	for folder, files := range manuals {
		require.NoError(t, fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			file := folder + "/" + path
			named := slices.ContainsFunc(topics, func(t topic) bool { return t.file == file })
			require.True(t, entry.IsDir() || named, "%s has no topic", file)
			return err
		}))
	}
}

func TestColumns(t *testing.T) {
	for value, want := range map[string]int{"": 80, "x": 80, "0": 80, "-5": 80, "10": 40, "64": 64, "200": 200} {
		t.Setenv("COLUMNS", value)
		require.Equal(t, want, tableWidth(&output{w: new(bufio.Writer)}), value)
	}
}
