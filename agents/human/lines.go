package human

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
)

// maxLine bounds an input line, in bytes, its end included. No move is longer.
const maxLine = 1024

// errTooLong is returned for a line of more than maxLine bytes, all of which has been read, however long it is.
var errTooLong = errors.New("that line is too long")

// lines reads lines from a reader that can't be interrupted, such as a terminal.
// Several agents may share it, as both sides of a game may be people.
type lines struct {
	in    io.Reader
	begin sync.Once
	read  chan line
}

type line struct {
	text string
	err  error
}

// next returns the next line without its end. It blocks until there is one, the input ends (io.EOF), or ctx is
// cancelled; the next call returns a line that comes later.
func (l *lines) next(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	l.begin.Do(func() {
		l.read = make(chan line)
		go l.readAll()
	})
	select {
	case got, ok := <-l.read:
		if !ok {
			return "", io.EOF
		}
		return got.text, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (l *lines) readAll() {
	defer close(l.read)
	for in := bufio.NewReaderSize(l.in, maxLine); ; {
		text, err := in.ReadSlice('\n')
		got := line{text: strings.TrimRight(string(text), "\r\n")}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of the line
			got = line{err: errTooLong}
			_, err = in.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			got = line{err: err}
		}
		if err == nil || got != (line{}) {
			l.read <- got
		}
		if err != nil {
			return
		}
	}
}
