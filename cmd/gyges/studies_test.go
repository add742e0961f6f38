package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStudies checks that each folder of results/studies has a page, which the index lists, and a
// script; that its configs can be played; and that the commands of the script are ones.
func TestStudies(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	index, err := os.ReadFile("results/studies/README.md")
	require.NoError(t, err)
	scripts, err := filepath.Glob("results/studies/*/run.sh")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(scripts), 4)
	pages, err := filepath.Glob("results/studies/*/README.md")
	require.NoError(t, err)
	require.Len(t, pages, len(scripts))
	for _, script := range scripts {
		folder := filepath.Dir(script)
		name := filepath.Base(folder)
		require.FileExists(t, filepath.Join(folder, "README.md"))
		require.Contains(t, string(index), "["+name+"]("+name+"/README.md)")
		files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		require.NoError(t, err)
		for _, file := range files {
			require.NoError(t, checkArgs([]string{"tournament", file}), file)
		}
		checkScript(t, script)
	}
}

// checkScript parses the commands of a script, with an example of what each variable stands for.
func checkScript(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	values := map[string]string{
		"rules": "simplified", "here": filepath.ToSlash(filepath.Dir(file)), "games": "results/study", "run": "run",
		"time": "10ms", "depth": "5", "pairs": "7", "seed": "1", "limit": "3", "nodes": "1000", "openings": "random", "1": "italian", "2": "7", "3": "9", "game": "1", "ply": "2", "each": "7", "@": "results/study",
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
