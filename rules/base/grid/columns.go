package grid

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gyges/rules/base/csvfile"
	"gyges/rules/base/suggest"
)

// Format is a way to write a table.
type Format string

// The formats. Text and Markdown are for people: rounded, with titles. CSV and JSON are for
// programs: every digit, with keys.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	CSV      Format = "csv"
	JSON     Format = "json"
)

// Column is a column of a table whose rows are values of R.
type Column[R any] struct {
	Key   string      // in the header of CSV and in the objects of JSON; "": in neither
	Title string      // in the header of text and Markdown; "": in neither
	Left  bool        // words, aligned left; otherwise numbers, aligned right
	Drop  int         // where a text is too wide, columns go by descending Drop; 0: never
	Doc   string      // definition, for lists of the columns
	Value func(R) any // the kinds of values: see the package
}

// CellColumn is a column of a table whose rows are lists of ready cells.
type CellColumn = Column[[]any]

// Cells gives columns their values: column i has cell i of a row.
func Cells(columns []CellColumn) []CellColumn {
	for i := range columns {
		columns[i].Value = func(row []any) any { return row[i] }
	}
	return columns
}

// Keys returns the keys of the columns that have one.
func Keys[R any](columns []Column[R]) []string {
	var keys []string
	for _, c := range columns {
		if c.Key != "" {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// Choose returns the columns with these keys, which are separated by commas.
func Choose[R any](columns []Column[R], keys string) ([]Column[R], error) {
	var chosen []Column[R]
	for key := range strings.SplitSeq(keys, ",") {
		key = strings.TrimSpace(key)
		i := slices.IndexFunc(columns, func(c Column[R]) bool { return c.Key == key && key != "" })
		if i < 0 {
			return nil, errors.New(suggest.Unknown("column", key, Keys(columns)))
		}
		chosen = append(chosen, columns[i])
	}
	return chosen, nil
}

// Options say how a text is laid out. Other formats ignore them.
type Options struct {
	Width int  // of the lines; 0: as long as needed
	Fold  int  // the columns that each block of a table that is too wide begins with; 0: no blocks
	Bold  bool // the first row
	Rest  bool // CSV without the line of names: the table goes on
}

// Write writes a table of these rows. JSON is an array of objects, indented.
func Write[R any](w io.Writer, f Format, o Options, columns []Column[R], rows []R) error {
	if f == JSON {
		return WriteJSON(w, Objects(columns, rows))
	}
	t := NewWriter(w, f, o, columns)
	for _, row := range rows {
		if err := t.Write(row); err != nil {
			return err
		}
	}
	return t.Close()
}

// Writer writes a table row by row. CSV and JSON are written at once, a line for each row; text and
// Markdown, whose columns are as wide as their widest cell, by Close.
type Writer[R any] struct {
	w       io.Writer
	format  Format
	columns []Column[R]
	grid    *Grid
	csv     *csv.Writer
	rows    int
}

// NewWriter returns a writer of an empty table to w.
func NewWriter[R any](w io.Writer, f Format, o Options, columns []Column[R]) *Writer[R] {
	t := &Writer[R]{w: w, format: f, columns: columns, grid: New(f, o, columns, nil), csv: csv.NewWriter(w)}
	if f == CSV && !o.Rest {
		_ = t.csv.Write(Keys(columns)) // the next write returns the error
	}
	return t
}

// Write adds a row.
func (w *Writer[R]) Write(row R) error {
	w.rows++
	switch w.format {
	case CSV:
		var cells []string
		for _, c := range w.columns {
			if c.Key != "" {
				cells = append(cells, csvfile.Cell(Exact(c.Value(row))))
			}
		}
		return w.csv.WriteAll([][]string{cells})
	case JSON:
		text, err := marshal(ObjectOf(w.columns, row))
		if err == nil {
			_, err = fmt.Fprintf(w.w, "%c\n  %s", "[,"[min(w.rows-1, 1)], bytes.TrimSpace(text))
		}
		return err
	}
	w.grid.Add(Texts(w.format, w.columns, row)...)
	return nil
}

// Close writes what is left, without closing the underlying writer.
func (w *Writer[R]) Close() (err error) {
	switch {
	case w.format == CSV:
		return w.csv.WriteAll(nil)
	case w.format == JSON && w.rows == 0:
		_, err = io.WriteString(w.w, "[]\n")
	case w.format == JSON:
		_, err = io.WriteString(w.w, "\n]\n")
	default:
		err = w.grid.Write(w.w, w.format == Markdown)
	}
	return err
}

// New returns the rows as a grid of text or Markdown, for callers that print it themselves.
func New[R any](f Format, o Options, columns []Column[R], rows []R) *Grid {
	g := &Grid{Left: map[int]bool{}, Width: o.Width, Fold: o.Fold, Bold: o.Bold}
	drop := map[int][]int{}
	for _, c := range columns {
		if c.Title == "" {
			continue
		}
		i := len(g.Header)
		g.Header = append(g.Header, c.Title)
		g.Left[i] = c.Left
		if c.Drop > 0 {
			drop[c.Drop] = append(drop[c.Drop], i)
		}
	}
	for _, rank := range slices.Backward(slices.Sorted(maps.Keys(drop))) {
		g.Drop = append(g.Drop, drop[rank])
	}
	for _, row := range rows {
		g.Add(Texts(f, columns, row)...)
	}
	return g
}
