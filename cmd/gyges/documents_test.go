package main

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocuments checks the documents: every README.md of the repository, and the files of
// results/reference. Each is a subtest, named by its path: "-run TestDocuments/rules" checks those in
// rules, "-run TestDocuments/^README.md" the one in the root.
//
//   - Blocks in the language console hold commands, lines that begin with "$ ", each followed by
//     what it prints: its standard output or, if that is empty, standard error. A line
//     that ends in a backslash goes on in the next. The commands of a document are
//     run in order, as if from the repository's root with gyges on the path ("go run
//     ./cmd/gyges" counts too), but results/ has nothing besides what is committed and what
//     earlier commands of the same document wrote; it is a temporary folder. Outputs
//     are compared, but for readings of clocks. A command must succeed, unless the output shown
//     begins with "gyges: ": then it must fail.
//   - A command may have a here-document, <<'END', as its input.
//   - An output may end in a line of "…" alone, which stands for one or more lines.
//   - A command with the comment "# example" has an output that depends on weights, search or
//     speed. It must succeed, and its output, at most 15 lines, is not compared.
//   - Blocks in the language sh hold commands for the reader. They aren't run, but each gyges command
//     among them, and in inline code, is parsed as the program does, and the configs
//     of runs are loaded and checked. Files of the reader's own needn't exist.
//   - Blocks in the language yaml must load as one of the kinds of config files.
//   - Links to files of the repository must resolve, with their anchors.
//
// The documents of results/reference and results/studies are old results, so their console blocks are parsed only.
//
// With UPDATE_DOCUMENTS=1 ("go generate ./cmd/gyges") the outputs are written anew instead, each with
// as many lines as before if it was cut, and at most 15 if there was none.
//
//go:generate env UPDATE_DOCUMENTS=1 go test -count=1 -run TestDocuments|TestPictures .
func TestDocuments(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	root, err := os.Getwd()
	require.NoError(t, err)
	update := os.Getenv("UPDATE_DOCUMENTS") != ""
	documents := map[string]*markdown{}
	for _, file := range documentFiles(t) {
		source, err := os.ReadFile(filepath.FromSlash(file))
		require.NoError(t, err)
		documents[file] = parseMarkdown(file, source)
	}
	for file, d := range documents {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			reference := strings.HasPrefix(file, "results/reference/") || strings.HasPrefix(file, "results/studies/")
			problems := slices.Concat(d.brokenLinks(documents), d.badCommands(), d.badCode(), d.badConfigs(t.TempDir()))
			if reference {
				problems = append(problems, d.badConsole()...)
			} else {
				found, bad := d.runConsole(t.Context(), workFolder(t, root), update)
				problems = append(problems, bad...)
				if update && !bytes.Equal(found, d.source) {
					require.NoError(t, os.WriteFile(filepath.FromSlash(file), found, 0o644))
				}
			}
			for _, p := range problems {
				t.Error(p)
			}
		})
	}
}

// documentFiles returns the documents to check, from the working directory.
func documentFiles(t *testing.T) []string {
	var list []string
	require.NoError(t, filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (slices.Contains([]string{".git", "testdata", "node_modules"}, e.Name()) || isResult(name)):
			return fs.SkipDir
		case e.Name() == "README.md", path.Ext(name) == ".md" && strings.HasPrefix(name, "results/reference/"):
			list = append(list, name)
		}
		return nil
	}))
	require.Contains(t, list, "README.md")
	require.Contains(t, list, "tournament/queue/README.md")
	require.Contains(t, list, "results/reference/ratings.md")
	return list
}

// workFolder returns a folder with what the repository has, but for the results of runs.
func workFolder(t *testing.T, root string) string {
	dir := t.TempDir()
	link := func(from string, skip ...string) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, from), 0o700))
		entries, err := os.ReadDir(filepath.Join(root, from))
		require.NoError(t, err)
		for _, e := range entries {
			if name := filepath.Join(from, e.Name()); !slices.Contains(skip, name) && !isResult(filepath.ToSlash(name)) {
				require.NoError(t, os.Symlink(filepath.Join(root, name), filepath.Join(dir, name)))
			}
		}
	}
	link(".", ".git", "results")
	link("results")
	return dir
}

// A small document of each kind of mistake, and without it.
func TestDocumentMistakes(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	root, err := os.Getwd()
	require.NoError(t, err)
	const kings = "gyges sprt --penta 1,2,3,2,1 --elo0 0 --elo1 5"
	code, answer, errText := gyges(t.Context(), "", strings.Fields(kings)[1:]...)
	require.Zero(t, code, errText)
	first, others, _ := strings.Cut(answer, "\n")
	const config = "preset: kang\nkang_goals: 1\n"

	for _, c := range []struct{ text, problem string }{
		{console("$ " + kings + "\n" + answer), ""},
		{console("$ go run ./cmd/" + kings + " # all of it\n" + answer + "\n\n$ gyges rules kang # example\nold\n"), ""},
		{console("$ gyges sprt --penta 1,2,3,2,1 \\\n    --elo0 0 --elo1 5\n" + first + "\n…\n"), ""},
		{console("$ gyges moves x\n…\n"), "exit status 2"},
		{console("$ gyges moves x\ngyges: …\n…\n"), "another output. Line 1"},
		{console("$ " + kings + "\ngyges: no\n"), "succeeded, but"},
		{console("$ " + kings + "\n" + first + "x\n" + others), `shows "` + first + `x", the program printed "` + first + `"`},
		{console("$ " + kings + "\n" + answer + "more\n"), "the program printed no line"},
		{console("$ " + kings + "\n"), "the document shows no line"},
		{console("$ " + kings + "\n" + answer + "…\n"), "the program printed no line"},
		{console("$ gyges rules kangaroo # example\n"), "exit status 2"},
		{console("$ gyges rules # example\n" + strings.Repeat("x\n", 16)), "at most 15 lines"},
		{console("$ gyges rules | head\n"), "sh block"},
		{console("$ ls\n"), "sh block"},
		{console("gyges rules\n"), `begins with "$ "`},
		{console("$ gyges tournament configs/none.yaml # example\n"), "no such file"},
		{console("$ gyges import ratings/source/testdata/league.pgn --out results/x # example\n\n$ gyges games results/x # example\n"), ""},
		{block("sh", "go test ./...\ngyges rate mine.pgn --format json | jq .\nA=1 gyges tournament league.yaml --pairs 3\n"), ""},
		{block("sh", "gyges rate mine.pgn --fromat json\n"), "unknown flag --fromat"},
		{block("sh", "echo x | gyges rate mine.pgn \\\n  --format yaml\n"), "--format"},
		{block("sh", "gyges tournament --agent random --agent alfabeta\n"), "alfabeta"},
		{block("sh", "gyges match random greedy:x=1 --sprt elo0=0\n"), "greedy"},
		{block("sh", "gyges tournament configs/tournaments/none.yaml\n"), "no such file"},
		{block("sh", "gyges rate 'mine\n"), "without its end"},
		{block("sh", "gyges train configs/training/standard.yaml --generations -2\n"), "--generations"},
		{"`gyges rate --over-time`, `gyges games show`, `gyges CMD --help`, `gyges tune --out=DIR`, `gyges agents KIND`, `gyges`", ""},
		{"`gyges rate --overtime`", "no flag --overtime"},
		{"`gyges rates`", "no command rates"},
		{block("yaml", config), ""},
		{block("yaml", config+"colour: red\n"), "line 3: "},
		{"[a](rules/README.md) [b](#there)\n\n# There\n", ""},
		{"[a](rules/READYOU.md)", "no such file"},
		{block("text", "gyges nonsense") + block("json", "{"), ""},
	} {
		d := parseMarkdown("README.md", []byte("# Title\n\n"+c.text))
		dir := workFolder(t, root)
		found, problems := d.runConsole(t.Context(), dir, false)
		problems = slices.Concat(d.brokenLinks(map[string]*markdown{"README.md": d}), d.badCommands(), d.badCode(), d.badConfigs(dir), problems)
		if c.problem == "" {
			require.Empty(t, problems, c.text)
			require.Equal(t, string(d.source), string(found))
			continue
		}
		require.NotEmpty(t, problems, c.text)
		require.Contains(t, problems[0], c.problem, c.text)
	}
	require.NoDirExists(t, "results/x")
	d := parseMarkdown("README.md", []byte(console("$ gyges rules --nothing\n$ gyges rules\n")+console("x\n")))
	require.Len(t, d.badConsole(), 2)
}

func block(language, text string) string { return "```" + language + "\n" + text + "```\n" }
func console(text string) string         { return block("console", text) }
