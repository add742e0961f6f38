package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README's engine in another language is the one that is tested here, where
// that language is present.
func TestExampleEngine(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	path := filepath.Join("testdata", "engine.py")
	code, err := os.ReadFile(path)
	require.NoError(t, err)
	shown := block("python").FindSubmatch(readme)
	require.NotNil(t, shown, "the README shows no engine")
	require.Equal(t, string(code), string(shown[1]))
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	code1, out, errText := gyges(t.Context(), "", "engine", "check", "python3", path)
	require.Zero(t, code1, errText)
	report := block("text").FindSubmatch(readme)
	require.NotNil(t, report, "the README shows no report")
	varies := regexp.MustCompile(`(?m) [0-9.]+m?s$| [0-9|]+$`)
	require.Equal(t, varies.ReplaceAllString(string(report[1]), "…"),
		varies.ReplaceAllString("$ gyges engine check python3 cmd/gyges/testdata/engine.py\n"+out, "…"))
	spec := "ugi:cmd=python3 " + path
	code1, out, errText = gyges(t.Context(), "", "tournament", "--agent", "random", "--agent", spec,
		"--rules", "italian:null_move=allow", "--pairs", "3", "--workers", "2", "--out", t.TempDir())
	require.Zero(t, code1, "%s%s", out, errText)
}
