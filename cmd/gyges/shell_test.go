package main

import (
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// shellCommand is one command of a shell script, its words expanded.
type shellCommand struct {
	line  int // in the script, from 1
	words []string
}

// parseShell returns the commands of a script, those of pipes, loops and functions too, and its comments. value
// returns what a variable stands for. simple reports whether the script is a single command
// without operators, but for a here-document.
func parseShell(script string, value func(name string) string) (list []shellCommand, comments []string, simple bool, err error) {
	file, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, nil, false, err
	}
	config := &expand.Config{
		Env: expand.FuncEnviron(value), CmdSubst: func(io.Writer, *syntax.CmdSubst) error { return nil },
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			comments = append(comments, strings.TrimSpace(n.Text))
		case *syntax.CallExpr:
			words, failed := expand.Fields(config, n.Args...)
			if failed != nil && err == nil {
				err = failed
			}
			list = append(list, shellCommand{int(n.Pos().Line()), words})
		}
		return err == nil
	})
	if len(file.Stmts) == 1 {
		isInput := func(r *syntax.Redirect) bool { return r.Hdoc != nil }
		call, isCall := file.Stmts[0].Cmd.(*syntax.CallExpr)
		simple = isCall && len(call.Assigns) == 0 && !slices.ContainsFunc(file.Stmts[0].Redirs, func(r *syntax.Redirect) bool { return !isInput(r) })
	}
	return list, comments, simple, err
}

// one is the value of any variable but the separators of words.
func one(name string) string {
	if name == "IFS" {
		return ""
	}
	return "1"
}

// gygesArgs returns the arguments of a command, if it is this program.
func gygesArgs(words []string) ([]string, bool) {
	for len(words) > 0 && slices.Contains([]string{"nohup", "sudo", "exec"}, words[0]) {
		words = words[1:]
	}
	switch {
	case len(words) > 0 && path.Base(words[0]) == "gyges":
		return words[1:], true
	case len(words) > 2 && slices.Equal(words[:3], []string{"go", "run", "./cmd/gyges"}):
		return words[3:], true
	default:
		return nil, false
	}
}

func TestParseShell(t *testing.T) {
	for script, want := range map[string][]string{
		"# only": nil,
		`gyges 'a b'"c \"d"  e\ f '' g#h # example`:              {`gyges|a bc "d|e f||g#h`},
		"gyges rate x --format json | jq -r '.a | .b' > out":     {"gyges|rate|x|--format|json", "jq|-r|.a | .b"},
		"gyges rate \\\n  --top 3 2>&1":                          {"gyges|rate|--top|3"},
		"time A=1 gyges rate $x ${y}z && sudo ./gyges rules":     {"gyges|rate|1|1z", "sudo|./gyges|rules"},
		"for a in 1 2; do\ngo run ./cmd/gyges rules\ndone; cd x": {"go|run|./cmd/gyges|rules", "cd|x"},
	} {
		list, _, simple, err := parseShell(script, one)
		require.NoError(t, err, script)
		var got []string
		for _, c := range list {
			got = append(got, strings.Join(c.words, "|"))
			args, ok := gygesArgs(c.words)
			require.Equal(t, strings.Contains(got[len(got)-1], "gyges"), ok, script)
			require.Equal(t, ok && c.words[len(c.words)-1] == "rules", slices.Equal(args, []string{"rules"}), script)
		}
		require.Equal(t, want, got, script)
		require.Equal(t, len(want) == 1 && !strings.Contains(script, ">"), simple, script)
	}
	_, comments, _, err := parseShell("gyges rules # example\n", one)
	require.NoError(t, err)
	require.Equal(t, []string{"example"}, comments)
	_, _, _, err = parseShell("gyges 'a", one)
	require.ErrorContains(t, err, "without closing quote")
}
