package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxShown bounds the lines of an output that are shown.
const maxShown = 15

// rest is the line that stands for the rest of an output.
const rest = "…"

// console says how the commands of console blocks are treated.
type console struct {
	parseOnly bool // they aren't run
	examples  bool // those whose output isn't compared are run, too
	update    bool // all are run, and the outputs shown are replaced
}

// step is a command of a console block and the output shown.
type step struct {
	lines   []string // of the command, with the prompt and a here-document
	line    int      // the first one, in the document
	args    []string
	input   string // the here-document
	example bool
	runs    bool // see choose
	shown   []string
	blank   []string // lines before the next command
}

// consoleSteps returns the commands of a console block.
func consoleSteps(b fence) ([]*step, error) {
	var list []*step
	lines := strings.Split(strings.TrimRight(b.text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		first := i
		switch {
		case strings.HasPrefix(lines[i], "$ "):
			for strings.HasSuffix(lines[i], `\`) && i+1 < len(lines) {
				i++
			}
			if strings.Contains(lines[i], "<<'END'") {
				for i+1 < len(lines) && lines[i] != "END" {
					i++
				}
			}
			list = append(list, &step{lines: lines[first : i+1], line: b.line + first})
		case len(list) == 0:
			return nil, errors.New(`expected a line that begins with "$ "`)
		default:
			last := list[len(list)-1]
			last.shown = append(last.shown, lines[i])
		}
	}
	var errs []error
	for _, s := range list {
		n := len(strings.TrimRight(strings.Join(s.shown, "\n"), "\n"))
		text := strings.Join(s.shown, "\n")
		if n == 0 {
			s.shown, s.blank = nil, s.shown
		} else {
			s.blank = s.shown[strings.Count(text[:n], "\n")+1:]
			s.shown = s.shown[:len(s.shown)-len(s.blank)]
		}
		errs = append(errs, s.parse())
	}
	return list, errors.Join(errs...)
}

// parse reads the command.
func (s *step) parse() error {
	script := strings.TrimPrefix(strings.Join(s.lines, "\n"), "$ ")
	commands, comments, simple, err := parseShell(script+"\n", one)
	if err != nil {
		return err
	}
	ok := false
	if simple {
		s.args, ok = gygesArgs(commands[0].words)
	}
	if !ok {
		return errors.New("a console block holds single commands of gyges without pipes; others belong in an sh block")
	}
	s.example = slices.Contains(comments, "example")
	if _, input, found := strings.Cut(script, "<<'END'\n"); found {
		s.input = strings.TrimSuffix(input, "END")
	}
	return missingFile(s.args)
}

// cut reports whether a part of the output is shown only.
func (s *step) cut() bool { return len(s.shown) > 0 && s.shown[len(s.shown)-1] == rest }

// fails reports whether the command shall fail.
func (s *step) fails() bool { return len(s.shown) > 0 && strings.HasPrefix(s.shown[0], "gyges: ") }

// choose sets which of a document's commands run: those whose output is compared, and those that
// write what these read. With examples, all do.
func (c console) choose(list []*step) {
	read := "" // what later commands that run name in their arguments
	for _, s := range slices.Backward(list) {
		s.runs = !c.parseOnly && (c.examples || c.update || !s.example || slices.ContainsFunc(s.args, func(arg string) bool {
			return strings.HasPrefix(arg, "results/") && strings.Contains(read, arg)
		}))
		if s.runs {
			read += strings.Join(s.args, " ") + " "
		}
	}
}

// run runs the commands of a console block in a folder and returns the block with their outputs.
func (c console) run(ctx context.Context, list []*step, dir string, note func(line int, text string, err error)) string {
	var lines []string
	for _, s := range list {
		output, err := s.shown, checkArgs(s.args)
		if s.runs {
			output, err = c.step(ctx, s, dir)
		}
		note(s.line, s.lines[0], err)
		lines = slices.Concat(lines, s.lines, output, s.blank)
	}
	return strings.Join(lines, "\n") + "\n"
}

// step runs a command and returns the output that the document shall show: the one that it shows, if they are
// the same but for clocks or need not be compared.
func (c console) step(ctx context.Context, s *step, dir string) ([]string, error) {
	if s.example && !c.update && len(s.args) > 1 && s.args[0] == "tournament" && strings.HasSuffix(s.args[1], ".yaml") {
		s.args = append(slices.Clone(s.args), "--pairs", "1")
	}
	got, err := s.run(ctx, dir)
	switch {
	case err != nil:
		return s.shown, err
	case s.example && !c.update:
		if len(s.shown) > maxShown {
			err = fmt.Errorf("an example shows at most %d lines of its output", maxShown)
		}
		return s.shown, err
	case c.update && len(got) > maxShown && (len(s.shown) == 0 || s.example && (!s.cut() || len(s.shown) > maxShown)):
		got = append(slices.Clone(got[:maxShown-1]), rest)
	case s.cut() && len(got) >= len(s.shown):
		got = append(slices.Clone(got[:len(s.shown)-1]), rest)
	}
	if maskClocks(got) == maskClocks(s.shown) {
		return s.shown, nil
	}
	if c.update {
		return got, nil
	}
	return s.shown, fmt.Errorf("%s\nThe document shows:\n%s\nThe program printed:\n%s", difference(s.shown, got),
		strings.Join(s.shown, "\n"), strings.Join(got, "\n"))
}

// run runs the command in a folder and returns what it printed.
func (s *step) run(ctx context.Context, dir string) ([]string, error) {
	if _, missing := exec.LookPath("python3"); missing != nil && strings.Contains(strings.Join(s.args, " "), "python3") {
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
	return strings.Split(trailingSpace.ReplaceAllString(text, ""), "\n"), nil
}

var trailingSpace = regexp.MustCompile(`(?m) +$`)

// difference names the first line in which outputs differ.
func difference(shown, got []string) string {
	line := func(list []string, i int) string {
		if i < len(list) {
			return fmt.Sprintf("%q", list[i])
		}
		return "no line"
	}
	for i := range max(len(shown), len(got)) {
		if a, b := line(shown, i), line(got, i); maskClocks([]string{a}) != maskClocks([]string{b}) {
			return fmt.Sprintf("another output. Line %d: the document shows %s, the program printed %s", i+1, a, b)
		}
	}
	return "another output"
}

// clocks matches readings of clocks in outputs, with the spaces before them: durations, rates, times
// of day and the time in a folder's name.
var clocks = regexp.MustCompile(`(?m) *\b(` + strings.Join([]string{
	`(\d+h)?(\d+m)?\d+(\.\d+)? ?(ns|µs|ms|s)\b`,
	`\d[\d,]*(\.\d+)?( [a-z]+)?/s\b`,
	`\d[\d,]*(\.\d+)? positions a minute`,
	`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z| UTC)?`,
	`\d{8}-\d{6}\b`,
}, "|") + `)`)

func maskClocks(lines []string) string {
	return clocks.ReplaceAllString(strings.Join(lines, "\n"), " CLOCK")
}

func TestUpdateDocument(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	code, kang, errText := gyges(t.Context(), "", "rules", "kang")
	require.Zero(t, code, errText)
	lines := strings.SplitAfter(kang, "\n")
	require.Greater(t, len(lines), maxShown)
	_, refused, refusal := gyges(t.Context(), "", "moves", "x")
	require.Empty(t, refused)
	page := func(inList, error, example, whole string) string {
		return "# Title\n\n- A list\n\n  ```console\n  $ gyges rules kang\n" + inList + "  …\n  ```\n\n" + block("console",
			"$ gyges moves x\n"+error+"\n$ gyges rules kang \\\n  -v # example\n"+example+"\n$ gyges rules kang\n"+whole) + "End.\n"
	}
	text := page("  x\n  y\n", "gyges: \n", "", "x\n")
	want := page("  "+lines[0]+"  "+lines[1], refusal, strings.Join(lines[:maxShown-1], "")+"…\n", kang)
	for range 2 {
		d := parseMarkdown("README.md", []byte(text))
		found, problems := d.check(t.Context(), console{update: true}, workFolder(t, root), nil)
		require.Empty(t, problems)
		require.Equal(t, want, string(found))
		text = string(found)
	}
}

func TestMaskClocks(t *testing.T) {
	for line, want := range map[string]string{
		"240 games in 20.5s; the records are in results/quick-20260102-150405": "240 games in CLOCK; the records are in results/quick- CLOCK",
		"time   12.01 s, 1,770,123 nodes/s":                                    "time CLOCK, CLOCK",
		"  1m2.5s   800ms 3µs":                                                 " CLOCK CLOCK CLOCK",
		"83,100 positions a minute":                                            " CLOCK",
		"Begun 2026-01-02 15:04:05":                                            "Begun CLOCK",
		`"start":"2026-01-02T15:04:05Z"`:                                       `"start":" CLOCK"`,
		"a1-b2 12 games, 3 states, p 0.5":                                      "a1-b2 12 games, 3 states, p 0.5",
	} {
		require.Equal(t, want, maskClocks([]string{line}), line)
	}
}
