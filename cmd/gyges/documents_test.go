package main

import (
	"bytes"
	"cmp"
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

	"gyges/agents"
	"gyges/configs"
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

// maxShown bounds the lines of an output that are shown.
const maxShown = 15

// rest is the line that stands for the rest of an output.
const rest = "…"

// step is a command of a console block and the output shown.
type step struct {
	lines   []string // of the command, with the prompt
	command shellCommand
	input   string // the here-document
	open    bool   // it has not ended
	args    []string
	shown   []string
	blank   []string // lines before the next command
	line    int
}

// steps returns the commands of a console block.
func (d *markdown) steps(b fence) ([]step, error) {
	var list []step
	lines := strings.Split(strings.TrimRight(b.text, "\n"), "\n")
	var failed error
	logicalLines(lines, func(text string, first, n int) {
		command, ok := strings.CutPrefix(text, "$ ")
		switch {
		case len(list) > 0 && list[len(list)-1].open:
			list[len(list)-1].addInput(text)
		case ok && failed == nil:
			s := step{lines: lines[first : first+n], line: b.line + first}
			if failed = s.parse(command); failed != nil {
				failed = fmt.Errorf("%s:%d: %s: %w", d.path, s.line, command, failed)
			}
			list = append(list, s)
		case len(list) > 0: // joined lines of an output, too
			list[len(list)-1].shown = append(list[len(list)-1].shown, lines[first:first+n]...)
		case failed == nil:
			failed = fmt.Errorf("%s:%d: expected a line that begins with \"$ \"", d.path, b.line+first)
		}
	})
	for i := range list {
		s := &list[i]
		n := len(s.shown)
		for n > 0 && s.shown[n-1] == "" {
			n--
		}
		s.shown, s.blank = s.shown[:n], s.shown[n:]
	}
	return list, failed
}

// hereDocument begins the input of a command.
const hereDocument = " <<'END'"

// addInput adds a line of the here-document.
func (s *step) addInput(line string) {
	s.lines = append(s.lines, line)
	if s.open = line != "END"; s.open {
		s.input += line + "\n"
	}
}

func (s *step) parse(command string) error {
	s.open = strings.Contains(command, hereDocument)
	command = strings.Replace(command, hereDocument, "", 1)
	commands, err := splitShell(command)
	if err != nil {
		return err
	}
	if len(commands) != 1 || !commands[0].alone {
		return errors.New("a console block holds single commands without pipes and redirections; others belong in an sh block")
	}
	s.command = commands[0]
	args, ok := gygesArgs(s.command.words)
	if !ok {
		return errors.New("a console block holds commands of gyges; others belong in an sh block")
	}
	s.args = args
	return missingFile(args)
}

func (s *step) example() bool { return s.command.comment == "example" }

// cut reports whether a part of the output is shown only.
func (s *step) cut() bool { return len(s.shown) > 0 && s.shown[len(s.shown)-1] == rest }

// fails reports whether the command shall fail.
func (s *step) fails() bool { return len(s.shown) > 0 && strings.HasPrefix(s.shown[0], "gyges: ") }

// output returns how the document shall show an output: as it is shown, if they are the same but
// for clocks or it need not be compared.
func (s *step) output(got []string, update bool) []string {
	switch {
	case s.example() && !update:
		return s.shown
	case update && len(got) > maxShown && (len(s.shown) == 0 || s.example() && (!s.cut() || len(s.shown) > maxShown)):
		got = append(slices.Clone(got[:maxShown-1]), rest)
	case s.cut() && len(got) >= len(s.shown):
		got = append(slices.Clone(got[:len(s.shown)-1]), rest)
	}
	if maskClocks(got) == maskClocks(s.shown) {
		return s.shown
	}
	return got
}

// runConsole runs the commands of the console blocks in a folder. It returns the document
// with their outputs, and what is wrong with those shown, unless that is to be updated.
func (d *markdown) runConsole(ctx context.Context, dir string, update bool) (source []byte, problems []string) {
	texts := map[int]string{}
	for i, b := range d.blocks {
		if b.language != "console" {
			continue
		}
		steps, err := d.steps(b)
		if err != nil {
			return d.source, append(problems, err.Error())
		}
		var lines []string
		for _, s := range steps {
			got, err := runStep(ctx, dir, &s)
			output := s.output(got, update)
			switch {
			case err != nil || update:
			case s.example() && len(s.shown) > maxShown:
				err = fmt.Errorf("an example shows at most %d lines of its output", maxShown)
			case !slices.Equal(output, s.shown):
				err = fmt.Errorf("%s\nThe document shows:\n%s\nThe program printed:\n%s", difference(s.shown, output),
					strings.Join(s.shown, "\n"), strings.Join(output, "\n"))
			}
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s:%d: %s: %v", d.path, s.line, s.lines[0], err))
				output = s.shown
			}
			lines = slices.Concat(lines, s.lines, output, s.blank)
		}
		texts[i] = strings.Join(lines, "\n") + "\n"
	}
	return d.replace(texts), problems
}

// runStep runs a command and returns what it printed.
func runStep(ctx context.Context, dir string, s *step) ([]string, error) {
	if _, missing := exec.LookPath("python3"); missing != nil && slices.Contains(s.args, "python3") {
		return s.shown, nil
	}
	cmd := exec.CommandContext(ctx, "gyges", s.args...) // the test's program; see TestMain
	var out, errText bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(s.input), &out, &errText
	cmd.Env = append(cmd.Environ(), "COLUMNS=") // the width of texts
	err := cmd.Run()
	switch {
	case err != nil && !s.fails():
		return nil, fmt.Errorf("%w\n%s%s", err, &out, &errText)
	case err == nil && s.fails():
		return nil, fmt.Errorf("the command succeeded, but the document shows an error\n%s%s", &out, &errText)
	case out.Len() == 0:
		out = errText // a mistake; otherwise stderr has the progress
	}
	text := strings.TrimRight(out.String(), "\n ")
	if text == "" {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines, nil
}

// difference names the first line in which outputs differ.
func difference(shown, got []string) string {
	for i := range max(len(shown), len(got)) {
		line := func(list []string) string {
			if i < len(list) {
				return fmt.Sprintf("%q", list[i])
			}
			return "no line"
		}
		if a, b := line(shown), line(got); maskClocks([]string{a}) != maskClocks([]string{b}) {
			return fmt.Sprintf("another output. Line %d: the document shows %s, the program printed %s", i+1, a, b)
		}
	}
	return "another output"
}

// clocks matches readings of clocks in outputs, with the spaces before them: durations, rates, times
// of day and the time in a folder's name.
var clocks = regexp.MustCompile(`(?m) *\b(` + strings.Join([]string{
	`(\d+h)?(\d+m)?\d+(\.\d+)? ?(ns|µs|ms|s)\b`,
	`\d+(\.\d+)?( [kMG])?( [a-z]+)?/s\b`,
	`\d+(\.\d+)?( [kMG])? positions a minute`,
	`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z| UTC)?`,
	`\d{8}-\d{6}\b`,
}, "|") + `)`)

func maskClocks(lines []string) string {
	return clocks.ReplaceAllString(strings.Join(lines, "\n"), " CLOCK")
}

// badConsole returns what is wrong with the commands of console blocks, without running them.
func (d *markdown) badConsole() []string {
	var problems []string
	for _, b := range d.blocks {
		if b.language != "console" {
			continue
		}
		steps, err := d.steps(b)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		for _, s := range steps {
			if err := checkArgs(s.args); err != nil {
				problems = append(problems, fmt.Sprintf("%s:%d: %s: %v", d.path, s.line, s.lines[0], err))
			}
		}
	}
	return problems
}

// badCommands returns what is wrong with the commands of sh blocks.
func (d *markdown) badCommands() []string {
	var problems []string
	for _, b := range d.blocks {
		if b.language != "sh" {
			continue
		}
		logicalLines(strings.Split(b.text, "\n"), func(text string, first, _ int) {
			if !strings.Contains(text, "gyges") {
				return
			}
			commands, err := splitShell(text)
			for _, c := range commands {
				if args, ok := gygesArgs(c.words); ok {
					err = errors.Join(err, missingFile(args), checkArgs(args))
				}
			}
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s:%d: %s: %v", d.path, b.line+first, text, err))
			}
		})
	}
	return problems
}

// inRepository matches paths of committed files in an argument.
var inRepository = regexp.MustCompile(`(^|[=:,; ])(\./)?((agents|cmd|configs|ratings|rules|tournament|results/reference|results/studies)/[^=:,; ]+)`)

// missingFile returns an error if arguments name a file of the repository that doesn't
// exist.
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

// checkArgs parses arguments as the program does. The config of a run is loaded and
// checked, as --dry-run does before it plays.
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
	switch node := chosen.Selected().Target.Addr().Interface().(type) {
	case *tournamentCmd:
		_, err = node.config(e.registry)
	case *helpCmd:
		err = node.Run(context.Background(), e, chosen)
	case *matchCmd:
		_, err = node.config(e)
	case *selfplayCmd:
		_, err = node.config(e.registry)
	case *trainCmd:
		_, err = node.config(e)
	case *tuneTexelCmd:
		_, err = configs.LoadTexel(node.Config)
	case *tuneSPSACmd:
		_, err = configs.LoadSPSA(node.Config, e.registry)
	case *tuneTDCmd:
		_, err = configs.LoadTD(node.Config, e.registry)
	}
	missing := err != nil && strings.HasSuffix(err.Error(), syscall.ENOENT.Error()) // configs keep the text alone
	if missing || errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
		return nil // the reader's file: missingFile reports those of the repository
	}
	return err
}

// badCode returns what is wrong with inline code that begins with gyges: commands and flags
// that don't exist. Arguments may be omitted, and placeholders stand for anything.
func (d *markdown) badCode() []string {
	var problems []string
	for _, code := range d.code {
		if words := strings.Fields(code.text); len(words) > 1 && words[0] == "gyges" {
			if err := checkFlags(words[1:]); err != nil {
				problems = append(problems, fmt.Sprintf("%s:%d: `%s`: %v", d.path, code.line, code.text, err))
			}
		}
	}
	return problems
}

var commandName = regexp.MustCompile(`^[a-z][a-z-]*$`)

func checkFlags(words []string) error {
	var c cli
	parser, err := newParser(&c, newEnv(strings.NewReader(""), io.Discard, io.Discard))
	if err != nil {
		return err
	}
	node := parser.Model.Node
	for _, word := range words {
		i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == word })
		switch {
		case i >= 0:
			node = node.Children[i]
		case word == "help":
			return nil
		case len(node.Children) > 0 && node.DefaultCmd == nil && commandName.MatchString(word):
			return fmt.Errorf("there is no command %s", word)
		}
		if i < 0 {
			break
		}
	}
	var flags []string
	for _, level := range append(node.AllFlags(false), flagsBelow(node)) {
		for _, f := range level {
			flags = append(flags, "--"+f.Name)
			if f.Tag.Negatable != "" {
				flags = append(flags, "--no-"+f.Name)
			}
		}
	}
	for _, word := range words {
		flag, _, _ := strings.Cut(word, "=")
		flag = strings.Trim(flag, "[](),.;…")
		if strings.HasPrefix(flag, "--") && flag != "--" && flag != "--version" && !slices.Contains(flags, flag) {
			return fmt.Errorf("the command has no flag %s", flag)
		}
	}
	return nil
}

// flagsBelow returns the flags of a command's subcommands.
func flagsBelow(n *kong.Node) []*kong.Flag {
	var list []*kong.Flag
	for _, child := range n.Children {
		list = slices.Concat(list, child.Flags, flagsBelow(child))
	}
	return list
}

// badConfigs returns what is wrong with the yaml blocks. They are written into a folder.
func (d *markdown) badConfigs(dir string) []string {
	registry := newEnv(strings.NewReader(""), io.Discard, io.Discard).registry
	var problems []string
	for _, b := range d.blocks {
		if b.language != "yaml" {
			continue
		}
		file := filepath.Join(dir, "config.yaml")
		if err := os.WriteFile(file, []byte(b.text), 0o600); err != nil {
			return append(problems, err.Error())
		}
		if err := loadAny(file, registry); err != nil {
			problems = append(problems, fmt.Sprintf("%s:%d: no kind of config file has this content; the closest: %v",
				d.path, b.line, strings.ReplaceAll(err.Error(), file+":", "line ")))
		}
	}
	return problems
}

// loadAny loads a config file of any kind. The error is that of the kind with the fewest.
func loadAny(file string, registry *agents.Registry) error {
	var errs []error
	note := func(kind string, err error) {
		if err != nil {
			err = fmt.Errorf("%s: %w", kind, err)
		}
		errs = append(errs, err)
	}
	_, err := configs.LoadTournament(file, registry)
	note("tournament", err)
	_, err = configs.LoadRules(file)
	note("rules", err)
	_, err = configs.LoadSelfPlay(file, registry)
	note("self-play", err)
	_, err = configs.LoadTexel(file)
	note("Texel", err)
	_, err = configs.LoadSPSA(file, registry)
	note("SPSA", err)
	_, err = configs.LoadTD(file, registry)
	note("TDLeaf", err)
	_, err = configs.LoadGenerations(file, registry)
	note("training", err)
	if slices.Contains(errs, nil) {
		return nil
	}
	return slices.MinFunc(errs, func(a, b error) int {
		return cmp.Compare(strings.Count(a.Error(), "\n"), strings.Count(b.Error(), "\n"))
	})
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

func TestUpdateDocument(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	code, kang, errText := gyges(t.Context(), "", "rules", "kang")
	require.Zero(t, code, errText)
	lines := strings.SplitAfter(kang, "\n")
	require.Greater(t, len(lines), maxShown)
	old := "# Title\n\n- A list\n\n  ```console\n  $ gyges rules kang\n  x\n  y\n  …\n  ```\n\n" +
		console("$ gyges moves x\ngyges: \n\n$ gyges rules kang \\\n  -v # example\n\n$ gyges rules kang\nx\n") + "End.\n"
	_, refused, refusal := gyges(t.Context(), "", "moves", "x")
	require.Empty(t, refused)
	want := "# Title\n\n- A list\n\n  ```console\n  $ gyges rules kang\n  " + lines[0] + "  " + lines[1] + "  …\n  ```\n\n" +
		console("$ gyges moves x\n"+refusal+"\n$ gyges rules kang \\\n  -v # example\n"+strings.Join(lines[:maxShown-1], "")+"…\n\n"+
			"$ gyges rules kang\n"+kang) + "End.\n"
	d := parseMarkdown("README.md", []byte(old))
	found, problems := d.runConsole(t.Context(), workFolder(t, root), true)
	require.Empty(t, problems)
	require.Equal(t, want, string(found))

	d = parseMarkdown("README.md", found)
	found, problems = d.runConsole(t.Context(), workFolder(t, root), true)
	require.Empty(t, problems)
	require.Equal(t, want, string(found))
}

func TestMaskClocks(t *testing.T) {
	for line, want := range map[string]string{
		"240 games in 20.5s; the records are in results/quick-20260102-150405": "240 games in CLOCK; the records are in results/quick- CLOCK",
		"time   12.01 s, 1.77 G nodes/s":                                       "time CLOCK, CLOCK",
		"  1m2.5s   800ms 3µs":                                                 " CLOCK CLOCK CLOCK",
		"83.1 k positions a minute":                                            " CLOCK",
		"Begun 2026-01-02 15:04:05":                                            "Begun CLOCK",
		`"start":"2026-01-02T15:04:05Z"`:                                       `"start":" CLOCK"`,
		"a1-b2 12 games, 3 states, p 0.5":                                      "a1-b2 12 games, 3 states, p 0.5",
	} {
		require.Equal(t, want, maskClocks([]string{line}), line)
	}
}
