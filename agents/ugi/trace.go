package ugi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
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

	maxLogFile = 64 << 20 // bytes, after which no line begins
	maxLogLine = 4096     // bytes of a line, before it is escaped
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

	file    *os.File // has all lines, see [Log]; nil: there is none
	written int      // bytes
	err     error    // of the file
}

// add appends a line.
func (t *trace) add(mark byte, text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.write(mark, text)
	// One byte more than a line may have shows that it is to be cut.
	text = text[:min(len(text), traceLength+1)]
	t.lines = append(t.lines, string(mark)+" "+string(text))
	if len(t.lines) > traceLines {
		t.lines = t.lines[1:]
	}
}

// write writes a line into the file alone, with its time.
func (t *trace) write(mark byte, text []byte) {
	if t.file == nil || t.written > maxLogFile {
		return
	}
	line := textfmt.Escape(textfmt.Cut(string(text), maxLogLine))
	n, err := fmt.Fprintf(t.file, "%s %c %s\n",
		time.Now().Format("2006-01-02T15:04:05.000000Z07:00"), mark, line)
	t.written += n
	if t.written > maxLogFile {
		_, err = fmt.Fprintln(t.file, "= the log ends here: it is full")
	}
	if err != nil {
		t.err = err
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
