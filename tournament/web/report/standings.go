package report

import (
	"cmp"
	"fmt"
	"strconv"

	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

const (
	maxMatrix  = 50 // players up to which there is a crosstable, as in package table
	maxPlotted = 60 // players in one picture
)

// standings builds the section on who is stronger: the tables of the runs' formats, then the
// ratings with their crosstables.
func (b *builder) standings() Section {
	s := Section{ID: "standings", Title: "Standings"}
	recent, left := b.Tables.RecentStandings()
	for i := range recent {
		r := &recent[i]
		s.heading(numbered("schedule-", i), textfmt.Visible(r.Title))
		standing := *r.Table
		if !r.Separate {
			standing.Result = "" // it stands at the top of the page
		}
		addTable(&s, standing, r.Caption)
	}
	if left > 0 {
		s.text("gyges rate RUN --standings prints the standings after earlier rounds.")
	}
	for i, t := range b.Tables.Printed() {
		if t.Title != "" {
			s.heading(numbered("standings-", i), textfmt.Visible(t.Title))
		}
		b.addRatings(&s, i, t)
	}
	for _, n := range b.Tables.Notes {
		s.note(n)
	}
	return s
}

// addRatings adds the ratings under a rule set, whose number is from 0, and the crosstables.
func (b *builder) addRatings(s *Section, number int, t table.Table) {
	gauntlet := t.Gauntlet()
	if gauntlet != nil {
		addTable(s, *gauntlet, gauntlet.Title)
	}
	if t.Score() != "" { // it stands at the top of the page, in place of ratings
		s.table("matrix", b.crosstable(t))
		s.add(Part{List: t.Notes()})
		return
	}
	addRatingTables(s, number, t)
	if n := len(t.Ratings.Players) + len(t.Ratings.Unrated); n > maxMatrix {
		s.text(fmt.Sprintf("The crosstables are omitted for %d players; "+
			"gyges rate prints them.", n))
		return
	}
	if gauntlet == nil {
		s.table("matrix", b.crosstable(t))
	}
	s.table("matrix", superiority(t.Ratings))
}

// addTable adds a table under another caption, with its remarks.
func addTable(s *Section, t grid.Table, caption string) {
	s.table("short", t.WithTitle(caption))
	s.add(Part{List: t.Remarks()})
}

// addRatingTables adds a table for each group, the players without a rating, the plot and the
// remarks.
func addRatingTables(s *Section, number int, t table.Table) {
	// Rows are in the order of the groups, and then of the players without a rating.
	columns, rows := t.UsualColumns(), t.Rows()
	players := t.Ratings.Players
	for g, group := range t.Ratings.Groups {
		n := group.Players
		title := cmp.Or(t.GroupTitle(g), "Ratings")
		s.table("", grid.Make(columns, rows[:n]).WithTitle(title))
		if n > 1 {
			name := fmt.Sprintf("elo-%d-%d", number+1, g+1)
			s.figure(ratingPlot(name, t.Title, players[:n]))
		}
		rows = rows[n:]
		players = players[n:]
	}
	unrated := grid.Make(table.UnratedColumns(columns), rows)
	s.table("", unrated.WithTitle("Without a rating"))
	s.add(Part{List: t.Remarks()})
}

// RatingPlot draws the ratings of a table with their intervals, the first 60 of them.
func RatingPlot(t table.Table) Figure { return ratingPlot("elo", t.Title, t.Ratings.Players) }

// plusMinus is an estimate with half of its 95 % interval.
func plusMinus(x, margin float64) string {
	return textfmt.Decimal(x) + " ± " + textfmt.Decimal(margin)
}

// self is the cell of a player against itself.
var self = grid.Cell{Text: "×", Class: "self"}

// crosstable has the scores of players against each other, with links to their games.
func (b *builder) crosstable(t table.Table) *grid.Table {
	if t.Ratings.Games == 0 {
		return &grid.Table{}
	}
	cell := func(player, against string) any {
		c := t.Ratings.Against(player, against)
		if c.Games() == 0 {
			return nil
		}
		player, against = textfmt.Visible(player), textfmt.Visible(against)
		points := textfmt.Decimal(c.Points())
		note := fmt.Sprintf("%s against %s: %d won, %d drawn, %d lost, %s of %d points",
			player, against, c.Wins, c.Draws, c.Losses, points, c.Games())
		played := filter{rules: textfmt.Escape(t.Rules), player: player, against: against}
		return grid.Cell{
			Text:  textfmt.Decimal(100 * c.Score()),
			Note:  note,
			Small: t.ResultText(c),
			Link:  b.link(played),
			Class: heat(c.Score()),
		}
	}
	return table.Matrix(t.Ratings.Names(), self, cell).WithTitle(
		"Score in % of the player in the row against the players numbered above")
}

// superiority has the likelihoods that a player is stronger than another one.
func superiority(r *ratings.Ratings) *grid.Table {
	rated := r.Names()[:len(r.Players)]
	if len(rated) < 2 {
		return &grid.Table{}
	}
	cell := func(a, b string) any {
		d, known := r.Difference(a, b)
		if !known { // they are in different groups
			return nil
		}
		difference := textfmt.Visible(a) + " less " + textfmt.Visible(b)
		return grid.Cell{
			Text:  textfmt.Likelihood(d.LOS),
			Note:  difference + ": " + plusMinus(d.Elo, d.Error) + " Elo",
			Class: heat(d.LOS),
		}
	}
	return table.Matrix(rated, self, cell).WithTitle(
		"Likelihood in % that the player in the row is stronger than the players numbered above")
}

// heat is the class of a share from 0 to 1: nine steps.
func heat(share float64) string {
	return "h" + strconv.Itoa(max(0, min(int(share*9), 8)))
}
