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
	// maxLine is the longest line, in bytes. The moves of a game of 100,000 plies, the
	// longest the rules allow, have some 5 MB.
	maxLine = 16 << 20
	// checkEvery is the number of lines between checks of the context.
	checkEvery = 1 << 14
)

// Game is a game as ratings need it. Byte slices are valid until the next game is read.
type Game struct {
	South, North string
	Result       ratings.Result
	Rules        string        // empty if unknown
	ID           []byte        // of the game in its file; empty if unknown
	Pair         []byte        // the same in both games of a pair; empty if unknown
	Moves        uint64        // as [HashMoves] returns it, in records; 0 if unknown, or if a fault decided
	Fault        bool          // decided it: a crash, an illegal move or the like
	NotPlayed    bool          // since a player was suspended; in records
	Line         int           // of its first line, from 1; 0 in records
	Sides        ratings.Sides // what the file calls them; empty if it has no names
}

// Names keeps one string for each text.
type Names map[string]string

// Of returns the string of a text.
func (n Names) Of(text []byte) string {
	name, ok := n[string(text)]
	if !ok {
		name = string(text)
		n[name] = name
	}
	return name
}

// Handler holds the functions that are called for the content of a file, in its order.
type Handler struct {
	Game func(*Game) error
	// Bad is called for each game, or line of CSV, that can't be read, with the line
	// from 1 and what was expected there. An error that it returns ends the reading.
	Bad func(line int, err error) error
	// Unfinished is called for each game without a result yet.
	Unfinished func()
	// Duplicate is called for each game whose id is in Seen, with the line; nil: for none.
	Duplicate func(line int)
	Seen      Seen

	// Begin, Tag and Moves, if not nil, are called for the rest of a game of PGN, before Game,
	// Bad, Unfinished or Duplicate: at its beginning, for each tag, without its escapes, and for each line of moves
	// and comments.
	Begin func()
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

// Read reads a file of PGN or CSV. Errors have the file's name, but for those that the handler returns, and of ctx.
func Read(ctx context.Context, f Format, in io.Reader, name string, h *Handler) error {
	r := reader{ctx: ctx, file: name, h: h, lines: jsonl.NewReader(in, maxLine), names: Names{}}
	switch f {
	case PGN:
		return readPGN(r)
	case CSV:
		return readCSV(r)
	}
	return Named(name, fmt.Errorf("expected PGN or CSV, found %.60q", f))
}

// Named returns an error with the name of its file, which errors of the system have.
func Named(name string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

var bom = []byte("\ufeff")

// reader is what the readers of both formats share: the lines of a file, and the handler.
type reader struct {
	ctx   context.Context
	file  string
	h     *Handler
	lines *jsonl.Reader
	names Names
	out   Game
}

// each calls read with each line.
func (r *reader) each(read func(line []byte) error) error {
	for {
		line, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = read(line)
		}
		if err != nil {
			return err
		}
	}
}

// next returns the next line without its end, or io.EOF after the last one. A line that is no UTF-8 is read as
// Latin-1, the encoding of old PGN.
func (r *reader) next() ([]byte, error) {
	line, err := r.lines.Next()
	n := r.lines.Line()
	switch {
	case errors.Is(err, jsonl.ErrTooLong), errors.Is(err, jsonl.ErrEndless):
		return nil, fmt.Errorf("%s: line %d: expected at most %d bytes, found more", r.file, n, maxLine)
	case errors.Is(err, io.EOF):
		return nil, err
	case err != nil:
		return nil, Named(r.file, err)
	case n%checkEvery == 0 && r.ctx.Err() != nil:
		return nil, r.ctx.Err()
	case n == 1:
		line = bytes.TrimPrefix(line, bom)
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

// value is what a file says of a game.
type value struct {
	what string // for messages
	text []byte
	line int // that it stands on
}

// game calls the handler for a game, whose other fields are in r.out.
func (r *reader) game(south, north, result value, rules []byte) error {
	for _, player := range [...]value{south, north} {
		switch {
		case len(player.text) == 0 || string(player.text) == "?":
			return r.h.Bad(player.line, fmt.Errorf("expected the name of %s, found %.60q", player.what, player.text))
		case len(player.text) > maxName:
			return r.h.Bad(player.line, fmt.Errorf("expected a name of at most %d bytes for %s, found %d", maxName, player.what,
				len(player.text)))
		}
	}
	var err error
	if r.out.Result, err = parseResult(result.text); errors.Is(err, errUnfinished) {
		r.h.Unfinished()
		return nil
	} else if err != nil {
		return r.h.Bad(result.line, err)
	}
	r.out.South, r.out.North, r.out.Rules = r.names.Of(south.text), r.names.Of(north.text), r.names.Of(rules)
	if len(r.names) > maxNames {
		return fmt.Errorf("%s: expected at most %d players, found more", r.file, maxNames)
	}
	if r.h.Duplicate != nil && len(r.out.ID) > 0 && r.h.Seen.Add(r.out.ID) {
		r.h.Duplicate(r.out.Line)
		return nil
	}
	return r.h.Game(&r.out)
}

// trimBlanks returns text without the blanks and tabs at its beginning, three times as
// fast as [bytes.TrimLeft].
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	return text
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
