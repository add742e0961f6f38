// Command gyges plays the board game Gygès: it lists moves, counts positions, plays games and
// tournaments between agents, and rates them.
//
// Each command has a type in a file of its own, whose fields are its flags and whose method Run
// calls one of the other packages and prints what it returns. Begin with [cli], the list of the
// commands. [run] finds the one that is named on the command line and runs it with an [env]: the
// three standard streams, the log and the kinds of agents. Its error decides the exit code. What
// several commands share is in run.go (runs of games), rate.go (ratings), games.go (records),
// rules.go (rules and positions), files.go, terminal.go and progress.go.
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
	// A heap of a few megabytes would be collected all the time, and a large one may grow by half
	// in between, rather than by as much again. This part of it is never touched, so it takes no
	// memory.
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

// answer returns the error of a command that has printed a yes or a no.
func answer(yes bool) error {
	if yes {
		return nil
	}
	return errNo
}

// failure is an error that is not the user's mistake: the machine's, an engine's, or one of the
// program. It decides the exit code and is never printed as such.
type failure struct{ error }

// Unwrap returns the error that is marked.
func (f failure) Unwrap() error { return f.error }

// asFailure marks an error that is not the user's mistake.
func asFailure(err error) error {
	if err == nil {
		return nil
	}
	return failure{err}
}

// run runs the command that args name, and returns the exit code of the program.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	e := newEnv(stdin, stdout, stderr)
	err := runCommand(ctx, e, args)
	// Commands don't check what they print, so an error in writing comes up here.
	if e.out.err != nil && ctx.Err() == nil {
		err = failure{fmt.Errorf("write the output: %w", e.out.err)}
	}
	code := exitCode(ctx, err)
	if err != nil && !errors.Is(err, errNo) && code != exitInterrupted {
		complain(e.err, err)
	}
	return code
}

// runCommand reads the command line and runs the command. It returns nil after help.
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
	// The log is made before the flags are known, so its level can be changed.
	if c.Verbose {
		e.level.Set(slog.LevelDebug)
	}
	if err := e.engines.Open(c.EngineLog); err != nil {
		return fileError("--engine-log", err)
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	chosen.BindTo(ctx, (*context.Context)(nil))
	return chosen.Run(e)
}

// parse finds the command that args name, and reads the others. If they ask for help, it prints it
// and returns errHelp.
func parse(parser *kong.Kong, args []string) (*kong.Context, error) {
	// Help is long, so it is printed only where it is asked for.
	if len(args) == 0 {
		return nil, errors.New("expected a command; gyges --help lists them")
	}
	if args[0] == "--version" {
		args = append([]string{"version"}, args[1:]...)
	}
	chosen, err := parser.Parse(args)
	if errors.Is(err, errHelp) {
		return chosen, err
	}
	if err != nil {
		return chosen, parseError(err)
	}
	// Kong has read the values. What their tags say of bounds is for package settings.
	for _, given := range chosen.Path {
		if given.Flag != nil {
			err = checkValue(given.Flag.Value, given.Flag.PlaceHolder)
		}
		if given.Positional != nil {
			err = checkValue(given.Positional, "")
		}
		if err != nil {
			return chosen, err
		}
	}
	return chosen, nil
}

// checkValue refuses a value that is outside the bounds in its tag check, see package settings, or
// empty where something is expected.
func checkValue(v *kong.Value, expected string) error {
	// A flag without a default may be a pointer.
	x := reflect.Indirect(v.Target)
	if v.Tag.Has("check") {
		bounds, zero := v.Tag.Get("check"), v.Tag.Get("zero")
		err := settings.InBounds(x, bounds, zero)
		if err != nil {
			return fmt.Errorf("%s: %w", v.ShortSummary(), err)
		}
	}
	empty := x.Kind() == reflect.String && x.Len() == 0
	if empty && expected != "" && !v.Tag.Has("empty") {
		return fmt.Errorf("%s: expected %s, found \"\"", v.ShortSummary(), expected)
	}
	return nil
}

// plainer replaces messages of package kong. Above each line is a message that it is for.
var plainer = []struct {
	found *regexp.Regexp
	text  string
}{
	// --multi: missing value, expected integer
	{regexp.MustCompile(`missing value, exp.*`), "expected a value, found the end"},
	// --agent: expected string value but got "EOL" (EOL)
	{regexp.MustCompile(`expected string value but got "EOL".*`),
		"expected a value, found the end"},
	// --depth: expected a number, found "EOL"
	{regexp.MustCompile(`, found "EOL"$`), ", found the end"},
	// --engine: expected "<key>=<value>" but got "mine"
	{regexp.MustCompile(`expected "<key>=<value>" but got`), "expected NAME=COMMAND, found"},
	// --out: expected string value but got "-x" (short flag)
	{regexp.MustCompile(`^(\S+): expected string .* got ("(.*)") \(.*`),
		"$1: expected a value, found $2; write $1=$3"},
	// --strict: bool value must be true, 1, yes, false, 0 or no but got "maybe"
	{regexp.MustCompile(`bool value must be .* but got `), "expected true or false, found "},
	// missing flags: --south=AGENT
	{regexp.MustCompile(`^missing flags: `), "missing "},
	// --epd and --split can't be used together
	{regexp.MustCompile(`can't be used together`), "can't be combined"},
	// unknown flag -x, did you mean "-q"?
	{regexp.MustCompile(`^(unknown flag -[^-]), did.*`), "$1"},
}

// Messages of package kong that list what may stand in a place.
var (
	// --format must be one of "text","json" but got "xml"
	enumMessage = regexp.MustCompile(`^(\S+) must be one of "(?:",")?(.*)" but got (.*)`)
	// expected one of "texel", "spsa"
	commandsMessage = regexp.MustCompile(`^expected (?:one of )?"([^<]*)"$`)
)

// parseError words a mistake in the arguments, and adds which command prints help.
func parseError(err error) error {
	text := err.Error()
	var command *kong.Node // nil: the program
	if e, ok := errors.AsType[*kong.ParseError](err); ok && e.Context != nil {
		command = e.Context.Selected()
	}
	// A mistake before the command is known is one in the name of a command.
	where := "gyges"
	if command != nil {
		where = command.FullPath()
	} else {
		text = strings.Replace(text, "unexpected argument", "unknown command", 1)
	}
	// First the words are replaced, then whole messages that list what is possible.
	for _, p := range plainer {
		text = p.found.ReplaceAllString(text, p.text)
	}
	if m := enumMessage.FindStringSubmatch(text); m != nil {
		choices := suggest.OneOf(strings.Split(m[2], `","`))
		text = fmt.Sprintf("%s: expected %s, found %s", m[1], choices, m[3])
	}
	if m := commandsMessage.FindStringSubmatch(text); m != nil {
		commands := suggest.OneOf(strings.Split(m[1], `", "`))
		text = fmt.Sprintf("expected %s after %s", commands, where)
	}
	if strings.HasPrefix(text, `expected "<`) {
		text = "expected " + missingArgument(command)
	}
	return fmt.Errorf("%s; see %s --help", text, where)
}

// missingArgument returns what the first argument that is missing is, and the command with all
// arguments.
func missingArgument(command *kong.Node) string {
	missing, usage := "", command.FullPath()
	for _, a := range command.Positional {
		name := strings.ToUpper(a.Name)
		usage += " " + name
		if missing == "" && !a.Set {
			missing = cmp.Or(a.Tag.Get("what"), name)
		}
	}
	return missing + ": " + usage
}

// wasInterrupted reports whether an error is that of a context that was cancelled.
func wasInterrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// exitCode returns the exit code of the program after a command has returned an error or nil.
func exitCode(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return exitOK
	case wasInterrupted(ctx, err):
		return exitInterrupted
	case errors.Is(err, errNo), errors.As(err, new(failure)):
		return exitNo
	case errors.As(err, new(*agents.HostFailure)):
		return exitNo
	// The disk is full or broken, which the user may not have caused.
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return exitNo
	case errors.Is(err, syscall.EIO):
		return exitNo
	}
	return exitUsage
}

// complain prints the lines of an error after the program's name.
func complain(w *output, err error) {
	const maxMessage = 2000 // bytes of a line; longer ones come from libraries and lists of values
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if line != "" {
			w.printf("%s %s\n", styled(w, red, "gyges:"), textfmt.Cut(line, maxMessage))
		}
	}
}

// output writes to w until the first error, which it keeps, so that commands needn't check every
// print: [run] looks at the error when the command has ended. Several goroutines may write.
//
// On a terminal it may have lines of progress at its end, which [output.draw] replaces and which
// any other text takes the place of.
type output struct {
	w     io.Writer
	err   error
	mu    sync.Mutex
	drawn int // lines of progress at the end of a terminal, see draw
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.write(p)
}

// write writes a text in place of the progress. The caller holds the lock.
func (o *output) write(p []byte) (int, error) {
	if o.err == nil && o.drawn > 0 {
		// Lines are erased from the last one up.
		const eraseLine, lineUp = "\x1b[K", "\x1b[1A"
		above := strings.Repeat(lineUp+eraseLine, o.drawn-1)
		_, o.err = io.WriteString(o.w, "\r"+eraseLine+above)
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

// printf is print of one line, or of a part of it. Strings among the arguments are escaped: names
// and texts may come from files and from other machines.
func (o *output) printf(format string, args ...any) {
	for i, arg := range args {
		if text, isText := arg.(string); isText {
			args[i] = textfmt.Escape(text)
		}
	}
	o.print(fmt.Sprintf(format, args...))
}

// print writes text for people as it is: words are not broken at the edge of a terminal.
func (o *output) print(text string) {
	if o.terminal() != nil {
		text = textfmt.Fit(text, tableWidth(o))
	}
	_, _ = io.WriteString(o, text)
}

// warn writes a line on something that was left out or may be wrong.
func (o *output) warn(format string, args ...any) {
	mark := styled(o, yellow, "gyges:")
	o.printf("%s "+format+"\n", append([]any{mark}, args...)...)
}

// versionCmd prints the version of the program.
type versionCmd struct{}

// Run prints the version, as it is built into the program.
func (versionCmd) Run(e *env) error {
	_, err := fmt.Fprintln(e.out, version())
	return err
}

// version names the version in manifests and protocols, too.
func version() string { return build.Read().String() }
