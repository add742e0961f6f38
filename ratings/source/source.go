// Package source reads game results from PGN and CSV, and finds the two games of a pair ([Matcher]), games that are
// copies ([Seen]) and games that repeat others ([Repeats]). It streams: the memory it takes depends on the number of
// players, not of games.
//
// Files come from outside. Of a game that can't be read [Results.ReadResult] returns a [jsonl.LineError], after which
// the next can be read. Names are at most 1000 bytes long, and a file has at most a quarter of a million.
package source

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"

	"gyges/ratings"
	"gyges/rules/base/jsonl"
)

const (
	maxName  = 1000    // bytes
	maxNames = 250_000 // of players
	// maxFields is the longest line of tags or of CSV that is read, in bytes.
	maxFields = 256 << 10
	// maxLine is the longest line, and text of moves, in bytes; those of 100,000 plies have some 5 MB.
	maxLine = 16 << 20
)

// Result is what ratings need of a game. Byte slices are valid until the next one is read.
type Result struct {
	South, North string
	Result       ratings.Result
	Rules        string        // empty if unknown
	ID           []byte        // of the game in its file; empty if unknown
	Pair         []byte        // the same in both games of a pair; empty if unknown
	Moves        uint64        // as [HashMoves] returns it, in records; 0 if unknown, or if a fault decided
	Fault        bool          // decided it: a crash, an illegal move or the like
	NotPlayed    bool          // since a player was suspended; in records
	Line         int           // of its first line, from 1; 0: unknown
	Sides        ratings.Sides // what the file calls them; empty if it has no names
}

// Names keeps one string for each text.
type Names map[string]string

// Of returns the string of a text. A nil map keeps none.
func (n Names) Of(text []byte) string {
	name, ok := n[string(text)]
	if !ok && n == nil {
		return string(text)
	}
	if !ok {
		name = string(text)
		n[name] = name
	}
	return name
}

// Format is a kind of file.
type Format string

// The formats.
const (
	PGN     Format = "pgn"
	CSV     Format = "csv"
	Records Format = "records" // a JSON object a line, which this package doesn't read
)

// Sniff returns the format of a file by its beginning, and a reader of the whole file.
func Sniff(r io.Reader) (Format, io.Reader, error) {
	b := bufio.NewReaderSize(r, maxFields)
	for n := 64; ; n *= 4 {
		head, err := b.Peek(min(n, maxFields))
		text := bytes.TrimLeft(bytes.TrimPrefix(head, bom), " \t\r\n")
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return "", nil, err
		case len(text) == 0 && err == nil && n < maxFields:
			continue
		case len(text) == 0, text[0] == '[', text[0] == '%', text[0] == ';':
			return PGN, b, nil
		case text[0] == '{':
			return Records, b, nil
		}
		return CSV, b, nil
	}
}

// Named returns an error with the name of its file, which errors of the system have.
func Named(name string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

var bom = []byte("\ufeff")

// Results reads the games of a file of PGN or CSV. It belongs to one goroutine.
type Results struct {
	file  string
	lines *jsonl.Lines
	names Names
	pgn   *pgnGame // nil in CSV
	csv   csvTable
}

// NewResults returns a reader of a file; name stands for it in errors. Records are not read.
func NewResults(f Format, in io.Reader, name string) *Results {
	r := &Results{file: name, lines: jsonl.NewLines(in, maxLine), names: Names{}}
	if f == PGN {
		r.pgn = new(pgnGame)
	}
	return r
}

// ErrUnfinished is the error of a game without a result yet.
var ErrUnfinished = errors.New("the game has no result yet")

// ReadResult stores the next game in o, or returns io.EOF after the last one. The error is ErrUnfinished or a
// [*jsonl.LineError] for a game after which the next can be read. All others have the file's name.
func (r *Results) ReadResult(o *Result) error {
	if r.pgn != nil {
		return r.readPGN(o)
	}
	return r.readCSV(o)
}

// Tag returns the value of a tag, one of [tagNames], of the game of PGN that was read last; "" without it.
func (r *Results) Tag(name string) string {
	if r.pgn == nil {
		return ""
	}
	return string(r.pgn.tag(tagNames[name]))
}

// Moves returns the moves and comments of the game of PGN that was read last, as they are in the file.
func (r *Results) Moves() (string, error) {
	switch {
	case r.pgn == nil:
		return "", nil
	case r.pgn.tooLong:
		return "", fmt.Errorf("expected moves of at most %d bytes, found more", maxLine)
	}
	return string(r.pgn.moves), nil
}

// next returns the next line without its end, or io.EOF. One that is no UTF-8 is Latin-1, the encoding of old PGN.
func (r *Results) next() ([]byte, error) {
	line, err := r.lines.Next()
	n := r.lines.Line()
	switch {
	case errors.Is(err, jsonl.ErrTooLong), errors.Is(err, jsonl.ErrEndless):
		return nil, fmt.Errorf("%s: line %d: expected at most %d bytes, found more", r.file, n, maxLine)
	case errors.Is(err, io.EOF):
		return nil, err
	case err != nil:
		return nil, Named(r.file, err)
	}
	if len(line) > 0 && line[0] == bom[0] {
		line = bytes.TrimPrefix(line, bom) // also where several files were put together
	}
	if !utf8.Valid(line) {
		latin1 := make([]rune, len(line))
		for i, b := range line {
			latin1[i] = rune(b)
		}
		line = []byte(string(latin1))
	}
	return bytes.TrimSuffix(line, []byte{'\r'}), nil
}

// wrong returns the error of a game that can't be read, found in a line.
func (r *Results) wrong(line int, format string, args ...any) error {
	return &jsonl.LineError{File: r.file, Line: line, Err: fmt.Errorf(format, args...)}
}

// value is what a file says of a game.
type value struct {
	what string // for messages
	text []byte
	line int // that it stands on
}

// result adds players, result and rules to a game.
func (r *Results) result(o *Result, south, north, result value, rules []byte) error {
	for _, player := range [...]value{south, north} {
		switch {
		case len(player.text) == 0 || string(player.text) == "?":
			return r.wrong(player.line, "expected the name of %s, found %.60q", player.what, player.text)
		case len(player.text) > maxName:
			return r.wrong(player.line, "expected a name of at most %d bytes for %s, found %d", maxName, player.what,
				len(player.text))
		}
	}
	var err error
	switch o.Result, err = parseResult(result.text); {
	case errors.Is(err, ErrUnfinished):
		return err
	case err != nil:
		return r.wrong(result.line, "%w", err)
	}
	o.South, o.North, o.Rules = r.names.Of(south.text), r.names.Of(north.text), r.names.Of(rules)
	if len(r.names) > maxNames {
		return fmt.Errorf("%s: expected at most %d players, found more", r.file, maxNames)
	}
	return nil
}

// trimBlanks returns text without the blanks and tabs at its beginning, three times as fast as [bytes.TrimLeft].
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	return text
}

// parseResult reads a result as PGN writes it, or as South's points.
func parseResult(text []byte) (ratings.Result, error) {
	switch string(text) {
	case "1-0", "1", "1.0":
		return ratings.Win, nil
	case "0-1", "0", "0.0":
		return ratings.Loss, nil
	case "1/2-1/2", "1/2", "½", "½-½", "0.5", ".5":
		return ratings.Draw, nil
	case "*":
		return 0, ErrUnfinished
	}
	return 0, fmt.Errorf("expected a result 1-0, 0-1, 1/2-1/2 or *, found %.40q", text)
}
