package ugi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules/base/files"
)

const (
	defaultStart = 10 * time.Second // for a program to send ugiok

	quitGrace  = time.Second // for a program to end after quit
	maxOptions = 1000        // of a program, more are ignored
	maxPly     = 1000        // the highest depth, and the results of a search that are kept

	notReady = "the engine did not send readyok within %v"
)

// client holds the dialogue with a program, which it starts.
type client struct {
	command []string
	dir     string
	label   string // in the log
	log     *Log   // nil: none

	proc    *process        // nil: it doesn't run
	program *agents.Program // as it was started last; nil: it never was
	trace   trace

	// What the program has been told since it started.
	untold bool        // no options of the spec, or those of another one
	sent   limitValues // set as options

	introduction
	pending pendingAnswers
	twice   bool     // it has answered a go twice
	results []result // of the last search, by depth
	answer  result   // of the last search
}

// introduction is what the program says of itself when it starts.
type introduction struct {
	name      string
	offered   []option
	announced []string // the lines of these options, bounded
	named     bool     // options are set as in UCI, with the words name and value
	extended  bool     // it supports our extensions
}

// pendingAnswers are the answers that the program has not sent yet.
type pendingAnswers struct {
	ready, move bool
	// again is how many more readyok come while bestmove may come a second time, since stop was
	// sent as it answered.
	again int
}

// any reports whether readyok or bestmove is to come.
func (p *pendingAnswers) any() bool { return p.ready || p.move }

// commandWord is a word of a command: double quotes hold blanks together. An open quote ends with
// the command.
var commandWord = regexp.MustCompile(`(?:"[^"]*(?:"|$)|[^\s"])+`)

// splitCommand splits a command into words at blanks, without a shell.
func splitCommand(text string) []string {
	words := commandWord.FindAllString(text, -1)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], `"`, "")
	}
	return words
}

// CheckCommand returns an error unless a command, as in the parameter cmd, starts an engine. One
// that takes longer than by default may have more time in a spec.
func CheckCommand(ctx context.Context, command string) error {
	c := &client{command: splitCommand(command)}
	if err := findProgram(c.command, ""); err != nil {
		return err
	}
	err := c.launch(ctx, defaultStart)
	failure, failed := errors.AsType[*agents.Failure](err)
	if failed && failure.Kind == agents.TimedOut {
		return nil
	}
	return errors.Join(err, c.Close())
}

// findProgram checks that there is a program to start in a folder; "": here.
func findProgram(command []string, dir string) error {
	if len(command) == 0 {
		return errors.New("expected cmd=PROGRAM, found none; engine=NAME is for workers alone")
	}
	// exec.LookPath looks from here, and the program is started from dir.
	path := command[0]
	if dir != "" {
		if _, err := os.Stat(dir); err != nil {
			return fmt.Errorf("parameter dir: %w", files.Plain(err))
		}
		// A name without a separator is looked for in the search path.
		isPath := strings.ContainsRune(path, filepath.Separator)
		if isPath && !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
	}
	_, err := exec.LookPath(path)
	missing, ok := errors.AsType[*exec.Error](err)
	if ok && !errors.Is(err, exec.ErrDot) {
		return fmt.Errorf("parameter cmd: %.60q: %w", missing.Name, missing.Err)
	}
	return nil
}

// launch starts the program and blocks until ugiok. A program that fails, or has not answered when
// ctx ends, is killed.
func (c *client) launch(ctx context.Context, limit time.Duration) error {
	// Nothing is left of the program that ran before.
	c.introduction = introduction{}
	c.pending = pendingAnswers{}
	c.trace = trace{}
	c.trace.file, c.trace.err = c.log.create(c.label)
	proc, err := launch(c.command, c.dir, &c.trace)
	if err != nil {
		_ = c.trace.file.Close() // nothing was written
		return err
	}
	c.proc = proc
	listen := func(word, rest string) (done bool, err error) {
		switch word {
		case "id":
			if name, ok := strings.CutPrefix(rest, "name "); ok {
				c.name = name
			}
		case "option":
			c.addOption(rest)
		}
		return word == "ugiok", nil
	}
	err = proc.converse(ctx, []byte("ugi\n"), limit, listen)
	if err != nil {
		c.kill()
	}
	return timedOut(err, "the engine did not send ugiok within %v; usual causes: "+
		"it doesn't flush its output, or it speaks UCI (uciok), not UGI", limit)
}

// kill ends a program in an unknown state.
func (c *client) kill() {
	if c.proc != nil {
		_ = c.proc.kill() // an error before says more
		c.note(c.proc)
		c.proc = nil
	}
}

// note notes what a process that has ended did beside playing.
func (c *client) note(p *process) {
	if p.left.Load() {
		c.log.note(c.label, "the engine left processes of its own behind, which were killed")
	}
	// Some time may be needed to collect garbage or compile; the bounds are chosen, not measured.
	if p.computed > max(time.Second, p.idle/10) {
		c.log.note(c.label, "the engine went on computing after bestmove")
	}
	_ = c.trace.file.Close() // what was written has been checked
	if err := errors.Unwrap(c.trace.err); err != nil {
		c.log.note(c.label, "the engine has no complete log: "+err.Error())
	}
}

// Close ends the program.
func (c *client) Close() error {
	if c.proc == nil {
		return nil
	}
	p := c.proc
	c.proc = nil
	if c.pending.move { // it may not read quit before it has answered
		_ = p.send([]byte("stop\n"))
	}
	obeyed, err := p.quit(quitGrace)
	if !obeyed {
		c.log.note(c.label, "the engine did not end within a second of quit and was killed")
	}
	c.note(p)
	return err
}

// offers reports whether the program has an option.
func (c *client) offers(name string) bool {
	_, found := c.option(name)
	return found
}

// timedOut turns errLate into a failure and leaves other errors as they are.
func timedOut(err error, format string, limit time.Duration) error {
	if errors.Is(err, errLate) {
		return failure(agents.TimedOut, format, limit)
	}
	return err
}

// wait sends commands that end in isready, or none, and blocks until no answer
// of the program is outstanding, also none to a search that was cancelled.
func (c *client) wait(ctx context.Context, commands string, limit time.Duration) error {
	if c.proc == nil {
		return nil
	}
	// Commands end in isready, so they are answered, too.
	if commands != "" {
		c.pending.ready = true
	}
	if !c.pending.any() {
		return nil
	}
	listen := func(word, _ string) (done bool, err error) {
		switch word {
		case "readyok":
			c.pending.ready = false
		case "bestmove":
			if !c.pending.move && c.pending.again == 0 {
				c.twice = true
			}
			c.pending.move = false
		}
		return !c.pending.any(), nil
	}
	err := c.proc.converse(ctx, []byte(commands), limit, listen)
	return timedOut(err, notReady, limit)
}

// search sends lines that end in isready and go, and keeps the answer. The engine must be ready in
// time; after the budget search sends stop, and the answer must come within the grace then.
func (c *client) search(
	ctx context.Context, lines []byte, ready, budget, grace time.Duration,
) error {
	c.results = c.results[:0]
	c.answer = result{}
	c.pending.ready = true
	c.pending.move = true

	// The budget has begun, too, while the engine has not said that it is ready.
	err := c.proc.converse(ctx, lines, min(ready, budget), c.handleLine)
	if errors.Is(err, errLate) && ready < budget {
		if c.pending.ready {
			return timedOut(err, notReady, ready)
		}
		err = c.proc.converse(ctx, nil, budget-ready, c.handleLine)
	}
	if errors.Is(err, errLate) {
		c.pending.again = 1
		if c.pending.ready { // that readyok answers what was sent before stop
			c.pending.again = 2
		}
		err = c.proc.converse(ctx, []byte("stop\n"), grace, c.handleLine)
	}
	if err == nil {
		c.proc.used = processorTime(c.proc.cmd.Process.Pid)
	}
	if err != nil && ctx.Err() != nil {
		_ = c.proc.send([]byte("stop\n")) // wait receives the answer when the program is used again
	}
	late := "the engine gave no move within %v, its grace included"
	if c.pending.ready {
		late = notReady + ", its grace included: the time of a move begins with isready"
	}
	return timedOut(err, late, budget+grace)
}

// handleLine handles a line that follows go, and reports whether it is the answer.
// What comes before readyok belongs to an earlier search.
func (c *client) handleLine(word, rest string) (done bool, err error) {
	if c.pending.ready {
		switch {
		case word == "readyok":
			c.pending.ready = false
			c.pending.again = max(c.pending.again-1, 0)
		case word == "bestmove" && c.pending.again == 0:
			c.twice = true
			return false, broken("the engine answered twice: %.120q came before the next go",
				word+" "+rest)
		}
		return false, nil
	}
	if word == "info" && len(c.results) < maxPly {
		var r result
		r.read(rest)
		if r.move != "" {
			c.results = append(c.results, r)
		}
	}
	if word != "bestmove" {
		return false, nil
	}
	move, more, _ := strings.Cut(rest, " ")
	if move == "" {
		return false, broken("expected a move after bestmove, found none")
	}
	c.pending.move = false
	// The line may repeat what the last info line says of the move, or only name it.
	if n := len(c.results); n > 0 && c.results[n-1].move == move {
		c.answer = c.results[n-1]
	}
	c.answer.read(more)
	c.answer.move = move
	return true, nil
}

// result is what an engine reports of a search in lines info and bestmove.
type result struct {
	move   string
	depth  int
	score  float64
	scored bool
	nodes  int64
}

// read sets the fields from what follows info or bestmove M. Unknown words and invalid numbers are
// skipped: only the move has to be right.
func (r *result) read(text string) {
	key := "" // of the value that comes next
	for value := range strings.FieldsSeq(text) {
		switch key {
		case "pv": // its first move is the best one; what follows is no pair
			r.move = cmp.Or(r.move, value)
			return
		case "string":
			return
		case "ply", "depth":
			n, err := strconv.Atoi(value)
			if err == nil && 0 <= n && n <= maxPly {
				r.depth = n
			}
		case "bestmove":
			r.move = value
		case "score":
			x, err := strconv.ParseFloat(value, 64)
			if err == nil && math.Abs(x) <= math.MaxFloat64 { // no NaN and no infinity
				r.score = x
				r.scored = true
			}
		case "nodes":
			n, err := strconv.ParseInt(value, 10, 64)
			if err == nil && n >= 0 {
				r.nodes = n
			}
		default:
			key = value
			continue
		}
		key = ""
	}
}

// agentScore returns the score in the units of agents. One of a program without the
// extensions, in an unknown unit, counts as hundredths of a point and never as proven.
func (r *result) agentScore(extended bool) agents.Score {
	top := float64(agents.MaxEval)
	if extended {
		top = float64(agents.WinTop)
	}
	score := min(max(r.score, -top), top)
	return agents.Score(math.Round(score))
}
