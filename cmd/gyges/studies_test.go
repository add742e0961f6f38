package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStudies checks that the index lists the page of each folder of results/studies, that its configs can be played, and
// that the commands of its scripts are ones.
func TestStudies(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	index, err := os.ReadFile("results/studies/README.md")
	require.NoError(t, err)
	pages, err := filepath.Glob("results/studies/*/README.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		folder := filepath.Dir(page)
		name := filepath.Base(folder)
		require.Contains(t, string(index), "["+name+"]("+name+"/README.md)")
		configs, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		require.NoError(t, err)
		for _, file := range configs {
			require.NoError(t, checkArgs([]string{"tournament", file}), file)
		}
		scripts, err := filepath.Glob(filepath.Join(folder, "*.sh"))
		require.NoError(t, err)
		for _, file := range scripts {
			checkScript(t, file)
		}
	}
}

// checkScript parses the commands of a script, with an example of what each variable stands for.
func checkScript(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	values := map[string]string{
		"rules": "simplified", "here": filepath.ToSlash(filepath.Dir(file)), "games": "results/study", "pairs": "7",
		"nodes": "1000", "each": "7", "game": "1", "ply": "2", "result": "1-0", "1": "italian", "2": "7", "3": "9",
	}
	commands, _, _, err := parseShell(string(text), func(name string) string { return values[name] })
	require.NoError(t, err, file)
	for _, c := range commands {
		if args, ok := gygesArgs(c.words); ok {
			parser, err := newParser(new(cli), newEnv(strings.NewReader(""), io.Discard, io.Discard))
			require.NoError(t, err)
			_, err = parse(parser, args)
			require.NoError(t, err, "%s:%d: %q", file, c.line, args)
		}
	}
}
