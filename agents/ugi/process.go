package ugi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"gyges/agents"
)

const (
	maxAnswer  = 64 << 10 // bytes in a line from an engine
	floodLines = 20_000   // from one question to its answer
	floodBytes = 8 << 20

	endingTime  = 200 * time.Millisecond // for a program that closed its output to end
	killingTime = 5 * time.Second        // for the system to end a program that was killed
)

// process is a running engine. It belongs to one goroutine.
type process struct {
	cmd    *exec.Cmd
	in     *os.File // what the engine reads
	out    *os.File // what it writes
	errOut *os.File
	lines  *lineReader
	trace  *trace

	deadline time.Time // of reading and writing
	blind    bool      // the system has no deadlines for pipes
	heard    int       // lines since the last question
	bytes    int

	exited  chan struct{} // closed when the program has ended and been reaped
	waitErr error         // how, then
	drained chan struct{} // closed when its stderr has been read
}

// launch starts a program, which may have so many megabytes of memory; 0: all it
// wants. The error is an [agents.Failure], or an [agents.HostFailure].
func launch(command []string, dir string, megabytes int, t *trace) (*process, error) {
	p := &process{trace: t, exited: make(chan struct{}), drained: make(chan struct{})}
	p.cmd = exec.Command(command[0], command[1:]...) //nolint:noctx // it outlives the calls that have a context
	p.cmd.Dir = dir
	isolate(p.cmd)
	mark := bindLifetime(p.cmd)
	theirs, err := p.connect()
	if err == nil {
		started := make(chan error)
		go p.run(mark, started)
		err = <-started
	}
	for _, f := range theirs {
		_ = f.Close() // the program has its own copy
	}
	if err != nil {
		p.closeOurs()
		err = fmt.Errorf("can't start %.60q: %w", command[0], err)
		if hostLacks(err) {
			return nil, &agents.HostFailure{Err: err}
		}
		return nil, &agents.Failure{Kind: agents.Crashed, Err: err}
	}
	go func() {
		t.drain(p.errOut)
		close(p.drained)
	}()
	p.lines = newLineReader(p.out, maxAnswer)
	if megabytes > 0 {
		if err := boundMemory(p.cmd, megabytes); err != nil {
			_ = p.kill() // err says more
			return nil, &agents.Failure{Kind: agents.Crashed, Err: fmt.Errorf("memory=%d: %w", megabytes, err)}
		}
	}
	return p, nil
}

// hostLacks reports whether an error means that this process or machine has no
// file descriptors, processes or memory left.
func hostLacks(err error) bool {
	for _, lack := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM} {
		if errors.Is(err, lack) {
			return true
		}
	}
	return false
}

// run starts the program and waits for its end. It does both in one thread, which
// lives as long as the program: see bindLifetime.
func (p *process) run(mark string, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	p.waitErr = p.cmd.Wait()
	_ = killGroup(p.cmd) // what it left behind holds the pipes open
	killMarked(mark)
	close(p.exited)
}

// connect makes the pipes and returns the program's ends.
func (p *process) connect() (theirs []*os.File, err error) {
	pipe := func(ours, their **os.File, weWrite bool) {
		if err != nil {
			return
		}
		var r, w *os.File
		if r, w, err = os.Pipe(); err != nil {
			return
		}
		if weWrite {
			r, w = w, r
		}
		*ours, *their = r, w
		theirs = append(theirs, w)
	}
	var stdin, stdout, stderr *os.File
	pipe(&p.in, &stdin, true)
	pipe(&p.out, &stdout, false)
	pipe(&p.errOut, &stderr, false)
	if err == nil {
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, stderr
	}
	return theirs, err
}

func (p *process) closeOurs() {
	for _, f := range []*os.File{p.in, p.out, p.errOut} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// until sets the time by which what follows must be said and heard.
func (p *process) until(t time.Time) {
	p.deadline = t
	p.blind = p.blind || errors.Is(p.out.SetReadDeadline(t), os.ErrNoDeadline)
	_ = p.in.SetWriteDeadline(t) // as above
}

// nextLine reads a line. Where the system has no deadlines for pipes, the
// program is killed when its time is over.
func (p *process) nextLine(ctx context.Context) ([]byte, error) {
	if !p.blind {
		return p.lines.next()
	}
	kill := func() { _ = p.strike() }
	timer := time.AfterFunc(time.Until(p.deadline), kill)
	defer timer.Stop()
	stop := context.AfterFunc(ctx, kill)
	defer stop()
	line, err := p.lines.next()
	if err != nil && !time.Now().Before(p.deadline) {
		err = &agents.Failure{Kind: agents.TimedOut, Err: errLate}
	}
	return line, err
}

// say sends lines, each with its end.
func (p *process) say(text []byte) error {
	for line := range bytes.Lines(text) {
		p.trace.add('>', bytes.TrimSuffix(line, []byte{'\n'}))
	}
	p.heard, p.bytes = 0, 0
	_, err := p.in.Write(text)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &agents.Failure{Kind: agents.TimedOut, Err: errors.New("the engine does not read its input")}
	case err != nil:
		return p.ended()
	}
	return nil
}

// errLate is hear's error when the deadline has passed.
var errLate = errors.New("no answer in time")

// hear returns the next line; it holds until the next call. The error is
// errLate, the context's, or an [agents.Failure].
func (p *process) hear(ctx context.Context) ([]byte, error) {
	for {
		line, err := p.nextLine(ctx)
		var failed *agents.Failure
		switch {
		case errors.As(err, &failed):
			return nil, err
		case err == nil:
			p.trace.add('<', line)
			p.heard++
			p.bytes += len(line) + 1
			if p.heard > floodLines || p.bytes > floodBytes {
				return nil, broken("the engine floods its output: more than %d lines or %d bytes without an answer", floodLines, floodBytes)
			}
			return line, nil
		case errors.Is(err, errLongLine):
			return nil, broken("expected lines of at most %d bytes, found a longer one", maxAnswer)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return nil, p.ended()
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !time.Now().Before(p.deadline):
			return nil, errLate
		}
		p.until(p.deadline) // a call before this one was cancelled late
	}
}

func broken(format string, args ...any) error {
	return &agents.Failure{Kind: agents.BrokeProtocol, Err: fmt.Errorf(format, args...)}
}

// ended returns the failure of a program that has closed its end. It ends it.
func (p *process) ended() error {
	select {
	case <-p.exited:
	case <-time.After(endingTime):
	}
	how := "closed its output and runs on"
	select {
	case <-p.exited:
		how = "ended (" + p.exitText() + ")"
	default:
	}
	if rest := p.lines.rest(); len(rest) > 0 {
		p.trace.add('<', rest)
		how += " in the middle of a line"
	}
	_ = p.kill() // it failed already
	if why := p.trace.lastError(); why != "" {
		how += ": " + why
	}
	return &agents.Failure{Kind: agents.Crashed, Err: errors.New("the engine " + how)}
}

func (p *process) exitText() string {
	if p.waitErr == nil {
		return "exit status 0"
	}
	return p.waitErr.Error()
}

// quit asks the program to end, and ends it if it doesn't within the grace. It
// returns whether it did.
func (p *process) quit(grace time.Duration) (obeyed bool, err error) {
	p.until(time.Now().Add(grace))
	_ = p.say([]byte("quit\n")) // it may have gone already
	_ = p.in.Close()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.exited:
		obeyed = true
	case <-timer.C:
		p.trace.add('=', []byte("did not quit and was killed"))
	}
	return obeyed, p.kill()
}

// strike ends the program's group, unless that has been done when the program
// ended: its number may be somebody else's by now.
func (p *process) strike() error {
	select {
	case <-p.exited:
		return nil
	default:
		return killGroup(p.cmd)
	}
}

// kill ends the program and all it started, and waits until nothing is left of
// it: no process, no goroutine.
func (p *process) kill() error {
	err := p.strike()
	timer := time.NewTimer(killingTime)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		err = errors.Join(err, fmt.Errorf("the engine's process %d does not end", p.cmd.Process.Pid))
	}
	select { // what it said last
	case <-p.drained:
	case <-time.After(endingTime): // something that left the group holds it open
	}
	p.closeOurs()
	<-p.drained
	return err
}
