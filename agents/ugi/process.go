package ugi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"gyges/agents"
	"gyges/rules/base/files"
)

const (
	maxLine    = 64 << 10 // bytes in a line from an engine, its end included
	floodLines = 20_000   // from one command to its answer
	floodBytes = 8 << 20  // in these lines

	writingTime = 10 * time.Second // for an engine to read what is sent to it
	endingTime  = time.Second      // for a program that closed its output to end, on a busy machine
	killingTime = 5 * time.Second  // for the system to end a program that was killed

	tick = 10 * time.Millisecond // of the system's clock, by which files have their times
)

// process is a running engine, whose lines it sends and receives. Its methods are for one
// goroutine.
type process struct {
	cmd     *exec.Cmd
	trace   *trace
	started time.Time // as times of files tell it, which are behind by up to a tick

	// Pipes to the engine's standard input, and from its output and its error output.
	stdin          io.WriteCloser
	stdout, stderr io.ReadCloser

	lines   chan textLine // closed at the end of its output
	drained chan struct{} // closed when its stderr has been read
	exited  chan struct{} // closed when the program has ended and been reaped
	status  string        // how it has ended
	killed  bool
	left    atomic.Bool // it ended by itself, and processes that it had started ran on

	// The times from bestmove until more was sent: how long they were, and how much processor time
	// the program used in them.
	idle, computed time.Duration
	used           time.Duration // until bestmove; 0: more was sent since, or it isn't known

	// What was received since lines were sent last.
	linesRead, bytesRead int
	lastRead             time.Time
}

// textLine is a line from a host or an engine; with an error, what came before the end, or of a
// line too long.
type textLine struct {
	text string
	read time.Time // of an engine's line
	err  error
}

// launch starts a program. The error is an [agents.Failure], or an [agents.HostFailure].
func launch(command []string, dir string, t *trace) (*process, error) {
	//nolint:noctx // it outlives the calls that have a context
	cmd := exec.Command(command[0], command[1:]...)
	p := &process{
		cmd:     cmd,
		trace:   t,
		started: time.Now().Add(-tick),
		lines:   make(chan textLine),
		drained: make(chan struct{}),
		exited:  make(chan struct{}),
	}
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), isSecret)
	isolate(cmd)
	mark := bindLifetime(cmd)
	var inErr, outErr, stderrErr error
	p.stdin, inErr = cmd.StdinPipe()
	p.stdout, outErr = cmd.StdoutPipe()
	p.stderr, stderrErr = cmd.StderrPipe()
	if err := errors.Join(inErr, outErr, stderrErr); err != nil {
		cmd.Err = err // Start closes the other pipes and returns it
	}
	// Starting and waiting for the end are done by one goroutine.
	started := make(chan error)
	go p.run(mark, started)
	if err := <-started; err != nil {
		err = fmt.Errorf("can't start %.60q: %w", command[0], files.Plain(err))
		if files.HostLacks(err) {
			return nil, &agents.HostFailure{Err: err}
		}
		return nil, failure(agents.Crashed, "%w", err)
	}
	t.write(remark, fmt.Appendf(nil, "process %d: %s", cmd.Process.Pid, cmd))
	go p.readLines()
	go func() {
		defer close(p.drained)
		t.drain(p.stderr)
	}()
	return p, nil
}

// isSecret reports whether a variable of the environment is one of this program's credentials.
func isSecret(variable string) bool {
	name := strings.ToUpper(variable) // some systems don't distinguish case
	return strings.HasPrefix(name, "GYGES_NATS_") || strings.HasPrefix(name, "GYGES_TLS_")
}

// run starts the program and blocks until it has ended. It does both in one
// thread, which lives as long as the program: see bindLifetime.
func (p *process) run(mark string, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	// Cmd.Wait would close the pipes before they have been read.
	state, err := p.cmd.Process.Wait()
	p.status = state.String()
	if err != nil {
		p.status = err.Error()
	}
	left := killMarked(mark)
	_ = killGroup(p.cmd) // what it left behind holds the pipes open
	p.left.Store(left && err == nil && state.Exited())
	close(p.exited)
}

// readLines passes the engine's lines on until its output ends.
func (p *process) readLines() {
	defer close(p.lines)
	lines := files.NewLineReader(p.stdout, maxLine)
	lines.MaxRead = maxLine
	for text, err := range lines.All() {
		if lines.Torn() {
			err = io.EOF
		}
		p.lines <- textLine{strings.TrimSuffix(text, "\r"), time.Now(), err}
	}
}

// send sends lines, each with its end.
func (p *process) send(text []byte) error {
	for line := range bytes.Lines(text) {
		p.trace.add(fromHost, bytes.TrimSuffix(line, []byte("\n")))
	}
	p.linesRead = 0
	p.bytesRead = 0
	if p.used > 0 {
		p.idle += time.Since(p.lastRead)
		p.computed += processorTime(p.cmd.Process.Pid) - p.used
		p.used = 0
	}
	// Only the end of an engine that doesn't read ends the writing.
	killer := time.AfterFunc(writingTime, func() { _ = p.killRunning() })
	_, err := p.stdin.Write(text)
	if inTime := killer.Stop(); !inTime {
		return failure(agents.TimedOut, "the engine does not read its input")
	}
	if err != nil {
		return p.ended("input", "")
	}
	return nil
}

// errLate is the error of an engine whose time to answer is over.
var errLate = errors.New("no answer in time")

// converse sends lines, and passes the engine's to handle, the first word apart, until that reports
// that it is done or returns an error, or the time is over. The error is handle's, errLate, the
// context's, or an [agents.Failure].
func (p *process) converse(ctx context.Context, lines []byte, limit time.Duration,
	handle func(word, rest string) (done bool, err error),
) error {
	if err := p.send(lines); err != nil {
		return err
	}
	late := time.After(limit)
	for {
		var line textLine
		var open bool
		select {
		case line, open = <-p.lines:
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			return errLate
		}
		switch {
		case errors.Is(line.err, files.ErrEndless):
			return broken("expected lines of at most %d bytes, found a longer one", maxLine)
		case line.err != nil || !open:
			return p.ended("output", line.text)
		}
		p.trace.add(fromEngine, []byte(line.text))
		p.lastRead = line.read
		p.linesRead++
		p.bytesRead += len(line.text) + len("\n")
		if p.linesRead > floodLines || p.bytesRead > floodBytes {
			return broken(
				"the engine floods its output: more than %d lines or %d bytes without an answer",
				floodLines, floodBytes)
		}
		text := strings.TrimSpace(strings.ReplaceAll(line.text, "\t", " "))
		word, rest, _ := strings.Cut(text, " ")
		done, err := handle(word, strings.TrimSpace(rest))
		if done || err != nil {
			return err
		}
	}
}

// failure returns the failure of an engine.
func failure(kind agents.FailureKind, format string, args ...any) error {
	return &agents.Failure{Kind: kind, Err: fmt.Errorf(format, args...)}
}

// broken returns the failure of an engine that breaks the protocol.
func broken(format string, args ...any) error {
	return failure(agents.BrokeProtocol, format, args...)
}

// ended kills a program that has closed its input or its output, this after a rest of a line or "",
// and returns its failure.
func (p *process) ended(closed, rest string) error {
	how := "closed its " + closed + " and runs on"
	if p.exitsWithin(endingTime) {
		how = "ended (" + p.status + ")"
	}
	if rest != "" {
		p.trace.add(fromEngine, []byte(rest))
		how += " in the middle of a line"
	}
	_ = p.kill() // it failed already
	if why := p.trace.lastError(); why != "" {
		how += ": " + why
	}
	return failure(agents.Crashed, "the engine %s", how)
}

// hasEnded reports whether the program has ended.
func (p *process) hasEnded() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// exitsWithin blocks until the program has ended or the time is over, and reports whether it has
// ended.
func (p *process) exitsWithin(limit time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(limit):
		return false
	}
}

// quit sends quit, closes the program's input, kills it after the grace, and reports whether it had
// ended.
func (p *process) quit(grace time.Duration) (obeyed bool, err error) {
	_ = p.send([]byte("quit\n")) // it may have ended already
	_ = p.stdin.Close()
	obeyed = p.exitsWithin(grace)
	if !obeyed {
		p.trace.add(remark, []byte("did not quit and was killed"))
	}
	return obeyed, p.kill()
}

// killRunning kills the program's group, unless that has been done when the program
// ended: its number may be another process's by now.
func (p *process) killRunning() error {
	if p.hasEnded() {
		return nil
	}
	return killGroup(p.cmd)
}

// kill ends the program and all it started, and blocks until nothing is left of
// it: no process, no goroutine. The second time it does nothing.
func (p *process) kill() error {
	if p.killed {
		return nil
	}
	p.killed = true
	err := p.killRunning()
	if !p.exitsWithin(killingTime) {
		err = errors.Join(err, fmt.Errorf("the engine's process %d does not end",
			p.cmd.Process.Pid))
	}
	// The trace needs what it said last. A process that has left the group may hold the pipe open.
	select {
	case <-p.drained:
	case <-time.After(endingTime):
	}
	_ = p.stdin.Close()
	_ = p.stdout.Close()
	_ = p.stderr.Close()
	<-p.drained
	for range p.lines { // until the goroutine that reads them has ended
	}
	return err
}
