package table

import (
	"fmt"
	"strconv"
	"strings"

	"gyges/ratings"
	"gyges/ratings/grid"
	"gyges/ratings/textfmt"
)

// maxColumns is the number of players up to which a crosstable is drawn.
const maxColumns = 50

// table writes all there is to say of one fit.
func (p *page) table(t Table, v View) error {
	if err := p.ratings(t, v); err != nil {
		return err
	}
	if v.Crosstable && t.Ratings.Games > 0 {
		p.crosstable(t.Ratings)
	}
	return nil
}

// ratings writes the rating table of each group, the unrated players, the
// advantage and the notes.
func (p *page) ratings(t Table, v View) error {
	r, chosen := t.Ratings, v.columns(TextColumns)
	lines, err := rows(t, chosen)
	if err != nil {
		return err
	}
	number := 0
	for g, group := range r.Groups {
		if len(r.Groups) > 1 {
			p.paragraph(groupLine(g, len(r.Groups), group))
		}
		first := number
		for number < len(r.Players) && r.Players[number].Group == g {
			number++
		}
		p.rows(chosen, lines[first:number])
	}
	if len(r.Unrated) > 0 {
		p.paragraph("Without a rating:")
		p.rows(LeftColumns(chosen), lines[len(r.Players):])
	}
	p.list(remarks(r))
	return nil
}

// rows writes lines of a rating table.
func (p *page) rows(chosen []Column, lines []row) {
	g := &grid.Grid{Left: make(map[int]bool)}
	for i, c := range chosen {
		g.Header = append(g.Header, c.Header)
		g.Left[i] = c.left
	}
	for i := range lines {
		var cells []string
		for _, c := range chosen {
			if c.Key == "name" {
				cells = append(cells, p.name(lines[i].name))
				continue
			}
			cells = append(cells, p.cell(c.text(&lines[i])))
		}
		g.Add(cells...)
	}
	p.grid(g)
}

// LeftColumns returns the chosen columns that say something of players without a
// rating, and the reason why they have none.
func LeftColumns(chosen []Column) []Column {
	var left []Column
	for _, c := range chosen {
		if !strings.Contains(","+unratedLeft+",", ","+c.Key+",") {
			left = append(left, c)
		}
	}
	return append(left, known("reason")...)
}

// remarks are the lines below the rating table.
func remarks(r *ratings.Ratings) []string {
	var lines []string
	if len(r.Players) > 0 {
		lines = append(lines, "South's first-move advantage: "+advantageText(r.Advantage))
		if r.Draws != nil {
			lines = append(lines, fmt.Sprintf("Draws between equals: %s ± %s (%s)", textfmt.Percent(r.Draws.Rate), textfmt.Percent(r.Draws.Error), r.Draws.Model))
		}
		lines = append(lines, scaleText(r.Groups))
		if f := r.GoodnessOfFit; f.Degrees > 0 {
			lines = append(lines, fmt.Sprintf("Fit of the pairings: chi-square %s on %d degrees of freedom, p = %.3f.", textfmt.Decimal(f.ChiSquare), f.Degrees, f.P))
		}
	}
	for _, n := range r.Notes {
		lines = append(lines, "Note: "+n+".")
	}
	return lines
}

func groupLine(g, of int, group ratings.Group) string {
	line := fmt.Sprintf("Group %d of %d: %s", g+1, of, group.Name)
	if group.Apart != "" {
		line += "; " + group.Apart
	}
	return line + ":"
}

func advantageText(a ratings.Advantage) string {
	if !a.Fitted {
		return textfmt.Decimal(a.Elo) + " Elo (not fitted)"
	}
	text := textfmt.Decimal(a.Elo) + " ± " + textfmt.Decimal(a.Error) + " Elo (fitted)"
	if a.Bootstrap > 0 {
		text += ", bootstrap ± " + textfmt.Decimal(a.Bootstrap)
	}
	return text
}

// scaleText says what the ratings are measured from.
func scaleText(groups []ratings.Group) string {
	text := "Elo: the mean is 0"
	if len(groups) > 1 {
		text = "Elo: the mean of a group is 0"
	}
	var given []string
	held := 0
	for _, g := range groups {
		if len(g.Anchors) > 0 {
			held++
		}
		for _, a := range g.Anchors {
			at := a.Name + " stands at " + textfmt.Decimal(a.Elo)
			if a.SD > 0 {
				at = a.Name + " was put at " + textfmt.Decimal(a.Elo) + " with a standard deviation of " + textfmt.Decimal(a.SD)
			}
			given = append(given, at)
		}
	}
	switch {
	case held == len(groups):
		text = "Elo: " + strings.Join(given, ", ")
	case held > 0:
		text += ", but " + strings.Join(given, ", ")
	}
	return text + "; ± is half the 95 % interval."
}

// tooWide says that a table of so many columns isn't drawn, and returns whether
// it is so.
func (p *page) tooWide(what string, n int) bool {
	if n > maxColumns {
		p.paragraph(fmt.Sprintf("The %s of %d players is too wide to print; csv and json have it.", what, n))
	}
	return n > maxColumns
}

// square is a grid with a row and a column for each player.
func (p *page) square(names []string) *grid.Grid {
	header := []string{"#", "Player"}
	for j := range names {
		header = append(header, strconv.Itoa(j+1))
	}
	return newGrid(header...)
}

// crosstable writes each player's results against each other.
func (p *page) crosstable(r *ratings.Ratings) {
	t := r.Crosstable()
	if p.tooWide("crosstable", len(t.Names)) {
		return
	}
	p.paragraph("Won-drawn-lost by the player in the row, against the players numbered above:")
	g := p.square(t.Names)
	for i, name := range t.Names {
		row := []string{strconv.Itoa(i + 1), p.name(name)}
		for j := range t.Names {
			row = append(row, crosstableCell(i == j, t.Total(i, j)))
		}
		g.Add(row...)
	}
	p.grid(g)
}

func crosstableCell(self bool, c ratings.Count) string {
	switch {
	case self:
		return "x"
	case c.Games() == 0:
		return ""
	}
	return fmt.Sprintf("%d-%d-%d", c.Wins, c.Draws, c.Losses)
}

// headToHead writes the pairings that fit worst.
func (p *page) headToHead(r *ratings.Ratings, most int) {
	list := r.HeadToHeads()
	shown := list
	if most > 0 && len(list) > most {
		shown = list[:most]
	}
	p.paragraph(fmt.Sprintf("%d of %d pairings, those that fit worst first:", len(shown), len(list)))
	g := newGrid("#", "Player", "Against", "Games", "Won", "Drawn", "Lost", "Points", "Expected", "z")
	g.Left[2] = true
	for i, h := range shown {
		g.Add(strconv.Itoa(i+1), p.name(h.A), p.name(h.B), strconv.Itoa(h.Games()), strconv.Itoa(h.Wins), strconv.Itoa(h.Draws),
			strconv.Itoa(h.Losses), textfmt.Decimal(h.Points()), textfmt.Decimal(h.Expected), fmt.Sprintf("%+.2f", h.Z))
	}
	p.grid(g)
	if f := r.GoodnessOfFit; f.Degrees > 0 {
		p.list([]string{fmt.Sprintf("All pairings: chi-square %s on %d degrees of freedom, p = %.3f.", textfmt.Decimal(f.ChiSquare), f.Degrees, f.P)})
	}
}

// superiority writes how likely the player in the row is the stronger one.
func (p *page) superiority(r *ratings.Ratings) error {
	if p.tooWide("table of superiority", len(r.Players)) {
		return nil
	}
	p.paragraph("Likelihood in % that the player in the row is stronger than the players numbered above:")
	var names []string
	for _, q := range r.Players {
		names = append(names, q.Name)
	}
	g := p.square(names)
	for i, a := range r.Players {
		row := []string{strconv.Itoa(i + 1), p.name(a.Name)}
		for j, b := range r.Players {
			switch {
			case i == j:
				row = append(row, "x")
			case a.Group != b.Group:
				row = append(row, "")
			default:
				d, err := r.Difference(a.Name, b.Name)
				if err != nil {
					return err
				}
				row = append(row, textfmt.Decimal(100*d.LOS))
			}
		}
		g.Add(row...)
	}
	p.grid(g)
	return nil
}

// comparison writes a sentence for each opponent of one player.
func (p *page) comparison(r *ratings.Ratings, name string) error {
	list, err := comparisons(r, name)
	if err != nil {
		return err
	}
	var lines []string
	for _, c := range list {
		lines = append(lines, c.sentence())
	}
	if len(lines) == 0 {
		lines = []string{name + " has no rating here that could be compared."}
	}
	p.list(lines)
	return nil
}

// sentence says the difference in words.
func (c *comparison) sentence() string {
	format := "%s beats %s by %s ± %s, LOS %s"
	switch elo := textfmt.Decimal(c.Elo); {
	case elo == "0.0":
		format = "%s is level with %s, %s ± %s, LOS %s"
	case c.Elo < 0:
		format = "%s loses to %s by %s ± %s, LOS %s"
	}
	return fmt.Sprintf(format, nonEmpty(c.a), nonEmpty(c.b), strings.TrimPrefix(textfmt.Decimal(c.Elo), "-"), textfmt.Decimal(c.Error), textfmt.Percent(c.LOS))
}

func nonEmpty(name string) string {
	if name == "" {
		return `""`
	}
	return name
}

// comparison is one player's difference to another.
type comparison struct {
	a, b string
	ratings.Difference
}

// comparisons are the differences of a player to the others of its group, in
// the order of the table.
func comparisons(r *ratings.Ratings, name string) ([]comparison, error) {
	p, ok := r.Player(name)
	if !ok {
		return nil, nil
	}
	var list []comparison
	for _, q := range r.Players {
		if q.Group != p.Group || q.Name == name {
			continue
		}
		d, err := r.Difference(name, q.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, comparison{name, q.Name, d})
	}
	return list, nil
}
