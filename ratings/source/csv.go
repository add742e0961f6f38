package source

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gyges/ratings"
	"gyges/rules/base/csvfile"
	"gyges/rules/base/jsonl"
)

// csvTable is a table of results, a game a line. A header, also that of a further file, names the
// columns, see [columnNames], beside any others. Without one the first three are South, North and
// the result. A line has no more fields than the first one: a decimal comma would part a result.
// Fields are separated by commas, semicolons or tabs, as in the first line; a quoted one may hold
// them and line ends. A quote left open ends with its line.
type csvTable struct {
	line    *bufio.Reader
	fields  *csv.Reader      // of line; nil before the first one
	columns [columnCount]int // their places; -1 for a column that isn't there
	count   int              // of the fields of a line
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
	columnOpening
	columnCount
)

// columnNames are the names of each column in a header.
var columnNames = [columnCount][]string{
	{"south", "white", "player1"}, {"north", "black", "player2"}, {"result", "score"},
	{"game", "id", "gameid", "game_id"}, {"pair"}, {"rules", "variant"}, {"opening"},
}

// readCSV is [Results.ReadResult] for CSV.
func (r *Results) readCSV(o *Result) error {
	t := &r.csv
	for {
		line, err := r.next()
		n := r.line
		switch {
		case err != nil:
			return err
		case len(line) > maxFields:
			return r.wrong(n, "expected a line of at most %d bytes, found a longer one", maxFields)
		case len(bytes.TrimSpace(line)) == 0, t.fields == nil && bytes.HasPrefix(line, []byte("sep=")): // of Excel
			continue
		}
		if t.fields == nil {
			t.line = bufio.NewReader(nil)
			t.fields = csv.NewReader(t.line)
			t.fields.FieldsPerRecord, t.fields.ReuseRecord = -1, true
			if header, err := t.begin(line); err != nil {
				return fmt.Errorf("%s: line %d: %w; found %.80q", r.file, n, err, line)
			} else if header {
				continue
			}
		}
		if line, err = r.whole(line); err == nil {
			err = r.csvGame(line, n, o)
		}
		bad, isLine := errors.AsType[*jsonl.LineError](err)
		switch {
		case errors.Is(err, errScale):
			return fmt.Errorf("%s: line %d: %w, so that no result of the file can be relied on", r.file, n, bad.Err)
		case isLine && t.isHeader(line):
			continue
		}
		return err
	}
}

// whole returns a line with those after it in which a field goes on whose quote it leaves open.
func (r *Results) whole(line []byte) ([]byte, error) {
	quotes := bytes.Count(line, []byte{'"'})
	if quotes%2 == 0 {
		return line, nil
	}
	text, ahead := bytes.Clone(line), [][]byte(nil)
	for n := len(text); quotes%2 > 0 && len(text) < maxFields; {
		next, err := r.next()
		if line = text[:n]; errors.Is(err, io.EOF) { // which is returned again
			r.line--
			break
		} else if err != nil {
			return nil, err
		}
		ahead, text = append(ahead, bytes.Clone(next)), append(append(text, '\n'), next...)
		quotes += bytes.Count(next, []byte{'"'})
	}
	if fields, err := r.csv.split(text); err == nil && len(fields) >= r.csv.count {
		return text, nil
	}
	r.back(ahead...)
	return line, nil
}

// csvGame stores the game of a line, the nth, in o.
func (r *Results) csvGame(line []byte, n int, o *Result) error {
	t := &r.csv
	fields, err := t.split(line)
	most := slices.Max(t.columns[:])
	switch {
	case err != nil:
		return r.wrong(n, "%w", err)
	case len(fields) <= most:
		return r.wrong(n, "expected at least %d fields, found %d", most+1, len(fields))
	case len(fields) > t.count && strings.Join(fields[t.count:], "") != "":
		return r.wrong(n, "expected %d fields, as the first line has, found %d", t.count, len(fields))
	}
	field := func(column int) []byte {
		if i := t.columns[column]; i >= 0 {
			return []byte(csvfile.Text(strings.TrimSpace(fields[i])))
		}
		return nil
	}
	*o = Result{Line: n, Sides: t.sides, ID: field(columnID), Pair: field(columnPair), Opening: Hash(field(columnOpening))}
	if len(o.ID) > 0 {
		o.Content = Hash(line)
	}
	return r.result(o, value{"South", field(columnSouth), n}, value{"North", field(columnNorth), n},
		value{"", field(columnResult), n}, field(columnRules))
}

// split returns the fields of a line. Without quotes they need no parser, which takes half the
// time.
func (t *csvTable) split(line []byte) ([]string, error) {
	if bytes.IndexByte(line, '"') < 0 {
		return strings.Split(string(line), string(t.fields.Comma)), nil
	}
	t.line.Reset(bytes.NewReader(line))
	t.fields.TrimLeadingSpace = t.fields.Comma != '\t'
	fields, err := t.fields.Read()
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		err = fmt.Errorf("expected fields of CSV: %w", e.Err)
	}
	return fields, err
}

// begin finds separator and columns by the first line, and reports whether that is a header.
func (t *csvTable) begin(line []byte) (header bool, err error) {
	if t.isHeader(line) {
		return true, nil
	}
	t.columns = [columnCount]int{0, 1, 2, -1, -1, -1, -1}
	for _, t.fields.Comma = range separators {
		fields, _ := t.split(line) // quotes may be wrong for one separator alone
		if t.count = len(fields); t.count >= 3 {
			_, err := parseResult([]byte(fields[2]))
			if err == nil || errors.Is(err, ErrUnfinished) || errors.Is(err, errScale) {
				return false, nil
			}
		}
	}
	return false, errors.New("expected a header with the columns south, north and result (or white, black, result), " +
		"or a game in that order")
}

// separators are those of fields.
const separators = ",;\t"

// isHeader finds separator and columns by a line, and reports whether it is a header; they stay if
// it isn't.
func (t *csvTable) isHeader(line []byte) bool {
	comma, columns := t.fields.Comma, t.columns
	for _, t.fields.Comma = range separators {
		fields, _ := t.split(line)
		for i := range fields {
			fields[i] = strings.ToLower(strings.TrimSpace(fields[i]))
		}
		for k, names := range columnNames {
			t.columns[k] = -1
			for _, name := range slices.Backward(names) { // the first one counts
				if i := slices.Index(fields, name); i >= 0 {
					t.columns[k] = i
				}
			}
		}
		if slices.Min(t.columns[:columnResult+1]) < 0 {
			continue
		}
		sides := map[string]ratings.Sides{"south": ratings.SouthNorth, "white": ratings.WhiteBlack}
		t.count, t.sides = len(fields), sides[fields[t.columns[columnSouth]]]
		return true
	}
	t.fields.Comma, t.columns = comma, columns
	return false
}
