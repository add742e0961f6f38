package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// bufferSize is how much of a text is in memory at once, in bytes, unless a line is longer.
const bufferSize = 64 << 10

// skipFactor bounds how much of a line that is too long is read in search of its end, in times the
// maximum.
const skipFactor = 4

var (
	// ErrTooLong is returned for a line longer than the maximum. The next line can be read.
	ErrTooLong = errors.New("the line is too long")
	// ErrEndless is the [ErrTooLong] of a line so long that reading ends with it.
	ErrEndless = fmt.Errorf("%w, and has no end", ErrTooLong)
)

// LineReader reads lines. It belongs to one goroutine.
type LineReader struct {
	// MaxRead is how many bytes of a line that is too long are read in search of its end.
	MaxRead int

	in      *bufio.Reader
	maxLine int
	line    int
	offset  int64
	long    []byte // memory for lines longer than the buffer
	torn    bool
}

// NewLineReader returns a reader of the lines of r, each of at most maxLine bytes, its end
// included.
func NewLineReader(r io.Reader, maxLine int) *LineReader {
	size := min(bufferSize, maxLine)
	if text, ok := r.(*bytes.Reader); ok { // often a single line
		size = min(size, text.Len())
	}
	in := bufio.NewReaderSize(r, size)
	return &LineReader{MaxRead: skipFactor * maxLine, in: in, maxLine: maxLine}
}

// Next returns the next line without its end, or io.EOF after the last one. The line is valid until
// the next call.
func (r *LineReader) Next() ([]byte, error) {
	r.line++
	line, err := r.in.ReadSlice('\n')
	size := len(line)
	if errors.Is(err, bufio.ErrBufferFull) {
		// The line is longer than the buffer. It is put together, and read on without being kept
		// once it is too long.
		r.long = append(r.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) && size < r.MaxRead {
			line, err = r.in.ReadSlice('\n')
			size += len(line)
			if size <= r.maxLine {
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
	case size > r.maxLine, size == r.maxLine && r.torn:
		return nil, ErrTooLong
	}
	if !r.torn {
		line = line[:len(line)-1]
	}
	// A byte order mark may begin any line, where several files were put together.
	return bytes.TrimPrefix(line, []byte("\ufeff")), nil
}

// All iterates over the lines that are left. After an error other than [ErrTooLong] there is none.
func (r *LineReader) All() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for {
			line, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			isOver := err != nil && err != ErrTooLong //nolint:errorlint // ErrEndless is one, too
			if !yield(string(line), err) || isOver {
				return
			}
		}
	}
}

// Line returns the number of the line read last, from 1.
func (r *LineReader) Line() int { return r.line }

// Offset returns how many bytes the lines read so far take in the file, their ends included.
func (r *LineReader) Offset() int64 { return r.offset }

// Torn reports whether the text ends with the line read last, and this has no end.
func (r *LineReader) Torn() bool { return r.torn }

// maxBadLines is the number of malformed lines after which a text is not read on.
const maxBadLines = 20

// Lines calls each with every line of a text and its number from 1. Ends, byte order marks and
// spaces around lines are removed; empty lines and lines that begin with # are left out. Of the
// others there may be maxLines, of maxLine bytes at most. The error joins the errors of reading and
// the errors that each returned, after the text's name and the line's number.
func Lines(
	in io.Reader, name string, maxLine, maxLines int, each func(n int, line string) error,
) error {
	var errs []error
	lines := NewLineReader(in, maxLine+len("\n"))
	taken := 0
	for line, err := range lines.All() {
		line = strings.TrimSpace(line)
		isText := line != "" && line[0] != '#'
		if err == nil && !isText {
			continue
		}
		taken++
		isOver := true // reading ends with an error, but for some of each
		switch {
		case errors.Is(err, ErrTooLong):
			err = fmt.Errorf("expected a line of at most %d bytes, found a longer one", maxLine)
		case err != nil:
			return errors.Join(append(errs, err)...)
		case taken > maxLines:
			err = fmt.Errorf("expected at most %d lines, found more", maxLines)
		default:
			err = each(lines.Line(), line)
			isOver = len(errs) == maxBadLines-1
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, lines.Line(), err))
			if isOver {
				break
			}
		}
	}
	return errors.Join(errs...)
}
