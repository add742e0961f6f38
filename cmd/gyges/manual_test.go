package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shownBlock returns the first block of a language with a text in a document, and fails
// without one.
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

// TestManualAgent compiles the manual's example of an agent as a package of the
// module, without writing into it, and lets it play.
func TestManualAgent(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	code := shownBlock(t, filepath.Join(root, "agents", "README.md"), "go", "package miser")

	const game = `package miser

import (
	"context"
	"testing"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/rules"
)

func TestGame(t *testing.T) {
	registry := builtin.Registry(Kind())
	for _, preset := range rules.Presets() {
		g := rules.NewGame(rules.MustParse(preset.Name), rules.MustParse(preset.Name).Start())
		a, err := registry.New(agents.Spec{Kind: "miser"})
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			if o, _ := g.Outcome(); o != rules.Undecided {
				break
			}
			d, err := a.Choose(context.Background(), g, agents.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if err := g.Play(d.Move); err != nil {
				t.Fatal(err)
			}
		}
	}
}
`
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	for name, text := range map[string]string{"miser.go": code, "miser_test.go": game} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		overlay["Replace"][filepath.Join(root, "agents", "miser", name)] = path
	}
	data, err := json.Marshal(overlay)
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, data, 0o600))
	program := filepath.Join(dir, "miser.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", file, "-o", program, "./agents/miser")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(program).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "PASS")
}

// The manual of agents names every kind.
func TestManualNamesKinds(t *testing.T) {
	for _, k := range kindsOf(newEnv(strings.NewReader(""), io.Discard, io.Discard).registry) {
		require.Contains(t, topic{file: "agents/README.md"}.manual(), "`"+k.Name+"`")
	}
}
