package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// block matches a fenced block of the README in the given language.
func block(language string) *regexp.Regexp {
	return regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$")
}

// clocks matches what depends on the machine's speed in outputs, and the time
// in a folder's name.
var clocks = regexp.MustCompile(`(?m)\d+(\.\d+)?(ms|s|m\d+(\.\d+)?s)\b|\d+(\.\d+)?( [kMG])?( nodes)?/s|-\d{8}-\d{6}|\d+(\.\d+)?( [kMG])? positions a minute|time \d[^\n]*|^Begun [^\n]*| +\d\.\d{3}$`)

// TestReadme runs every command that the README shows with its output, and
// compares. With UPDATE_README=1 it writes what it found instead.
func TestReadme(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	clean := func() {
		require.NoError(t, errors.Join(os.RemoveAll("results/readme"), os.RemoveAll("results/readme-match"),
			os.RemoveAll("results/readme-selfplay"), os.RemoveAll("results/readme-texel"), os.RemoveAll("results/readme-spsa")))
	}
	clean()
	defer clean()

	commands := 0
	found := block("console").ReplaceAllStringFunc(string(readme), func(text string) string {
		var b strings.Builder
		b.WriteString("```console\n")
		for _, line := range strings.Split(text, "\n") {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				commands++
				b.WriteString(line + "\n" + runShown(t, command))
			}
		}
		return b.String() + "```"
	})
	require.NotZero(t, commands)
	if os.Getenv("UPDATE_README") != "" {
		require.NoError(t, os.WriteFile("README.md", []byte(found), 0o644))
		return
	}
	require.Equal(t, clocks.ReplaceAllString(string(readme), "CLOCK"), clocks.ReplaceAllString(found, "CLOCK"))
}

// runShown runs a command of the README and returns what a reader sees.
func runShown(t *testing.T, command string) string {
	t.Helper()
	command = strings.TrimPrefix(strings.TrimPrefix(command, "go run ./cmd/"), "gyges ")
	dir := t.TempDir()
	if strings.Contains(command, "quick.yaml") {
		command += " --out " + filepath.Join(dir, "quick-20260102-150405")
	}
	var out, errText bytes.Buffer
	run(context.Background(), words(command), strings.NewReader(""), &out, &errText)
	if out.Len() == 0 {
		out = errText // a mistake; otherwise stderr has the progress
	}
	text := strings.ReplaceAll(out.String(), dir, "results")
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// words splits a command as a shell does, single quotes only.
func words(command string) []string {
	var list []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// TestReadmeAgent compiles the README's example of an agent as a package of the
// module, without writing into it, and lets it play.
func TestReadmeAgent(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	code := block("go").FindSubmatch(readme)
	require.NotNil(t, code, "the README shows no agent")

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
	for name, text := range map[string]string{"miser.go": string(code[1]), "miser_test.go": game} {
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
