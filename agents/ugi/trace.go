package ugi

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"gyges/rules/base/files"
	"gyges/rules/base/textfmt"
)

const (
	traceLines  = 32  // kept of a dialogue
	traceLength = 160 // bytes kept of each line
)

// Writers of the lines in a trace.
const (
	fromHost   = '>'
	fromEngine = '<'
	fromStderr = '!' // the engine, on its standard error output
	remark     = '=' // about the dialogue, by this program
)

// trace keeps the last lines of the dialogue with an engine, each behind the mark of its writer.
// Every line that is sent or received passes here. Several goroutines write to it.
type trace struct {
	mu    sync.Mutex
	lines []string
}

// add appends a line.
func (t *trace) add(mark byte, text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// One byte more than a line may have shows that it is to be cut.
	text = text[:min(len(text), traceLength+1)]
	t.lines = append(t.lines, string(mark)+" "+string(text))
	if len(t.lines) > traceLines {
		t.lines = t.lines[1:]
	}
}

// last returns the lines, the oldest first, cut and escaped.
func (t *trace) last() (lines []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, line := range t.lines {
		mark, text := line[:2], line[2:]
		lines = append(lines, mark+textfmt.Escape(textfmt.Cut(text, traceLength)))
	}
	return lines
}

// lastError returns the last line on stderr, which may be the cause of a program's end; "" if there
// is none.
func (t *trace) lastError() string {
	for _, line := range slices.Backward(t.last()) {
		text, ok := strings.CutPrefix(line, string(fromStderr)+" ")
		if ok {
			return text
		}
	}
	return ""
}

// drain adds the lines of an engine's stderr until it ends.
func (t *trace) drain(stderr io.Reader) {
	lines := files.NewLineReader(&throttled{Reader: stderr}, maxLine)
	lines.MaxRead = math.MaxInt
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, files.ErrTooLong):
			line = []byte("a line that is too long")
		case err != nil:
			return
		}
		t.add(fromStderr, bytes.TrimSuffix(line, []byte("\r")))
	}
}

const (
	quickBytes = 1 << 20 // are read at full speed
	slowRead   = time.Millisecond
)

// throttled slows a flood of text down, so that reading it leaves the processors to others.
type throttled struct {
	io.Reader
	read int
}

func (r *throttled) Read(text []byte) (int, error) {
	n, err := r.Reader.Read(text)
	r.read += n
	if r.read > quickBytes {
		time.Sleep(slowRead)
	}
	return n, err
}
