package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPictures compares the README's board with what its command draws: the winning course that the Italian rulebook
// shows. With UPDATE_DOCUMENTS=1 it writes the board anew, and the plot of ratings, which depends on the games played.
func TestPictures(t *testing.T) {
	folder := filepath.Join("..", "..", "results", "reference")
	board := gygesOutput(t, "diagram", "--format", "svg", "000000/000300/012003/000000/021003/101223 s",
		"d2-(c2-b2)-b3-c3-(c4)-c5-b5-(b6)-goal")
	if os.Getenv("UPDATE_DOCUMENTS") == "" {
		committed, err := os.ReadFile(filepath.Join(folder, "board.svg"))
		require.NoError(t, err)
		require.Equal(t, string(committed), board)
		require.FileExists(t, filepath.Join(folder, "ratings.svg"))
		return
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "board.svg"), []byte(board), 0o644))
	run := filepath.Join(t.TempDir(), "run")
	gygesOutput(t, "tournament", "--agent", "greedy", "--agent", "alphabeta:depth=1", "--agent", "alphabeta:depth=2",
		"--agent", "alphabeta:depth=3", "--agent", "mcts:iterations=50", "--agent", "mcts:iterations=200",
		"--pairs", "12", "--out", run)
	gygesOutput(t, "rate", run, "--plot", filepath.Join(folder, "ratings.svg"))
}

// gygesOutput runs a command, which must succeed, and returns its standard output.
func gygesOutput(t *testing.T, args ...string) string {
	t.Helper()
	var out, errText bytes.Buffer
	code := run(context.Background(), args, strings.NewReader(""), &out, &errText)
	require.Equal(t, exitOK, code, "%s", errText.String())
	return out.String()
}
