// Package jsonl reads and appends files of JSON lines: one JSON value a line. A process
// that is stopped while it appends leaves at most one line without an end, the last one,
// which readers leave out and the next process that appends removes.
package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// bufferSize is how much of a file is in memory at once, in bytes, unless a line is longer.
const bufferSize = 64 << 10

// skipFactor bounds how much of a line that is too long is read in search of its end, in times the maximum.
const skipFactor = 4

var (
	// ErrTooLong is returned for a line longer than the maximum. The next line can be read.
	ErrTooLong = errors.New("the line is too long")
	// ErrEndless is returned for a line so long that reading ends with it.
	ErrEndless = errors.New("the line has no end")
	// ErrTorn is a [LineError] of a last line that has no end, as in a file that is still written.
	ErrTorn = errors.New("the last line is cut short")
)

// LineError is the error of one line of a file, after which the next can be read.
type LineError struct {
	File string
	Line int // from 1
	Err  error
	Torn bool // the line has no end
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// Is reports whether the target is [ErrTorn] and the line is such a one.
func (e *LineError) Is(target error) bool { return target == ErrTorn && e.Torn }

// Lines reads lines. It belongs to one goroutine.
type Lines struct {
	file    *bufio.Reader
	maxLine int
	line    int
	offset  int64
	long    []byte // memory for lines longer than the buffer
	torn    bool
}

// NewLines returns a reader of the lines of r, each of at most maxLine bytes, its end included.
func NewLines(r io.Reader, maxLine int) *Lines {
	size := bufferSize
	if text, ok := r.(*bytes.Reader); ok { // often a single line
		size = min(size, text.Len())
	}
	return &Lines{file: bufio.NewReaderSize(r, size), maxLine: maxLine}
}

// Next returns the next line without its end, or io.EOF after the last one. The line is valid until the next call.
func (r *Lines) Next() ([]byte, error) {
	r.line++
	line, err := r.file.ReadSlice('\n')
	size := len(line)
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = append(r.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) && size <= skipFactor*r.maxLine {
			line, err = r.file.ReadSlice('\n')
			if size += len(line); size <= r.maxLine {
				r.long = append(r.long, line...)
			}
		}
		line = r.long
	}
	r.offset += int64(size)
	r.torn = errors.Is(err, io.EOF)
	switch {
	case r.torn && size == 0:
		return nil, io.EOF
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, ErrEndless
	case err != nil && !r.torn:
		return nil, err
	case size > r.maxLine:
		return nil, ErrTooLong
	}
	if !r.torn {
		line = line[:len(line)-1]
	}
	const bom = "\ufeff" // also where several files were put together
	if len(line) >= len(bom) && string(line[:len(bom)]) == bom {
		line = line[len(bom):]
	}
	return line, nil
}

// Line returns the number of the line read last, from 1.
func (r *Lines) Line() int { return r.line }

// Offset returns how many bytes the lines read so far take in the file, their ends included.
func (r *Lines) Offset() int64 { return r.offset }

// Torn reports whether the line read last has no end.
func (r *Lines) Torn() bool { return r.torn }

// Read calls each with every line that has an end, and returns their size in bytes. Errors have name and line.
func Read(r io.Reader, name string, maxLine int, each func(line []byte) error) (size int64, err error) {
	in := NewLines(r, maxLine)
	for {
		line, err := in.Next()
		switch {
		case errors.Is(err, io.EOF):
			return size, nil
		case errors.Is(err, ErrTooLong), errors.Is(err, ErrEndless):
			err = fmt.Errorf("expected at most %d bytes, found a longer line", maxLine)
		case err == nil && in.Torn():
			return size, nil
		case err == nil:
			err = each(line)
		}
		if err != nil {
			return 0, fmt.Errorf("%s:%d: %w", name, in.Line(), err)
		}
		size = in.Offset()
	}
}

// LastEnd returns the end of the last line that ends between two offsets; low if there is none, [ErrTooLong] if there
// is none in the maxLine bytes before high.
func LastEnd(f io.ReaderAt, low, high int64, maxLine int) (int64, error) {
	for least := high - int64(maxLine); high > low; {
		if high < least {
			return 0, ErrTooLong
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
