package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"gyges/ratings/csvfile"
)

// readCSV reads a table of results, a game a line. A header names the columns:
// south (or white), north (or black), result, and if they are there game (or
// id), pair and rules; others don't matter. Without a header the first three
// are South, North and the result. Fields are separated by commas, semicolons
// or tabs, whatever the first line has; a quoted field may hold them, but no
// line end.
func readCSV(ctx context.Context, r io.Reader, h Handler) error {
	t := &table{h: h, lines: newLines(ctx, r), names: make(names)}
	for {
		line, inside, err := t.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case inside:
			continue
		}
		if err := t.line(line); err != nil {
			return err
		}
	}
}

// table is a CSV file being read.
type table struct {
	h       Handler
	lines   *lines
	names   names
	comma   byte // 0 until the first line
	columns [columnCount]int
	most    int // the last column that matters
	fields  [][]byte
	out     Game
}

// The columns that matter.
const (
	columnSouth = iota
	columnNorth
	columnResult
	columnID
	columnPair
	columnRules
	columnCount
)

// columnNames are what a header may call each.
var columnNames = [columnCount][]string{
	{"south", "white", "player1"}, {"north", "black", "player2"}, {"result", "score"},
	{"game", "id", "gameid", "game_id"}, {"pair"}, {"rules", "variant"},
}

func (t *table) line(line []byte) error {
	if t.lines.open {
		return t.h.Bad(t.lines.number, fmt.Errorf("expected a line of at most %d bytes, found a longer one", bufferSize))
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	if t.comma == 0 {
		header, err := t.first(line)
		if header || err != nil {
			return err
		}
	}
	if err := t.split(line); err != nil {
		return t.h.Bad(t.lines.number, err)
	}
	if len(t.fields) <= t.most {
		return t.h.Bad(t.lines.number, fmt.Errorf("expected at least %d fields, found %d", t.most+1, len(t.fields)))
	}
	t.out = Game{Line: t.lines.number}
	switch err := t.game(&t.out); {
	case errors.Is(err, errTooManyNames):
		return err
	case errors.Is(err, errUnfinished):
		t.h.Unfinished()
		return nil
	case err != nil:
		return t.h.Bad(t.lines.number, err)
	}
	return t.h.Game(&t.out)
}

// first finds out how the file is laid out, and whether its first line is a
// header.
func (t *table) first(line []byte) (header bool, err error) {
	t.comma = ','
	for _, c := range []byte{'\t', ';'} {
		if bytes.IndexByte(line, c) >= 0 && bytes.IndexByte(line, ',') < 0 {
			t.comma = c
		}
	}
	if err := t.split(bytes.Clone(line)); err != nil { // which changes it
		return false, fmt.Errorf("line 1: %w", err)
	}
	for k := range t.columns {
		t.columns[k] = -1
		for i, f := range t.fields {
			for _, name := range columnNames[k] {
				if t.columns[k] < 0 && strings.EqualFold(name, string(bytes.TrimSpace(f))) {
					t.columns[k] = i
				}
			}
		}
	}
	known := t.columns[columnSouth] >= 0 && t.columns[columnNorth] >= 0 && t.columns[columnResult] >= 0
	if !known {
		if len(t.fields) < 3 || !isResult(t.fields[2]) {
			return false, fmt.Errorf("line %d: expected a header with the columns south, north and result (or white, black, result), or a game in that order; found %.80q", t.lines.number, line)
		}
		t.columns = [columnCount]int{0, 1, 2, -1, -1, -1}
	}
	for _, i := range t.columns {
		t.most = max(t.most, i)
	}
	return known, nil
}

func isResult(text []byte) bool {
	_, err := parseResult(bytes.TrimSpace(text))
	return err == nil || errors.Is(err, errUnfinished)
}

// split takes a line apart, in place.
func (t *table) split(line []byte) error {
	t.fields = t.fields[:0]
	quotes := bytes.IndexByte(line, '"') >= 0
	for {
		if quotes && len(line) > 0 && line[0] == '"' {
			field, rest, err := unquote(line)
			if err != nil {
				return err
			}
			t.fields = append(t.fields, field)
			if len(rest) == 0 {
				return nil
			}
			if rest[0] != t.comma {
				return fmt.Errorf("expected a separator after a quoted field, found %.40q", rest)
			}
			line = rest[1:]
			continue
		}
		i := bytes.IndexByte(line, t.comma)
		field := line
		if i >= 0 {
			field = line[:i]
		}
		if quotes && bytes.IndexByte(field, '"') >= 0 {
			return fmt.Errorf("expected a quote only around a field, found %.40q", field)
		}
		t.fields = append(t.fields, field)
		if i < 0 {
			return nil
		}
		line = line[i+1:]
	}
}

var errOpenQuote = errors.New("expected a closing quote, found the end of the line")

// unquote takes a quoted field off the beginning of a line, in place: a quote in
// it is doubled.
func unquote(line []byte) (field, rest []byte, err error) {
	field = line[1:1]
	for text := line[1:]; ; {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			return nil, nil, errOpenQuote
		}
		field = append(field, text[:i]...)
		if i+1 == len(text) || text[i+1] != '"' {
			return field, text[i+1:], nil
		}
		field = append(field, '"')
		text = text[i+2:]
	}
}

// field is the field of a column; nil without that column.
func (t *table) field(k int) []byte {
	if t.columns[k] < 0 {
		return nil
	}
	return csvfile.Text(bytes.TrimSpace(t.fields[t.columns[k]]))
}

func (t *table) game(g *Game) error {
	south, north := t.field(columnSouth), t.field(columnNorth)
	err := errors.Join(checkName("South", south), checkName("North", north))
	if err != nil {
		return err
	}
	if g.Result, err = parseResult(t.field(columnResult)); err != nil {
		return err
	}
	if g.South, err = t.names.of(south); err != nil {
		return err
	}
	if g.North, err = t.names.of(north); err != nil {
		return err
	}
	if rules := t.field(columnRules); len(rules) > 0 {
		if g.Rules, err = t.names.of(rules); err != nil {
			return err
		}
	}
	g.ID, g.Pair = t.field(columnID), t.field(columnPair)
	return nil
}
