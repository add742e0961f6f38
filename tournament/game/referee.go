package game

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

const (
	cancelGrace = 5 * time.Second  // for an agent to notice that it is cancelled
	closingTime = 30 * time.Second // for an agent to close: programs take up to several seconds
)

var errGoexit = errors.New("an agent ended the goroutine it was called in (runtime.Goexit)")

// Referee plays games, one after another. It belongs to one goroutine, but for [Referee.Playing].
type Referee struct {
	shown atomic.Pointer[play] // the game under way; nil: none
}

// Playing returns the record so far of the game under way; nil if there is none. It may be called
// concurrently.
func (r *Referee) Playing() *record.Record {
	if p := r.shown.Load(); p != nil {
		return p.played()
	}
	return nil
}

// end is what came of a game that was played: a record or an error.
type end struct {
	record *record.Record
	err    error
}

// Play is [Play] that tells which agent hangs: one that doesn't answer within its limit and the
// stall timeout loses. If it doesn't return when it is cancelled either, its goroutine, which can't
// be ended, is left behind; then hung is its side, and the agent must not be used again, not even
// closed.
func (r *Referee) Play(
	ctx context.Context, g *Task,
) (rec *record.Record, hung *rules.Side, err error) {
	gameCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := newPlay(g, time.Now())
	r.shown.Store(p)
	defer r.shown.Store(nil)
	done := make(chan end, 1)
	go func() {
		ended := end{err: errGoexit}
		defer func() { done <- ended }()
		ended.record, ended.err = p.toEnd(gameCtx)
	}()
	ticker := time.NewTicker(p.watchdog.every)
	defer ticker.Stop()
	for {
		select {
		case ended := <-done:
			return ended.record, nil, ended.err
		case <-ctx.Done():
			_, hung := p.await(done)
			return nil, hung, ctx.Err()
		case <-ticker.C:
		}
		p.watchdog.tick(time.Now())
		late, ok := p.watchdog.overdue(time.Since(p.start))
		if !ok {
			continue
		}
		// The agent loses, unless the game ends just now.
		cancel()
		ended, hung := p.await(done)
		if ended.record != nil {
			return ended.record, nil, nil
		}
		if ctx.Err() != nil {
			return nil, hung, ctx.Err()
		}
		rec := p.finish(newFault(late.side, record.FaultTimeout,
			fmt.Sprintf("no answer within %v", late.patience.Round(time.Millisecond))))
		if hung == nil { // otherwise there is no trace
			rec.Timing.Trace = traceOf(g.Seats[late.side].Agent)
		}
		return rec, hung, nil
	}
}

// await waits for a game that has been cancelled; one that doesn't end is left behind, with the
// agent of the side hung.
func (p *play) await(done <-chan end) (ended end, hung *rules.Side) {
	for {
		select {
		case ended := <-done:
			return ended, nil
		case <-time.After(cancelGrace):
			if side, ok := p.watchdog.giveUp(); ok {
				return end{}, &side
			}
		}
	}
}

func newFault(side rules.Side, kind record.FaultKind, detail string) *record.Fault {
	return &record.Fault{Side: side.Name(), Kind: kind, Detail: bounded(detail, record.MaxDetail)}
}

const maxTrace = 100 // lines of a trace

func traceOf(a agents.Agent) []string {
	lines := a.Trace()
	lines = lines[max(len(lines)-maxTrace, 0):]
	for i := range lines {
		lines[i] = bounded(lines[i], record.MaxDetail)
	}
	return lines
}

// bounded cuts a text that is too long, and replaces invalid UTF-8.
func bounded(s string, limit int) string { return strings.ToValidUTF8(textfmt.Cut(s, limit), "?") }

// describePanic returns the value and the place of a panic. It is called by the deferred function
// that recovered. The place is named without the folders of the machine that built the program, so
// that records are the same everywhere.
func describePanic(value any) string {
	text := fmt.Sprint(value)
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	panicked := false
	for {
		frame, more := frames.Next()
		if panicked && !strings.HasPrefix(frame.Function, "runtime.") {
			short := bounded(text, record.MaxDetail/2)
			file := path.Base(frame.File)
			return fmt.Sprintf("%s in %s (%s:%d)", short, frame.Function, file, frame.Line)
		}
		if frame.Function == "runtime.gopanic" {
			panicked = true
		}
		if !more {
			return text
		}
	}
}

// Close closes an agent and turns a panic into an error, and a hang too.
func Close(a agents.Agent) error {
	done := make(chan error, 1)
	go func() {
		err := errGoexit
		defer func() {
			if value := recover(); value != nil {
				err = errors.New("panic: " + describePanic(value))
			}
			done <- err
		}()
		err = a.Close()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(closingTime):
		return fmt.Errorf("not done within %v", closingTime)
	}
}
