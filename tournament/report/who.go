package report

import (
	"fmt"
	"strconv"

	"gyges/ratings"
	"gyges/ratings/table"
	"gyges/ratings/textfmt"
)

// maxMatrix is the number of players up to which there is a crosstable, as in
// package table; maxPlotted that of players in one picture.
const (
	maxMatrix  = 50
	maxPlotted = 60
)

// who builds the section on who won.
func (b *builder) who() (Section, error) {
	s := Section{ID: "who", Title: "Who won"}
	for i, t := range b.tables.Printed() {
		if t.Title != "" {
			s.add(headingBlock("who-"+strconv.Itoa(i+1), textfmt.Visible(t.Title)))
		}
		if err := b.ratingTable(&s, i, t); err != nil {
			return s, err
		}
		if len(t.Ratings.Players)+len(t.Ratings.Unrated) > maxMatrix {
			s.add(textBlock(fmt.Sprintf("The tables of who met whom are left out: %d players are too many. gyges rate has them.", len(t.Ratings.Players)+len(t.Ratings.Unrated))))
			continue
		}
		b.crosstable(&s, t)
		if err := b.superiority(&s, t); err != nil {
			return s, err
		}
	}
	for _, n := range b.tables.Notes {
		s.add(textBlock("Note: " + textfmt.Visible(n) + "."))
	}
	return s, nil
}

// ratingTable adds a table for each group, the players without a rating, the
// plot and the remarks.
func (b *builder) ratingTable(s *Section, number int, t table.Table) error {
	columns, err := table.ParseColumns(b.columns)
	if err != nil {
		return err
	}
	rows, err := t.Rows(columns)
	if err != nil {
		return err
	}
	r, at := t.Ratings, 0
	for g := range r.Groups {
		caption := t.GroupTitle(g)
		if caption == "" {
			caption = "Ratings"
		}
		from := at
		for at < len(r.Players) && r.Players[at].Group == g {
			at++
		}
		s.add(tableBlock(ratingRows(caption, columns, rows[from:at])))
		if at-from > 1 {
			s.add(figureBlock(eloPlot(fmt.Sprintf("elo-%d-%d", number+1, g+1), t.Title, r.Players[from:at])))
		}
	}
	if len(r.Unrated) > 0 {
		left := table.LeftColumns(columns)
		unrated, err := t.Rows(left)
		if err != nil {
			return err
		}
		s.add(tableBlock(ratingRows("Without a rating", left, unrated[len(r.Players):])))
	}
	s.add(Block{List: t.Remarks()})
	return nil
}

// ratingRows is a table of rated players.
func ratingRows(caption string, columns []table.Column, rows []table.Row) *Table {
	t := &Table{Caption: caption}
	for _, c := range columns {
		t.Header = append(t.Header, Head{Text: c.Header, Left: c.Words()})
	}
	for _, r := range rows {
		var cells []Cell
		for i, text := range r.Cells {
			cells = append(cells, Cell{Text: text, Row: columns[i].Key == "name"})
		}
		t.row(cells...)
	}
	return t
}

// eloPlot draws ratings with their intervals.
func eloPlot(name, title string, players []ratings.Player) Figure {
	caption := "Ratings with their 95 % intervals"
	if title != "" {
		caption += ", " + textfmt.Visible(title)
	}
	if len(players) > maxPlotted {
		caption += fmt.Sprintf(", the first %d players", maxPlotted)
		players = players[:maxPlotted]
	}
	var rows []rowMark
	for _, p := range players {
		label := textfmt.Visible(p.Name)
		rows = append(rows, rowMark{
			label: label, title: fmt.Sprintf("%s: %s ± %s Elo", label, textfmt.Decimal(p.Elo), textfmt.Decimal(p.Error)),
			low: p.Elo - p.Error, mid: p.Elo, high: p.Elo + p.Error,
		})
	}
	return rowPlot(name, caption, "Elo", rows, false)
}

// crosstable adds who scored what against whom.
func (b *builder) crosstable(s *Section, t table.Table) {
	x := t.Ratings.Crosstable()
	if t.Ratings.Games == 0 {
		return
	}
	m := matrix("Score in % of the player in the row against the players numbered above", x.Names)
	for i, a := range x.Names {
		cells := []Cell{cell(strconv.Itoa(i + 1)), rowHead(textfmt.Visible(a))}
		for j, o := range x.Names {
			cells = append(cells, b.crossCell(t.Title, i == j, a, o, x.Total(i, j)))
		}
		m.row(cells...)
	}
	s.add(tableBlock(m))
}

func (b *builder) crossCell(title string, self bool, a, o string, c ratings.Count) Cell {
	switch {
	case self:
		return Cell{Text: "×", Class: "self"}
	case c.Games() == 0:
		return Cell{}
	}
	return Cell{
		Text:  textfmt.Decimal(100 * c.Score()),
		Note:  fmt.Sprintf("%s against %s: %d won, %d drawn, %d lost, %s of %d points", textfmt.Visible(a), textfmt.Visible(o), c.Wins, c.Draws, c.Losses, textfmt.Decimal(c.Points()), c.Games()),
		Small: fmt.Sprintf("%d-%d-%d", c.Wins, c.Draws, c.Losses),
		Link:  b.link(filter{rules: rulesOf(title), player: a, against: o}),
		Class: heat(c.Score()),
	}
}

// superiority adds how likely each player is stronger than each other.
func (b *builder) superiority(s *Section, t table.Table) error {
	r := t.Ratings
	if len(r.Players) < 2 {
		return nil
	}
	var names []string
	for _, p := range r.Players {
		names = append(names, p.Name)
	}
	m := matrix("Likelihood in % that the player in the row is stronger than the players numbered above", names)
	for i, p := range r.Players {
		cells := []Cell{cell(strconv.Itoa(i + 1)), rowHead(textfmt.Visible(p.Name))}
		for j, q := range r.Players {
			c, err := superiorityCell(r, i == j, p, q)
			if err != nil {
				return err
			}
			cells = append(cells, c)
		}
		m.row(cells...)
	}
	s.add(tableBlock(m))
	return nil
}

func superiorityCell(r *ratings.Ratings, self bool, p, q ratings.Player) (Cell, error) {
	switch {
	case self:
		return Cell{Text: "×", Class: "self"}, nil
	case p.Group != q.Group:
		return Cell{}, nil
	}
	d, err := r.Difference(p.Name, q.Name)
	return Cell{
		Text:  textfmt.Decimal(100 * d.LOS),
		Note:  fmt.Sprintf("%s less %s: %s ± %s Elo", textfmt.Visible(p.Name), textfmt.Visible(q.Name), textfmt.Decimal(d.Elo), textfmt.Decimal(d.Error)),
		Class: heat(d.LOS),
	}, err
}

// matrix is a table with a row and a column for each player.
func matrix(caption string, names []string) *Table {
	t := &Table{Caption: caption, Class: "matrix", Header: heads(0, "#", "Player")}
	t.Header[1].Left = true
	for j, n := range names {
		t.Header = append(t.Header, Head{Text: strconv.Itoa(j + 1), Tip: textfmt.Visible(n)})
	}
	return t
}

// heat is the class of a share from 0 to 1: nine steps.
func heat(share float64) string {
	return "h" + strconv.Itoa(max(0, min(int(share*9), 8)))
}
