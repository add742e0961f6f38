package training

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"gyges/rules/base/files"
)

// Line is a step of a run in its history, from which a stopped run resumes, and which
// reports plot: a line of [HistoryFile], as a JSON object. Lines are in the order of
// their steps. Values that a method doesn't have are omitted.
type Line struct {
	Step           int      `json:"step"`                      // from 0 (texel: the parent) or 1
	Loss           *float64 `json:"loss,omitempty"`            // mean cross-entropy of the training positions in nats (texel)
	ValidationLoss *float64 `json:"validation_loss,omitempty"` // that of the validation positions (texel, train)
	TestLoss       *float64 `json:"test_loss,omitempty"`       // that of the test positions (train)
	// Score is the number of games won by the parameters perturbed one way minus games
	// lost (spsa).
	Score      *float64           `json:"score,omitempty"`
	Games      int                `json:"games,omitempty"`      // played in the step
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
			return nil, errOtherParameters
		}
		list[i] = x
	}
	return list, nil
}

var errOtherParameters = errors.New("expected the history of this run, found one of other parameters")

// Bounds of a history.
const (
	maxLine    = 1 << 20 // bytes
	maxHistory = 1 << 30
)

// ReadHistory reads a history; name is its name in errors. An incomplete last line is
// omitted; size is the size of the others in bytes.
func ReadHistory(r io.Reader, name string) (lines []Line, size int64, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxHistory+1))
	if err != nil {
		return nil, 0, err
	}
	if len(data) > maxHistory {
		return nil, 0, fmt.Errorf("%s: expected at most %d bytes, found more", name, maxHistory)
	}
	last := -1
	for text := range bytes.Lines(data) {
		if text[len(text)-1] != '\n' {
			break
		}
		l, err := parseLine(text)
		if err == nil && l.Step <= last {
			err = fmt.Errorf("expected one after %d, found %d", last, l.Step)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("%s:%d: expected a step of a tuning run: %w", name, len(lines)+1, err)
		}
		last, lines, size = l.Step, append(lines, l), size+int64(len(text))
	}
	return lines, size, nil
}

func parseLine(text []byte) (l Line, err error) {
	if len(text) > maxLine {
		return l, fmt.Errorf("expected at most %d bytes, found %d", maxLine, len(text))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return l, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return l, errors.New("expected one JSON object, found more")
	}
	if l.Step < 0 || l.Parameters == nil {
		return l, errors.New("expected a step from 0 and parameters")
	}
	return l, nil
}

// openHistory opens a history to append to, locks it, and returns its lines. An
// incomplete last line is removed.
func openHistory(path string) (*os.File, []Line, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) // which blocks on no pipe
	if err != nil {
		return nil, nil, err
	}
	lines, err := lockHistory(f)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, lines, nil
}

func lockHistory(f *os.File) ([]Line, error) {
	if err := files.Lock(f); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s: expected a regular file", f.Name()))
	}
	lines, size, err := ReadHistory(f, f.Name())
	if err != nil {
		return nil, err
	}
	_, err = f.Seek(size, io.SeekStart)
	return lines, errors.Join(err, f.Truncate(size))
}
