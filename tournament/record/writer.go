package record

import (
	"bytes"
	"fmt"
	"io"

	"gyges/rules/base/jsonl"
)

// Writer appends records to a file, one a line, as [jsonl.Writer] does.
type Writer struct{ *jsonl.Writer }

// NewWriter returns a writer that appends to w, which is to be empty. Close doesn't close w.
func NewWriter(w io.Writer) *Writer { return newWriter(jsonl.NewWriter(w)) }

// Append returns a writer that goes on with an open file of records, which has
// a number of games in size bytes and stands at its end. Close closes the file.
func Append(f jsonl.File, games, size int64) *Writer { return newWriter(jsonl.Resume(f, games, size)) }

// Open opens a file of records to append to, as [jsonl.Open] does.
func Open(path string) (*Writer, error) {
	w, err := jsonl.Open(path, MaxLine, func([]byte) error { return nil })
	if err != nil {
		return nil, err
	}
	return newWriter(w), nil
}

func newWriter(w *jsonl.Writer) *Writer {
	w.Finish = appendSum
	return &Writer{w}
}

// Write appends a record. It may stay in memory until Flush or Close.
func (w *Writer) Write(g *Record) error {
	if err := w.Writer.Write(g); err != nil {
		return fmt.Errorf("game %d: %w", g.Game, err)
	}
	return nil
}

// Lines returns games as a file of records holds them.
func Lines(games ...*Record) ([]byte, error) {
	var lines bytes.Buffer
	w := NewWriter(&lines)
	for _, g := range games {
		if err := w.Write(g); err != nil {
			return nil, err
		}
	}
	err := w.Flush()
	return lines.Bytes(), err
}
