package training

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"gyges/ratings/sprt"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/strictjson"
)

// The history of a run: its steps, one a line, of which a long run keeps a part in memory.

// Line is a step in a [HistoryFile], in their order, from which a run resumes. Values that a method
// lacks are omitted.
type Line struct {
	Step           int      `json:"step"`                      // from 0 (texel: the parent) or 1
	Loss           *float64 `json:"loss,omitempty"`            // mean cross-entropy of the training positions in nats (texel, train)
	ValidationLoss *float64 `json:"validation_loss,omitempty"` // that of the validation positions (texel, train)
	TestLoss       *float64 `json:"test_loss,omitempty"`       // that of the test positions (train)
	// Score is the number of games won by the parameters perturbed one way minus games lost (spsa).
	Score      *float64           `json:"score,omitempty"`
	Games      int                `json:"games,omitempty"`      // played in the step
	Pairs      *sprt.Pairs        `json:"pairs,omitempty"`      // of a match against the parent, if one followed (spsa)
	Elo        *float64           `json:"elo,omitempty"`        // of a match against the parent, if one followed the step
	EloMargin  *float64           `json:"elo_margin,omitempty"` // half of its 95 % interval
	Parameters map[string]float64 `json:"parameters"`           // the value of each after the step
}

// named returns values by their names.
func named(names []string, values []float64) map[string]float64 {
	m := make(map[string]float64, len(names))
	for i, name := range names {
		m[name] = values[i]
	}
	return m
}

// values returns the parameters in the order of names.
func (l *Line) values(names []string) ([]float64, error) {
	list := make([]float64, len(names))
	for i, name := range names {
		x, ok := l.Parameters[name]
		if !ok {
			return nil, errors.New(
				"expected the history of this run, found one of other parameters")
		}
		list[i] = x
	}
	return list, nil
}

const (
	maxLine   = 1 << 20  // bytes
	maxMemory = 64 << 20 // bytes, about, of the lines in memory
	allRecent = 100      // of the last lines are all in memory
)

// history has the lines of a history: all, or of a long one the first, the last allRecent, and
// between them those with an Elo, if they are few, and a part of the others.
type history struct {
	lines []Line
	size  int // about, in bytes
}

// keep adds a line, whose text is of a size in bytes.
func (h *history) keep(l Line, size int) {
	h.lines = append(h.lines, l)
	h.size += 500 + 2*size
	n := len(h.lines)
	if h.size <= maxMemory || n <= allRecent+1 {
		return
	}

	// The lines between the first and the recent ones are thinned.
	older := h.lines[1 : n-allRecent]
	rated := 0
	for _, l := range older {
		if l.Elo != nil {
			rated++
		}
	}
	drop := false // every second line
	kept := slices.DeleteFunc(older, func(l Line) bool {
		if l.Elo != nil && rated <= n/2 {
			return false
		}
		drop = !drop
		return drop
	})
	h.lines = slices.Delete(h.lines, 1+len(kept), n-allRecent)
	h.size = h.size / n * len(h.lines)
}

// adder returns a function that adds lines, without their ends, until ctx ends.
func (h *history) adder(ctx context.Context) func(text []byte) error {
	return func(text []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var l Line
		if err := strictjson.Unmarshal(text, maxLine, &l); err != nil {
			return fmt.Errorf("expected a step of a tuning run: %w", err)
		}
		if l.Step < 0 || l.Parameters == nil {
			return errors.New(
				"expected a step of a tuning run: expected a step from 0 and parameters")
		}
		if n := len(h.lines); n > 0 {
			last := h.lines[n-1].Step
			if l.Step <= last {
				return fmt.Errorf(
					"expected a step of a tuning run: expected one after %d, found %d",
					last, l.Step)
			}
		}
		h.keep(l, len(text))
		return nil
	}
}

// ReadHistory reads a history, without an incomplete last line and, if it is too long for memory,
// lines in between.
func ReadHistory(ctx context.Context, r io.Reader, name string) ([]Line, error) {
	var h history
	if _, err := jsonl.Read(r, name, maxLine, h.adder(ctx)); err != nil {
		return nil, err
	}
	return h.lines, nil
}
