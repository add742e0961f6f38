package ugi

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// errLongLine is the error for a line beyond the limit.
var errLongLine = errors.New("the line is too long")

// lineReader reads lines of a bounded length. An error of the reader below,
// such as a deadline, loses nothing: reading goes on where it stopped.
type lineReader struct {
	from  io.Reader
	limit int // bytes in a line, its end not counted
	buf   []byte
	start int // of what has not been handed out
	seen  int // up to here no line end has been found
	skip  bool
}

func newLineReader(from io.Reader, limit int) *lineReader {
	return &lineReader{from: from, limit: limit, buf: make([]byte, 0, min(limit, 4096)+1)}
}

// next returns the next line without its end; it holds until the next call. A
// line that is too long is an errLongLine, once; the rest of it is skipped.
func (l *lineReader) next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.seen:], '\n'); i >= 0 {
			line := l.buf[l.start : l.seen+i]
			l.start, l.seen = l.seen+i+1, l.seen+i+1
			if l.skip {
				l.skip = false
				continue
			}
			return bytes.TrimSuffix(line, []byte{'\r'}), nil
		}
		l.seen = len(l.buf)
		if l.skip {
			l.start = l.seen
		}
		if l.seen-l.start > l.limit {
			l.skip, l.start = true, l.seen
			return nil, errLongLine
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// fill reads more into the buffer, which it moves or grows as need be.
func (l *lineReader) fill() error {
	if l.start > 0 {
		n := copy(l.buf, l.buf[l.start:])
		l.buf, l.seen, l.start = l.buf[:n], l.seen-l.start, 0
	}
	if len(l.buf) == cap(l.buf) {
		bigger := make([]byte, len(l.buf), min(2*cap(l.buf), l.limit+1)+1)
		copy(bigger, l.buf)
		l.buf = bigger
	}
	n, err := l.from.Read(l.buf[len(l.buf):cap(l.buf)])
	l.buf = l.buf[:len(l.buf)+n]
	if n > 0 {
		return nil // an error comes again
	}
	return err
}

// rest returns what has been read of a line that has not ended.
func (l *lineReader) rest() []byte { return l.buf[l.start:] }

// escape makes a text from outside safe to print: control characters and what
// is not UTF-8 are written as Go escapes, and what is beyond the limit is cut.
func escape(text string, limit int) string {
	cut := len(text) > limit
	if cut {
		text = text[:limit]
	}
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(text[0])|0x100, 16)[1:])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		text = text[n:]
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}
