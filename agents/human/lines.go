package human

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
)

// maxLine bounds what is kept of an input line, in bytes. No move is longer.
const maxLine = 1024

// errTooLong is returned for a line of more than maxLine bytes, all of which
// has been read.
var errTooLong = errors.New("that line is too long")

// lines hands out the lines of a reader that can't be interrupted, such as a
// terminal. Several agents may share it, for both sides of a game may be people.
type lines struct {
	mu      sync.Mutex
	r       *bufio.Reader
	pending chan line // a read that somebody stopped waiting for; nil if none
}

type line struct {
	text string
	err  error
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, maxLine)} }

// next returns the next line without its end. It waits until there is one, the
// input ends (io.EOF), or ctx is cancelled; a line that arrives too late is
// handed out the next time.
func (l *lines) next(ctx context.Context) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if l.pending == nil {
		ch := make(chan line, 1)
		go func() { ch <- l.read() }()
		l.pending = ch
	}
	select {
	case got := <-l.pending:
		l.pending = nil
		return got.text, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (l *lines) read() line {
	text, err := l.r.ReadSlice('\n')
	kept := string(text)
	for errors.Is(err, bufio.ErrBufferFull) {
		if _, err = l.r.ReadSlice('\n'); err == nil || errors.Is(err, io.EOF) {
			return line{err: errTooLong}
		}
	}
	if errors.Is(err, io.EOF) && kept != "" {
		err = nil // a last line without an end; the next read meets the end
	}
	return line{strings.TrimRight(kept, "\r\n"), err}
}
