package ugi

import (
	"bufio"
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
	"sync"
	"time"

	"gyges/agents"
	"gyges/rules/base/files"
	"gyges/rules/base/textfmt"
)

const (
	maxAnswer  = 64 << 10 // bytes in a line from an engine, its end included
	floodLines = 20_000   // from one command to its answer
	floodBytes = 8 << 20

	writingTime = 10 * time.Second // for an engine to read what is sent to it
	endingTime  = time.Second      // for a program that closed its output to end; a busy machine takes a while to say so
	killingTime = 5 * time.Second  // for the system to end a program that was killed
)

// process is a running engine. Its methods are for one goroutine.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser // what the engine reads
	out    io.ReadCloser  // what it writes
	errOut io.ReadCloser
	lines  chan textLine // closed at the end of its output
	closed chan struct{} // closed when nothing more is to be read
	trace  *trace

	linesRead int       // lines since the last command
	read      time.Time // of the last line
	bytes     int
	killed    bool
	writing   *time.Timer // kills an engine that doesn't read
	answer    *time.Timer

	exited  chan struct{} // closed when the program has ended and been reaped
	status  string        // how, then
	drained chan struct{} // closed when its stderr has been read
}

// textLine is a line from a host or an engine; with an error, what came before the end, or of a line too long.
type textLine struct {
	text string
	read time.Time // of an engine's line
	err  error
}

// launch starts a program. The error is an [agents.Failure], or an [agents.HostFailure].
func launch(command []string, dir string, t *trace) (*process, error) {
	p := &process{
		cmd:   exec.Command(command[0], command[1:]...), //nolint:noctx // it outlives the calls that have a context
		lines: make(chan textLine), closed: make(chan struct{}), trace: t,
		exited: make(chan struct{}), drained: make(chan struct{}),
	}
	p.cmd.Dir = dir
	p.cmd.Env = slices.DeleteFunc(os.Environ(), isSecret)
	isolate(p.cmd)
	mark := bindLifetime(p.cmd)
	var errs [3]error
	p.in, errs[0] = p.cmd.StdinPipe()
	p.out, errs[1] = p.cmd.StdoutPipe()
	p.errOut, errs[2] = p.cmd.StderrPipe()
	if err := errors.Join(errs[:]...); err != nil {
		p.cmd.Err = err // Start closes the other pipes and returns it
	}
	started := make(chan error)
	go p.run(mark, started)
	if err := <-started; err != nil {
		err = fmt.Errorf("can't start %.60q: %w", command[0], files.Plain(err))
		if files.HostLacks(err) {
			return nil, &agents.HostFailure{Err: err}
		}
		return nil, &agents.Failure{Kind: agents.Crashed, Err: err}
	}
	p.writing = time.AfterFunc(writingTime, func() { _ = p.killRunning() })
	p.answer = time.NewTimer(writingTime)
	go p.readLines()
	go func() {
		defer close(p.drained)
		t.drain(p.errOut)
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
	if p.status = state.String(); err != nil {
		p.status = err.Error()
	}
	_ = killGroup(p.cmd) // what it left behind holds the pipes open
	killMarked(mark)
	close(p.exited)
}

// readLines sends the engine's lines until its output ends or the process is closed.
func (p *process) readLines() {
	defer close(p.lines)
	in := files.NewLineReader(p.out, maxAnswer)
	in.MaxRead = maxAnswer
	for {
		line, err := in.Next()
		if in.Torn() {
			err = io.EOF
		}
		text := strings.TrimSuffix(string(line), "\r")
		select {
		case p.lines <- textLine{text, time.Now(), err}:
		case <-p.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// send sends lines, each with its end.
func (p *process) send(text []byte) error {
	for line := range bytes.Lines(text) {
		p.trace.add('>', bytes.TrimSuffix(line, []byte("\n")))
	}
	p.linesRead, p.bytes = 0, 0
	p.writing.Reset(writingTime)
	_, err := p.in.Write(text)
	switch {
	case !p.writing.Stop():
		return &agents.Failure{Kind: agents.TimedOut, Err: errors.New("the engine does not read its input")}
	case err != nil:
		return p.ended("input", "")
	}
	return nil
}

// errLate is the error of an engine whose time to answer is over.
var errLate = errors.New("no answer in time")

// converse sends lines, and passes the engine's to handle, the first word apart, until that reports that it is done or
// returns an error, or the time is over. The error is handle's, errLate, the context's, or an [agents.Failure].
func (p *process) converse(ctx context.Context, lines []byte, limit time.Duration,
	handle func(word, rest string) (done bool, err error),
) error {
	if err := p.send(lines); err != nil {
		return err
	}
	p.answer.Reset(limit)
	defer p.answer.Stop()
	for {
		select {
		case line, open := <-p.lines:
			if err := p.receive(line, open); err != nil {
				return err
			}
			word, rest, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(line.text, "\t", " ")), " ")
			if done, err := handle(word, strings.TrimSpace(rest)); done || err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		case <-p.answer.C:
			return errLate
		}
	}
}

// receive adds a line to the trace. The error is an [agents.Failure] if the output has ended, or is too long.
func (p *process) receive(line textLine, open bool) error {
	switch {
	case errors.Is(line.err, files.ErrEndless):
		return broken("expected lines of at most %d bytes, found a longer one", maxAnswer)
	case line.err != nil || !open:
		return p.ended("output", line.text)
	}
	p.trace.add('<', []byte(line.text))
	p.linesRead++
	p.read = line.read
	p.bytes += len(line.text) + 1
	if p.linesRead > floodLines || p.bytes > floodBytes {
		return broken("the engine floods its output: more than %d lines or %d bytes without an answer",
			floodLines, floodBytes)
	}
	return nil
}

func broken(format string, args ...any) error {
	return &agents.Failure{Kind: agents.BrokeProtocol, Err: fmt.Errorf(format, args...)}
}

// ended kills a program that has closed its input or its output, this after a rest of a line or "", and returns its
// failure.
func (p *process) ended(closed, rest string) error {
	how := "closed its " + closed + " and runs on"
	if p.exitsWithin(endingTime) {
		how = "ended (" + p.status + ")"
	}
	if rest != "" {
		p.trace.add('<', []byte(rest))
		how += " in the middle of a line"
	}
	_ = p.kill() // it failed already
	if why := p.trace.lastError(); why != "" {
		how += ": " + why
	}
	return &agents.Failure{Kind: agents.Crashed, Err: errors.New("the engine " + how)}
}

// exitsWithin blocks until the program has ended or the time is over, and reports whether it has ended.
func (p *process) exitsWithin(limit time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(limit):
		return false
	}
}

// quit sends quit, closes the program's input, kills it after the grace, and reports whether it had ended.
func (p *process) quit(grace time.Duration) (obeyed bool, err error) {
	_ = p.send([]byte("quit\n")) // it may have ended already
	_ = p.in.Close()
	if obeyed = p.exitsWithin(grace); !obeyed {
		p.trace.add('=', []byte("did not quit and was killed"))
	}
	return obeyed, p.kill()
}

// killRunning kills the program's group, unless that has been done when the program
// ended: its number may be another process's by now.
func (p *process) killRunning() error {
	select {
	case <-p.exited:
		return nil
	default:
		return killGroup(p.cmd)
	}
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
		err = errors.Join(err, fmt.Errorf("the engine's process %d does not end", p.cmd.Process.Pid))
	}
	select { // what it said last
	case <-p.drained:
	case <-time.After(endingTime): // something that left the group holds it open
	}
	close(p.closed)
	for _, pipe := range []io.Closer{p.in, p.out, p.errOut} {
		_ = pipe.Close()
	}
	<-p.drained
	for range p.lines { // until the reader has ended
	}
	return err
}

const (
	traceLines  = 32  // kept of a dialogue
	traceLength = 160 // bytes kept of each line

	quickErrors = 1 << 20 // bytes of stderr that are read at full speed
	slowErrors  = time.Millisecond
)

// trace keeps the last lines of a dialogue, each behind a mark. Two goroutines write to it.
type trace struct {
	mu    sync.Mutex
	lines []string
}

// add appends a line. mark is its writer: '>' the host, '<' the engine, '!' the engine on stderr, '=' is a remark.
func (t *trace) add(mark byte, text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text = text[:min(len(text), traceLength+1)] // a byte more than Cut leaves
	t.lines = append(t.lines, string(mark)+" "+string(text))
	if len(t.lines) > traceLines {
		t.lines = t.lines[1:]
	}
}

// last returns the lines, the oldest first.
func (t *trace) last() (lines []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, line := range t.lines {
		lines = append(lines, line[:2]+textfmt.Escape(textfmt.Cut(line[2:], traceLength)))
	}
	return lines
}

// lastError returns the last line on stderr, which may be the cause of a program's end; "" if there is none.
func (t *trace) lastError() string {
	for _, line := range slices.Backward(t.last()) {
		if text, ok := strings.CutPrefix(line, "! "); ok {
			return text
		}
	}
	return ""
}

// drain adds the lines of an engine's stderr, of which long ones are cut, until it ends. A flood is slowed down.
func (t *trace) drain(from io.Reader) {
	in := bufio.NewReaderSize(from, 64<<10)
	for n := 0; ; {
		line, more, err := in.ReadLine()
		if err != nil {
			return
		}
		t.add('!', line)
		for n += len(line); more && err == nil; n += len(line) {
			line, more, err = in.ReadLine()
		}
		if n > quickErrors && in.Buffered() == 0 {
			time.Sleep(slowErrors)
		}
	}
}
