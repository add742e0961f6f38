package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExtend does what the page on extending the program says: it pipes the page, as the program prints it, to git in a
// copy of the repository, builds the program and runs the page's commands with it, and the tests that play all there is.
// So a kind, a format or a column needs no other place than the page names.
func TestExtend(t *testing.T) {
	const page = "cmd/gyges/extend.md"
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	source, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	d := parseMarkdown(page, source)
	all, part := applyCommands(t, d)
	dir := copyOfRepository(t, root)

	t.Run("the format alone", func(t *testing.T) {
		before := sourceFiles(t, dir)
		shell(t, dir, all+" "+part)
		var changed []string
		for name, text := range sourceFiles(t, dir) {
			if before[name] != text {
				changed = append(changed, name)
			}
		}
		require.ElementsMatch(t, []string{"tournament/schedule/duels.go", "tournament/schedule/format.go"},
			changed)
		shell(t, dir, all+" --reverse "+part)
		require.Equal(t, before, sourceFiles(t, dir))
	})

	t.Run("by patch", func(t *testing.T) {
		if _, err := exec.LookPath("patch"); err != nil {
			t.Skip(err)
		}
		require.NotContains(t, shell(t, dir, "gyges help extend | patch -p1 --dry-run"), "fuzz")
	})

	requireSinglePlaces(t, d, dir)
	shell(t, dir, all)
	bin := filepath.Join(t.TempDir(), "bin")
	// Without the path of the copy in what is compiled, most of it is there already.
	t.Setenv("GOFLAGS", "-trimpath '-gcflags=gyges/...=-N -l' -ldflags=-w")
	shell(t, dir, "go build -o "+filepath.Join(bin, "gyges")+" ./cmd/gyges")
	played := shell(t, dir, "go test -vet=off -run 'TestConformance/last' -v ./agents/builtin")
	require.Contains(t, played, "--- PASS: TestConformance/last/plays_equal_games")
	shell(t, dir, "go test -vet=off ./tournament/schedule ./tournament/record ./ratings/table")
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	how := console{update: os.Getenv("UPDATE_DOCUMENTS") != ""}
	found, problems := d.check(t.Context(), how, workFolder(t, root), nil)
	if how.update {
		require.NoError(t, os.WriteFile(filepath.Join(root, page), found, 0o600))
	}
	require.Empty(t, problems)
}

// applyCommands returns the command of the page that applies its diffs, and what is added to it for a part of them.
func applyCommands(t *testing.T, d *markdown) (all, part string) {
	for _, code := range d.code {
		if strings.HasPrefix(code.text, "gyges help extend |") {
			all = code.text
		}
		if strings.HasPrefix(code.text, "--include ") {
			part = code.text
		}
	}
	require.NotEmpty(t, all)
	require.NotEmpty(t, part)
	return all, part
}

// copyOfRepository returns a folder with the files of the repository, outside of any.
func copyOfRepository(t *testing.T, root string) string {
	dir := filepath.Join(t.TempDir(), "gyges")
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".git" || e.Name() == "node_modules" || isResult(filepath.ToSlash(name))):
			return fs.SkipDir
		case e.IsDir():
			return os.MkdirAll(filepath.Join(dir, name), 0o700)
		case !e.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), text, 0o600)
	}))
	return dir
}

// sourceFiles returns the files of Go below a folder.
func sourceFiles(t *testing.T, dir string) map[string]string {
	list := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path) // which is below it
		list[filepath.ToSlash(name)] = string(text)
		return err
	}))
	return list
}

// shell runs a command line in a folder that belongs to no repository, and returns its output.
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
func requireSinglePlaces(t *testing.T, d *markdown, dir string) {
	for _, b := range d.blocks {
		if b.language != "diff" {
			continue
		}
		for _, file := range strings.Split("\n"+b.text, "\n--- ")[1:] {
			name, _, _ := strings.Cut(file, "\n")
			name, existing := strings.CutPrefix(name, "a/")
			if !existing {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			require.NoError(t, err)
			hunks := hunk.FindAllStringSubmatch(file+"\n", -1)
			require.NotEmpty(t, hunks, name)
			for _, h := range hunks {
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
}
