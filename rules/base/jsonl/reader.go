// Package jsonl reads and appends files of JSON lines: one JSON value a line. [Open] returns a
// [Writer] that appends to a file after [Read] has read what it has.
//
// A process that is stopped while it appends leaves at most one line without an end, the last one,
// which readers leave out and the next process that appends removes.
package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gyges/rules/base/files"
)

// bufferSize is how much of a file [LastEnd] reads at once, in bytes.
const bufferSize = 64 << 10

// LineError is the error of one line of a file, after which the next can be read.
type LineError struct {
	File string
	Line int // from 1
	Err  error
	Torn bool // it is the last line, without an end, as in a file that is still written
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// Read calls each with every line that has an end, and returns their size in bytes. Errors have
// name and line.
func Read(
	r io.Reader, name string, maxLine int, each func(line []byte) error,
) (size int64, err error) {
	in := files.NewLineReader(r, maxLine)
	for {
		line, err := in.Next()
		isTorn := err == nil && in.Torn()
		if isTorn || errors.Is(err, io.EOF) {
			return size, nil
		}
		if errors.Is(err, files.ErrTooLong) {
			err = fmt.Errorf("expected at most %d bytes, found a longer line", maxLine)
		}
		if err == nil {
			err = each(line)
		}
		if err != nil {
			return 0, fmt.Errorf("%s:%d: %w", name, in.Line(), err)
		}
		size = in.Offset()
	}
}

// LastEnd returns the end of the last line that ends between two offsets; low if there is none,
// [files.ErrTooLong] if there is none in the maxLine bytes before high.
func LastEnd(f io.ReaderAt, low, high int64, maxLine int) (int64, error) {
	least := high - int64(maxLine)
	for high > low {
		if high < least {
			return 0, files.ErrTooLong
		}
		start := max(low, high-bufferSize)
		buf := make([]byte, high-start)
		if n, err := f.ReadAt(buf, start); n < len(buf) {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		high = start
	}
	return low, nil
}
