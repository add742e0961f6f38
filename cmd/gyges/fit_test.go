package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
)

// The program in Python of the manual fits weights that predict results better than their mean does.
func TestFitInPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	manual, err := tournament.Manuals.ReadFile("training/README.md")
	require.NoError(t, err)
	program := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(manual)
	require.NotNil(t, program)
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("results", 0o700))
	for _, command := range [][]string{
		{"selfplay", "--agent", "alphabeta:depth=1,hash=1", "--rules", "simplified", "--pairs", "150", "--out", "results/first"},
		{"data", "make", "results/first", "--format", "jsonl", "--test", "20"},
	} {
		code, _, errText := gyges(t.Context(), "", command...)
		require.Zero(t, code, errText)
	}
	text, err := exec.CommandContext(t.Context(), python, "-c", string(program[1])).CombinedOutput()
	require.NoError(t, err, "%s", text)
	found := regexp.MustCompile(`^weights( -?[0-9.]+){3}\ntest loss ([0-9.]+) constant ([0-9.]+)\n$`).FindSubmatch(text)
	require.NotNil(t, found, "%s", text)
	loss, err := strconv.ParseFloat(string(found[2]), 64)
	require.NoError(t, err)
	constant, err := strconv.ParseFloat(string(found[3]), 64)
	require.NoError(t, err)
	require.Less(t, loss, constant-0.005)
}
