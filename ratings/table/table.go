// Package table prints ratings as text, Markdown, CSV and JSON: rating tables,
// crosstables, comparisons and rating histories.
package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gyges/ratings"
	"gyges/rules/base/csvfile"
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

// Table is what is printed of one fit.
type Table struct {
	Title      string // may be empty
	Ratings    *ratings.Ratings
	Challenger string // the first player of a gauntlet; "" in other formats
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
	// Schedules are the standings of Swiss tournaments and the brackets of knock-outs.
	Schedules []Sheet
	// Notes are sentences on what was left out when the games were read.
	Notes []string
	// Layout is how text is printed.
	Layout Layout
}

// Layout is how text is printed.
type Layout struct {
	Width  int  // of the lines of tables; 0: 80
	Styles bool // whether the first row is bold and notes are coloured
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
	Crosstable bool // below the table, or the results of a gauntlet; JSON always has both and CSV never
}

var errFormat = errors.New("unknown format")

// Write writes rating tables with the advantage, the players that have no
// rating and the notes. Where lines of text would be too long, columns that were not
// chosen are left out, those of other tables are printed in blocks, and names are
// wrapped. Names are printed as given, with unprintable characters
// escaped; rows are numbered, also across groups, as in WriteCrosstable.
//
// Text and Markdown follow one another under their titles. CSV is one
// table of all, the title in its first column, the fields of unrated players
// that have no value empty. JSON is one object, whatever was rated: the fit to
// all games, and under "parts" the same object for each part; null stands for
// what has no value.
func Write(w io.Writer, f Format, v View, all Tables) error {
	if f == JSON {
		o, err := tablesObject(all)
		if err != nil {
			return fmt.Errorf("write json: %w", err)
		}
		return writeJSON(w, o)
	}
	chosen := v.Columns
	if len(chosen) == 0 {
		chosen = known(csvColumns)
	}
	return write(w, f, all, part{
		header:    keysOf(chosen),
		rows:      func(t Table) ([][]any, error) { return t.cells(chosen) },
		schedules: true,
		page:      func(p *page, t Table) error { return p.table(t, v) },
	})
}

// WriteCrosstable writes who scored what against whom. Text and Markdown
// add both sides of a pairing up, from the row's view, and leave tables of more
// than 50 players out with a line that says so; CSV and JSON list South and
// North apart, from South's view.
func WriteCrosstable(w io.Writer, f Format, all Tables) error {
	return write(w, f, all, part{
		keys: crosstableKeys,
		rows: crosstable,
		page: func(p *page, t Table) error { return p.crosstable(t.Ratings) },
	})
}

// WriteHeadToHead writes the pairings with what was expected of them, those that
// fit worst first: so many of them in text and Markdown, all if most is 0.
// CSV and JSON always have all.
func WriteHeadToHead(w io.Writer, f Format, all Tables, most int) error {
	return write(w, f, all, part{
		keys: headToHeadKeys,
		rows: headToHeads,
		page: func(p *page, t Table) error { return p.headToHead(t, most) },
	})
}

// WriteSuperiority writes the likelihood of superiority of each player over each
// other of its group. Text and Markdown leave tables of more than 50
// players out with a line that says so, and CSV and JSON those of more than 250.
func WriteSuperiority(w io.Writer, f Format, all Tables) error {
	return write(w, f, all, part{
		keys: comparisonKeys,
		rows: func(t Table) ([][]any, error) {
			var rows [][]any
			if len(t.Ratings.Players) > maxCompared {
				return nil, nil
			}
			for _, p := range t.Ratings.Players {
				more, err := comparisons(t, p.Name)
				if err != nil {
					return nil, err
				}
				rows = append(rows, more...)
			}
			return rows, nil
		},
		page: func(p *page, t Table) error { return p.superiority(t.Ratings) },
	})
}

// WriteComparison writes the difference of one player to all others of its
// group. Tables without a rating of that player say so.
func WriteComparison(w io.Writer, f Format, all Tables, name string) error {
	return write(w, f, all, part{
		keys: comparisonKeys,
		rows: func(t Table) ([][]any, error) { return comparisons(t, name) },
		page: func(p *page, t Table) error { return p.comparison(t, name) },
	})
}

// part is what is printed of each table.
type part struct {
	header    []string // of CSV; nil: the title and keys
	keys      []string
	rows      func(Table) ([][]any, error)
	schedules bool // before the tables, in text and Markdown
	page      func(*page, Table) error
}

func write(w io.Writer, f Format, all Tables, p part) error {
	tables := all.Printed()
	switch f {
	case Text, Markdown:
		return writePage(w, f, all, p.schedules, p.page)
	case CSV:
		lines := [][]string{p.header}
		if p.header == nil {
			lines[0] = append([]string{"table"}, p.keys...)
		}
		for _, t := range tables {
			rows, err := p.rows(t)
			if err != nil {
				return fmt.Errorf("write csv: %w", err)
			}
			for _, row := range rows {
				var line []string
				if p.header == nil {
					line = append(line, exact(t.Title))
				}
				for _, cell := range row {
					line = append(line, exact(cell))
				}
				lines = append(lines, line)
			}
		}
		return writeCSV(w, lines)
	case JSON:
		objects := []object{}
		for _, t := range tables {
			rows, err := p.rows(t)
			if err != nil {
				return fmt.Errorf("write json: %w", err)
			}
			objects = append(objects, object{{"title", jsonValue(t.Title)}, {"rows", list{p.keys, rows}}})
		}
		return writeJSON(w, object{{"tables", objects}})
	}
	return fmt.Errorf("write ratings: %w %.60q", errFormat, f)
}

func writeCSV(w io.Writer, lines [][]string) error {
	var buf bytes.Buffer
	err := csvfile.NewWriter(&buf).WriteAll(lines)
	if err == nil {
		_, err = w.Write(buf.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	if err == nil {
		_, err = w.Write(buf.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write json: %w", err)
	}
	return nil
}

var (
	crosstableKeys = []string{"south", "north", "wins", "draws", "losses"}
	headToHeadKeys = []string{"a", "b", "games", "wins", "draws", "losses", "points", "expected", "z"}
	comparisonKeys = []string{"a", "b", "difference", "error", "los"}
)

// maxCompared is the number of players up to which every two are compared in CSV and
// JSON.
const maxCompared = 250

func crosstable(t Table) ([][]any, error) {
	var rows [][]any
	for _, p := range t.Ratings.Pairings() {
		rows = append(rows, []any{name(p.South), name(p.North), p.Wins, p.Draws, p.Losses})
	}
	return rows, nil
}

func headToHeads(t Table) ([][]any, error) {
	var rows [][]any
	for _, h := range t.Ratings.HeadToHeads() {
		rows = append(rows, []any{name(h.A), name(h.B), h.Games(), h.Wins, h.Draws, h.Losses, h.Points(), h.Expected,
			zScore(h.Z)})
	}
	return rows, nil
}

// comparisons returns the differences of a player to the others of its group, in the
// order of the table.
func comparisons(t Table, player string) ([][]any, error) {
	p, ok := t.Ratings.Player(player)
	if !ok {
		return nil, nil
	}
	var rows [][]any
	for _, q := range t.Ratings.Players {
		if q.Group != p.Group || q.Name == player {
			continue
		}
		d, err := t.Ratings.Difference(player, q.Name)
		if err != nil {
			return nil, err
		}
		rows = append(rows, []any{name(player), name(q.Name), d.Elo, d.Error, percent(d.LOS)})
	}
	return rows, nil
}
