package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// commandLine is a line of a script that runs gyges.
var commandLine = regexp.MustCompile(`^\s*(?:[a-z_]+\(\) \{ )?gyges (.*)$`)

// TestStudies checks that each folder of results/studies has a page, which the index lists, and a
// script; that its configs can be played; and that the commands of the script are ones.
func TestStudies(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	index, err := os.ReadFile("results/studies/README.md")
	require.NoError(t, err)
	scripts, err := filepath.Glob("results/studies/*/run.sh")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(scripts), 6)
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
			_, err := (&tournamentCmd{Config: file}).config(newEnv(strings.NewReader(""), io.Discard, io.Discard).registry)
			require.NoError(t, err)
		}
		checkScript(t, script)
	}
}

// checkScript parses the commands of a script, as far as a line has one whole.
func checkScript(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	for line := range strings.SplitSeq(joined, "\n") {
		m := commandLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		command, _, _ := strings.Cut(strings.NewReplacer(
			"$rules", "simplified", "$here", filepath.ToSlash(filepath.Dir(file)), "$games", "results/study",
			"$run", "run", "$time", "10ms", "$depth", "5", "$1", "italian", "$2", "7", "$3", "9", `"$@"`, "results/study",
		).Replace(m[1]), " awk ")
		commands, err := splitShell("gyges " + strings.TrimSuffix(strings.TrimSpace(command), "|"))
		require.NoError(t, err, "%s: %s", file, line)
		args, ok := gygesArgs(commands[0].words)
		require.True(t, ok)
		var c cli
		parser, err := newParser(&c, newEnv(strings.NewReader(""), io.Discard, io.Discard))
		require.NoError(t, err)
		_, err = parse(parser, args)
		require.NoError(t, err, "%s: %s", file, line)
	}
}
