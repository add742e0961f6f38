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

// Schedule is a table of the results by the format of a run: the standings after a round of a
// Swiss tournament, the bracket of a knock-out, or the results around the first player of a
// gauntlet.
type Schedule struct {
	Kind    string // swiss, knockout, gauntlet or round-robin
	Title   string
	Columns []grid.CellColumn
	Rows    [][]any
	Lines   []string // what text has in place of the rows; nil: the rows
	Notes   []string // below
	Result  string   // a sentence on who has won, or leads; "" if a later table has it
}

// scheduleObjects are the tables as JSON.
func scheduleObjects(list []Schedule) []grid.Object {
	objects := make([]grid.Object, len(list))
	for i, s := range list {
		rows := grid.Objects(s.Columns, s.Rows)
		objects[i] = grid.Object{{"schedule", s.Kind}, {"title", s.Title}, {"result", s.Result}, {"rows", rows}}
	}
	return objects
}

// schedules returns all tables by formats: those of Swiss tournaments and knock-outs, then that
// of a gauntlet below each rating table that is printed.
func (t Tables) schedules() []Schedule {
	list := slices.Clone(t.Schedules)
	for _, part := range t.Printed() {
		if g := part.Gauntlet(); g != nil {
			list = append(list, *g)
		}
	}
	return list
}

// gauntletColumns are those of [Table.Gauntlet].
var gauntletColumns = grid.Cells([]grid.CellColumn{
	{Key: "table"}, {Key: "player"}, {Key: "opponent", Title: "Opponent", Left: true}, {Key: "games", Title: "Games"},
	{Key: "wins", Title: "Won"}, {Key: "draws", Title: "Drawn"}, {Key: "losses", Title: "Lost"},
	{Key: "score", Title: "Score"}, {Key: "difference", Title: "Elo diff."}, {Key: "error", Title: "95 %"},
	{Key: "los", Title: "LOS"},
})

// Gauntlet returns the results of the first player of a gauntlet against each other; nil
// if the table is of something else.
func (t Table) Gauntlet() *Schedule {
	names, counts := t.Ratings.Names(), t.Ratings.Crosstable()
	if t.Challenger == "" || !slices.Contains(names, t.Challenger) {
		return nil
	}
	s := &Schedule{
		Kind: "gauntlet", Title: fmt.Sprintf("Results of %s against each opponent", t.Challenger), Columns: gauntletColumns,
	}
	var all ratings.Count
	for _, player := range names {
		c := counts[[2]string{t.Challenger, player}]
		if c.Games() == 0 {
			continue
		}
		all = ratings.Count{Wins: all.Wins + c.Wins, Draws: all.Draws + c.Draws, Losses: all.Losses + c.Losses}
		row := []any{
			t.Title, grid.Name(t.Challenger), grid.Name(player), c.Games(), c.Wins, c.Draws, c.Losses, grid.Percent(c.Score()),
			nil, nil, nil,
		}
		if d, err := t.Ratings.Difference(t.Challenger, player); err == nil { // otherwise they can't be compared
			row = append(row[:len(row)-3], d.Elo, grid.Margin(d.Error), grid.Percent(d.LOS))
		}
		s.Rows = append(s.Rows, row)
	}
	against := "."
	if f := t.Field; f != nil {
		against = fmt.Sprintf(": %s ± %s Elo against the field.", textfmt.Decimal(f.Elo), textfmt.Decimal(f.Error))
	}
	s.Result = fmt.Sprintf("%s scored %s of %s, %s%s", t.Challenger, textfmt.Decimal(all.Points()),
		textfmt.Plural(all.Games(), "point"), textfmt.Percent(all.Score()), against)
	s.Notes = []string{s.Result,
		"Elo diff.: the rating of " + t.Challenger + " less that of the opponent; LOS: the likelihood that it is positive."}
	return s
}

// schedule writes a table by the format of a run.
func (p *page) schedule(s *Schedule) {
	if s.Lines != nil && p.format == grid.Text {
		p.gap()
		for _, line := range s.Lines {
			p.line(line)
		}
	} else {
		writeGrid(p, 0, false, s.Shown(), s.Rows)
	}
	p.list(s.Notes)
}

// Shown returns the columns for text, without that of draws if there are none.
func (s *Schedule) Shown() []grid.CellColumn {
	i := slices.IndexFunc(s.Columns, func(c grid.CellColumn) bool { return c.Key == "draws" })
	return withDraws(s.Columns, slices.ContainsFunc(s.Rows, func(row []any) bool { return i >= 0 && row[i] != 0 }))
}

// maxScheduleRows is how many rows of standings are printed beside ratings; of more only the
// last of each run.
const maxScheduleRows = 120

// roundRobin is the kind of the tables that are not printed beside ratings, which say as much.
const roundRobin = "round-robin"

// RecentSchedules returns the schedules that are printed beside ratings, those that have a result first: all, or if
// they are long these alone, and how many are left out.
func (t Tables) RecentSchedules() (list []Schedule, left int) {
	rows := 0
	shown := slices.DeleteFunc(finalFirst(t.Schedules), func(s Schedule) bool { return s.Kind == roundRobin })
	for i := range shown {
		rows += len(shown[i].Rows)
	}
	if rows <= maxScheduleRows {
		return shown, 0
	}
	list = slices.DeleteFunc(slices.Clone(shown), func(s Schedule) bool { return s.Result == "" })
	return list, len(shown) - len(list)
}

// finalFirst returns the tables with those first that have a result: the others are of the rounds before.
func finalFirst(list []Schedule) []Schedule {
	rounds := slices.DeleteFunc(slices.Clone(list), func(s Schedule) bool { return s.Result != "" })
	return append(slices.DeleteFunc(slices.Clone(list), func(s Schedule) bool { return s.Result == "" }), rounds...)
}

// WriteSchedule writes the results by the format of the run alone: standings, bracket or
// gauntlet. In CSV they have the columns of the first, and all must be of its kind.
func WriteSchedule(w io.Writer, f grid.Format, all Tables) error {
	list := all.schedules()
	if len(list) == 0 {
		return errors.New("expected a run of three players or more of format round-robin, swiss, knockout or gauntlet, " +
			"found none")
	}
	switch f {
	case grid.CSV:
		var rows [][]any
		for _, s := range list {
			if s.Kind != list[0].Kind {
				return errors.New("expected runs of one format for csv, found several")
			}
			rows = append(rows, s.Rows...)
		}
		return grid.Write(w, f, grid.Options{}, list[0].Columns, rows)
	case grid.JSON:
		return grid.WriteJSON(w, grid.Object{{"schedules", scheduleObjects(list)}})
	}
	p := newPage(f, all.Layout)
	p.schedules(finalFirst(list))
	return p.writeTo(w)
}

// schedules writes the standings of Swiss tournaments and the brackets of knock-outs.
func (p *page) schedules(list []Schedule) {
	for i := range list {
		p.heading(list[i].Title)
		p.schedule(&list[i])
	}
}
