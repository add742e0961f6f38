package tournament

import (
	"fmt"
	"path"
	"runtime"
	"strings"
	"unicode/utf8"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// newFault makes the fault of a side, its detail bounded.
func newFault(side rules.Side, kind record.FaultKind, detail string) *record.Fault {
	return &record.Fault{Side: sideName(side), Kind: kind, Detail: bounded(detail, record.MaxDetail)}
}

// sideName returns a side as records name it.
func sideName(s rules.Side) string { return strings.ToLower(s.String()) }

// bounded cuts a text that is too long, between two characters.
func bounded(s string, limit int) string {
	const mark = "…"
	if len(s) > limit {
		cut := limit - len(mark)
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + mark
	}
	return strings.ToValidUTF8(s, "?")
}

// describePanic tells what an agent panicked with, and where. It is called by
// the deferred function that recovered. The place is named without the folders
// of the machine that built the program, so that records are the same everywhere.
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

// recordLimits returns limits as records hold them.
func recordLimits(l agents.Limits) record.Limits {
	r := record.Limits{Depth: l.Depth, Nodes: l.Nodes}
	if l.MoveTime > 0 {
		r.MoveTime = l.MoveTime.String()
	}
	return r
}
