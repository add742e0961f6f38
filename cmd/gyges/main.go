// Command gyges plays the board game Gygès: it lists moves, counts positions,
// plays games and tournaments between agents, and rates them.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"

	"gyges/agents"
	"gyges/rules/base/build"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
	"gyges/rules/base/textfmt"
)

// The exit codes.
const (
	exitOK          = 0
	exitNo          = 1   // the command did its work and the answer is "no", or it failed midway
	exitUsage       = 2   // the user's mistake: arguments or input files
	exitInterrupted = 130 // SIGINT or SIGTERM, as shells report it
)

func main() {
	// A heap of a few megabytes would be collected all the time, and a large one may grow by half in between, rather than
	// by as much again. This part of it is never touched, so it takes no memory.
	const untouched = 64 << 20
	floor := make([]byte, untouched)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal kills at once: the handler is gone after the first.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	runtime.KeepAlive(floor)
	os.Exit(code)
}

// errNo is returned by a command that has printed its answer, and it is "no".
var errNo = errors.New("the answer is no")

func answer(yes bool) error {
	if yes {
		return nil
	}
	return errNo
}

// failure is an error that is not the user's mistake.
type failure struct{ error }

func (f failure) Unwrap() error { return f.error }

// asFailure marks an error that is not the user's mistake.
func asFailure(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := newEnv(stdin, stdout, stderr)
	err := runCommand(ctx, e, args)
	if e.out.err != nil && ctx.Err() == nil {
		err = failure{fmt.Errorf("write the output: %w", e.out.err)}
	}
	code := exitCode(ctx, err)
	if err != nil && !errors.Is(err, errNo) && code != exitInterrupted {
		complain(e.err, err)
	}
	return code
}

func runCommand(ctx context.Context, e *env, args []string) error {
	var c cli
	parser, err := newParser(&c, e)
	if err != nil {
		return failure{err}
	}
	chosen, err := parse(parser, args)
	if errors.Is(err, errHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	if c.Verbose {
		e.level.Set(slog.LevelDebug)
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	chosen.BindTo(ctx, (*context.Context)(nil))
	return chosen.Run(e)
}

// parse finds the command that args name, and reads the others. If they ask for help, it prints it and returns errHelp.
func parse(parser *kong.Kong, args []string) (*kong.Context, error) {
	switch {
	case len(args) == 0:
		return nil, errors.New("expected a command; gyges --help lists them")
	case args[0] == "--version":
		args = append([]string{"version"}, args[1:]...)
	}
	chosen, err := parser.Parse(args)
	if err != nil && !errors.Is(err, errHelp) {
		return chosen, parseError(err)
	}
	for i := 0; err == nil && i < len(chosen.Path); i++ {
		switch at := chosen.Path[i]; {
		case at.Flag != nil:
			err = checkValue(at.Flag.Value, at.Flag.PlaceHolder)
		case at.Positional != nil:
			err = checkValue(at.Positional, "")
		}
	}
	return chosen, err
}

// checkValue refuses a value that is empty, or outside the bounds in its tag check: see package settings.
func checkValue(v *kong.Value, expected string) error {
	x := reflect.Indirect(v.Target)
	if v.Tag.Has("check") {
		if err := settings.InBounds(x, v.Tag.Get("check"), v.Tag.Get("zero")); err != nil {
			return fmt.Errorf("%s: %w", v.ShortSummary(), err)
		}
	}
	if expected != "" && x.Kind() == reflect.String && x.Len() == 0 && !v.Tag.Has("empty") {
		return fmt.Errorf("%s: expected %s, found \"\"", v.ShortSummary(), expected)
	}
	return nil
}

// plainer replaces messages of package kong.
var plainer = []struct {
	found *regexp.Regexp
	text  string
}{
	{regexp.MustCompile(`missing value, exp.*|expected string value but got "EOL".*`), "expected a value, found the end"},
	{regexp.MustCompile(`, found "EOL"$`), ", found the end"},
	{regexp.MustCompile(`expected "<key>=<value>" but got`), "expected NAME=COMMAND, found"},
	{regexp.MustCompile(`^(\S+): expected string .* got ("(.*)") \(.*`), "$1: expected a value, found $2; write $1=$3"},
	{regexp.MustCompile(`bool value must be .* but got `), "expected true or false, found "},
	{regexp.MustCompile(`^missing flags: `), "missing "},
	{regexp.MustCompile(`can't be used together`), "can't be combined"},
	{regexp.MustCompile(`^(unknown flag -[^-]), did.*`), "$1"},
}

var (
	enumMessage     = regexp.MustCompile(`^(\S+) must be one of "(?:",")?(.*)" but got (.*)`)
	commandsMessage = regexp.MustCompile(`^expected (?:one of )?"([^<]*)"$`)
)

// parseError words a mistake in the arguments, and adds which command prints help.
func parseError(err error) error {
	text, where := err.Error(), "gyges"
	var arguments []*kong.Positional
	if pe, ok := errors.AsType[*kong.ParseError](err); ok && pe.Context != nil && pe.Context.Selected() != nil {
		where, arguments = pe.Context.Selected().FullPath(), pe.Context.Selected().Positional
	} else {
		text = strings.Replace(text, "unexpected argument", "unknown command", 1)
	}
	for _, p := range plainer {
		text = p.found.ReplaceAllString(text, p.text)
	}
	if m := enumMessage.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("%s: expected %s, found %s", m[1], suggest.OneOf(strings.Split(m[2], `","`)), m[3])
	}
	if m := commandsMessage.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("expected %s after %s", suggest.OneOf(strings.Split(m[1], `", "`)), where)
	}
	if strings.HasPrefix(text, `expected "<`) {
		usage, missing := where, ""
		for _, a := range arguments {
			usage += " " + strings.ToUpper(a.Name)
			if missing == "" && !a.Set {
				missing = cmp.Or(a.Tag.Get("what"), strings.ToUpper(a.Name))
			}
		}
		text = fmt.Sprintf("expected %s: %s", missing, usage)
	}
	return fmt.Errorf("%s; see %s --help", text, where)
}

func exitCode(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return exitInterrupted
	case errors.Is(err, errNo), errors.As(err, new(failure)), errors.As(err, new(*agents.HostFailure)),
		errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EIO): // the disk's
		return exitNo
	default:
		return exitUsage
	}
}

// complain prints the lines of an error after the program's name. What the user typed may be in it, so it is escaped.
func complain(w *output, err error) {
	const maxMessage = 2000 // bytes of a line; longer ones come from libraries and lists of values
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			w.printf("%s %s\n", styled(w, red, "gyges:"), textfmt.Escape(textfmt.Cut(line, maxMessage)))
		}
	}
}

// output writes to w until the first error, which it keeps, so that commands needn't check every print.
type output struct {
	w     io.Writer
	err   error
	mu    sync.Mutex
	drawn int // lines of progress at the end of a terminal, see draw
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.write(p)
}

// write writes a text in place of the progress. The caller holds the lock.
func (o *output) write(p []byte) (int, error) {
	if o.err == nil && o.drawn > 0 {
		_, o.err = io.WriteString(o.w, "\r\x1b[K"+strings.Repeat("\x1b[1A\x1b[K", o.drawn-1))
		o.drawn = 0
	}
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// draw shows lines of progress on a terminal until something else is written; none removes them.
func (o *output) draw(lines ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = o.write([]byte(strings.Join(lines, "\n")))
	o.drawn = len(lines)
}

// printf writes text for people: words are not broken at the edge of a terminal.
func (o *output) printf(format string, args ...any) { o.print(fmt.Sprintf(format, args...)) }

func (o *output) print(text string) {
	if o.terminal() != nil {
		text = textfmt.Fit(text, tableWidth(o))
	}
	_, _ = io.WriteString(o, text)
}

// warn writes a line on something that was left out or may be wrong.
func (o *output) warn(format string, args ...any) {
	o.printf("%s "+format+"\n", append([]any{styled(o, yellow, "gyges:")}, args...)...)
}

type versionCmd struct{}

func (versionCmd) Run(e *env) error {
	_, err := fmt.Fprintln(e.out, version())
	return err
}

func version() string { return build.Read().String() }
