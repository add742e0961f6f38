// Package history reads and writes the steps of a tuning run: a file from which a
// stopped run resumes, and which reports plot.
//
// It is a JSON object a line, in the order of the steps:
//
//	step             int, from 0 (texel: the parent) or 1
//	loss             float, the mean cross-entropy in nats: of the training positions
//	                 (texel), or of the games before they were learned from (td)
//	validation_loss  float, that of the validation positions (texel)
//	score            float, games won by the parameters perturbed one way minus games
//	                 lost (spsa)
//	games            int, games played in the step (spsa, td)
//	elo, elo_margin  float, Elo of a match against the parent, and half of its 95 %
//	                 interval, where one was played after the step
//	parameters       object: the value of each parameter after the step
//	state            object: the rest of the method's state, to resume
//
// Values that a method doesn't have are left out.
package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"gyges/agents/files"
)

// Line is a step.
type Line struct {
	Step           int                  `json:"step"`
	Loss           *float64             `json:"loss,omitempty"`
	ValidationLoss *float64             `json:"validation_loss,omitempty"`
	Score          *float64             `json:"score,omitempty"`
	Games          int                  `json:"games,omitempty"`
	Elo            *float64             `json:"elo,omitempty"`
	EloMargin      *float64             `json:"elo_margin,omitempty"`
	Parameters     map[string]float64   `json:"parameters"`
	State          map[string][]float64 `json:"state,omitempty"`
}

// Bounds of a file from outside.
const (
	maxLine = 1 << 20 // bytes
	maxFile = 1 << 30
)

// Read reads a history. A last line that was cut off is left out; whole says
// how many bytes the others take. The error names the line that is wrong.
func Read(path string) (lines []Line, whole int64, err error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return ReadFrom(f, path)
}

// ReadFrom is Read for a history that is open; path stands for it.
func ReadFrom(r io.Reader, path string) (lines []Line, whole int64, err error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, 0, err
	}
	if len(data) > maxFile {
		return nil, 0, fmt.Errorf("%s: expected at most %d bytes, found more", path, maxFile)
	}
	for n := 1; ; n++ {
		text, rest, ended := bytes.Cut(data, []byte("\n"))
		if !ended {
			return lines, whole, nil
		}
		l, err := parse(text)
		if err != nil {
			return nil, 0, fmt.Errorf("%s:%d: expected a step of a tuning run: %w", path, n, err)
		}
		if len(lines) > 0 && l.Step <= lines[len(lines)-1].Step {
			return nil, 0, fmt.Errorf("%s:%d: expected a step after %d, found %d", path, n, lines[len(lines)-1].Step, l.Step)
		}
		lines = append(lines, l)
		whole += int64(len(text)) + 1
		data = rest
	}
}

func parse(text []byte) (Line, error) {
	var l Line
	if len(text) > maxLine {
		return l, fmt.Errorf("expected at most %d bytes, found %d", maxLine, len(text))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return l, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return l, errors.New("something follows after its end")
	}
	if l.Step < 0 || l.Parameters == nil {
		return l, errors.New("expected a step from 0 and parameters")
	}
	return l, nil
}

// Writer appends steps. It belongs to one goroutine.
type Writer struct {
	file *os.File
	path string
}

// Append opens a history to go on, or begins one where there is none, and returns
// what is in it. A last line that was cut off is taken away. Nobody else can open
// it until it is closed.
func Append(path string) (*Writer, []Line, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) // which blocks on no pipe
	if err != nil {
		return nil, nil, err
	}
	lines, err := begin(f)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return &Writer{f, path}, lines, nil
}

// begin prepares an open file for going on.
func begin(f *os.File) ([]Line, error) {
	if err := files.Lock(f); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	lines, whole, err := Read(f.Name())
	if err != nil {
		return nil, err
	}
	_, err = f.Seek(whole, io.SeekStart)
	return lines, errors.Join(err, f.Truncate(whole))
}

// Write appends a step. It is in the file when Write returns.
func (w *Writer) Write(l Line) error {
	for name, x := range l.Parameters {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%s: step %d: parameter %s: expected a finite number, found %v", w.path, l.Step, name, x)
		}
	}
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("%s: step %d: %w", w.path, l.Step, err)
	}
	_, err = w.file.Write(append(text, '\n'))
	return err
}

// Restart removes all steps.
func (w *Writer) Restart() error {
	_, err := w.file.Seek(0, io.SeekStart)
	return errors.Join(err, w.file.Truncate(0))
}

// Close closes the file.
func (w *Writer) Close() error { return errors.Join(w.file.Sync(), w.file.Close()) }
