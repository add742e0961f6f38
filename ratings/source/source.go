// Package source reads game results from PGN and CSV. It streams them: the memory it
// takes depends on the number of players, not of games.
//
// Files come from outside. For a game that can't be read [Handler.Bad] is called, and
// reading goes on unless that returns an error. Names are at most 1000 bytes long, and
// a file has at most a quarter of a million.
package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"gyges/ratings"
)

const (
	maxName  = 1000    // bytes
	maxNames = 250_000 // of players
	// maxFields is the longest line of tags or of CSV that is read, in bytes.
	maxFields = 256 << 10
	// maxLine is the longest line, in bytes. The moves of a game of 100,000 plies, the
	// longest the rules allow, have some 5 MB.
	maxLine = 16 << 20
	// checkEvery is the number of lines between checks of the context.
	checkEvery = 1 << 14
)

// Game is one game's result. Byte slices are valid until the handler returns.
type Game struct {
	South, North string
	Result       ratings.Result
	Rules        string // empty if unknown
	ID           []byte // of the game in its file; empty if unknown
	Pair         []byte // the same in both games of a pair; empty if unknown
	Fault        bool   // decided it, as the tag Fault of exports says
	Line         int    // of its first line, from 1
}

// Handler holds the functions that are called for the content of a file, in its order.
type Handler struct {
	Game func(*Game) error
	// Bad is called for each game, or line of CSV, that can't be read, with the line
	// from 1 and what was expected there. An error that it returns ends the reading.
	Bad func(line int, err error) error
	// Unfinished is called for each game without a result yet.
	Unfinished func()

	// Tag and Moves, if not nil, are called for the rest of a game of PGN, before Game,
	// Bad or Unfinished: for each tag, without its escapes, and for each line of moves
	// and comments.
	Tag   func(name, value []byte)
	Moves func(line []byte)
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

// Read reads a file of PGN or CSV.
func Read(ctx context.Context, f Format, r io.Reader, h Handler) error {
	switch f {
	case PGN:
		return readPGN(ctx, r, h)
	case CSV:
		return readCSV(ctx, r, h)
	}
	return fmt.Errorf("read games: unknown format %.60q", f)
}

var bom = []byte("\ufeff")

// lines reads a file line by line.
type lines struct {
	ctx     context.Context
	scanner *bufio.Scanner
	number  int // of the last line, from 1
}

func newLines(ctx context.Context, r io.Reader) *lines {
	l := &lines{ctx: ctx, scanner: bufio.NewScanner(r)}
	l.scanner.Buffer(make([]byte, maxFields), maxLine)
	return l
}

// next returns the next line without its end, or io.EOF after the last one.
func (l *lines) next() ([]byte, error) {
	if l.number++; l.number%checkEvery == 0 && l.ctx.Err() != nil {
		return nil, l.ctx.Err()
	}
	more := l.scanner.Scan()
	switch err := l.scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d: expected at most %d bytes, found more", l.number, maxLine)
	case err != nil: // also where Scan returns what was read before it, maybe a part of a line
		return nil, err
	case !more:
		return nil, io.EOF
	}
	line := l.scanner.Bytes()
	if l.number == 1 {
		line = bytes.TrimPrefix(line, bom)
	}
	return line, nil
}

// trimBlanks returns text without the blanks and tabs at its beginning, three times as
// fast as [bytes.TrimLeft].
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	return text
}

// names keeps one string for each name.
type names map[string]string

var errTooManyNames = fmt.Errorf("expected at most %d players, found more", maxNames)

func (n names) of(name []byte) (string, error) {
	if s, ok := n[string(name)]; ok {
		return s, nil
	}
	if len(n) >= maxNames {
		return "", errTooManyNames
	}
	s := string(name)
	n[s] = s
	return s, nil
}

// set sets the names in a game.
func (n names) set(g *Game, south, north, rules []byte) (err error) {
	if g.South, err = n.of(south); err != nil {
		return err
	}
	if g.North, err = n.of(north); err != nil || len(rules) == 0 {
		return err
	}
	g.Rules, err = n.of(rules)
	return err
}

// checkName returns what is wrong with a player's name.
func checkName[T string | []byte](player string, name T) error {
	switch {
	case len(name) == 0 || string(name) == "?":
		return fmt.Errorf("expected the name of %s, found %.60q", player, name)
	case len(name) > maxName:
		return fmt.Errorf("expected a name of at most %d bytes for %s, found %d", maxName, player, len(name))
	}
	return nil
}

// errUnfinished is a game without a result yet.
var errUnfinished = errors.New("unfinished")

// parseResult reads a result as PGN writes it, or as South's points.
func parseResult[T string | []byte](text T) (ratings.Result, error) {
	switch string(text) {
	case "1-0", "1":
		return ratings.Win, nil
	case "0-1", "0":
		return ratings.Loss, nil
	case "1/2-1/2", "1/2", "½", "½-½", "0.5", ".5":
		return ratings.Draw, nil
	case "*":
		return 0, errUnfinished
	}
	return 0, fmt.Errorf("expected a result 1-0, 0-1, 1/2-1/2 or *, found %.40q", text)
}
