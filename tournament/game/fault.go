package game

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
)

func newFault(side rules.Side, kind record.FaultKind, detail string) *record.Fault {
	return &record.Fault{Side: side.Name(), Kind: kind, Detail: bounded(detail, record.MaxDetail)}
}

func traceOf(a agents.Agent) []string {
	lines := a.Trace()
	lines = lines[max(len(lines)-maxTrace, 0):]
	for i := range lines {
		lines[i] = bounded(lines[i], record.MaxDetail)
	}
	return lines
}

const maxTrace = 100 // lines of a trace

// bounded cuts a text that is too long, and replaces invalid UTF-8.
func bounded(s string, limit int) string { return strings.ToValidUTF8(textfmt.Cut(s, limit), "?") }

// describePanic returns the value and the place of a panic. It is called by the deferred function that recovered. The
// place is named without the folders of the machine that built the program, so that records are the same everywhere.
func describePanic(value any) string {
	text := fmt.Sprint(value)
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicked := false
	for {
		f, more := frames.Next()
		if panicked && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s in %s (%s:%d)", bounded(text, record.MaxDetail/2), f.Function, path.Base(f.File), f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
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
			if p := recover(); p != nil {
				err = errors.New("panic: " + describePanic(p))
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

const closingTime = 30 * time.Second // of an agent at most; ending an external program takes up to several seconds
