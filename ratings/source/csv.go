package source

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gyges/ratings"
	"gyges/rules/base/csvfile"
)

// csvTable is a table of results, a game a line. A header names the columns: south (or white), north (or black),
// result, and optionally game (or id), pair and rules, beside any others. Without a header the first three are South,
// North and the result. Fields are separated by commas, semicolons or tabs, whatever the first line has; a quoted field
// may hold them, but no line end. Each line is parsed by itself, so that a quote left open ends with it.
type csvTable struct {
	line    bytes.Reader
	fields  *csv.Reader      // of line; nil before the first one
	columns [columnCount]int // their places; -1 for a column that isn't there
	sides   ratings.Sides    // by the header
}

// The columns that are read.
const (
	columnSouth = iota
	columnNorth
	columnResult
	columnID
	columnPair
	columnRules
	columnCount
)

// columnNames are the names of each column in a header.
var columnNames = [columnCount][]string{
	{"south", "white", "player1"}, {"north", "black", "player2"}, {"result", "score"},
	{"game", "id", "gameid", "game_id"}, {"pair"}, {"rules", "variant"},
}

// readCSV is [Results.ReadResult] for CSV.
func (r *Results) readCSV(o *Result) error {
	t := &r.csv
	for {
		line, err := r.next()
		switch n := r.lines.Line(); {
		case err != nil:
			return err
		case len(line) > maxFields:
			return r.wrong(n, "expected a line of at most %d bytes, found a longer one", maxFields)
		case len(bytes.TrimSpace(line)) == 0:
			continue
		}
		first := t.fields == nil
		if first {
			t.fields = csv.NewReader(&t.line)
			t.fields.Comma, t.fields.FieldsPerRecord, t.fields.ReuseRecord = separator(line), -1, true
		}
		fields, err := t.split(line)
		header := false
		if first && err == nil {
			header, err = t.header(fields)
		}
		switch {
		case first && err != nil:
			return fmt.Errorf("%s: line %d: %w; found %.80q", r.file, r.lines.Line(), err, line)
		case err != nil:
			return r.wrong(r.lines.Line(), "%w", err)
		case !header:
			return r.csvGame(fields, o)
		}
	}
}

// csvGame stores the game with these fields in o.
func (r *Results) csvGame(fields []string, o *Result) error {
	t, n := &r.csv, r.lines.Line()
	if most := slices.Max(t.columns[:]); len(fields) <= most {
		return r.wrong(n, "expected at least %d fields, found %d", most+1, len(fields))
	}
	field := func(column int) []byte {
		if i := t.columns[column]; i >= 0 {
			return []byte(csvfile.Text(strings.TrimSpace(fields[i])))
		}
		return nil
	}
	*o = Result{Line: n, Sides: t.sides, ID: field(columnID), Pair: field(columnPair)}
	return r.result(o, value{"South", field(columnSouth), n}, value{"North", field(columnNorth), n},
		value{"", field(columnResult), n}, field(columnRules))
}

// split returns the fields of a line. Without quotes they need no parser, which takes half the time.
func (t *csvTable) split(line []byte) ([]string, error) {
	if bytes.IndexByte(line, '"') < 0 {
		return strings.Split(string(line), string(t.fields.Comma)), nil
	}
	t.line.Reset(line)
	fields, err := t.fields.Read()
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		err = fmt.Errorf("expected fields of CSV: %w", e.Err)
	}
	return fields, err
}

// separator returns that of the fields of a file with this first line.
func separator(line []byte) rune {
	for _, c := range ",;\t" {
		if bytes.ContainsRune(line, c) {
			return c
		}
	}
	return ','
}

// header finds the columns by the first line, and reports whether that is a header.
func (t *csvTable) header(fields []string) (bool, error) {
	for k, names := range columnNames {
		t.columns[k] = slices.IndexFunc(fields, func(field string) bool {
			field = strings.TrimSpace(field)
			return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, field) })
		})
	}
	if slices.Min(t.columns[:columnResult+1]) >= 0 {
		switch strings.ToLower(strings.TrimSpace(fields[t.columns[columnSouth]])) {
		case "south":
			t.sides = ratings.SouthNorth
		case "white":
			t.sides = ratings.WhiteBlack
		}
		return true, nil
	}
	t.columns = [columnCount]int{0, 1, 2, -1, -1, -1}
	if len(fields) >= 3 {
		if _, err := parseResult([]byte(strings.TrimSpace(fields[2]))); err == nil || errors.Is(err, ErrUnfinished) {
			return false, nil
		}
	}
	return false, errors.New("expected a header with the columns south, north and result (or white, black, result), " +
		"or a game in that order")
}
