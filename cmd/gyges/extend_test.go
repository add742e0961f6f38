package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExtend does what the page on extending the program says: it pipes the page, as the program prints it, to git in a
// copy of the repository, builds the program there and runs the page's commands with it. The list of kinds in the copy
// has the example of the manual of agents, too, and both new kinds play in the conformance test. It compiles all of the
// program anew, so it is a long test.
func TestExtend(t *testing.T) {
	if os.Getenv(longTests) == "" {
		t.Skip(longTests + " isn't set")
	}
	t.Chdir(filepath.Join("..", ".."))
	page := readDocument(t, "cmd/gyges/extend.md")
	manual := readDocument(t, "agents/README.md")
	dir := filepath.Join(t.TempDir(), "gyges")
	require.NoError(t, os.Mkdir(dir, 0o700))
	shell(t, ".", "cp -r --parents -t '"+dir+"' go.mod go.sum agents cmd configs ratings rules tournament results/*.*")

	for _, b := range page.blocks {
		if b.language == "diff" {
			requireSinglePlaces(t, dir, b.text)
		}
	}
	require.Contains(t, page.code, "gyges help extend | git apply")
	shell(t, dir, "gyges help extend | git apply --check --include '*/schedule/*'")
	shell(t, dir, "gyges help extend | git apply")
	addKind(t, manual, dir)

	bin := filepath.Join(t.TempDir(), "bin")
	// Without the path of the copy in what is compiled, most of it is in the cache already.
	t.Setenv("GOFLAGS", "-trimpath '-gcflags=gyges/...=-N -l' -ldflags=-w -vet=off")
	shell(t, dir, "go build -o "+filepath.Join(bin, "gyges")+" ./cmd/gyges")
	played := shell(t, dir, "go test -run 'TestConformance/(last|miser)' -v ./agents/builtin")
	require.Contains(t, played, "--- PASS: TestConformance/last/plays_equal_games")
	require.Contains(t, played, "--- PASS: TestConformance/miser/plays_equal_games")
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	page.runConsoles(t, true, false)
}

// addKind adds the example of an agent that the manual shows to the list of kinds.
func addKind(t *testing.T, manual *document, dir string) {
	code := ""
	for _, b := range manual.blocks {
		if b.language == "go" && strings.Contains(b.text, "package miser") {
			code = b.text
		}
	}
	require.NotEmpty(t, code)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "agents", "miser"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "agents", "miser", "miser.go"), []byte(code), 0o600))
	list := filepath.Join(dir, "agents", "builtin", "builtin.go")
	text, err := os.ReadFile(list)
	require.NoError(t, err)
	added := strings.NewReplacer("random.Kind(),", "random.Kind(), miser.Kind(),",
		`"gyges/agents/random"`, `"gyges/agents/random"; "gyges/agents/miser"`).Replace(string(text))
	require.NoError(t, os.WriteFile(list, []byte(added), 0o600))
}

// shell runs a command line in a folder that belongs to no repository above it, and returns its output.
func shell(t *testing.T, dir, line string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", line, out)
	return string(out)
}

var hunk = regexp.MustCompile(`(?m)^@@ .*\n((?:[-+ ].*\n)*)`)

// requireSinglePlaces requires that the lines of each hunk that are there before stand once in its file: so the hunk
// applies in the right place when lines have been added above, whatever its line numbers say.
func requireSinglePlaces(t *testing.T, dir, diff string) {
	for _, file := range strings.Split("\n"+diff, "\n--- ")[1:] {
		name, _, _ := strings.Cut(file, "\n")
		name, existing := strings.CutPrefix(name, "a/")
		if !existing {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		require.NoError(t, err)
		for _, h := range hunk.FindAllStringSubmatch(file+"\n", -1) {
			before := ""
			for line := range strings.Lines(h[1]) {
				if line[0] != '+' {
					before += line[1:]
				}
			}
			require.Equal(t, 1, strings.Count(string(text), before), "%s:\n%s", name, before)
		}
	}
}
