// Package table prints ratings as text, Markdown, CSV and JSON: rating tables, crosstables and comparisons.
package table

import (
	"fmt"
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

	// Field is the difference of the challenger and all its opponents taken for one player; nil if it isn't known.
	Field *ratings.Difference
}

// Tables is all that is printed at once.
type Tables struct {
	// All is the fit to all games together. It is what JSON has at the top.
	All Table
	// Parts are the fits to the games under each rule set.
	Parts []Table
	// Pool prints All after the parts, where there is more than one. Without parts it is always printed.
	Pool bool
	// Standings are the tables by the formats of the runs.
	Standings []Standings
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
	case t.Pool && len(t.Parts) > 1:
		return append(slices.Clone(t.Parts), t.All)
	}
	return t.Parts
}

// Write writes rating tables with the columns chosen, or without any the usual ones, the advantage, the players that
// have no rating and the notes. Where lines of text would be too long, columns that were not chosen are left out, those
// of other tables are printed in blocks, and names are wrapped. CSV is one table of all, the title in its first column.
// JSON is one object: the fit to all games, and under "parts" the same object for each part.
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

// WriteCrosstable writes who scored what against whom. Text and Markdown add both sides of a pairing up, and leave out
// tables of more than 50 players with a line that says so; CSV and JSON list South and North apart, as South sees them.
func WriteCrosstable(w io.Writer, f grid.Format, all Tables) error {
	return writeSection(w, f, all, crosstableColumns,
		func(t Table) []ratings.Pairing { return t.Ratings.Pairings() },
		func(p *page, t Table) { p.crosstable(t) })
}

// WriteHeadToHead writes the pairings with what was expected of them, those that fit worst first: at most N of them in
// text and Markdown, all if most is 0. CSV and JSON always have all.
func WriteHeadToHead(w io.Writer, f grid.Format, all Tables, most int) error {
	return writeSection(w, f, all, headToHeadColumns,
		func(t Table) []ratings.HeadToHead { return t.Ratings.HeadToHeads() },
		func(p *page, t Table) { p.headToHead(t, most) })
}

// WriteSuperiority writes the likelihood of superiority of each player over each other of its group. Text and Markdown
// leave tables of more than 50 players out with a line that says so, and CSV and JSON those of more than 250.
func WriteSuperiority(w io.Writer, f grid.Format, all Tables) error {
	return writeSection(w, f, all, comparisonColumns, func(t Table) []comparison {
		if len(t.Ratings.Players) > maxCompared {
			return nil
		}
		return comparisons(t, t.Ratings.Names()...)
	}, func(p *page, t Table) { p.superiority(t.Ratings) })
}

// WriteComparison writes the difference of a player to all others of its group, or that it has no rating.
func WriteComparison(w io.Writer, f grid.Format, all Tables, name string) error {
	return writeSection(w, f, all, comparisonColumns,
		func(t Table) []comparison { return comparisons(t, name) },
		func(p *page, t Table) { p.comparison(t, name) })
}

// writeSection writes in CSV and JSON these rows of each table with its title, in text and Markdown what page writes.
func writeSection[R any](
	w io.Writer, f grid.Format, all Tables, columns []grid.Column[R], rows func(Table) []R, page func(*page, Table),
) error {
	switch f {
	case grid.CSV:
		title := ""
		titled := slices.Insert(slices.Clone(columns), 0,
			grid.Column[R]{Key: "table", Value: func(R) any { return title }})
		t := grid.NewWriter(w, f, grid.Options{}, titled)
		for _, part := range all.Printed() {
			title = part.Title
			for _, row := range rows(part) {
				if err := t.Write(row); err != nil {
					return err
				}
			}
		}
		return t.Close()
	case grid.JSON:
		objects := []grid.Object{}
		for _, t := range all.Printed() {
			objects = append(objects, grid.Object{{"title", t.Title}, {"rows", grid.Make(columns, rows(t))}})
		}
		return grid.WriteJSON(w, grid.Object{{"tables", objects}})
	}
	return writePage(w, f, all, false, page)
}

var crosstableColumns = []grid.Column[ratings.Pairing]{
	{Key: "south", Value: func(p ratings.Pairing) any { return grid.Name(p.South) }},
	{Key: "north", Value: func(p ratings.Pairing) any { return grid.Name(p.North) }},
	{Key: "wins", Value: func(p ratings.Pairing) any { return p.Wins }},
	{Key: "draws", Value: func(p ratings.Pairing) any { return p.Draws }},
	{Key: "losses", Value: func(p ratings.Pairing) any { return p.Losses }},
}

var headToHeadColumns = []grid.Column[ratings.HeadToHead]{
	{Title: "#", Value: func(h ratings.HeadToHead) any { return h.Number }},
	{Key: "a", Title: "Player", Left: true, Value: func(h ratings.HeadToHead) any { return grid.Name(h.A) }},
	{Key: "b", Title: "Against", Left: true, Value: func(h ratings.HeadToHead) any { return grid.Name(h.B) }},
	{Key: "games", Title: "Games", Value: func(h ratings.HeadToHead) any { return h.Games() }},
	{Key: "wins", Title: "Won", Drop: 1, Value: func(h ratings.HeadToHead) any { return h.Wins }},
	{Key: "draws", Title: "Drawn", Drop: 1, Value: func(h ratings.HeadToHead) any { return h.Draws }},
	{Key: "losses", Title: "Lost", Drop: 1, Value: func(h ratings.HeadToHead) any { return h.Losses }},
	{Key: "points", Title: "Points", Value: func(h ratings.HeadToHead) any { return h.Points() }},
	{Key: "expected", Title: "Expected", Value: func(h ratings.HeadToHead) any { return h.Expected }},
	{Key: "z", Title: "z",
		Value: func(h ratings.HeadToHead) any { return grid.Cell{Text: fmt.Sprintf("%+.2f", h.Z), Value: h.Z} }},
}

// maxCompared is the number of players up to which every two are compared in CSV and JSON.
const maxCompared = 250

// comparison is how much stronger player a is than b.
type comparison struct {
	a, b string
	ratings.Difference
}

var comparisonColumns = []grid.Column[comparison]{
	{Key: "a", Value: func(c comparison) any { return grid.Name(c.a) }},
	{Key: "b", Value: func(c comparison) any { return grid.Name(c.b) }},
	{Key: "difference", Value: func(c comparison) any { return c.Elo }},
	{Key: "error", Value: func(c comparison) any { return c.Error }},
	{Key: "los", Value: func(c comparison) any { return c.LOS }},
}

// comparisons returns the differences of players to the others of their groups, in the order of the table.
func comparisons(t Table, players ...string) (list []comparison) {
	for _, player := range players {
		for _, q := range t.Ratings.Players {
			if d, known := t.Ratings.Difference(player, q.Name); known {
				list = append(list, comparison{player, q.Name, d})
			}
		}
	}
	return list
}
