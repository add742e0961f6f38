package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// flushAt is how many bytes a writer holds in memory before it writes them.
const flushAt = 256 << 10

// Writer appends records to a file, one a line. It writes whole lines only,
// so that a file is cut between two records wherever its writer was stopped,
// short of the machine's own failure. An error drops the records in memory, and
// the writer goes on with the next one. It belongs to one goroutine.
type Writer struct {
	to      io.Writer
	close   func() error
	buf     bytes.Buffer
	json    *json.Encoder // to buf
	written int64         // games in whole lines of the file
	size    int64         // bytes of these lines
	torn    bool          // the file may have a part of a line beyond size
	closed  bool
}

// NewWriter returns a writer that appends to w, which is to be empty. Close
// doesn't close w.
func NewWriter(w io.Writer) *Writer {
	writer := &Writer{to: w, close: func() error { return nil }}
	writer.json = json.NewEncoder(&writer.buf)
	writer.json.SetEscapeHTML(false)
	return writer
}

// File is what [Append] writes to, like an *[os.File].
type File interface {
	io.WriteCloser
	Truncate(size int64) error
	Sync() error
}

// Lines returns games as a file of records holds them.
func Lines(games ...*Game) ([]byte, error) {
	w := NewWriter(nil)
	for _, g := range games {
		if err := w.encode(g); err != nil {
			return nil, err
		}
	}
	return w.buf.Bytes(), nil
}

// Append returns a writer that goes on with an open file of records, which has
// so many games in so many bytes and stands at its end. Close closes the file.
func Append(f File, games, size int64) *Writer {
	w := NewWriter(f)
	w.written, w.size = games, size
	w.close = func() error { return errors.Join(f.Sync(), f.Close()) }
	return w
}

// Write appends a record. It may stay in memory until Flush or Close.
func (w *Writer) Write(g *Game) error {
	if w.closed {
		return os.ErrClosed
	}
	if err := w.encode(g); err != nil {
		return err
	}
	if w.buf.Len() < flushAt {
		return nil
	}
	return w.Flush()
}

// encode appends a record to what is in memory; nothing if there is an error.
func (w *Writer) encode(g *Game) error {
	if err := w.json.Encode(g); err != nil {
		return fmt.Errorf("game %d: %w", g.Game, err)
	}
	return nil
}

// Flush writes what is in memory. After an error only whole lines of it are in
// the file, which [Writer.Written] counts; the rest is dropped.
func (w *Writer) Flush() error {
	if w.buf.Len() == 0 {
		return nil
	}
	err := w.flush()
	w.buf.Reset()
	if err != nil {
		return fmt.Errorf("writing game records: %w", err)
	}
	return nil
}

func (w *Writer) flush() error {
	if err := w.cut(); err != nil {
		return err
	}
	lines := w.buf.Bytes()
	n, err := w.to.Write(lines)
	if err == nil && n < len(lines) {
		err = io.ErrShortWrite
	}
	whole := bytes.LastIndexByte(lines[:n], '\n') + 1
	w.written += int64(bytes.Count(lines[:whole], []byte{'\n'}))
	w.size += int64(whole)
	if w.torn = n > whole; w.torn {
		_ = w.cut() // the next call tries again
	}
	return err
}

// cut takes the part of a line off the end of the file that a failed write has
// left there.
func (w *Writer) cut() error {
	if !w.torn {
		return nil
	}
	f, ok := w.to.(interface {
		io.Seeker
		Truncate(size int64) error
	})
	if !ok {
		return errors.New("the last line is cut short and can't be taken off")
	}
	if err := f.Truncate(w.size); err != nil {
		return err
	}
	if _, err := f.Seek(w.size, io.SeekStart); err != nil {
		return err
	}
	w.torn = false
	return nil
}

// Written returns how many games are in whole lines of the file: those that are safe
// even if the program ends now.
func (w *Writer) Written() int64 { return w.written }

// Size returns how many bytes the games counted by Written take in the file.
func (w *Writer) Size() int64 { return w.size }

// Close flushes, and closes the file, synced to the disk, if Append was given it.
func (w *Writer) Close() error {
	if w.closed {
		return os.ErrClosed
	}
	w.closed = true
	err := w.Flush()
	if closeErr := w.close(); closeErr != nil {
		err = errors.Join(err, fmt.Errorf("closing game records: %w", closeErr))
	}
	return err
}
