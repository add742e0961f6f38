package table

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// maxColumns is the number of players up to which a crosstable is drawn.
const maxColumns = 50

// table writes all there is to say of one fit.
func (p *page) table(t Table, v View) error {
	if err := p.ratings(t, v); err != nil {
		return err
	}
	if !v.Crosstable || t.Ratings.Games == 0 {
		return nil
	}
	gauntlet, err := t.Gauntlet()
	if err != nil || gauntlet == nil {
		return errors.Join(err, p.crosstable(t.Ratings))
	}
	p.paragraph(gauntlet.Title + ":")
	p.sheet(gauntlet)
	return nil
}

// ratings writes the rating table of each group, the unrated players, the
// advantage and the notes.
func (p *page) ratings(t Table, v View) error {
	r, chosen := t.Ratings, v.Columns
	if len(chosen) == 0 {
		chosen = t.UsualColumns()
	}
	rows, err := t.cells(chosen)
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
		p.rows(v, chosen, rows[first:number], g == 0)
	}
	if len(r.Unrated) > 0 {
		left := LeftColumns(chosen)
		if rows, err = t.cells(left); err != nil {
			return err
		}
		p.paragraph("Without a rating:")
		p.rows(v, left, rows[len(r.Players):], false)
	}
	p.list(remarks(r))
	return nil
}

// rows writes rows of a rating table, whose first row may be that of the leader.
func (p *page) rows(v View, chosen []Column, rows [][]any, leader bool) {
	g := &grid.Grid{Left: make(map[int]bool), Bold: leader && p.layout.Styles, Fold: 1}
	for i, c := range chosen {
		g.Header = append(g.Header, c.Header)
		g.Left[i] = c.Words()
		if c.Key == "name" && i == 1 {
			g.Fold = 2
		}
		if len(v.Columns) == 0 && c.isOneOf(firstDropped) {
			g.Drop = append([][]int{{i}}, g.Drop...)
		}
	}
	for _, row := range rows {
		p.row(g, row...)
	}
	p.grid(g)
}

// row adds cells to a grid.
func (p *page) row(g *grid.Grid, cells ...any) {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = p.escape(text(cell))
	}
	g.Add(texts...)
}

// Remarks returns the lines that [Write] prints below the rating table: the
// advantage, the draw parameter, the reference of the ratings, the goodness of fit,
// cycles and the notes.
func (t Table) Remarks() []string {
	list := remarks(t.Ratings)
	for i := range list {
		list[i] = textfmt.Visible(list[i])
	}
	return list
}

// GroupTitle returns the line above the table of a group, by its index, where there is
// more than one.
func (t Table) GroupTitle(g int) string {
	groups := t.Ratings.Groups
	if len(groups) < 2 {
		return ""
	}
	return textfmt.Visible(groupLine(g, len(groups), groups[g]))
}

// remarks are the lines below the rating table.
func remarks(r *ratings.Ratings) []string {
	var lines []string
	if len(r.Players) > 0 {
		lines = append(lines, "South's first-move advantage: "+advantageText(r.Advantage))
		if r.Draws != nil {
			lines = append(lines, fmt.Sprintf("Draws between equals: %s ± %s (%s)", textfmt.Percent(r.Draws.Rate),
				textfmt.Percent(r.Draws.Error), r.Draws.Model))
		}
		lines = append(lines, scaleText(r.Groups))
		if r.GoodnessOfFit.Degrees > 0 {
			lines = append(lines, "Fit of the pairings: "+chiSquareText(r.GoodnessOfFit))
		}
		if i, ok := r.Intransitivity(); ok {
			lines = append(lines, cycleLines(i)...)
		}
	}
	if line := faultsText(r); line != "" {
		lines = append(lines, line)
	}
	for _, n := range r.Notes {
		lines = append(lines, "Note: "+n+".")
	}
	return lines
}

// faultsText says how many games a fault decided, and who lost them; "" if there are none.
func faultsText(r *ratings.Ratings) string {
	faults := r.Faults()
	losers := slices.SortedFunc(maps.Keys(faults), func(a, b string) int {
		return cmp.Or(faults[b].Lost-faults[a].Lost, strings.Compare(a, b))
	})
	total := 0
	var texts []string
	for _, name := range losers {
		if n := faults[name].Lost; n > 0 {
			total += n
			texts = append(texts, fmt.Sprintf("%s lost %d", name, n))
		}
	}
	if total == 0 {
		return ""
	}
	const most = 8
	return fmt.Sprintf("Faults decided %d of %s: %s", total, textfmt.Plural(r.Games, "game"),
		textfmt.List(texts, most))
}

func chiSquareText(f ratings.GoodnessOfFit) string {
	return fmt.Sprintf("chi-square %s on %d degrees of freedom, p = %.3f.", textfmt.Decimal(f.ChiSquare), f.Degrees, f.P)
}

// cycleLines are the lines on the cyclic part of the results.
func cycleLines(i ratings.Intransitivity) []string {
	const significant = 0.05
	if i.P > significant && (i.Cycle == nil || i.CycleP > significant) {
		return []string{fmt.Sprintf("Cycles: none beyond chance, p = %.3f.", i.P)}
	}
	share := fmt.Sprintf("Cycles: %s of the variance between pairings, p = %.3f", textfmt.Percent(i.Share), i.P)
	if i.Cycle == nil {
		return []string{share + "; no three players beat one another in turn."}
	}
	circle := strings.Join(append(i.Cycle, i.Cycle[0]), " > ")
	return []string{share + ".", fmt.Sprintf("Strongest cycle: %s (%s Elo in all), p = %.3f.", circle,
		textfmt.Decimal(i.Elo), i.CycleP)}
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

// scaleText is the reference of the ratings.
func scaleText(groups []ratings.Group) string {
	text := "Elo: the mean is 0"
	if len(groups) > 1 {
		text = "Elo: the mean of a group is 0"
	}
	var given []string
	anchored := 0
	for _, g := range groups {
		if len(g.Anchors) > 0 {
			anchored++
		}
		for _, a := range g.Anchors {
			at := a.Name + " is fixed at " + textfmt.Decimal(a.Elo)
			if a.SD > 0 {
				at = a.Name + " has the prior " + textfmt.Decimal(a.Elo) + " with a standard deviation of " + textfmt.Decimal(a.SD)
			}
			given = append(given, at)
		}
	}
	switch {
	case anchored == len(groups):
		text = "Elo: " + strings.Join(given, ", ")
	case anchored > 0:
		text += ", but " + strings.Join(given, ", ")
	}
	return text + "; ± is half the 95 % interval."
}

// tooWide reports whether a table of so many columns is left out, and writes that.
func (p *page) tooWide(what string, n int) bool {
	if n > maxColumns {
		p.paragraph(fmt.Sprintf("The %s of %d players is too wide to print; csv and json have it.", what, n))
	}
	return n > maxColumns
}

// matrix writes a table with a row and a column for each player.
func (p *page) matrix(names []string, cell func(i, j int) (any, error)) error {
	g := newGrid("#", "Player")
	for i := range names {
		g.Header = append(g.Header, strconv.Itoa(i+1))
	}
	for i, player := range names {
		row := []any{i + 1, name(player)}
		for j := range names {
			c, err := cell(i, j)
			if err != nil {
				return err
			}
			if i == j {
				c = "x"
			}
			row = append(row, c)
		}
		p.row(g, row...)
	}
	p.grid(g)
	return nil
}

// crosstable writes each player's results against each other.
func (p *page) crosstable(r *ratings.Ratings) error {
	t := r.Crosstable()
	if p.tooWide("crosstable", len(t.Names)) {
		return nil
	}
	p.paragraph("Won-drawn-lost by the player in the row, against the players numbered above:")
	return p.matrix(t.Names, func(i, j int) (any, error) {
		c := t.Total(i, j)
		if c.Games() == 0 {
			return nil, nil
		}
		return fmt.Sprintf("%d-%d-%d", c.Wins, c.Draws, c.Losses), nil
	})
}

// headToHead writes the pairings that fit worst.
func (p *page) headToHead(t Table, most int) error {
	rows, err := headToHeads(t)
	shown := rows
	if most > 0 && len(rows) > most {
		shown = rows[:most]
	}
	p.paragraph(fmt.Sprintf("%d of %d pairings, those that fit worst first:", len(shown), len(rows)))
	g := newGrid("#", "Player", "Against", "Games", "Won", "Drawn", "Lost", "Points", "Expected", "z")
	g.Left[2] = true
	g.Drop, g.Fold = [][]int{{4, 5, 6}}, 3
	for i, row := range shown {
		p.row(g, append([]any{i + 1}, row...)...)
	}
	p.grid(g)
	if f := t.Ratings.GoodnessOfFit; f.Degrees > 0 {
		p.list([]string{"All pairings: " + chiSquareText(f)})
	}
	return err
}

// superiority writes the likelihood that the player in the row is the stronger one.
func (p *page) superiority(r *ratings.Ratings) error {
	if p.tooWide("table of superiority", len(r.Players)) {
		return nil
	}
	p.paragraph("Likelihood in % that the player in the row is stronger than those numbered:")
	var names []string
	for _, q := range r.Players {
		names = append(names, q.Name)
	}
	return p.matrix(names, func(i, j int) (any, error) {
		if i == j || r.Players[i].Group != r.Players[j].Group {
			return nil, nil
		}
		d, err := r.Difference(names[i], names[j])
		return 100 * d.LOS, err
	})
}

// comparison writes a sentence for each opponent of one player.
func (p *page) comparison(t Table, player string) error {
	rows, err := comparisons(t, player)
	var lines []string
	for _, row := range rows {
		format := "%s beats %s by %s ± %s, LOS %s"
		switch elo := text(row[2]); {
		case elo == "0.0":
			format = "%s is level with %s, %s ± %s, LOS %s"
		case elo[0] == '-':
			format = "%s loses to %s by %s ± %s, LOS %s"
		}
		difference := strings.TrimPrefix(text(row[2]), "-")
		lines = append(lines, fmt.Sprintf(format, text(row[0]), text(row[1]), difference, text(row[3]), text(row[4])))
	}
	if len(lines) == 0 {
		lines = []string{player + " has no rating here that could be compared."}
	}
	p.list(lines)
	return err
}
