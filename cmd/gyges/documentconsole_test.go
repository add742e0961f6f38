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
