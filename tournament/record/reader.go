package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxLine bounds the length of a record's line, in bytes. A game of 100,000
// plies, the longest the rules allow, has some 5 MB.
const MaxLine = 16 << 20

// ErrTorn is the error of a last line that has no end, as in a run that was
// stopped while it wrote, or still goes on.
var ErrTorn = errors.New("the last line is cut short")

// torn is the error that a torn line gave.
type torn struct{ error }

func (torn) Is(target error) bool { return target == ErrTorn }

// Reader streams records from a file of them. It belongs to one goroutine.
type Reader struct {
	lines  *bufio.Scanner
	name   string
	line   int
	offset int64
	torn   bool // the line that was read last has no end
	err    error
}

// NewReader returns a reader of r's records. name stands for r in errors.
func NewReader(r io.Reader, name string) *Reader {
	reader := &Reader{lines: bufio.NewScanner(r), name: name}
	reader.lines.Buffer(nil, MaxLine)
	reader.lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		advance, token, err := bufio.ScanLines(data, atEOF)
		reader.offset += int64(advance)
		reader.torn = atEOF && advance == len(data) && !bytes.HasSuffix(data, []byte{'\n'})
		return advance, token, err
	})
	return reader
}

// Offset returns how many bytes the records read so far take in the file, line
// ends included.
func (r *Reader) Offset() int64 { return r.offset }

// Read returns the next record, or io.EOF after the last one. Any other error
// names the file and the line and stays: nothing is skipped. Unknown keys, an
// empty line and arrays that don't fit the moves are errors, a last line without end that is no
// record is [ErrTorn]; whether the moves
// are legal is for [Replay] to say.
func (r *Reader) Read() (*Game, error) {
	if r.err != nil {
		return nil, r.err
	}
	if !r.lines.Scan() {
		r.err = io.EOF
		if err := r.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			r.err = r.fail(r.line+1, fmt.Errorf("expected a record of at most %d bytes, found a longer line", MaxLine))
		} else if err != nil {
			r.err = r.fail(r.line+1, err)
		}
		return nil, r.err
	}
	r.line++
	g, err := parse(r.lines.Bytes())
	if err != nil {
		switch failed := r.lines.Err(); {
		case failed != nil: // the line is cut short since no more could be read
			err = failed
		case r.torn:
			err = torn{err}
		}
		r.err = r.fail(r.line, err)
		return nil, r.err
	}
	return g, nil
}

// Line returns the line of the record read last, from 1.
func (r *Reader) Line() int { return r.line }

func (r *Reader) fail(line int, err error) error {
	return fmt.Errorf("%s:%d: %w", r.name, line, err)
}

// parse reads the record on one line.
func parse(line []byte) (*Game, error) {
	g := new(Game)
	if !g.scan(line) {
		var err error
		if g, err = parseJSON(line); err != nil {
			return nil, err
		}
	}
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("game %d: %w", g.Game, err)
	}
	return g, nil
}

// parseJSON reads a record in whatever way its JSON is laid out.
func parseJSON(line []byte) (*Game, error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, errors.New("expected a game record, found an empty line")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	g := new(Game)
	if err := dec.Decode(g); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the line is cut short")
		}
		return nil, fmt.Errorf("expected a game record: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("expected the end of the line after the record, found more")
	}
	return g, nil
}
