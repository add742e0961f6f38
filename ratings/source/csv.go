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
		if err != nil {
			return err
		}
		n := r.line
		if len(line) > maxFields {
			return r.wrong(n, "expected a line of at most %d bytes, found a longer one", maxFields)
		}
		isFirst := t.fields == nil
		ofExcel := isFirst && bytes.HasPrefix(line, []byte("sep="))
		if ofExcel || len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if isFirst {
			header, err := t.begin(line)
			if err != nil {
				return fmt.Errorf("%s: line %d: %w; found %.80q", r.file, n, err, line)
			}
			if header {
				continue
			}
		}
		line, err = r.whole(line)
		if err != nil {
			return err
		}
		err = r.csvGame(line, n, o)
		bad, isLine := errors.AsType[*jsonl.LineError](err)
		if errors.Is(err, errScale) {
			return fmt.Errorf("%s: line %d: %w, so that no result of the file can be relied on",
				r.file, n, bad.Err)
		}
		if !isLine || !t.isHeader(line) {
			return err
		}
	}
}

// whole returns a line with those after it in which a field goes on whose quote it leaves open.
func (r *Results) whole(line []byte) ([]byte, error) {
	quotes := bytes.Count(line, []byte{'"'})
	if quotes%2 == 0 {
		return line, nil
	}
	text := bytes.Clone(line)
	first := len(text)
	var ahead [][]byte
	for quotes%2 > 0 && len(text) < maxFields {
		next, err := r.next()
		if errors.Is(err, io.EOF) { // which is returned again
			r.line--
			break
		}
		if err != nil {
			return nil, err
		}
		ahead = append(ahead, bytes.Clone(next))
		text = append(text, '\n')
		text = append(text, next...)
		quotes += bytes.Count(next, []byte{'"'})
	}
	fields, err := r.csv.split(text)
	if err == nil && len(fields) >= r.csv.count {
		return text, nil
	}
	r.back(ahead...)
	return text[:first], nil
}

// csvGame stores the game of a line, the nth, in o.
func (r *Results) csvGame(line []byte, n int, o *Result) error {
	t := &r.csv
	fields, err := t.split(line)
	if err != nil {
		return r.wrong(n, "%w", err)
	}
	if most := slices.Max(t.columns[:]); len(fields) <= most {
		return r.wrong(n, "expected at least %d fields, found %d", most+1, len(fields))
	}
	if len(fields) > t.count && strings.Join(fields[t.count:], "") != "" {
		return r.wrong(n, "expected %d fields, as the first line has, found %d", t.count,
			len(fields))
	}
	field := func(column int) []byte {
		i := t.columns[column]
		if i < 0 {
			return nil
		}
		return []byte(csvfile.Text(strings.TrimSpace(fields[i])))
	}
	*o = Result{
		Line:    n,
		Sides:   t.sides,
		ID:      field(columnID),
		Pair:    field(columnPair),
		Opening: Hash(field(columnOpening)),
	}
	if len(o.ID) > 0 {
		o.Content = Hash(line)
	}
	south := value{"South", field(columnSouth), n}
	north := value{"North", field(columnNorth), n}
	result := value{"", field(columnResult), n}
	return r.result(o, south, north, result, field(columnRules))
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
	t.line = bufio.NewReader(nil)
	t.fields = csv.NewReader(t.line)
	t.fields.FieldsPerRecord = -1
	t.fields.ReuseRecord = true
	if t.isHeader(line) {
		return true, nil
	}
	t.columns = [columnCount]int{0, 1, 2, -1, -1, -1, -1}
	for _, t.fields.Comma = range separators {
		fields, _ := t.split(line) // quotes may be wrong for one separator alone
		t.count = len(fields)
		if t.count < 3 {
			continue
		}
		_, err := parseResult([]byte(fields[2]))
		isScale := errors.Is(err, errScale)
		if err == nil || isScale || errors.Is(err, ErrUnfinished) {
			return false, nil
		}
	}
	return false, errors.New("expected a header with the columns south, north and result (or " +
		"white, black, result), or a game in that order")
}

// separators are those of fields.
const separators = ",;\t"

// isHeader finds separator and columns by a line, and reports whether it is a header; they stay
// if it isn't.
func (t *csvTable) isHeader(line []byte) bool {
	before := t.fields.Comma
	for _, t.fields.Comma = range separators {
		fields, _ := t.split(line)
		for i := range fields {
			fields[i] = strings.ToLower(strings.TrimSpace(fields[i]))
		}
		var columns [columnCount]int
		for k, names := range columnNames {
			columns[k] = -1
			for _, name := range slices.Backward(names) { // the first one counts
				if i := slices.Index(fields, name); i >= 0 {
					columns[k] = i
				}
			}
		}
		if slices.Min(columns[:columnResult+1]) < 0 {
			continue
		}
		t.columns = columns
		t.count = len(fields)
		switch fields[columns[columnSouth]] {
		case "south":
			t.sides = ratings.SouthNorth
		case "white":
			t.sides = ratings.WhiteBlack
		default:
			t.sides = ratings.Sides{}
		}
		return true
	}
	t.fields.Comma = before
	return false
}
