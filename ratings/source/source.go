// Package source reads game results from files in the formats that people have:
// PGN and CSV. It streams them: the memory it takes depends on the number of
// players, not of games.
//
// Files come from outside. A game that can't be read is handed to
// [Handler.Bad] with its line and what was expected there, and reading goes on
// unless Bad says otherwise. Names are at most 1000 bytes long, and at most a
// quarter of a million are told apart.
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
	// bufferSize is how much of a file is in memory at once, and the longest
	// line of tags or of CSV that is read; longer ones are left out.
	bufferSize = 256 << 10
	// maxLine is the longest line, in bytes, that is passed over. The moves of a
	// game of 100,000 plies, the longest the rules allow, have some 5 MB; a file
	// with longer lines is none of games.
	maxLine = 16 << 20
	// checkEvery is the number of lines after which the context is looked at.
	checkEvery = 1 << 14
)

// Game is one game's result. Byte slices are good until the handler returns.
type Game struct {
	South, North string
	Result       ratings.Result
	Rules        string // empty if the file doesn't say
	ID           []byte // of the game in its file; empty if the file doesn't say
	Pair         []byte // the same in both games of a pair; empty if unknown
	Line         int    // where it begins, from 1
}

// Handler is told what a file holds.
type Handler struct {
	Game func(*Game) error
	// Bad is told of each game, or line of CSV, that can't be read: the line from
	// 1, and what was expected there. An error that it returns ends the reading.
	Bad func(line int, err error) error
	// Unfinished is told of each game without a result yet.
	Unfinished func()

	// Tag and Moves, if not nil, are told the rest of a game of PGN, before Game,
	// Bad or Unfinished ends it: each tag, without its escapes, and each line of
	// moves and comments; inside says that the text goes on with the line before.
	Tag   func(name, value []byte)
	Moves func(text []byte, inside bool)
}

// Format is a kind of file.
type Format string

// The formats.
const (
	PGN     Format = "pgn"
	CSV     Format = "csv"
	Records Format = "records" // ours: a JSON object a line; this package doesn't read them
)

// Sniff tells the format by what the file begins with, and returns a reader of
// the whole file.
func Sniff(r io.Reader) (Format, io.Reader, error) {
	b := bufio.NewReaderSize(r, bufferSize)
	for n := 64; ; n *= 4 {
		head, err := b.Peek(min(n, bufferSize))
		text := bytes.TrimLeft(bytes.TrimPrefix(head, bom), " \t\r\n")
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return "", nil, err
		case len(text) == 0 && err == nil && n < bufferSize:
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

// lines reads a file line by line. Of a line longer than the buffer it returns
// the beginning, and then the rest in pieces.
type lines struct {
	ctx    context.Context
	r      *bufio.Reader
	number int  // of the last line, from 1
	open   bool // the last piece has not ended its line
	length int  // bytes of the line so far
}

func newLines(ctx context.Context, r io.Reader) *lines {
	return &lines{ctx: ctx, r: bufio.NewReaderSize(r, bufferSize)}
}

// next returns the next piece, without its line end; inside tells that it
// continues a line. It returns io.EOF after the last one.
func (l *lines) next() (piece []byte, inside bool, err error) {
	inside = l.open
	if !inside {
		if l.number++; l.number%checkEvery == 0 && l.ctx.Err() != nil {
			return nil, false, l.ctx.Err()
		}
	}
	if !inside {
		l.length = 0
	} else if l.ctx.Err() != nil {
		return nil, false, l.ctx.Err()
	}
	piece, err = l.r.ReadSlice('\n')
	if l.length += len(piece); l.length > maxLine {
		return nil, false, fmt.Errorf("line %d: expected at most %d bytes, found more", l.number, maxLine)
	}
	if err == nil {
		l.open = false
		piece = piece[:len(piece)-1]
	} else {
		l.open = errors.Is(err, bufio.ErrBufferFull)
		switch {
		case l.open:
			return piece, inside, nil
		case !errors.Is(err, io.EOF) || len(piece) == 0:
			return nil, false, err
		}
	}
	if n := len(piece); n > 0 && piece[n-1] == '\r' {
		piece = piece[:n-1]
	}
	if l.number == 1 && !inside {
		piece = bytes.TrimPrefix(piece, bom)
	}
	return piece, inside, nil
}

// trimBlanks takes blanks and tabs off the beginning.
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

// checkName says what is wrong with a name.
func checkName(what string, name []byte) error {
	switch {
	case len(name) == 0, len(name) == 1 && name[0] == '?':
		return fmt.Errorf("expected the name of %s, found %.60q", what, name)
	case len(name) > maxName:
		return fmt.Errorf("expected a name of at most %d bytes for %s, found %d", maxName, what, len(name))
	}
	return nil
}

// errUnfinished is a game without a result yet.
var errUnfinished = errors.New("unfinished")

// parseResult reads a result as PGN writes it, or as South's points.
func parseResult(text []byte) (ratings.Result, error) {
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
