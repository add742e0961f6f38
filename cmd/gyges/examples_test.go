package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// needFiles are the commands whose examples need files or time.
var needFiles = []string{
	"ugi", "engine", "tournament", "match", "rate", "report", "serve", "games", "export", "import", "selfplay", "data",
	"tune", "train", "worker", "review", "init",
}

// TestExamples understands every example that a help text shows, and runs those that need no files and little time.
func TestExamples(t *testing.T) {
	t.Chdir(t.TempDir()) // for the files that they write
	var c cli
	parser, err := newParser(&c, newEnv(strings.NewReader(""), io.Discard, io.Discard))
	require.NoError(t, err)
	ran := 0
	for _, n := range append([]*kong.Node{parser.Model.Node}, parser.Model.Children...) {
		_, examples := helpOf(n)
		require.NotEmpty(t, examples, n.FullPath())
		for command := range strings.Lines(examples) {
			command = strings.TrimSuffix(command, "\n")
			line, isCommand := strings.CutPrefix(command, "gyges ")
			if !isCommand {
				require.Regexp(t, "^# |gyges completion", command)
				continue
			}
			line = strings.Replace(line, "--depth 4 --hash", "--depth 3 --hash", 1) // a thousandth of the nodes
			commands, _, err := parseShell("gyges "+line, nil)
			require.NoError(t, err, command)
			args := commands[0][1:]
			again, err := newParser(&cli{}, newEnv(strings.NewReader(""), io.Discard, io.Discard)) // with no flag set
			require.NoError(t, err)
			_, err = again.Parse(args)
			require.NoError(t, err, command)
			isSimple := len(commands) == 1 && !strings.ContainsAny(line, "<>|")
			if !isSimple || slices.Contains(needFiles, args[0]) || strings.HasPrefix(line, "tactics run ") ||
				strings.Contains(line, "--epd") || strings.HasSuffix(line, ".json") {
				continue
			}
			code, out, errText := gyges(t.Context(), "", args...)
			require.Zero(t, code, "%s: %s", command, errText)
			require.NotEmpty(t, out, command)
			ran++
		}
	}
	require.Greater(t, ran, 12)
}
