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

// maxMatrix is the number of players up to which there is a crosstable, as in package table; maxPlotted that of players
// in one picture.
const (
	maxMatrix  = 50
	maxPlotted = 60
)

func (b *builder) standings() Section {
	s := Section{ID: "standings", Title: "Standings"}
	list, left := b.Tables.RecentStandings()
	for i := range list {
		s.heading(fmt.Sprint("schedule-", i+1), textfmt.Visible(list[i].Title))
		standing := *list[i].Table
		if !list[i].Separate {
			standing.Result = "" // it stands at the top of the page
		}
		addTable(&s, &standing, list[i].Caption)
	}
	if left > 0 {
		s.text("gyges rate RUN --standings prints the standings after earlier rounds.")
	}
	for i, t := range b.Tables.Printed() {
		if t.Title != "" {
			s.heading("standings-"+strconv.Itoa(i+1), textfmt.Visible(t.Title))
		}
		gauntlet := t.Gauntlet()
		if gauntlet != nil {
			addTable(&s, gauntlet, gauntlet.Title)
		}
		if t.Score() != "" { // it stands at the top of the page, in place of ratings
			s.table("matrix", b.crosstable(t))
			s.add(Part{List: t.Notes()})
			continue
		}
		ratingTables(&s, i, t)
		if n := len(t.Ratings.Players) + len(t.Ratings.Unrated); n > maxMatrix {
			s.text(fmt.Sprintf("The crosstables are omitted for %d players; gyges rate prints them.", n))
			continue
		}
		if gauntlet == nil {
			s.table("matrix", b.crosstable(t))
		}
		s.table("matrix", superiority(t.Ratings))
	}
	for _, n := range b.Tables.Notes {
		s.note(n)
	}
	return s
}

func addTable(s *Section, t *grid.Table, caption string) {
	captioned := *t
	s.table("short", captioned.WithTitle(caption))
	s.add(Part{List: t.Remarks()})
}

// ratingTables adds a table for each group, the players without a rating, the plot and the remarks.
func ratingTables(s *Section, number int, t table.Table) {
	columns, rows, players := t.UsualColumns(), t.Rows(), t.Ratings.Players
	for g, group := range t.Ratings.Groups {
		n := group.Players
		s.table("", grid.Make(columns, rows[:n]).WithTitle(cmp.Or(t.GroupTitle(g), "Ratings")))
		if n > 1 {
			s.figure(ratingPlot(fmt.Sprintf("elo-%d-%d", number+1, g+1), t.Title, players[:n]))
		}
		rows, players = rows[n:], players[n:]
	}
	s.table("", grid.Make(table.UnratedColumns(columns), rows).WithTitle("Without a rating"))
	s.add(Part{List: t.Remarks()})
}

// RatingPlot draws the ratings of a table with their intervals, the first 60 of them.
func RatingPlot(t table.Table) Figure { return ratingPlot("elo", t.Title, t.Ratings.Players) }

func plusMinus(x, margin float64) string {
	return textfmt.Decimal(x) + " ± " + textfmt.Decimal(margin)
}

// self is the cell of a player against itself.
var self = grid.Cell{Text: "×", Class: "self"}

func (b *builder) crosstable(t table.Table) *grid.Table {
	if t.Ratings.Games == 0 {
		return &grid.Table{}
	}
	return table.Matrix(t.Ratings.Names(), self, func(player, against string) any {
		c := t.Ratings.Against(player, against)
		if c.Games() == 0 {
			return nil
		}
		player, against = textfmt.Visible(player), textfmt.Visible(against)
		return grid.Cell{
			Text: textfmt.Decimal(100 * c.Score()),
			Note: fmt.Sprintf("%s against %s: %d won, %d drawn, %d lost, %s of %d points", player, against, c.Wins,
				c.Draws, c.Losses, textfmt.Decimal(c.Points()), c.Games()),
			Small: t.ResultText(c),
			Link:  b.link(filter{rules: textfmt.Escape(t.Rules), player: player, against: against}),
			Class: heat(c.Score()),
		}
	}).WithTitle("Score in % of the player in the row against the players numbered above")
}

func superiority(r *ratings.Ratings) *grid.Table {
	if len(r.Players) < 2 {
		return &grid.Table{}
	}
	return table.Matrix(r.Names()[:len(r.Players)], self, func(a, b string) any {
		d, known := r.Difference(a, b)
		if !known { // they are in different groups
			return nil
		}
		return grid.Cell{
			Text:  textfmt.Likelihood(d.LOS),
			Note:  fmt.Sprintf("%s less %s: %s Elo", textfmt.Visible(a), textfmt.Visible(b), plusMinus(d.Elo, d.Error)),
			Class: heat(d.LOS),
		}
	}).WithTitle("Likelihood in % that the player in the row is stronger than the players numbered above")
}

// heat is the class of a share from 0 to 1: nine steps.
func heat(share float64) string {
	return "h" + strconv.Itoa(max(0, min(int(share*9), 8)))
}
