package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gyges/configs"
)

// longTests is the environment variable that lets tests run what takes long, too, as .ci/run does.
const longTests = "GYGES_LONG_TESTS"

// TestDocuments checks every README.md of the repository and the files of results/reference. Each is
// a subtest, named by its path: "-run TestDocuments/^README.md" checks the one in the root.
//
//   - Blocks in the language console hold commands of gyges, lines that begin with "$ ", each
//     followed by what it prints: its standard output or, if that is empty, standard error.
//     A line that ends in a backslash goes on in the next; <<'END' begins a here-document.
//     They run in order in a folder that has what the repository has, without results of runs.
//     Outputs are compared, but for readings of clocks; one may end in a line of "…" alone, which
//     stands for one or more lines. An output that begins with "gyges: " is that of a command
//     that fails.
//   - A command with the comment "# example" has an output that depends on weights, search or
//     speed, so it isn't compared. The command runs with GYGES_LONG_TESTS=1, or if a later command
//     names what it writes; otherwise it is only parsed.
//   - In blocks in the language sh, and in inline code, commands of gyges are parsed as the program
//     parses them, and configs of runs are loaded. Files of the reader's own needn't exist.
//   - Blocks in the language yaml must load as one of the kinds of config files.
//   - Links to files of the repository must resolve, with their anchors.
//
// The documents in results are old results, so their console blocks are parsed only.
//
// With UPDATE_DOCUMENTS=1 ("go generate ./cmd/gyges") the outputs are written anew instead.
//
//go:generate env UPDATE_DOCUMENTS=1 go test -count=1 -run TestDocuments|TestPictures .
func TestDocuments(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	for _, file := range documentFiles(t) {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			d := readDocument(t, file)
			d.checkLinks(t)
			for _, code := range d.code {
				if words := strings.Fields(code); len(words) > 1 && words[0] == "gyges" {
					checkWords(t, words[1:])
				}
			}
			for _, b := range d.blocks {
				switch b.language {
				case "sh":
					checkScript(t, b.text, nil)
				case "yaml":
					assert.NoError(t, loadAny(t, b.text), b.text)
				}
			}
			d.runConsoles(t, os.Getenv(longTests) != "", strings.HasPrefix(file, "results/"))
		})
	}
}

// documentFiles returns the documents to check, from the root of the repository.
func documentFiles(t *testing.T) (list []string) {
	list, err := filepath.Glob("results/reference/*.md")
	require.NoError(t, err)
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(name string, e fs.DirEntry, err error) error {
		if e.IsDir() && (slices.Contains([]string{".git", "testdata"}, e.Name()) || isResult(name)) {
			return fs.SkipDir
		}
		if e.Name() == "README.md" {
			list = append(list, name)
		}
		return err
	}))
	require.Greater(t, len(list), 20)
	return list
}

// isResult reports whether a path is in a folder of a run, which is not committed.
func isResult(file string) bool {
	rest, ok := strings.CutPrefix(file, "results/")
	first, _, _ := strings.Cut(rest, "/")
	return ok && filepath.Ext(first) == "" && first != "reference" && first != "studies"
}

// workFolder returns a folder with what the repository has, but for the results of runs.
func workFolder(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "results"), 0o700))
	files, err := filepath.Glob("*")
	require.NoError(t, err)
	for _, name := range append(files, "results/reference", "results/studies", "results/README.md") {
		if name == "results" {
			continue
		}
		target, err := filepath.Abs(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	return dir
}

// checkScript parses the commands of gyges in a shell script; values has what its variables stand for.
func checkScript(t *testing.T, script string, values map[string]string) {
	commands, _, err := parseShell(script, values)
	if !assert.NoError(t, err, script) {
		return
	}
	for _, words := range commands {
		args, ok := gygesArgs(words)
		if !ok {
			continue
		}
		assert.NoError(t, checkArgs(args), "%q", words)
		for _, arg := range args {
			if strings.HasPrefix(arg, "configs/") || strings.HasPrefix(arg, "results/reference/") {
				assert.FileExists(t, arg)
			}
		}
	}
}

// checkArgs parses arguments as the program does, and loads the config of a run.
func checkArgs(args []string) error {
	e := newEnv(strings.NewReader(""), io.Discard, io.Discard)
	parser, err := newParser(&cli{}, e)
	if err != nil {
		return err
	}
	chosen, err := parse(parser, args)
	if errors.Is(err, errHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	switch command := chosen.Selected().Target.Addr().Interface().(type) {
	case *tournamentCmd:
		_, err = command.config(e)
	case *matchCmd:
		_, err = command.config(e)
	case *selfplayCmd:
		_, err = command.config(e)
	case *tuneTexelCmd:
		_, err = configs.LoadTexel(command.Config, nil)
	case *tuneSPSACmd:
		_, err = configs.LoadSPSA(context.Background(), command.Config, nil, e.registry)
	case *trainCmd:
		_, err = configs.LoadGenerations(command.Config, nil, e.registry)
	}
	ofReader := err != nil && strings.HasSuffix(err.Error(), "no such file or directory")
	if ofReader || errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return nil
	}
	return err
}

// checkWords checks that the program has the command that words begin with, and some command each flag
// among them. The rest may be placeholders.
func checkWords(t *testing.T, words []string) {
	parser, err := newParser(&cli{}, newEnv(strings.NewReader(""), io.Discard, io.Discard))
	require.NoError(t, err)
	known := []string{"help", "--help", "--version"}
	require.NoError(t, kong.Visit(parser.Model, func(node kong.Visitable, next kong.Next) error {
		switch node := node.(type) {
		case *kong.Node:
			known = append(known, node.Name)
		case *kong.Flag:
			known = append(known, "--"+node.Name, "--no-"+node.Name)
		}
		return next(nil)
	}))
	for i, word := range words {
		name, _, _ := strings.Cut(strings.Trim(word, "[](),.;…"), "=")
		isCommand := i == 0 && strings.ToLower(name) == name
		if isCommand && name != "" || strings.HasPrefix(name, "--") {
			assert.Contains(t, known, name, "%q", words)
		}
	}
}

// loadAny loads a config of any kind. The error is that of the first kind if it is none.
func loadAny(t *testing.T, text string) (first error) {
	file := writeConfig(t, text)
	registry := newEnv(strings.NewReader(""), io.Discard, io.Discard).registry
	for _, load := range []func() error{
		func() error { _, err := configs.LoadTournament(file, registry); return err },
		func() error { _, err := configs.LoadSelfPlay(file, registry); return err },
		func() error { _, err := configs.LoadTexel(file, nil); return err },
		func() error { _, err := configs.LoadSPSA(context.Background(), file, nil, registry); return err },
		func() error { _, err := configs.LoadGenerations(file, nil, registry); return err },
	} {
		err := load()
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// TestStudies checks that the index lists each study, and that its configs and scripts can be run.
func TestStudies(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	index, err := os.ReadFile("results/studies/README.md")
	require.NoError(t, err)
	pages, err := filepath.Glob("results/studies/*/README.md")
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	for _, page := range pages {
		folder := filepath.Dir(page)
		require.Contains(t, string(index), "("+filepath.Base(folder)+"/README.md)")
		files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		require.NoError(t, err)
		for _, file := range files {
			require.NoError(t, checkArgs([]string{"tournament", file}), file)
		}
		values := map[string]string{ // an example of what each variable of a script stands for
			"rules": "simplified", "here": folder, "games": "results/study", "pairs": "7",
			"nodes": "1000", "each": "7", "game": "1", "ply": "2", "result": "1-0",
			"1": "italian", "2": "7", "3": "9",
		}
		scripts, err := filepath.Glob(filepath.Join(folder, "*.sh"))
		require.NoError(t, err)
		for _, file := range scripts {
			script, err := os.ReadFile(file)
			require.NoError(t, err)
			checkScript(t, string(script), values)
		}
	}
}
