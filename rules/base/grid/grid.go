// Package grid is for tables: a [Table] is written as text, Markdown, CSV and JSON, and pages show
// it as HTML.
//
// A table is made of a list of columns of a row type R, each with a value per row:
//
//	var columns = []grid.Column[*Level]{
//		{Key: "level", Title: "Level", Value: func(l *Level) any { return l.Level }},
//		{Key: "name", Title: "Name", Value: func(l *Level) any { return grid.Name(l.Name) }},
//		{Key: "share", Title: "Won", Value: func(l *Level) any { return grid.Percent(l.Share) }},
//		{Key: "doc", Value: func(l *Level) any { return l.Doc }}, // in CSV and JSON alone
//	}
//	table := grid.Make(columns, levels) // of which the row type is erased
//	err := table.Write(w, format, grid.Options{Width: 80, Fold: 2})
//
// or, where the columns depend on the data, row by row:
//
//	table := grid.New("Games lost", 2, "Player", "Fault", "Games") // two columns of words
//	table.Add(grid.Name(player), fault, grid.Thousands(n))
//
// A column with a key is in CSV and JSON; one with a title is in text, Markdown and HTML, and a
// title of one blank is an empty header. Key and title may belong to different columns where people
// and programs get different values or another order.
//
// Values are strings, integers, booleans, float64s (one decimal for people), [Name], nil or NaN for
// none (an empty cell, null in JSON), or a [Cell], which holds a text for people beside the value
// for programs: [Percent], [Margin], [Fixed], [Thousands], or one of the caller's. In JSON a value
// may also be whatever encoding/json takes, such as another table. Texts are escaped for each
// format: the caller gives them as they are.
package grid

import (
	"errors"
	"slices"
	"strings"

	"gyges/rules/base/suggest"
)

// Column is a column of a table whose rows are values of R.
type Column[R any] struct {
	Key   string      // in the header of CSV and in the objects of JSON; "": in neither
	Title string      // in the header of text, Markdown and HTML; "": in none of them
	Left  bool        // words, aligned left; otherwise numbers, aligned right
	Drop  int         // where a text is too wide, columns go by descending Drop; 0: never
	Doc   string      // definition, for lists of the columns
	Value func(R) any // the kinds of values: see the package
}

// Head is what a [Table] has of a [Column].
type Head struct {
	Key, Title string
	Left       bool
	Drop       int
	Tip        string // in HTML: the whole text, where Title is an abbreviation
}

// Table is a table, whatever its rows were.
type Table struct {
	Title   string // in a line; callers write it, and Result and Notes, where they want them
	Columns []Head
	Rows    [][]Cell // each with a cell for every column
	Result  string   // a sentence on the outcome; "": there is none
	Notes   []string // sentences on how to read it
}

// Remarks returns the result and the notes.
func (t *Table) Remarks() []string {
	if t.Result == "" {
		return t.Notes
	}
	return append([]string{t.Result}, t.Notes...)
}

// New returns a table without rows, of columns for people. The first columns hold words.
func New(title string, words int, columns ...string) *Table {
	t := &Table{Title: title}
	for i, c := range columns {
		t.Columns = append(t.Columns, Head{Title: c, Left: i < words})
	}
	return t
}

// Make returns the table of some rows.
func Make[R any](columns []Column[R], rows []R) *Table {
	t := &Table{Rows: make([][]Cell, len(rows))}
	for _, c := range columns {
		t.Columns = append(t.Columns, Head{Key: c.Key, Title: c.Title, Left: c.Left, Drop: c.Drop})
	}
	for i, row := range rows {
		t.Rows[i] = cellsOf(columns, row)
	}
	return t
}

// WithTitle sets the title and returns the table.
func (t *Table) WithTitle(title string) *Table {
	t.Title = title
	return t
}

func cellsOf[R any](columns []Column[R], row R) []Cell {
	cells := make([]Cell, len(columns))
	for i, c := range columns {
		cells[i] = cellOf(c.Value(row), c.Title != "")
	}
	return cells
}

// Add adds a row of values, one for each column.
func (t *Table) Add(values ...any) {
	cells := make([]Cell, len(values))
	for i, value := range values {
		cells[i] = cellOf(value, t.Columns[i].Title != "")
	}
	t.Rows = append(t.Rows, cells)
}

// Titled returns the table of the columns that people read.
func (t *Table) Titled() *Table {
	shown := *t
	shown.Columns = nil
	shown.Rows = make([][]Cell, len(t.Rows))
	for i, c := range t.Columns {
		if c.Title == "" {
			continue
		}
		shown.Columns = append(shown.Columns, c)
		for k, row := range t.Rows {
			shown.Rows[k] = append(shown.Rows[k], row[i])
		}
	}
	return &shown
}

// Hide leaves a column to programs: its title is taken away.
func (t *Table) Hide(title string) {
	t.Columns = slices.Clone(t.Columns) // several tables may have the same
	for i, c := range t.Columns {
		if c.Title == title {
			t.Columns[i].Title = ""
			return
		}
	}
}

// RowHead returns the index of the column that names the rows, the first one of words; -1 without
// one.
func (t *Table) RowHead() int {
	return slices.IndexFunc(t.Columns, func(c Head) bool { return c.Left })
}

// Choose returns the columns with these keys, which are separated by commas.
func Choose[R any](columns []Column[R], keys string) ([]Column[R], error) {
	var chosen []Column[R]
	for key := range strings.SplitSeq(keys, ",") {
		key = strings.TrimSpace(key)
		i := slices.IndexFunc(columns, func(c Column[R]) bool { return c.Key == key })
		if i < 0 || key == "" {
			known := Make(columns, nil).Keys()
			return nil, errors.New(suggest.Unknown("column", key, known))
		}
		chosen = append(chosen, columns[i])
	}
	return chosen, nil
}
