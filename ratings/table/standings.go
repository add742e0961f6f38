package table

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// Standings is a table of a run by its format, such as the order of a Swiss tournament after a round or the bracket of
// a knock-out, with its result: who has won, or leads; "" if a later table has it.
type Standings struct {
	Format   string // that of the run
	Caption  string // what the rows are, on pages
	Separate bool   // not printed beside ratings, which say as much
	*grid.Table
}

// standingsObjects are the tables as JSON.
func standingsObjects(list []Standings) []grid.Object {
	objects := make([]grid.Object, len(list))
	for i, s := range list {
		objects[i] = grid.Object{{"schedule", s.Format}, {"title", s.Title}, {"result", s.Result}, {"rows", s.Table}}
	}
	return objects
}

// standings returns all tables by formats: those of the runs, then gauntlets' below the rating tables printed.
func (t Tables) standings() []Standings {
	list := slices.Clone(t.Standings)
	for _, part := range t.Printed() {
		if g := part.Gauntlet(); g != nil {
			list = append(list, Standings{Format: "gauntlet", Table: g})
		}
	}
	return list
}

// opponent is a row of [Table.Gauntlet].
type opponent struct {
	table, challenger, name string
	ratings.Count
	ratings.Difference // of the challenger
}

// gauntletColumns are those of [Table.Gauntlet].
var gauntletColumns = []grid.Column[opponent]{
	{Key: "table", Value: func(o opponent) any { return o.table }},
	{Key: "player", Value: func(o opponent) any { return grid.Name(o.challenger) }},
	{Key: "opponent", Title: "Opponent", Left: true, Value: func(o opponent) any { return grid.Name(o.name) }},
	{Key: "games", Title: "Games", Value: func(o opponent) any { return o.Games() }},
	{Key: "wins", Title: "Won", Value: func(o opponent) any { return o.Wins }},
	{Key: "draws", Title: "Drawn", Value: func(o opponent) any { return o.Draws }},
	{Key: "losses", Title: "Lost", Value: func(o opponent) any { return o.Losses }},
	{Key: "score", Title: "Score", Value: func(o opponent) any { return grid.Percent(o.Score()) }},
	{Key: "difference", Title: "Elo diff.", Value: func(o opponent) any { return o.Elo }},
	{Key: "error", Title: "95 %", Value: func(o opponent) any { return grid.Margin(o.Error) }},
	{Key: "los", Title: "LOS", Value: func(o opponent) any { return grid.Likelihood(o.LOS) }},
}

// Gauntlet returns the results of the first player of a gauntlet against each other; nil for another format.
func (t Table) Gauntlet() *grid.Table {
	names := t.Ratings.Names()
	if t.Challenger == "" || !slices.Contains(names, t.Challenger) {
		return nil
	}
	var all ratings.Count
	var rows []opponent
	for _, player := range names {
		c := t.Ratings.Against(t.Challenger, player)
		if c.Games() == 0 {
			continue
		}
		all = ratings.Count{Wins: all.Wins + c.Wins, Draws: all.Draws + c.Draws, Losses: all.Losses + c.Losses}
		d, _ := t.Ratings.Difference(t.Challenger, player)
		rows = append(rows, opponent{t.Title, t.Challenger, player, c, d})
	}
	g := grid.Make(gauntletColumns, rows).WithTitle(fmt.Sprintf("Results of %s against each opponent", t.Challenger))
	if all.Draws == 0 {
		g.Hide("Drawn")
	}
	against := "."
	if f := t.Field; f != nil {
		against = fmt.Sprintf(": %s ± %s Elo against the field.", textfmt.Decimal(f.Elo), textfmt.Decimal(f.Error))
	}
	g.Result = fmt.Sprintf("%s scored %s of %s, %s%s", t.Challenger, textfmt.Decimal(all.Points()),
		textfmt.Plural(all.Games(), "point"), textfmt.Percent(all.Score()), against)
	g.Notes = []string{"Elo diff.: the rating of " + t.Challenger + " less that of the opponent; LOS: the likelihood " +
		"that it is positive."}
	return g
}

// standings writes a table by the format of a run.
func (p *page) standings(t *grid.Table) {
	p.grid(0, false, t)
	p.list(t.Remarks())
}

// maxRows is how many rows of standings are printed beside ratings; of more only the last of each run.
const maxRows = 120

// RecentStandings returns the tables printed beside ratings, final ones first, and how many long ones are left out.
func (t Tables) RecentStandings() (list []Standings, left int) {
	rows := 0
	shown := slices.DeleteFunc(finalFirst(t.Standings), func(s Standings) bool { return s.Separate })
	for _, s := range shown {
		rows += len(s.Rows)
	}
	if rows <= maxRows {
		return shown, 0
	}
	list = slices.DeleteFunc(slices.Clone(shown), func(s Standings) bool { return s.Result == "" })
	return list, len(shown) - len(list)
}

// finalFirst returns the tables with those first that have a result: the others are of the rounds before.
func finalFirst(list []Standings) []Standings {
	return slices.SortedStableFunc(slices.Values(list), func(a, b Standings) int {
		return min(len(b.Result), 1) - min(len(a.Result), 1)
	})
}

// WriteStandings writes the results by the formats of the runs alone; in CSV all must be of one format.
func WriteStandings(w io.Writer, f grid.Format, all Tables) error {
	list := all.standings()
	if len(list) == 0 {
		const none = "expected a run of three players or more whose format has a table of its own, found none"
		return errors.New(strings.Join(append([]string{none}, all.Notes...), "; "))
	}
	switch f {
	case grid.CSV:
		all := *list[0].Table
		for _, s := range list[1:] {
			if s.Format != list[0].Format {
				return errors.New("expected runs of one format for csv, found several")
			}
			all.Rows = slices.Concat(all.Rows, s.Rows)
		}
		return all.Write(w, f, grid.Options{})
	case grid.JSON:
		return grid.WriteJSON(w, grid.Object{{"schedules", standingsObjects(list)}})
	}
	p := newPage(f, all.Layout)
	p.allStandings(finalFirst(list))
	return p.writeTo(w)
}

// allStandings writes tables by the formats of runs.
func (p *page) allStandings(list []Standings) {
	for _, s := range list {
		p.heading(s.Title)
		p.standings(s.Table)
	}
}
