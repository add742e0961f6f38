package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The manual's engine in another language is the one that is tested here, where
// that language is present.
func TestExampleEngine(t *testing.T) {
	manual := filepath.Join("..", "..", "agents", "ugi", "README.md")
	path := filepath.Join("testdata", "engine.py")
	code, err := os.ReadFile(path)
	require.NoError(t, err)
	begin, _, _ := strings.Cut(string(code), "\n")
	require.Equal(t, string(code), shownBlock(t, manual, "python", begin))
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	code1, out, errText := gyges(t.Context(), "", "engine", "check", "python3", path)
	require.Zero(t, code1, errText)
	require.Contains(t, out, "result 12 of 12 points without failure")
	spec := "ugi:cmd=python3 " + path
	code1, out, errText = gyges(t.Context(), "", "tournament", "--agent", "random", "--agent", spec,
		"--rules", "italian:null_move=allow", "--pairs", "3", "--workers", "2", "--out", t.TempDir())
	require.Zero(t, code1, "%s%s", out, errText)
}
