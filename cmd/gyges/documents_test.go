package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// longTests is the environment variable that lets tests run what takes long, too, as .ci/run does.
const longTests = "GYGES_LONG_TESTS"

// TestDocuments checks the documents: every README.md of the repository, and the files of
// results/reference. Each is a subtest, named by its path: "-run TestDocuments/rules" checks those in
// rules, "-run TestDocuments/^README.md" the one in the root.
//
//   - Blocks in the language console hold commands, lines that begin with "$ ", each followed by
//     what it prints: its standard output or, if that is empty, standard error. A line
//     that ends in a backslash goes on in the next; <<'END' begins a here-document. The commands of
//     a document are run in order, as if from the repository's root with gyges on the path ("go run
//     ./cmd/gyges" counts too), but results/ has nothing besides what is committed and what
//     earlier commands of the same document wrote; it is a temporary folder. Outputs
//     are compared, but for readings of clocks. A command must succeed, unless the output shown
//     begins with "gyges: ": then it must fail.
//   - An output may end in a line of "…" alone, which stands for one or more lines.
//   - A command with the comment "# example" has an output that depends on weights, search or
//     speed. It must succeed, and its output, at most 15 lines, is not compared. It is run with
//     GYGES_LONG_TESTS=1, the tournament of a config file with one pair only, and where a compared command needs what it writes; else it is parsed.
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
	how := console{update: os.Getenv("UPDATE_DOCUMENTS") != "", examples: os.Getenv(longTests) != ""}
	documents := map[string]*markdown{}
	for _, file := range documentFiles(t) {
		source, err := os.ReadFile(filepath.FromSlash(file))
		require.NoError(t, err)
		documents[file] = parseMarkdown(file, source)
	}
	for file, d := range documents {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			how := how
			how.parseOnly = strings.HasPrefix(file, "results/reference/") || strings.HasPrefix(file, "results/studies/")
			found, problems := d.check(t.Context(), how, workFolder(t, root), documents)
			if how.update && !bytes.Equal(found, d.source) {
				require.NoError(t, os.WriteFile(filepath.FromSlash(file), found, 0o644))
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
	require.Subset(t, list, []string{"README.md", "tournament/queue/README.md", "results/reference/ratings.md"})
	return list
}

// workFolder returns a folder with what the repository has, but for the results of runs.
func workFolder(t *testing.T, root string) string {
	dir := t.TempDir()
	for _, from := range []string{".", "results"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, from), 0o700))
		entries, err := os.ReadDir(filepath.Join(root, from))
		require.NoError(t, err)
		for _, e := range entries {
			if name := filepath.Join(from, e.Name()); name != ".git" && name != "results" && !isResult(filepath.ToSlash(name)) {
				require.NoError(t, os.Symlink(filepath.Join(root, name), filepath.Join(dir, name)))
			}
		}
	}
	return dir
}

// check returns the document with the outputs of its commands, which run in a folder, and what is wrong with it.
func (d *markdown) check(ctx context.Context, how console, dir string, known map[string]*markdown) ([]byte, []string) {
	problems := d.brokenLinks(known)
	note := func(line int, text string, err error) {
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s:%d: %s: %v", d.path, line, text, err))
		}
	}
	for _, text := range d.glued {
		note(text.line, text.text, errors.New("expected a heading on a line of its own, and a blank between sentences"))
	}
	for _, code := range d.code {
		if words := strings.Fields(code.text); len(words) > 1 && words[0] == "gyges" {
			note(code.line, "`"+code.text+"`", checkFlags(words[1:]))
		}
	}
	commands, texts := map[int][]*step{}, map[int]string{}
	var all []*step
	for i, b := range d.blocks {
		if b.language == "console" {
			list, err := consoleSteps(b)
			note(b.line, "console block", err)
			if err == nil {
				commands[i], all = list, append(all, list...)
			}
		}
	}
	how.choose(all)
	for i, b := range d.blocks {
		switch b.language {
		case "sh":
			script, _, _, err := parseShell(b.text, one)
			note(b.line, "sh block", err)
			for _, c := range script {
				if args, ok := gygesArgs(c.words); ok {
					note(b.line+c.line-1, strings.Join(c.words, " "), errors.Join(missingFile(args), checkArgs(args)))
				}
			}
		case "yaml":
			file := filepath.Join(dir, "config.yaml")
			err := errors.Join(os.WriteFile(file, []byte(b.text), 0o600), loadAny(file))
			note(b.line, "no kind of config file has this content; the closest", err)
		}
		if list := commands[i]; list != nil {
			texts[i] = how.run(ctx, list, dir, note)
		}
	}
	return d.replace(texts), problems
}

// inRepository matches paths of committed files in an argument.
var inRepository = regexp.MustCompile(`(^|[=:,; ])(\./)?((agents|cmd|configs|ratings|rules|tournament|results/reference|results/studies)/[^=:,; ]+)`)

// missingFile returns an error if arguments name a file of the repository that doesn't exist.
func missingFile(args []string) error {
	for _, arg := range args {
		for _, m := range inRepository.FindAllStringSubmatch(arg, -1) {
			if _, err := os.Stat(filepath.FromSlash(m[3])); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkArgs parses arguments as the program does. The config of a run is loaded and checked.
func checkArgs(args []string) error {
	var c cli
	e := newEnv(strings.NewReader(""), io.Discard, io.Discard)
	parser, err := newParser(&c, e)
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
	err = checkConfig(e, chosen)
	missing := err != nil && strings.HasSuffix(err.Error(), syscall.ENOENT.Error()) // configs keep the text alone
	if missing || errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return nil // the reader's file: missingFile reports those of the repository
	}
	return err
}

var commandName = regexp.MustCompile(`^[a-z][a-z-]*$`)

// checkFlags checks that the command that words begin with exists, and has the flags among them.
// Arguments may be omitted, and placeholders stand for anything.
func checkFlags(words []string) error {
	var c cli
	parser, err := newParser(&c, newEnv(strings.NewReader(""), io.Discard, io.Discard))
	if err != nil {
		return err
	}
	node := parser.Model.Node
	for _, word := range words {
		i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word })
		if i < 0 {
			if len(node.Children) > 0 && node.DefaultCmd == nil && word != "help" && commandName.MatchString(word) {
				return fmt.Errorf("there is no command %s", word)
			}
			break
		}
		node = node.Children[i]
	}
	flags := []string{"--version"}
	add := func(list []*kong.Flag) {
		for _, f := range list {
			flags = append(flags, "--"+f.Name, "--no-"+f.Name)
		}
	}
	for _, level := range node.AllFlags(false) {
		add(level)
	}
	for _, child := range node.Children {
		add(child.Flags)
	}
	for _, word := range words {
		flag, _, _ := strings.Cut(word, "=")
		flag = strings.Trim(flag, "[](),.;…")
		if strings.HasPrefix(flag, "--") && flag != "--" && !slices.Contains(flags, flag) {
			return fmt.Errorf("the command has no flag %s", flag)
		}
	}
	return nil
}

// A small document of each kind of mistake, and without it.
func TestDocumentMistakes(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	root, err := os.Getwd()
	require.NoError(t, err)
	console1 := func(text string) string { return block("console", text) }
	const kings = "gyges sprt --penta 1,2,3,2,1 --elo0 0 --elo1 5"
	code, answer, errText := gyges(t.Context(), "", strings.Fields(kings)[1:]...)
	require.Zero(t, code, errText)
	first, others, _ := strings.Cut(answer, "\n")
	const config = "agents: [random, greedy]\npairs: 1\n"

	for _, c := range []struct{ text, problem string }{
		{console1("$ " + kings + "\n" + answer), ""},
		{console1("$ go run ./cmd/" + kings + " # all of it\n" + answer + "\n\n$ gyges rules kang # example\nold\n"), ""},
		{console1("$ gyges sprt --penta 1,2,3,2,1 \\\n    --elo0 0 --elo1 5\n" + first + "\n…\n"), ""},
		{console1("$ gyges moves x\n…\n"), "exit status 2"},
		{console1("$ gyges moves x\ngyges: …\n…\n"), "another output. Line 1"},
		{console1("$ " + kings + "\ngyges: no\n"), "succeeded, but"},
		{console1("$ " + kings + "\n" + first + "x\n" + others), `shows "` + first + `x", the program printed "` + first + `"`},
		{console1("$ " + kings + "\n" + answer + "more\n"), "the program printed no line"},
		{console1("$ " + kings + "\n"), "the document shows no line"},
		{console1("$ " + kings + "\n" + answer + "…\n"), "the program printed no line"},
		{console1("$ gyges rules kangaroo # example\n"), "exit status 2"},
		{console1("$ gyges rules # example\n" + strings.Repeat("x\n", 16)), "at most 15 lines"},
		{console1("$ gyges rules | head\n"), "sh block"},
		{console1("$ ls\n"), "sh block"},
		{console1("gyges rules\n"), `begins with "$ "`},
		{console1("$ gyges tournament configs/none.yaml # example\n"), "no such file"},
		{console1("$ gyges import ratings/source/testdata/league.pgn --out results/x # example\n\n$ gyges games results/x # example\n"), ""},
		{block("sh", "go test ./...\ngyges rate mine.pgn --format json | jq .\nA=1 gyges tournament league.yaml --pairs 3\n"), ""},
		{block("sh", "gyges rate mine.pgn --fromat json\n"), "unknown flag --fromat"},
		{block("sh", "echo x | gyges rate mine.pgn \\\n  --format yaml\n"), "--format"},
		{block("sh", "gyges tournament --agent random --agent alfabeta\n"), "alfabeta"},
		{block("sh", "gyges match random greedy:x=1 --sprt elo0=0\n"), "greedy"},
		{block("sh", "gyges tournament configs/tournaments/none.yaml\n"), "no such file"},
		{block("sh", "gyges rate 'mine\n"), "without closing quote"},
		{block("sh", "gyges train configs/training/standard.yaml --generations -2\n"), "--generations"},
		{"`gyges rate --format json`, `gyges games show`, `gyges CMD --help`, `gyges tune --out=DIR`, `gyges agents KIND`, `gyges`", ""},
		{"`gyges rate --overtime`", "no flag --overtime"},
		{"`gyges rates`", "no command rates"},
		{block("yaml", config), ""},
		{block("yaml", config+"colour: red\n"), "line 3: "},
		{"[a](rules/README.md) [b](#there)\n\n# There\n", ""},
		{"[a](rules/READYOU.md)", "no such file"},
		{"It counts. ## Next\n", "expected a heading on a line of its own"},
		{"It is worth.A test\n", "a blank between sentences"},
		{"It is `a.B c`. C# and 3 ## are\n\n## Next\n", "expected a heading on a line of its own"},
		{"It is `a.B c`; C# is.\n\n## Next\n", ""},
		{block("text", "gyges nonsense") + block("json", "{"), ""},
	} {
		d := parseMarkdown("README.md", []byte("# Title\n\n"+c.text))
		found, problems := d.check(t.Context(), console{examples: true}, workFolder(t, root), map[string]*markdown{"README.md": d})
		if c.problem == "" {
			require.Empty(t, problems, c.text)
			require.Equal(t, string(d.source), string(found))
			continue
		}
		require.NotEmpty(t, problems, c.text)
		require.Contains(t, problems[0], c.problem, c.text)
	}
	require.NoDirExists(t, "results/x")
	d := parseMarkdown("README.md", []byte(console1("$ gyges rules --nothing\n$ gyges rules\n")+console1("x\n")))
	_, problems := d.check(t.Context(), console{parseOnly: true}, t.TempDir(), nil)
	require.Len(t, problems, 2)
}

func block(language, text string) string { return "```" + language + "\n" + text + "```\n" }
