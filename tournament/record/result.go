package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// GameResult is what ratings need of a record. Its byte slices are valid until the
// next call.
type GameResult struct {
	Game, Pair   int64
	Rules        []byte
	South, North []byte // agents
	Result       []byte // "1-0", "0-1" or "1/2-1/2"
	NotPlayed    bool   // not played, see [FaultSuspended]
}

// ResultReader streams results from a file of records, some ten times as fast as
// [Reader] streams games: of a line that begins as [Game.AppendJSON] writes it,
// only the head and the result are looked at, so mistakes elsewhere in it go
// unseen. Any other line is read and checked whole. It belongs to one goroutine.
type ResultReader struct {
	lines *bufio.Reader
	name  string
	line  int
	text  []byte // the last line that held a result
	long  []byte // a line longer than the buffer
}

// NewResultReader returns a reader of r's results. name stands for r in errors.
func NewResultReader(r io.Reader, name string) *ResultReader {
	return &ResultReader{lines: bufio.NewReaderSize(r, 256<<10), name: name}
}

// LineError is a line that is no record.
type LineError struct {
	File string
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// Read stores the next result in o. It returns io.EOF after the last one, and a
// *LineError for a line that is no record; after that the next line can be read.
func (r *ResultReader) Read(o *GameResult) error {
	line, err := r.next()
	var bad *LineError
	switch {
	case errors.Is(err, io.EOF), errors.As(err, &bad):
		return err
	case err != nil:
		return fmt.Errorf("%s:%d: %w", r.name, r.line, err)
	}
	r.text = line
	if o.scan(line) {
		return nil
	}
	g, err := parse(line)
	if err != nil {
		return &LineError{r.name, r.line, err}
	}
	*o = GameResult{g.Game, g.Pair, []byte(g.Rules), []byte(g.South.Agent), []byte(g.North.Agent), []byte(g.Result), g.NotPlayed()}
	return nil
}

// Game reads the whole record of the result read last. The error is a *LineError:
// it may find what Read didn't check.
func (r *ResultReader) Game() (*Game, error) {
	g, err := parse(r.text)
	if err != nil {
		return nil, &LineError{r.name, r.line, err}
	}
	return g, nil
}

// next returns the next line without its end.
func (r *ResultReader) next() ([]byte, error) {
	r.line++
	line, err := r.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.nextLong(line)
	}
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	return bytes.TrimSuffix(line, []byte{'\n'}), err
}

// nextLong reads the rest of a line of which the buffer holds the beginning. A
// line that is too long is skipped.
func (r *ResultReader) nextLong(head []byte) ([]byte, error) {
	r.long = append(r.long[:0], head...)
	tooLong := false
	for {
		piece, err := r.lines.ReadSlice('\n')
		if tooLong = tooLong || len(r.long)+len(piece) > MaxLine; !tooLong {
			r.long = append(r.long, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case tooLong:
			return nil, &LineError{r.name, r.line, fmt.Errorf("expected a record of at most %d bytes, found a longer line", MaxLine)}
		default:
			return r.long, nil
		}
	}
}

// scan reads a line that is laid out as [Game.AppendJSON] does it, and reports
// whether it is.
func (o *GameResult) scan(line []byte) bool {
	c := cursor{line, true}
	o.Game = c.number(`{"game":`)
	o.Pair = c.number(`,"pair":`)
	o.Rules = c.text(`,"rules":"`)
	c.text(`,"opening":"`)
	c.text(`,"policy":"`)
	o.South = c.text(`,"south":{"agent":"`)
	c.text(`,"seed":"`)
	o.North = c.text(`},"north":{"agent":"`)
	c.text(`,"seed":"`)
	if !c.ok || len(o.South) == 0 || len(o.North) == 0 || line[len(line)-1] != '}' {
		return false
	}
	// In a text the quotes would be escaped, so this is the key.
	i := bytes.Index(c.rest, []byte(`],"result":"`))
	if i < 0 {
		return false
	}
	c.rest = c.rest[i:]
	o.Result = c.text(`],"result":"`)
	reason := string(c.text(`,"reason":"`))
	o.NotPlayed = reason == string(FaultSuspended)
	if len(o.Rules) == 0 && reason != Imported {
		return false
	}
	return c.ok && (string(o.Result) == results[0] || string(o.Result) == results[1] || string(o.Result) == results[2])
}

// cursor takes a line apart from the left; ok is false once it found something
// else than expected.
type cursor struct {
	rest []byte
	ok   bool
}

func (c *cursor) skip(key string) {
	if !c.ok || len(c.rest) < len(key) || string(c.rest[:len(key)]) != key {
		c.ok = false
		return
	}
	c.rest = c.rest[len(key):]
}

// number reads a number from 0 after a key.
func (c *cursor) number(key string) int64 {
	c.skip(key)
	i := bytes.IndexByte(c.rest, ',')
	if !c.ok || i < 1 || i > 18 || (c.rest[0] == '0' && i > 1) {
		c.ok = false
		return 0
	}
	n, err := strconv.ParseUint(string(c.rest[:i]), 10, 63)
	c.ok, c.rest = err == nil, c.rest[i:]
	return int64(n)
}

// text reads a text without escapes after a key that ends in its quote.
func (c *cursor) text(key string) []byte {
	c.skip(key)
	i := bytes.IndexByte(c.rest, '"')
	if !c.ok || i < 0 || bytes.IndexByte(c.rest[:i], '\\') >= 0 {
		c.ok = false
		return nil
	}
	text := c.rest[:i]
	c.rest = c.rest[i+1:]
	return text
}
