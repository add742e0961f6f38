package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The example of an engine in another language passes the check and plays, where that language is present.
func TestExampleEngine(t *testing.T) {
	path := filepath.Join("testdata", "engine.py")
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	code, out, errText := gyges(t.Context(), "", "engine", "check", "python3", path)
	require.Zero(t, code, errText)
	require.Contains(t, out, "result 13 of 13 points without failure")
	spec := "ugi:cmd=python3 " + path
	code, out, errText = gyges(t.Context(), "", "tournament", "--agent", "random", "--agent", spec,
		"--rules", "italian:null_move=allow", "--pairs", "3", "--workers", "2", "--out", t.TempDir())
	require.Zero(t, code, "%s%s", out, errText)
}
