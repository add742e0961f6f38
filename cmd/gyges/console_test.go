package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxShown bounds the lines of an output that are written anew if there was none.
const maxShown = 15

// rest is the line that stands for the rest of an output.
const rest = "…"

// step is a command of a console block and the output shown.
type step struct {
	command string // as it stands, with the prompt and a here-document
	args    []string
	input   string // the here-document
	example bool   // its output isn't compared
	runs    bool
	shown   []string
	after   string // blank lines before the next command
}

// consoleSteps returns the commands of a console block.
func consoleSteps(t *testing.T, block string) (list []*step) {
	var commands []string // each with its output
	for part := range strings.SplitSeq("\n"+strings.TrimRight(block, "\n"), "\n$ ") {
		commands = append(commands, part)
	}
	require.Empty(t, commands[0], "a console block begins with a command")
	for _, text := range commands[1:] {
		lines := strings.Split(text, "\n")
		n := 1
		for strings.HasSuffix(lines[n-1], `\`) {
			n++
		}
		if strings.HasSuffix(lines[n-1], "<<'END'") {
			n += 1 + slices.Index(lines[n:], "END")
		}
		script := strings.Join(lines[:n], "\n")
		words, comments, err := parseShell(script, nil)
		require.NoError(t, err, script)
		require.Len(t, words, 1, "a console block has single commands: %s", script)
		args, ok := gygesArgs(words[0])
		require.True(t, ok, "a console block has commands of gyges: %s", script)
		s := &step{command: "$ " + script + "\n", args: args, example: slices.Contains(comments, "example")}
		_, s.input, _ = strings.Cut(strings.TrimSuffix(script, "END"), "<<'END'\n")
		s.shown = lines[n:]
		for last := len(s.shown) - 1; last >= 0 && s.shown[last] == ""; last-- {
			s.shown = s.shown[:last]
			s.after += "\n"
		}
		list = append(list, s)
	}
	return list
}

// runConsoles runs the commands of the document's console blocks, or only parses them, and compares what
// they print with what is shown. Examples run with all, or if a later command reads what they write.
func (d *document) runConsoles(t *testing.T, all, parseOnly bool) {
	update := os.Getenv("UPDATE_DOCUMENTS") != "" && !parseOnly
	blocks := map[int][]*step{}
	var steps []*step
	for i, b := range d.blocks {
		if b.language == "console" {
			blocks[i] = consoleSteps(t, b.text)
			steps = append(steps, blocks[i]...)
		}
	}
	read := "" // the arguments of later commands that run
	for _, s := range slices.Backward(steps) {
		isRead := func(arg string) bool { return strings.HasPrefix(arg, "results/") && strings.Contains(read, arg) }
		s.runs = !s.example || all || update || slices.ContainsFunc(s.args, isRead)
		if s.runs {
			read += strings.Join(s.args, " ") + " "
		}
	}
	dir := workFolder(t)
	texts := map[int]string{}
	for i := range d.blocks {
		for _, s := range blocks[i] {
			if s.runs && !parseOnly {
				s.run(t, dir, update)
			} else {
				require.NoError(t, checkArgs(s.args), s.command)
			}
			texts[i] += s.command
			for _, line := range s.shown {
				texts[i] += line + "\n"
			}
			texts[i] += s.after
		}
	}
	if update {
		d.replace(t, texts)
	}
}

// run runs the command in a folder and compares what it prints with what is shown, or takes its place
// with as many lines if that was cut.
func (s *step) run(t *testing.T, dir string, update bool) {
	if _, missing := exec.LookPath("python3"); missing != nil && strings.Contains(s.command, "python3") {
		return
	}
	args := s.args
	isLong := s.example && len(args) > 1 && args[0] == "tournament" && strings.HasSuffix(args[1], ".yaml")
	if isLong && !update {
		args = append(slices.Clone(args), "--pairs", "1")
	}
	cmd := exec.CommandContext(t.Context(), "gyges", args...) // the test's program; see TestMain
	var out, errText bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(s.input), &out, &errText
	cmd.Env = append(cmd.Environ(), "COLUMNS=") // the width of texts
	err := cmd.Run()
	if len(s.shown) > 0 && strings.HasPrefix(s.shown[0], "gyges: ") {
		require.Error(t, err, "%s%s", s.command, &out)
	} else {
		require.NoError(t, err, "%s%s%s", s.command, &out, &errText)
	}
	if s.example && !update {
		return
	}
	if out.Len() == 0 {
		out = errText // a mistake; otherwise stderr has the progress
	}
	var got []string
	if text := strings.TrimRight(trailingSpace.ReplaceAllString(out.String(), ""), "\n"); text != "" {
		got = strings.Split(text, "\n")
	}
	most := len(got)
	if n := len(s.shown); n > 0 && s.shown[n-1] == rest {
		most = n - 1
	} else if update && len(got) > maxShown && (n == 0 || s.example) {
		most = maxShown - 1
	}
	if most < len(got) {
		got = append(slices.Clone(got[:most]), rest)
	}
	if maskClocks(got) == maskClocks(s.shown) {
		return
	}
	if !update {
		require.Equal(t, maskClocks(s.shown), maskClocks(got), s.command)
	}
	s.shown = got
}

var trailingSpace = regexp.MustCompile(`(?m) +$`)

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
