package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// shellWord is a word of an example: quoted or not.
var shellWord = regexp.MustCompile(`'([^']*)'|[^' ]+`)

// needFiles are the commands whose examples need files or time.
var needFiles = []string{
	"ugi", "engine", "tournament", "match", "rate", "report", "serve", "games", "export", "import", "selfplay", "data",
	"tune", "train", "worker",
}

// TestExamples understands every example that a help text shows, and runs those
// that need no files and little time.
func TestExamples(t *testing.T) {
	var c cli
	parser, err := newParser(&c, newEnv(strings.NewReader(""), io.Discard, io.Discard))
	require.NoError(t, err)
	ran := 0
	for _, n := range append([]*kong.Node{parser.Model.Node}, parser.Model.Children...) {
		for _, x := range examplesOf(n) {
			line, isCommand := strings.CutPrefix(x.command, "gyges ")
			if !isCommand {
				require.Contains(t, x.command, "gyges completion")
				continue
			}
			line, _, redirected := strings.Cut(line, " > ")
			line = strings.Replace(line, "--depth 4 --hash", "--depth 3 --hash", 1) // a thousandth of the nodes
			var args []string
			for _, m := range shellWord.FindAllStringSubmatch(line, -1) {
				if m[1] != "" {
					m[0] = m[1]
				}
				args = append(args, m[0])
			}
			_, err := parser.Parse(args)
			require.NoError(t, err, x.command)
			if redirected || slices.Contains(needFiles, args[0]) || strings.HasPrefix(line, "tactics run ") ||
				strings.Contains(line, "--epd") {
				continue
			}
			code, out, errText := gyges(t.Context(), "", args...)
			require.Zero(t, code, "%s: %s", x.command, errText)
			require.NotEmpty(t, out, x.command)
			ran++
		}
	}
	require.Greater(t, ran, 12)
}
