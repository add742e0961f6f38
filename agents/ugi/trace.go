package ugi

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	traceLines  = 32  // kept of a dialogue
	traceLength = 160 // bytes kept of each line

	quickErrors = 1 << 20 // bytes of stderr that are read at full speed
	slowErrors  = time.Millisecond
)

// trace keeps the last lines said, in a ring. Two goroutines write to it.
type trace struct {
	mu    sync.Mutex
	lines [traceLines]string
	next  int
}

// add notes a line. mark says who spoke: '>' the host, '<' the engine, '!' the
// engine on stderr, '=' is a remark.
func (t *trace) add(mark byte, text []byte) {
	if len(text) > traceLength {
		text = text[:traceLength]
	}
	line := string(mark) + " " + string(text)
	t.mu.Lock()
	t.lines[t.next%traceLines] = line
	t.next++
	t.mu.Unlock()
}

// last returns the lines, the oldest first, escaped.
func (t *trace) last() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var list []string
	for i := max(t.next-traceLines, 0); i < t.next; i++ {
		list = append(list, escape(t.lines[i%traceLines], traceLength))
	}
	return list
}

// lastError returns the last line on stderr, to tell why a program ended; "" if
// there is none.
func (t *trace) lastError() string {
	lines := t.last()
	for i := len(lines) - 1; i >= 0; i-- {
		if text, ok := strings.CutPrefix(lines[i], "! "); ok {
			return text
		}
	}
	return ""
}

// drain reads an engine's stderr to its end, so that the engine doesn't wait,
// and notes its lines. A flood is slowed down.
func (t *trace) drain(from io.Reader) {
	lines := newLineReader(bufio.NewReaderSize(&slowReader{from: from}, 64<<10), traceLength)
	for {
		line, err := lines.next()
		switch {
		case err == nil:
			t.add('!', line)
		case errors.Is(err, errLongLine):
			t.add('!', []byte("(a longer line)"))
		default:
			if rest := lines.rest(); len(rest) > 0 {
				t.add('!', rest)
			}
			return
		}
	}
}

// slowReader waits a little before each read when much has been read.
type slowReader struct {
	from io.Reader
	n    int
}

func (s *slowReader) Read(p []byte) (int, error) {
	if s.n > quickErrors {
		time.Sleep(slowErrors)
	}
	n, err := s.from.Read(p)
	s.n += n
	return n, err
}
