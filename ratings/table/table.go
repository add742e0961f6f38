// Package table prints ratings as text, Markdown, CSV and JSON: rating tables, crosstables and
// comparisons.
//
// [Tables] is all that one command prints, a [Table] what it prints of one fit. [Write] and its
// sisters make rows of the fit's [ratings.Ratings] and write them by lists of columns: the rating
// table's are in columns.go, where a new one is one entry, those of two players in pairs.go. Text
// and Markdown are pages of such tables between paragraphs (page.go, text.go), JSON is one object
// (json.go). The tables by the format of a run, such as the order of a Swiss tournament, are
// [Standings].
package table

import (
	"io"
	"slices"

	"gyges/ratings"
	"gyges/rules/base/grid"
)

// Table is what is printed of one fit.
type Table struct {
	Title      string // may be empty
	Rules      string // the rule set; "" for several, or one that has no name
	Ratings    *ratings.Ratings
	Challenger string        // the first player of a gauntlet; "" in other formats
	Sides      ratings.Sides // empty if they have no names

	// Field is the difference of the challenger and all its opponents taken for one player; nil
	// if it isn't known.
	Field *ratings.Difference
}

// Tables is all that is printed at once.
type Tables struct {
	// All is the fit to all games together. It is what JSON has at the top.
	All Table
	// Parts are the fits to the games under each rule set.
	Parts []Table
	// Pool prints All after the parts, where there is more than one. Without parts it is always
	// printed.
	Pool bool
	// Standings are the tables by the formats of the runs.
	Standings []Standings
	// Moves is what each player did in its games, for JSON; nil where only results are known.
	Moves *grid.Table
	// Notes are sentences on what was left out when the games were read.
	Notes []string
	Layout
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
	case len(t.Parts) > 1 && t.Pool:
		return append(slices.Clone(t.Parts), t.All)
	}
	return t.Parts
}

// Write writes rating tables with the columns chosen, or without any the usual ones, the advantage,
// the players that have no rating and the notes. Where lines of text would be too long, columns
// that were not chosen are left out, other tables are printed in blocks, and names are wrapped. CSV
// is one table of all, the title in its first column. JSON is one object: the fit to all games, and
// under "parts" the same object for each part.
func Write(w io.Writer, f grid.Format, chosen []Column, all Tables) error {
	switch f {
	case grid.JSON:
		return grid.WriteJSON(w, all.object())
	case grid.CSV:
		var rows []*Row
		for _, t := range all.Printed() {
			rows = append(rows, t.Rows()...)
		}
		if len(chosen) == 0 {
			chosen = shown(inCSV, 0)
		}
		return grid.Make(chosen, rows).Write(w, f, grid.Options{})
	}
	return writePage(w, f, all, true, func(p *page, t Table) { p.table(t, chosen) })
}

// WriteCrosstable writes who scored what against whom. Text and Markdown add both sides of a
// pairing up, and leave out tables of more than 50 players with a line that says so; CSV and JSON
// list South and North apart, as South sees them.
func WriteCrosstable(w io.Writer, f grid.Format, all Tables) error {
	return writeSection(w, f, all, crosstableColumns, crosstableRows, (*page).crosstable)
}

// WriteHeadToHead writes the pairings with what was expected of them, those that fit worst first:
// at most N of them in text and Markdown, all if most is 0. CSV and JSON always have all.
func WriteHeadToHead(w io.Writer, f grid.Format, all Tables, most int) error {
	section := func(p *page, t Table) { p.headToHead(t, most) }
	return writeSection(w, f, all, headToHeadColumns, headToHeadRows, section)
}

// WriteSuperiority writes the likelihood of superiority of each player over each other of its
// group. Text and Markdown leave out tables of more than 50 players with a line that says so, CSV
// and JSON tables of more than 250.
func WriteSuperiority(w io.Writer, f grid.Format, all Tables) error {
	const maxPlayers = 250
	rows := func(r *ratings.Ratings) []*comparison {
		if len(r.Players) > maxPlayers {
			return nil
		}
		return comparisons(r, r.Names()...)
	}
	return writeSection(w, f, all, comparisonColumns, rows, (*page).superiority)
}

// WriteComparison writes the difference of a player to all others of its group, or that it has no
// rating.
func WriteComparison(w io.Writer, f grid.Format, all Tables, player string) error {
	rows := func(r *ratings.Ratings) []*comparison { return comparisons(r, player) }
	section := func(p *page, t Table) { p.comparison(t, player) }
	return writeSection(w, f, all, comparisonColumns, rows, section)
}

// writeSection writes in CSV and JSON these rows of each table with its title, in text and Markdown
// what section writes.
func writeSection(
	w io.Writer, f grid.Format, all Tables, columns []pairColumn,
	rows func(*ratings.Ratings) []*comparison, section func(*page, Table),
) error {
	switch f {
	case grid.CSV:
		titled := append([]pairColumn{tableTitle}, columns...)
		t := grid.NewWriter(w, f, grid.Options{}, titled)
		for _, part := range all.Printed() {
			for _, row := range rows(part.Ratings) {
				row.table = part.Title
				if err := t.Write(row); err != nil {
					return err
				}
			}
		}
		return t.Close()
	case grid.JSON:
		objects := []grid.Object{}
		for _, t := range all.Printed() {
			table := grid.Make(columns, rows(t.Ratings))
			objects = append(objects, grid.Object{{"title", t.Title}, {"rows", table}})
		}
		return grid.WriteJSON(w, grid.Object{{"tables", objects}})
	}
	return writePage(w, f, all, false, section)
}
