package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament/record"
)

func TestExplore(t *testing.T) {
	dir := t.TempDir()
	run, pgn := filepath.Join(dir, "run"), filepath.Join(dir, "games.pgn")
	code, _, errText := gyges(t.Context(), "", "tournament", "--agent", "random", "--agent", "random:name=r", "--pairs", "1", "--out", run)
	require.Zero(t, code, errText)
	records, err := os.ReadFile(filepath.Join(run, "games.jsonl"))
	require.NoError(t, err)
	g, err := record.NewReader(bytes.NewReader(records), "").Read()
	require.NoError(t, err)
	position, moves := g.Opening, g.Moves
	ask := func(args ...string) (out, errText string) {
		t.Helper()
		code, out, errText := gyges(t.Context(), "", append([]string{"explore"}, args...)...)
		require.Zero(t, code, errText)
		return out, errText
	}
	out, errText := ask(run, "--format", "csv")
	require.Regexp(t, `^move,games,won,drawn,lost,points,run,game,ply\n\S+ s,2,`, out)
	require.Empty(t, errText)
	out, _ = ask(position, run, "--format", "json")
	require.Contains(t, out, `"move": "`+moves[0]+`"`)
	out, _ = ask(run, "--limit", "1")
	require.Contains(t, out, "2 games under standard\n\n Move ")

	// moves, PGN, and a file whose name looks like a position
	args := []string{"--moves", strings.Join(moves[:2], " "), "--format", "csv"}
	out, _ = ask(append(args, position, run)...)
	require.Contains(t, out, "\n"+moves[2]+",1,")
	require.True(t, strings.HasSuffix(out, ",0,3\n"), out)
	code, _, errText = gyges(t.Context(), "", "export", run, "-o", pgn)
	require.Zero(t, code, errText)
	imported, _ := ask(append(args, position, pgn)...)
	require.Equal(t, strings.ReplaceAll(out, run, pgn), imported)
	t.Chdir(dir)
	short := "000/000/000/000/000"
	require.NoError(t, os.MkdirAll(filepath.Dir(short), 0o755))
	require.NoError(t, os.WriteFile(short, records, 0o644))
	named, _ := ask(short, "--format", "csv")
	require.Contains(t, named, ",2,")

	empty := filepath.Join(dir, "empty.jsonl")
	require.NoError(t, os.WriteFile(empty, nil, 0o644))
	rows := strings.SplitN(position, "/", 2)[1]
	for want, args := range map[string][]string{
		"column 35: expected '/' after":     {rows, run},
		"column 1: expected the height on":  {"9" + position[1:], run},
		"column 42: expected a space and":   {strings.Fields(position)[0], run},
		"no such file":                      {position, run, filepath.Join(dir, "nowhere")},
		"column 3: expected the height on":  {"12/" + rows, run},
		"expected a run after the position": {position},
		"moves: move 1:":                    {position, run, "--moves", "a1-a1"},
		"expected games, found none in":     {empty},
		"--rules: ":                         {run, "--rules", "chess"},
	} {
		code, out, errText := gyges(t.Context(), "", append([]string{"explore"}, args...)...)
		require.Equal(t, 2, code, "%v: %s", args, errText)
		require.Contains(t, errText, want)
		require.Empty(t, out)
	}
}
