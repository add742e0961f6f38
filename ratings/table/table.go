// Package table prints ratings as text, Markdown, CSV and JSON: rating tables,
// crosstables, comparisons and rating histories.
package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"gyges/ratings"
	"gyges/ratings/csvfile"
	"gyges/ratings/textfmt"
)

// Format is a way to write a table.
type Format string

// The formats. Text and Markdown are rounded; CSV and JSON have every digit.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	CSV      Format = "csv"
	JSON     Format = "json"
)

// Formats lists the formats.
func Formats() []Format { return []Format{Text, Markdown, CSV, JSON} }

// ParseFormat finds a format by its name.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if name == string(f) {
			return f, nil
		}
		names = append(names, string(f))
	}
	return "", fmt.Errorf("format %.60q: expected one of %s", name, strings.Join(names, ", "))
}

// rounded reports whether the format has rounded numbers.
func (f Format) rounded() bool { return f == Text || f == Markdown }

// Table is what is printed of one fit.
type Table struct {
	Title   string // may be empty
	Ratings *ratings.Ratings
}

// Tables is all that is printed at once.
type Tables struct {
	// All is the fit to all games together. It is what JSON has at the top.
	All Table
	// Parts are the fits to parts of the games, such as those under one rule set.
	Parts []Table
	// Pool prints All after the parts, where there is more than one. Without
	// parts it is always printed.
	Pool bool
	// Notes are sentences on what was left out when the games were read.
	Notes []string
}

// Printed returns the tables that are printed, other than in JSON.
func (t Tables) Printed() []Table {
	switch {
	case len(t.Parts) == 0:
		return []Table{t.All}
	case t.Pool && len(t.Parts) > 1:
		return append(append([]Table(nil), t.Parts...), t.All)
	}
	return t.Parts
}

// View says what to print of a rating table. The zero value has the usual
// columns and no crosstable.
type View struct {
	Columns    []Column
	Crosstable bool // below the table; JSON always has it and CSV never
}

func (v View) columns(usual string) []Column {
	if len(v.Columns) > 0 {
		return v.Columns
	}
	return known(usual)
}

var errFormat = errors.New("unknown format")

// Write writes rating tables with the advantage, the players that have no
// rating and the notes. Names are printed as given, with unprintable characters
// escaped; rows are numbered, also across groups, as in WriteCrosstable.
//
// Text and Markdown follow one another under their titles. CSV is one
// table of all, the title in its first column, the fields of unrated players
// that have no value empty. JSON is one object, whatever was rated: the fit to
// all games, and under "parts" the same object for each part; null stands for
// what has no value.
func Write(w io.Writer, f Format, v View, all Tables) error {
	switch {
	case f == JSON:
		return writeJSON(w, newTablesJSON(all))
	case f == CSV:
		return writeCSV(w, v.header(), all.Printed(), func(t Table) ([][]string, error) { return v.records(t) })
	case f.rounded():
		return writePage(w, f, all, func(p *page, t Table) error { return p.table(t, v) })
	}
	return fmt.Errorf("write ratings: %w %.60q", errFormat, f)
}

// WriteCrosstable writes who scored what against whom. Text and Markdown
// add both sides of a pairing up, from the row's view, and leave tables of more
// than 50 players out with a line that says so; CSV and JSON list South and
// North apart, from South's view.
func WriteCrosstable(w io.Writer, f Format, all Tables) error {
	return write(w, f, all, part{
		columns: "table,south,north,wins,draws,losses",
		records: crosstableRecords,
		json:    func(t Table) (any, error) { return newCrosstableJSON(t), nil },
		page:    func(p *page, t Table) error { p.crosstable(t.Ratings); return nil },
	})
}

// WriteHeadToHead writes the pairings with what was expected of them, those that
// fit worst first: so many of them in text and Markdown, all if most is 0.
// CSV and JSON always have all.
func WriteHeadToHead(w io.Writer, f Format, all Tables, most int) error {
	return write(w, f, all, part{
		columns: "table,a,b,games,wins,draws,losses,points,expected,z",
		records: headToHeadRecords,
		json:    func(t Table) (any, error) { return newHeadToHeadJSON(t), nil },
		page:    func(p *page, t Table) error { p.headToHead(t.Ratings, most); return nil },
	})
}

// WriteSuperiority writes the likelihood of superiority of each player over each
// other of its group. Text and Markdown leave tables of more than 50
// players out with a line that says so, and CSV and JSON those of more than 250.
func WriteSuperiority(w io.Writer, f Format, all Tables) error {
	return write(w, f, all, part{
		columns: "table,a,b,difference,error,los",
		records: func(t Table) ([][]string, error) { return superiorityRecords(t) },
		json:    func(t Table) (any, error) { return newSuperiorityJSON(t) },
		page:    func(p *page, t Table) error { return p.superiority(t.Ratings) },
	})
}

// WriteComparison writes the difference of one player to all others of its
// group. Tables without a rating of that player say so.
func WriteComparison(w io.Writer, f Format, all Tables, name string) error {
	return write(w, f, all, part{
		columns: "table,a,b,difference,error,los",
		records: func(t Table) ([][]string, error) { return comparisonRecords(t, name) },
		json:    func(t Table) (any, error) { return newComparisonJSON(t, name) },
		page:    func(p *page, t Table) error { return p.comparison(t.Ratings, name) },
	})
}

// part is something to print of each table, in each format.
type part struct {
	columns string
	records func(Table) ([][]string, error)
	json    func(Table) (any, error)
	page    func(*page, Table) error
}

func write(w io.Writer, f Format, all Tables, p part) error {
	switch {
	case f == CSV:
		return writeCSV(w, strings.Split(p.columns, ","), all.Printed(), p.records)
	case f == JSON:
		tables := all.Printed()
		objects := make([]any, len(tables))
		for i, t := range tables {
			var err error
			if objects[i], err = p.json(t); err != nil {
				return err
			}
		}
		return writeJSON(w, map[string]any{"tables": objects})
	case f.rounded():
		return writePage(w, f, all, p.page)
	}
	return fmt.Errorf("write ratings: %w %.60q", errFormat, f)
}

func writeCSV(w io.Writer, header []string, tables []Table, records func(Table) ([][]string, error)) error {
	var buf bytes.Buffer
	c := csvfile.NewWriter(&buf)
	lines := [][]string{header}
	for _, t := range tables {
		more, err := records(t)
		if err != nil {
			return fmt.Errorf("write csv: %w", err)
		}
		lines = append(lines, more...)
	}
	if err := c.WriteAll(lines); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	if _, err := w.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

// header names the columns of the rating table in CSV.
func (v View) header() []string {
	var keys []string
	for _, c := range v.columns(csvColumns) {
		keys = append(keys, c.Key)
	}
	return keys
}

// records are the rows of one rating table in CSV.
func (v View) records(t Table) ([][]string, error) {
	chosen := v.columns(csvColumns)
	lines, err := rows(t, chosen)
	if err != nil {
		return nil, err
	}
	var list [][]string
	for i := range lines {
		var record []string
		for _, c := range chosen {
			text := c.exact(&lines[i])
			if c.Key == "name" {
				text = textfmt.Visible(text)
			}
			record = append(record, text)
		}
		list = append(list, record)
	}
	return list, nil
}
