package table

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
)

// Standings is a table of a run by its format, such as the order of a Swiss tournament after a
// round or the bracket of a knock-out, with its result: who has won, or leads; "" if a later table
// has it.
type Standings struct {
	Format   string // that of the run
	Caption  string // what the rows are, on pages
	Separate bool   // not printed beside ratings, which say as much
	*grid.Table
}

// standingsObjects are the tables as JSON.
func standingsObjects(list []Standings) []grid.Object {
	return lists.Map(list, func(s Standings) grid.Object {
		return grid.Object{
			{"schedule", s.Format}, {"title", s.Title}, {"result", s.Result}, {"rows", s.Table},
		}
	})
}

// standings returns all tables by formats: those of the runs, then gauntlets' below the rating
// tables printed.
func (t Tables) standings() []Standings {
	list := slices.Clone(t.Standings)
	for _, part := range t.Printed() {
		if g := part.Gauntlet(); g != nil {
			list = append(list, Standings{Format: "gauntlet", Table: g})
		}
	}
	return list
}

// Gauntlet returns the results of the first player of a gauntlet against each other; nil for
// another format.
func (t Table) Gauntlet() *grid.Table {
	player := t.Challenger
	names := t.Ratings.Names()
	if player == "" || !slices.Contains(names, player) {
		return nil
	}
	var all ratings.Count
	var rows []*comparison
	for _, name := range names {
		c := t.Ratings.Against(player, name)
		if c.Games() == 0 {
			continue
		}
		all = all.Plus(c)
		h := ratings.HeadToHead{A: player, B: name, Count: c}
		d, _ := t.Ratings.Difference(player, name)
		rows = append(rows, &comparison{t.Title, h, d})
	}
	title := fmt.Sprintf("Results of %s against each opponent", player)
	g := grid.Make(gauntletColumns, rows).WithTitle(title)
	if all.Draws == 0 {
		g.Hide("Drawn")
	}
	g.Result = fmt.Sprintf("%s scored %s of %s, %s", player, textfmt.Decimal(all.Points()),
		textfmt.Plural(all.Games(), "point"), textfmt.Percent(all.Score()))
	if t.Field != nil {
		g.Result += ": " + plusMinus(t.Field.Elo, t.Field.Error) + " Elo against the field"
	}
	g.Result += "."
	g.Notes = []string{"Elo diff.: the rating of " + player + " less that of the opponent; LOS: " +
		"the likelihood that it is positive."}
	return g
}

// standings writes a table by the format of a run.
func (p *page) standings(t *grid.Table) {
	p.grid(0, false, t)
	p.list(t.Remarks())
}

// maxRows is how many rows of standings are printed beside ratings; of more only the last of each
// run.
const maxRows = 120

// RecentStandings returns the tables printed beside ratings, final ones first, and how many long
// ones are left out.
func (t Tables) RecentStandings() (list []Standings, left int) {
	rows := 0
	for _, s := range t.Standings {
		if !s.Separate {
			rows += len(s.Rows)
			list = append(list, s)
		}
	}
	final, early := byResult(list)
	if rows > maxRows {
		return final, len(early)
	}
	return append(final, early...), 0
}

// byResult parts tables that have a result from those of the rounds before.
func byResult(list []Standings) (final, early []Standings) {
	for _, s := range list {
		if s.Result == "" {
			early = append(early, s)
		} else {
			final = append(final, s)
		}
	}
	return final, early
}

// WriteStandings writes the results by the formats of the runs alone; in CSV all must be of one
// format.
func WriteStandings(w io.Writer, f grid.Format, all Tables) error {
	list := all.standings()
	if len(list) == 0 {
		reasons := []string{"expected a run of three players or more whose format has a table of " +
			"its own, found none"}
		return errors.New(strings.Join(append(reasons, all.Notes...), "; "))
	}
	switch f {
	case grid.CSV:
		joined := *list[0].Table
		for _, s := range list[1:] {
			if s.Format != list[0].Format {
				return errors.New("expected runs of one format for csv, found several")
			}
			joined.Rows = slices.Concat(joined.Rows, s.Rows)
		}
		return joined.Write(w, f, grid.Options{})
	case grid.JSON:
		return grid.WriteJSON(w, grid.Object{{"schedules", standingsObjects(list)}})
	}
	final, early := byResult(list)
	p := newPage(f, all.Layout)
	p.allStandings(append(final, early...))
	return p.writeTo(w)
}

// allStandings writes tables by the formats of runs.
func (p *page) allStandings(list []Standings) {
	for _, s := range list {
		p.heading(s.Title)
		p.standings(s.Table)
	}
}
