package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"gyges/ratings/source"
	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/strictjson"
)

// MaxLine bounds the length of a record's line, in bytes. A game of 100,000
// plies, the longest the rules allow, has some 5 MB.
const MaxLine = 16 << 20

var errTooLong = fmt.Errorf("expected a record of at most %d bytes, found a longer line", MaxLine)

// Reader streams records from a file of them: whole ones, or their results alone. It belongs
// to one goroutine.
type Reader struct {
	*files.LineReader
	Names source.Names // of the players of results that were read

	rules source.Names
	name  string
	text  []byte // the last line, without its end
	sums  bool   // the last record has a checksum
}

// HasSum reports whether the record read last has a checksum, which has been verified.
func (r *Reader) HasSum() bool { return r.sums }

// NewReader returns a reader of r's records. name stands for r in errors.
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{
		LineReader: files.NewLineReader(r, MaxLine),
		Names:      source.Names{},
		rules:      source.Names{},
		name:       name,
	}
}

// Read returns the next record, or io.EOF after the last one. Unknown keys, an empty line and lists
// that don't fit the moves are errors; whether the moves are legal is for [Replay] to say. The
// error is a [*jsonl.LineError] for a line that is no record, after which the next line can be
// read. All other errors name file and line, too, and end the reading, as of a line much longer
// than [MaxLine].
func (r *Reader) Read() (*Record, error) {
	if err := r.next(); err != nil {
		return nil, err
	}
	return r.Record()
}

// ReadResult stores the next game as ratings need it in o, some eight times as fast as Read. Of a
// line without blanks and escapes, as [Writer] has them, only the checksum is verified, or without
// one that it is JSON, and only what o has is read. Any other line is read and checked whole.
// Errors are those of Read.
func (r *Reader) ReadResult(o *source.Result) error {
	if err := r.next(); err != nil {
		return err
	}
	hasSum, err := checkSum(r.text)
	if err == nil && (hasSum || isPlain(r.text)) {
		var s short
		if s.scan(r.text) {
			r.sums = hasSum
			s.store(o, r.Names, r.rules)
			return nil
		}
	}
	g, err := r.Record()
	if err != nil {
		return err
	}
	g.store(o, r.Names, r.rules)
	return nil
}

// Record returns the whole record of the line that was read last. The error is a
// [*jsonl.LineError].
func (r *Reader) Record() (*Record, error) {
	g, err := parse(r.text)
	if err != nil {
		return nil, &jsonl.LineError{File: r.name, Line: r.Line(), Err: err, Torn: r.Torn()}
	}
	r.sums = g.Timing.CRC32C != ""
	g.Timing.CRC32C = ""
	return g, nil
}

// next reads a line.
func (r *Reader) next() (err error) {
	r.text, err = r.Next()
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return err
	case errors.Is(err, files.ErrEndless):
		err = errTooLong
	case errors.Is(err, files.ErrTooLong):
		return &jsonl.LineError{File: r.name, Line: r.Line(), Err: errTooLong}
	}
	return fmt.Errorf("%s:%d: %w", r.name, r.Line(), err)
}

// Find returns the first record of r with a game number, and its line. No more is read of the
// records before it than necessary, so that mistakes in those are not found. The error is io.EOF if
// there is no such game, a [*jsonl.LineError] if its line can't be read.
func Find(file io.Reader, name string, game int64) (g *Record, line int, err error) {
	r := NewReader(file, name)
	beginning := fmt.Appendf(nil, `{"game":%d,`, game)
	for {
		err := r.next()
		if errors.As(err, new(*jsonl.LineError)) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		// After a lost line end the game may begin within a line.
		found := bytes.Contains(r.text, beginning)
		if !found && bytes.HasPrefix(r.text, []byte(`{"game":`)) {
			continue
		}
		g, err := r.Record()
		if err != nil && found {
			return nil, r.Line(), err
		}
		if err == nil && g.Game == game {
			return g, r.Line(), nil
		}
	}
}

// parse reads and checks a record, which may have a checksum.
func parse(line []byte) (*Record, error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, errors.New("expected a game record, found an empty line")
	}
	g := new(Record)
	if err := strictjson.Unmarshal(line, MaxLine, g); err != nil {
		next := bytes.LastIndex(line, []byte(`}{"game":`)) + 1 // of two records in the line
		switch {
		case line[0] != '{':
			err = errors.New("the line is no JSON object; gyges import reads PGN and CSV")
		case errors.Is(err, strictjson.ErrCut):
			err = errors.New("the line is cut short")
		case next > 0:
			err = fmt.Errorf("another one begins in byte %d: the line end between them is lost",
				next+1)
		}
		return nil, fmt.Errorf("expected a game record: %w", err)
	}
	found, err := checkSum(line)
	if g.Timing.CRC32C != "" && !found {
		err = errors.New("expected timing.crc32c, 8 digits, at the end of the line: " +
			"another program has written it")
	}
	if err == nil {
		err = g.check()
	}
	if err != nil {
		return nil, fmt.Errorf("game %d: %w", g.Game, err)
	}
	return g, nil
}

// isPlain reports whether a line is JSON that has no checksum, and none with a damaged name.
func isPlain(line []byte) bool {
	if bytes.HasSuffix(line, []byte(sumEnd)) || bytes.Contains(line, []byte(`"crc32c"`)) {
		return false
	}
	return jsontext.Value(line).IsValid()
}
