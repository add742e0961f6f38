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

// maxMatrix is the number of players up to which there is a crosstable, as in
// package table; maxPlotted that of players in one picture.
const (
	maxMatrix  = 50
	maxPlotted = 60
)

// standings builds the section with ratings and crosstables.
func (b *builder) standings() Section {
	s := Section{ID: "standings", Title: "Standings"}
	b.schedules(&s)
	for i, t := range b.Tables.Printed() {
		if t.Title != "" {
			s.heading("standings-"+strconv.Itoa(i+1), textfmt.Visible(t.Title))
		}
		gauntlet := t.Gauntlet()
		if gauntlet != nil {
			addSheet(&s, gauntlet, gauntlet.Title)
		}
		ratingTables(&s, i, t)
		if n := len(t.Ratings.Players) + len(t.Ratings.Unrated); n > maxMatrix {
			s.text(fmt.Sprintf("The crosstables are omitted for %d players; gyges rate prints them.", n))
			continue
		}
		if gauntlet == nil {
			s.table(b.crosstable(t))
		}
		s.table(superiority(t.Ratings))
	}
	b.advantages(&s)
	for _, n := range b.Tables.Notes {
		s.note(n)
	}
	return s
}

// advantages adds a plot of the first-move advantage if there are several rule sets.
func (b *builder) advantages(s *Section) {
	var rows []interval
	for _, t := range b.Tables.Printed() {
		if a := t.Ratings.Advantage; a.Fitted && t.Title != "" {
			rows = append(rows, eloInterval(t.Title, a.Elo, a.Error))
		}
	}
	if len(rows) > 1 {
		s.figure(intervalPlot("advantage", "First-move advantage with its 95 % interval", rows))
	}
}

// schedules adds the standings of Swiss tournaments and the brackets of knock-outs.
func (b *builder) schedules(s *Section) {
	list, left := b.Tables.RecentSchedules()
	for i := range list {
		s.heading(fmt.Sprint("schedule-", i+1), textfmt.Visible(list[i].Title))
		caption := "Standings"
		if list[i].Tree != nil {
			caption = "Matches, round by round"
		}
		addSheet(s, list[i].Table, caption)
	}
	if left > 0 {
		s.text("gyges rate RUN --standings prints the standings after earlier rounds.")
	}
}

// addSheet adds a table of package table with its notes.
func addSheet(s *Section, sheet *grid.Table, caption string) {
	t := &Table{Caption: textfmt.Visible(caption), Class: "short"}
	s.table(t.fill(sheet))
	if remarks := sheet.Remarks(); len(remarks) > 0 {
		s.add(Block{List: mapped(remarks, textfmt.Visible)})
	}
}

// ratingTables adds a table for each group, the players without a rating, the
// plot and the remarks.
func ratingTables(s *Section, number int, t table.Table) {
	columns, rows, players := t.UsualColumns(), t.Rows(), t.Ratings.Players
	for g, group := range t.Ratings.Groups {
		n := group.Players
		s.table(tableOf(cmp.Or(t.GroupTitle(g), "Ratings"), "", columns, rows[:n]))
		if n > 1 {
			s.figure(ratingPlot(fmt.Sprintf("elo-%d-%d", number+1, g+1), t.Title, players[:n]))
		}
		rows, players = rows[n:], players[n:]
	}
	s.table(tableOf("Without a rating", "", table.LeftColumns(columns), rows))
	s.add(Block{List: t.Remarks()})
}

// tableOf returns a table of columns and rows. The first column of words heads the rows.
func tableOf[R any](caption, class string, columns []grid.Column[R], rows []R) *Table {
	t := &Table{Caption: caption, Class: class}
	return t.fill(grid.Make(columns, rows))
}

// fill fills the table.
func (t *Table) fill(g *grid.Table) *Table {
	g = g.Titled()
	for _, c := range g.Columns {
		t.Header = append(t.Header, Head{Text: c.Title, Left: c.Left})
	}
	for _, row := range g.Rows {
		cells := make([]Cell, len(row))
		for i, c := range row {
			cells[i] = Cell{Text: textfmt.Escape(c.Text), Row: i == g.RowHead()}
		}
		t.row(cells...)
	}
	return t
}

// RatingPlot draws the ratings of a table with their intervals, the first 60 of them.
func RatingPlot(t table.Table) Figure { return ratingPlot("elo", t.Title, t.Ratings.Players) }

// ratingPlot draws ratings with their intervals.
func ratingPlot(name, title string, players []ratings.Player) Figure {
	caption := "Ratings with their 95 % intervals"
	if title != "" {
		caption += ", " + textfmt.Visible(title)
	}
	if len(players) > maxPlotted {
		caption += fmt.Sprintf(", the first %d players", maxPlotted)
		players = players[:maxPlotted]
	}
	var rows []interval
	for _, p := range players {
		rows = append(rows, eloInterval(p.Name, p.Elo, p.Error))
	}
	return intervalPlot(name, caption, rows)
}

func eloInterval(name string, elo, margin float64) interval {
	return interval{name, plusMinus(elo, margin) + " Elo", elo - margin, elo, elo + margin}
}

func plusMinus(x, margin float64) string {
	return textfmt.Decimal(x) + " ± " + textfmt.Decimal(margin)
}

// crosstable is the table of scores in all pairings; empty without games.
func (b *builder) crosstable(t table.Table) *Table {
	counts := t.Ratings.Crosstable()
	caption := "Score in % of the player in the row against the players numbered above"
	if t.Ratings.Games == 0 {
		return &Table{}
	}
	return matrix(caption, t.Ratings.Names(), func(player, against string) Cell {
		c := counts[[2]string{player, against}]
		if c.Games() == 0 {
			return Cell{}
		}
		return Cell{
			Text: textfmt.Decimal(100 * c.Score()),
			Note: fmt.Sprintf("%s against %s: %d won, %d drawn, %d lost, %s of %d points", textfmt.Visible(player),
				textfmt.Visible(against), c.Wins, c.Draws, c.Losses, textfmt.Decimal(c.Points()), c.Games()),
			Small: t.ResultText(c),
			Link:  b.link(filter{rules: t.Rules, player: player, against: against}),
			Class: heat(c.Score()),
		}
	})
}

// superiority is the table of the likelihoods of superiority; empty with fewer than
// two players.
func superiority(r *ratings.Ratings) *Table {
	if len(r.Players) < 2 {
		return &Table{}
	}
	caption := "Likelihood in % that the player in the row is stronger than the players numbered above"
	return matrix(caption, r.Names()[:len(r.Players)], func(a, b string) Cell {
		d, err := r.Difference(a, b)
		if err != nil { // they are in different groups
			return Cell{}
		}
		return Cell{
			Text:  textfmt.Decimal(100 * d.LOS),
			Note:  fmt.Sprintf("%s less %s: %s Elo", textfmt.Visible(a), textfmt.Visible(b), plusMinus(d.Elo, d.Error)),
			Class: heat(d.LOS),
		}
	})
}

// matrix is a table with a row and a column for each player. at returns the cell of
// two players.
func matrix(caption string, names []string, at func(a, b string) Cell) *Table {
	t := newTable(caption, 0, "#", "Player")
	t.Class, t.Header[1].Left = "matrix", true
	for i, name := range names {
		t.Header = append(t.Header, Head{Text: strconv.Itoa(i + 1), Tip: textfmt.Visible(name)})
		cells := []Cell{cell(strconv.Itoa(i + 1)), rowHead(textfmt.Visible(name))}
		for _, other := range names {
			c := Cell{Text: "×", Class: "self"}
			if other != name {
				c = at(name, other)
			}
			cells = append(cells, c)
		}
		t.row(cells...)
	}
	return t
}

// heat is the class of a share from 0 to 1: nine steps.
func heat(share float64) string {
	return "h" + strconv.Itoa(max(0, min(int(share*9), 8)))
}
