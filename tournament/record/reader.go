package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gyges/ratings/source"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/strictjson"
)

// MaxLine bounds the length of a record's line, in bytes. A game of 100,000
// plies, the longest the rules allow, has some 5 MB.
const MaxLine = 16 << 20

// ErrTorn is the error of a last line that has no end, as in a run that was
// stopped while it wrote, or still goes on.
var ErrTorn = errors.New("the last line is cut short")

var errTooLong = fmt.Errorf("expected a record of at most %d bytes, found a longer line", MaxLine)

// LineError is the error of a line that is no record.
type LineError struct {
	File string
	Line int // from 1
	Err  error
	torn bool // the line has no end
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Err) }

func (e *LineError) Unwrap() error { return e.Err }

// Is reports whether the target is [ErrTorn] and the line is such a one.
func (e *LineError) Is(target error) bool { return target == ErrTorn && e.torn }

// Reader streams records from a file of them: whole ones, or their results alone. It
// belongs to one goroutine.
type Reader struct {
	*jsonl.Reader
	name  string
	text  []byte // the last line, without its end
	names source.Names
	sums  bool // the last record has a checksum
}

// HasSum reports whether the record read last has a checksum, which has been verified.
func (r *Reader) HasSum() bool { return r.sums }

// NewReader returns a reader of r's records. name stands for r in errors.
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{Reader: jsonl.NewReader(r, MaxLine), name: name, names: source.Names{}}
}

// Read returns the next record, or io.EOF after the last one. Unknown keys, an empty
// line and arrays that don't fit the moves are errors; whether the moves are legal is
// for [Replay] to say. The error is a *[LineError] for a line that is no record, after
// which the next line can be read. All others name file and line, too, and end the
// reading: that of a line much longer than [MaxLine] is one.
func (r *Reader) Read() (*Record, error) {
	if err := r.next(); err != nil {
		return nil, err
	}
	return r.Game()
}

// ReadShort stores the next game as ratings need it in o, some fifty times as fast as Read: of a line
// that is laid out as [Writer] does it, only the checksum is verified, or without one that
// it is JSON, and the beginning and the result are read. Any other line is read and checked
// whole. Errors are those of Read.
func (r *Reader) ReadShort(o *source.Game) error {
	if err := r.next(); err != nil {
		return err
	}
	if r.scan(r.text, o) {
		return nil
	}
	g, err := r.Game()
	if err == nil {
		*o = g.Short()
	}
	return err
}

// Game returns the whole record of the line that was read last. The error is a
// *[LineError].
func (r *Reader) Game() (*Record, error) {
	g, err := parse(r.text)
	if err == nil {
		r.sums, g.Timing.CRC32C = g.Timing.CRC32C != "", ""
	}
	if err != nil {
		return nil, &LineError{r.name, r.Line(), err, r.Torn()}
	}
	return g, nil
}

func (r *Reader) next() (err error) {
	r.text, err = r.Next()
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return err
	case errors.Is(err, jsonl.ErrTooLong):
		return &LineError{r.name, r.Line(), errTooLong, false}
	case errors.Is(err, jsonl.ErrEndless):
		err = errTooLong
	}
	return fmt.Errorf("%s:%d: %w", r.name, r.Line(), err)
}

// Find returns the first record of r with a game number, and its line. No more is read
// of the records before it than necessary, so that mistakes in those are not found. The
// error is io.EOF if there is no such game, a *[LineError] if its line can't be read.
func Find(file io.Reader, name string, game int64) (g *Record, line int, err error) {
	r := NewReader(file, name)
	head := append(strconv.AppendInt([]byte(`{"game":`), game, 10), ',')
	for {
		err := r.next()
		switch {
		case errors.As(err, new(*LineError)):
			continue
		case err != nil:
			return nil, 0, err
		case bytes.HasPrefix(r.text, []byte(`{"game":`)) && !bytes.Contains(r.text, head):
			continue
		}
		g, err := r.Game()
		if err == nil && g.Game == game || err != nil && bytes.Contains(r.text, head) { // also after a lost line end
			return g, r.Line(), err
		}
	}
}

// Short returns the game as ratings need it.
func (g *Record) Short() source.Game {
	moves := uint64(0)
	if len(g.Moves) > 0 && g.Fault == nil {
		list := `"` + strings.Join(g.Moves, `","`) + `"`
		moves = source.HashMoves([]byte(g.Rules), []byte(g.Opening), []byte(g.Result), []byte(list))
	}
	return source.Game{
		South: g.South.Agent, North: g.North.Agent, Rules: g.Rules, Moves: moves,
		Result: RatingResult(g.Result), ID: strconv.AppendInt(nil, g.Game, 10), Pair: strconv.AppendInt(nil, g.Pair, 10),
		NotPlayed: g.NotPlayed(), Fault: g.Fault != nil,
	}
}

// parse reads the record on one line.
func parse(line []byte) (*Record, error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, errors.New("expected a game record, found an empty line")
	}
	g := new(Record)
	if err := strictjson.Unmarshal(line, MaxLine, g); err != nil {
		next := bytes.LastIndex(line, []byte(`}{"game":`)) + 1
		switch {
		case line[0] != '{':
			err = errors.New("the line is no JSON object; gyges import reads PGN and CSV")
		case errors.Is(err, strictjson.ErrCut):
			err = errors.New("the line is cut short")
		case next > 0:
			err = fmt.Errorf("another one begins in byte %d: the line end between them is lost", next+1)
		}
		return nil, fmt.Errorf("expected a game record: %w", err)
	}
	found, err := checkSum(line)
	if g.Timing.CRC32C != "" && !found {
		err = errors.New("expected timing.crc32c, 8 digits, at the end of the line: another program has written it")
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
	return !bytes.HasSuffix(line, []byte(sumEnd)) && !bytes.Contains(line, []byte(`"crc32c"`)) &&
		jsontext.Value(line).IsValid()
}

// scan reads a line that is laid out as [Writer] does it, and reports whether it is.
func (r *Reader) scan(line []byte, o *source.Game) bool {
	sums, err := checkSum(line)
	ok := err == nil && (sums || isPlain(line))
	// value returns what stands behind a key up to a delimiter, and removes both.
	value := func(key string, delimiter byte) []byte {
		rest, found := bytes.CutPrefix(line, []byte(key))
		i := bytes.IndexByte(rest, delimiter)
		if ok = ok && found && i >= 0 && bytes.IndexByte(rest[:i], '\\') < 0; !ok {
			return nil
		}
		line = rest[i+1:]
		return rest[:i]
	}
	number := func(key string) []byte {
		text := value(key, ',')
		_, err := strconv.ParseUint(string(text), 10, 63)
		ok = ok && err == nil
		return text
	}
	*o = source.Game{ID: number(`{"game":`), Pair: number(`"pair":`)}
	ruleSet := value(`"rules":"`, '"')
	opening := value(`,"opening":"`, '"')
	value(`,"policy":"`, '"')
	south := value(`,"south":{"agent":"`, '"')
	value(`,"seed":"`, '"')
	north := value(`},"north":{"agent":"`, '"')
	const result = `],"result":"` // in a text the quotes would be escaped, so this is the key
	i := bytes.Index(line, []byte(result))
	if !ok || i < 0 {
		return false
	}
	moves := line[:i]
	line = line[i:]
	points := string(value(result, '"'))
	reason := string(value(`,"reason":"`, '"'))
	o.NotPlayed = reason == string(FaultSuspended)
	value(`,"plies":`, ',')
	o.Fault = bytes.HasPrefix(line, []byte(`"fault":`))
	if !ok || !slices.Contains(results[:], points) || len(south) == 0 || len(north) == 0 ||
		len(ruleSet) == 0 && reason != Imported {
		return false
	}
	o.Result, o.Rules = RatingResult(points), r.names.Of(ruleSet)
	o.South, o.North = r.names.Of(south), r.names.Of(north)
	_, moves, ok = bytes.Cut(moves, []byte(`,"moves":[`))
	if moves, _, _ = bytes.Cut(moves, []byte{']'}); !ok || bytes.IndexByte(moves, '\\') >= 0 {
		return false
	}
	if !o.Fault {
		o.Moves = source.HashMoves(ruleSet, opening, []byte(points), moves)
	}
	r.sums = sums
	return true
}
