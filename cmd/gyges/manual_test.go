package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shownBlock returns the first block of a language with a text in a document, and fails without one.
func shownBlock(t *testing.T, file, language, part string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, b := range parseMarkdown(file, source).blocks {
		if b.language == language && strings.Contains(b.text, part) {
			return b.text
		}
	}
	require.Fail(t, "no block", "%s shows no block of %s with %q", file, language, part)
	return ""
}

// TestManualAgent adds the manual's example of an agent to the list of kinds, without writing into the module, and runs
// the conformance test.
func TestManualAgent(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	code := shownBlock(t, filepath.Join(root, "agents", "README.md"), "go", "package miser")
	list, err := os.ReadFile(filepath.Join(root, "agents", "builtin", "builtin.go"))
	require.NoError(t, err)
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	for name, text := range map[string]string{
		"miser/miser.go": code,
		"builtin/builtin.go": strings.NewReplacer("random.Kind(),", "random.Kind(), miser.Kind(),",
			`"gyges/agents/random"`, `"gyges/agents/random"; "gyges/agents/miser"`).Replace(string(list)),
	} {
		path := filepath.Join(dir, filepath.Base(name))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		overlay["Replace"][filepath.Join(root, "agents", filepath.FromSlash(name))] = path
	}
	data, err := json.Marshal(overlay)
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	run := exec.Command("go", "test", "-vet=off", "-overlay", file, "-run", "TestConformance/miser", "-v", "./agents/builtin")
	run.Dir = root
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestConformance/miser/plays_equal_games")
}
