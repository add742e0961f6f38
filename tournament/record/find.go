package record

import (
	"bytes"
	"errors"
	"io"
	"strconv"
)

// Find returns the first record of r with a game number, and its line. It reads
// no more of the records before it than it must, so that a mistake in those may
// go unseen. The error is io.EOF if there is no such game, a *LineError if its
// line can't be read.
func Find(r io.Reader, name string, game int64) (g *Game, line int, err error) {
	lines := NewResultReader(r, name)
	head := append(strconv.AppendInt([]byte(`{"game":`), game, 10), ',')
	for {
		text, err := lines.next()
		var long *LineError
		switch {
		case errors.As(err, &long):
			continue // another game's, or nobody's
		case err != nil:
			return nil, 0, err
		case bytes.HasPrefix(text, []byte(`{"game":`)) && !bytes.HasPrefix(text, head):
			continue
		}
		g, err := parse(text)
		switch {
		case err != nil && bytes.HasPrefix(text, head):
			return nil, lines.line, &LineError{name, lines.line, err}
		case err == nil && g.Game == game:
			return g, lines.line, nil
		}
	}
}
