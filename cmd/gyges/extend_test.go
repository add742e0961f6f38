package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExtend applies the diffs of the page on extending the program, all of them, builds the program without writing
// into the repository, and runs the page's commands with it. So a kind, a format or a column needs no other place than
// the page names.
func TestExtend(t *testing.T) {
	const page = "cmd/gyges/extend.md"
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	source, err := os.ReadFile(filepath.Join(root, page))
	require.NoError(t, err)
	d := parseMarkdown(page, source)
	files := map[string]string{}
	for _, b := range d.blocks {
		if b.language == "diff" {
			require.NoError(t, applyDiff(files, root, b.text), "%s:%d", page, b.line)
		}
	}
	require.NotEmpty(t, files)
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	for name, text := range files {
		path := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		overlay["Replace"][filepath.Join(root, name)] = path
	}
	data, err := json.Marshal(overlay)
	require.NoError(t, err)
	list := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(list, data, 0o600))
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", list, "-o", filepath.Join(dir, "bin", "gyges"),
		"-gcflags=gyges/...=-N -l", "-ldflags=-w", "./cmd/gyges") // which compiles a third faster
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Setenv("PATH", filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	how := console{update: os.Getenv("UPDATE_DOCUMENTS") != ""}
	found, problems := d.check(t.Context(), how, workFolder(t, root), nil)
	if how.update {
		require.NoError(t, os.WriteFile(filepath.Join(root, page), found, 0o600))
	}
	require.Empty(t, problems)
}

// applyDiff applies a unified diff to files of the repository, or to what they have become.
func applyDiff(files map[string]string, root, diff string) error {
	name, from, to := "", "", ""
	hunk := func() error {
		if n := strings.Count(files[name], from); from != "" && n != 1 {
			return fmt.Errorf("%s: expected these lines once, found them %d times:\n%s", name, n, from)
		}
		if from == "" { // a new file
			files[name] = to
		} else {
			files[name] = strings.Replace(files[name], from, to, 1)
		}
		return nil
	}
	flush := func() error {
		if from+to == "" {
			return nil
		}
		err := hunk()
		from, to = "", ""
		return err
	}
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "@@"):
			if err := flush(); err != nil {
				return err
			}
		case strings.HasPrefix(line, "+++ b/"):
			name = strings.TrimSpace(line[len("+++ b/"):])
			if _, known := files[name]; !known {
				text, _ := os.ReadFile(filepath.Join(root, name)) // one that is new is empty
				files[name] = string(text)
			}
		case line[0] == '+':
			to += line[1:]
		case line[0] == '-':
			from += line[1:]
		default:
			from, to = from+strings.TrimPrefix(line, " "), to+strings.TrimPrefix(line, " ")
		}
	}
	return flush()
}
