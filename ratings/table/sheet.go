package table

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// Sheet is a table of results beside the ratings: the standings after a round of a Swiss
// tournament, the bracket of a knock-out, or the results around the first player of a
// gauntlet.
type Sheet struct {
	Kind    string // swiss, knockout or gauntlet
	Title   string
	Columns []SheetColumn
	Rows    [][]any
	Lines   []string // what text has in place of the rows; nil: the rows
	Notes   []string // below
	Result  string   // a sentence on who has won, or leads; "" if a later sheet has it
}

// SheetColumn is a column of a sheet.
type SheetColumn struct {
	Key    string // in CSV and JSON
	Header string // what people read; "": it is in CSV and JSON alone
	Words  bool   // words rather than figures
}

// Hundredths is a number that is rounded to two decimals for people.
type Hundredths float64

// shown returns the indices of the columns for people.
func (s *Sheet) shown() []int {
	var list []int
	for i, c := range s.Columns {
		if c.Header != "" {
			list = append(list, i)
		}
	}
	return list
}

// Head returns the columns for people.
func (s *Sheet) Head() []SheetColumn {
	return slices.DeleteFunc(slices.Clone(s.Columns), func(c SheetColumn) bool { return c.Header == "" })
}

// Cells returns the rows for people, without control characters.
func (s *Sheet) Cells() [][]string {
	var rows [][]string
	for _, row := range s.Rows {
		var cells []string
		for _, i := range s.shown() {
			cells = append(cells, textfmt.Escape(text(row[i])))
		}
		rows = append(rows, cells)
	}
	return rows
}

// keys returns the keys of all columns.
func (s *Sheet) keys() []string {
	keys := make([]string, len(s.Columns))
	for i, c := range s.Columns {
		keys[i] = c.Key
	}
	return keys
}

// sheetObjects are the sheets as JSON.
func sheetObjects(sheets []Sheet) []object {
	objects := make([]object, len(sheets))
	for i, s := range sheets {
		objects[i] = object{
			{"schedule", s.Kind}, {"title", jsonValue(s.Title)}, {"result", jsonValue(s.Result)},
			{"rows", list{s.keys(), s.Rows}},
		}
	}
	return objects
}

// csvLines are the rows of sheets of one kind under the header of the first.
func csvLines(sheets []Sheet) [][]string {
	var lines [][]string
	for i := range sheets {
		if i == 0 {
			lines = append(lines, sheets[i].keys())
		}
		for _, row := range sheets[i].Rows {
			cells := make([]string, len(row))
			for k, cell := range row {
				cells[k] = exact(cell)
			}
			lines = append(lines, cells)
		}
	}
	return lines
}

// sheets returns all sheets: those of Swiss tournaments and knock-outs, then that of a
// gauntlet below each table that is printed.
func (t Tables) sheets() ([]Sheet, error) {
	list := slices.Clone(t.Schedules)
	for _, part := range t.Printed() {
		s, err := part.Gauntlet()
		if err != nil {
			return nil, err
		}
		if s != nil {
			list = append(list, *s)
		}
	}
	return list, nil
}

// Gauntlet returns the results of the first player of a gauntlet against each other; nil
// if the table is of something else.
func (t Table) Gauntlet() (*Sheet, error) {
	r := t.Ratings
	if t.Challenger == "" || !slices.Contains(r.Crosstable().Names, t.Challenger) {
		return nil, nil
	}
	s := &Sheet{Kind: "gauntlet", Title: fmt.Sprintf("Results of %s against each opponent", t.Challenger),
		Columns: []SheetColumn{
			{Key: "table"}, {Key: "player"},
			{Key: "opponent", Header: "Opponent", Words: true}, {Key: "games", Header: "Games"},
			{Key: "wins", Header: "Won"}, {Key: "draws", Header: "Drawn"}, {Key: "losses", Header: "Lost"},
			{Key: "score", Header: "Score"}, {Key: "difference", Header: "Elo diff."}, {Key: "error", Header: "95 %"},
			{Key: "los", Header: "LOS"},
		}}
	x := r.Crosstable()
	me := slices.Index(x.Names, t.Challenger)
	var all ratings.Count
	for i, player := range x.Names {
		c := x.Total(me, i)
		if i == me || c.Games() == 0 {
			continue
		}
		all = ratings.Count{Wins: all.Wins + c.Wins, Draws: all.Draws + c.Draws, Losses: all.Losses + c.Losses}
		row := []any{t.Title, name(t.Challenger), name(player), c.Games(), c.Wins, c.Draws, c.Losses, percent(c.Score())}
		compared, err := t.compared(t.Challenger, player)
		if err != nil {
			return nil, err
		}
		s.Rows = append(s.Rows, append(row, compared...))
	}
	s.Result = fmt.Sprintf("%s scored %s of %s, %s.", t.Challenger, textfmt.Decimal(all.Points()),
		textfmt.Plural(all.Games(), "point"), textfmt.Percent(all.Score()))
	s.Notes = []string{s.Result,
		"Elo diff.: the rating of " + t.Challenger + " less that of the opponent; LOS: the likelihood that it is positive."}
	return s, nil
}

// compared returns the difference of two players' ratings, half its 95 % interval and
// the likelihood of superiority; no values where the two can't be compared.
func (t Table) compared(a, b string) ([]any, error) {
	p, okP := t.Ratings.Player(a)
	q, okQ := t.Ratings.Player(b)
	if !okP || !okQ || p.Group != q.Group {
		return []any{nil, nil, nil}, nil
	}
	d, err := t.Ratings.Difference(a, b)
	return []any{d.Elo, margin(d.Error), percent(d.LOS)}, err
}

// sheet writes a sheet.
func (p *page) sheet(s *Sheet) {
	if s.Lines != nil && p.format == Text {
		p.gap()
		for _, line := range s.Lines {
			p.WriteString(p.escape(line) + "\n")
		}
	} else {
		g := &grid.Grid{Left: map[int]bool{}}
		for i, c := range s.Head() {
			g.Header = append(g.Header, c.Header)
			g.Left[i] = c.Words
		}
		for _, row := range s.Rows {
			var cells []any
			for _, i := range s.shown() {
				cells = append(cells, row[i])
			}
			p.row(g, cells...)
		}
		p.grid(g)
	}
	var notes []string
	for _, n := range s.Notes {
		if p.format == Text {
			notes = append(notes, textfmt.Wrap(n, p.layout.Width)...)
		} else {
			notes = append(notes, n)
		}
	}
	p.list(notes)
}

// maxSheetRows is how many rows of standings are printed beside ratings; of more only the
// last of each run.
const maxSheetRows = 120

// RecentSchedules returns the schedules that are printed beside ratings: all, or if they
// are long those that have a result, and how many are left out.
func (t Tables) RecentSchedules() (list []Sheet, left int) {
	rows := 0
	for i := range t.Schedules {
		rows += len(t.Schedules[i].Rows)
	}
	if rows <= maxSheetRows {
		return t.Schedules, 0
	}
	list = slices.DeleteFunc(slices.Clone(t.Schedules), func(s Sheet) bool { return s.Result == "" })
	return list, len(t.Schedules) - len(list)
}

// schedules writes the standings of Swiss tournaments and the brackets of knock-outs.
func (p *page) schedules(list []Sheet) {
	for i := range list {
		p.heading(list[i].Title)
		p.sheet(&list[i])
	}
}

// WriteSchedule writes the results by the format of the run alone: standings, bracket or
// gauntlet. In CSV they have the columns of the first sheet, and all must be of its kind.
func WriteSchedule(w io.Writer, f Format, all Tables) error {
	sheets, err := all.sheets()
	if err != nil {
		return err
	}
	kinds := map[string]bool{}
	for i := range sheets {
		kinds[sheets[i].Kind] = true
	}
	switch {
	case len(sheets) == 0:
		return errors.New("expected a run of format swiss, knockout or gauntlet, found none")
	case f == CSV && len(kinds) > 1:
		return errors.New("expected runs of one format for csv, found several")
	}
	switch f {
	case CSV:
		return writeCSV(w, csvLines(sheets))
	case JSON:
		return writeJSON(w, object{{"schedules", sheetObjects(sheets)}})
	}
	p := newPage(f, all.Layout)
	p.schedules(sheets)
	return p.writeTo(w)
}
