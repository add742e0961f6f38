// Package source reads game results from PGN and CSV, and finds the two games of a pair
// ([Matcher]), games that are copies ([Seen]) and games that repeat others ([Repeats]). It streams:
// the memory it takes depends on the number of players, not of games, but for some bytes that show
// that a game or a pair has come.
//
// Files come from outside. Of a game that can't be read [Results.ReadResult] returns a
// [jsonl.LineError], after which the next can be read. Names are at most 1000 bytes long, and a
// file has at most a quarter of a million.
package source

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"gyges/ratings"
	"gyges/rules/base/files"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/settings"
)

const (
	maxName  = 1000    // bytes
	maxNames = 250_000 // of players
	// maxFields is the longest line of tags or of CSV that is read, in bytes.
	maxFields = 256 << 10
	// maxLine is the longest line, and text of moves, in bytes; those of 100,000 plies have some
	// 5 MB.
	maxLine = 16 << 20
)

// Outcome is what is counted of a game.
type Outcome struct {
	South, North string
	Rules        string // empty if unknown
	Result       ratings.Result
	// Moves is a hash of all but the players, in records; 0 without moves, or if a fault decided.
	Moves uint64
}

// Result is what ratings need of a game. Byte slices are valid until the next one is read.
type Result struct {
	Outcome
	ID        []byte        // of the game in its file; empty if unknown
	Pair      []byte        // the same in both games of a pair; empty if unknown
	Opening   uint64        // a hash of it, the same in both games of a pair; 0 if unknown
	Content   uint64        // with an ID, a hash of all that is counted, opening, moves, start
	Timed     bool          // the start is known
	Fault     bool          // decided it: a crash, an illegal move or the like
	Damage    error         // why the moves of PGN can't be read; a [jsonl.LineError], or nil
	NotPlayed bool          // since a player was suspended; in records
	Line      int           // of its first line, from 1; 0: unknown
	Sides     ratings.Sides // what the file calls them; empty if it has no names
}

// Names keeps one string for each text: its [Name].
type Names map[string]string

// Of returns the string of a text. A nil map keeps none.
func (n Names) Of(text []byte) string {
	name, ok := n[string(text)]
	if !ok {
		own := string(text)
		if name = Name(own); n != nil {
			n[own] = name
		}
	}
	return name
}

// Name returns a name without blanks around it, in the form NFC of Unicode, in which texts that
// look alike since they differ only in how accents are written are one.
func Name(text string) string { return norm.NFC.String(cmp.Or(strings.TrimSpace(text), text)) }

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
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return "", nil, err
		}
		text := bytes.TrimLeft(bytes.TrimPrefix(head, bom), " \t\r\n")
		if len(text) > 0 {
			return formatOf(text), b, nil
		}
		if ended || n >= maxFields { // there is nothing
			return PGN, b, nil
		}
	}
}

// formatOf returns the format of a text that doesn't begin with a blank.
func formatOf(text []byte) Format {
	switch text[0] {
	case '%', ';':
		return PGN
	case '{', '[':
		if pgnBegin.Match(text) {
			return PGN
		}
		return Records
	}
	return CSV
}

// Named returns an error with the name of its file, which errors of the system have.
func Named(name string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

var (
	bom = []byte("\ufeff")
	// pgnBegin matches a comment or a tag, as no JSON begins.
	pgnBegin = regexp.MustCompile(`^(\{\s*[^"}\s]|\[\s*[^{\s])`)
)

// Results reads the games of a file of PGN or CSV. It belongs to one goroutine.
type Results struct {
	Names Names // of players that were read

	rules Names
	file  string
	lines *files.LineReader
	line  int      // the number of the line read last, from 1
	ahead [][]byte // lines that come before the next of lines, the first one last
	pgn   *pgnGame // nil in CSV
	csv   csvTable
}

// NewResults returns a reader of a file; name stands for it in errors. Records are not read.
func NewResults(f Format, in io.Reader, name string) *Results {
	r := &Results{file: name, Names: Names{}, rules: Names{}}
	r.lines = files.NewLineReader(in, maxLine)
	if f == PGN {
		r.pgn = newPGN()
	}
	return r
}

// ErrUnfinished is the error of a game without a result yet.
var ErrUnfinished = errors.New("the game has no result yet")

// ReadResult stores the next game in o, or returns io.EOF after the last one. The error is
// ErrUnfinished or a [*jsonl.LineError] for a game after which the next can be read. All others
// have the file's name.
func (r *Results) ReadResult(o *Result) error {
	if r.pgn != nil {
		return r.readPGN(o)
	}
	return r.readCSV(o)
}

// Tag returns the value of a tag, one of [tagNames], of the game of PGN that was read last; ""
// without it.
func (r *Results) Tag(name string) string {
	if r.pgn == nil {
		return ""
	}
	return string(r.pgn.tag(tagNames[name]))
}

// Moves returns the moves of the game of PGN that was read last, as they are in the file but for
// comments.
func (r *Results) Moves() (string, error) {
	switch {
	case r.pgn == nil:
		return "", nil
	case r.pgn.damage != nil:
		return "", r.pgn.damage
	case r.pgn.tooLong:
		return "", fmt.Errorf("expected moves of at most %d bytes, found more", maxLine)
	}
	return string(r.pgn.moves), nil
}

// next returns the next line without its end, or io.EOF. One that is no UTF-8 is in Windows-1252,
// which has Latin-1, the encoding of old PGN, in it.
func (r *Results) next() (line []byte, err error) {
	if n := len(r.ahead); n > 0 {
		line, r.ahead = r.ahead[n-1], r.ahead[:n-1]
	} else {
		line, err = r.lines.Next()
	}
	r.line++
	switch {
	case errors.Is(err, files.ErrTooLong):
		return nil, fmt.Errorf("%s: line %d: expected at most %d bytes, found more", r.file, r.line,
			maxLine)
	case errors.Is(err, io.EOF):
		return nil, err
	case err != nil:
		return nil, Named(r.file, err)
	}
	if i := bytes.IndexByte(line, '\r'); i >= 0 { // old Macs end lines so
		if rest := bytes.TrimRight(line[i+1:], "\r"); len(rest) > 0 {
			r.ahead = append(r.ahead, rest)
		}
		line = line[:i]
	}
	if !utf8.Valid(line) {
		line, _ = charmap.Windows1252.NewDecoder().Bytes(line) // it has no errors
	}
	return line, nil
}

// back makes next return some lines again.
func (r *Results) back(lines ...[]byte) {
	for _, line := range slices.Backward(lines) {
		r.ahead = append(r.ahead, line)
		r.line--
	}
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
		if name := string(player.text); name == "" || name == "?" {
			return r.wrong(player.line, "expected the name of %s, found %.60q", player.what, name)
		}
		if n := len(player.text); n > maxName {
			return r.wrong(player.line, "expected a name of at most %d bytes for %s, found %d",
				maxName, player.what, n)
		}
	}
	var err error
	o.Result, err = parseResult(result.text)
	if errors.Is(err, ErrUnfinished) {
		return err
	}
	if err != nil {
		return r.wrong(result.line, "%w", err)
	}
	o.South = r.Names.Of(south.text)
	o.North = r.Names.Of(north.text)
	o.Rules = r.rules.Of(rules)
	if max(len(r.Names), len(r.rules)) > maxNames {
		return fmt.Errorf("%s: expected at most %d players or rule sets, found more", r.file,
			maxNames)
	}
	return nil
}

// trimBlanks returns text without the blanks and tabs at its beginning, three times as fast as
// [bytes.TrimLeft].
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	return text
}

// parseResult reads a result as PGN writes it, as the points of South or of both, or as a word.
func parseResult(text []byte) (ratings.Result, error) {
	switch string(text) { // most files have no others
	case "1-0", "1":
		return ratings.Win, nil
	case "0-1", "0":
		return ratings.Loss, nil
	case "1/2-1/2":
		return ratings.Draw, nil
	case "*":
		return 0, ErrUnfinished
	}
	word := strings.ToLower(strings.Join(strings.Fields(string(text)), " "))
	word = resultDashes.Replace(word)
	south := points(word)
	if math.IsNaN(south) {
		first, second, _ := strings.Cut(word, "-")
		if points(first)+points(second) == 1 {
			south = points(first)
		}
	}
	if math.IsNaN(south) || math.IsInf(south, 0) {
		return 0, fmt.Errorf("expected a result 1-0, 0-1, 1/2-1/2 or *, found %.40q", text)
	}
	if !strings.ContainsAny(word[:1], "+-") {
		switch south {
		case 1:
			return ratings.Win, nil
		case 0.5:
			return ratings.Draw, nil
		case 0:
			return ratings.Loss, nil
		}
	}
	return 0, fmt.Errorf("%w, found %.40q", errScale, text)
}

// points returns the points that a number or a word in small letters stands for; NaN, as of 01, if
// there are none.
func points(text string) float64 {
	text = strings.TrimSpace(text)
	x, err := settings.Parse[float64](cmp.Or(resultWords[text], text))
	if err != nil {
		return math.NaN()
	}
	return x
}

// errScale is the error of points of another scale, like 1, 0 and -1, in which 0 and 1 don't mean
// what they seem to.
var errScale = errors.New("expected points of South, 1, 0.5 or 0")

// resultDashes writes dashes and decimal points in one way.
var resultDashes = strings.NewReplacer("–", "-", "—", "-", "−", "-", ":", "-", ",", ".")

// resultWords are the points of South that words stand for.
var resultWords = map[string]string{
	"1/2": ".5", "½": ".5", "draw": ".5", "drawn": ".5",
	"win": "1", "white": "1", "white wins": "1", "south": "1",
	"loss": "0", "black": "0", "black wins": "0", "north": "0",
}
