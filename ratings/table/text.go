package table

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
)

// This file has what text, Markdown and pages say of a [Table]: paragraphs, tables and sentences.

// maxColumns is the number of players up to which a crosstable is drawn.
const maxColumns = 50

// maxNotes is how many notes on a fit are printed; JSON has all.
const maxNotes = 2

// nameText returns a player's name for a sentence.
func nameText(name string) string { return grid.Human(grid.Name(name)) }

// plusMinus returns a number of Elo with half its interval.
func plusMinus(elo, margin float64) string {
	return textfmt.Decimal(elo) + " ± " + textfmt.Decimal(margin)
}

// table writes the results around the first player of a gauntlet unless columns were chosen, the
// rating table of each group, the unrated players, the advantage and the first notes.
func (p *page) table(t Table, chosen []Column) {
	if len(chosen) == 0 {
		if g := t.Gauntlet(); g != nil {
			p.paragraph(g.Title + ":")
			p.standings(g)
		}
		if score := t.Score(); score != "" {
			p.paragraph(score)
			p.list(t.Notes())
			return
		}
		chosen = t.UsualColumns()
	}
	fold := 1
	if len(chosen) > 1 && chosen[1].Key == "name" {
		fold = 2
	}
	rows := t.Rows()
	for g, group := range t.Ratings.Groups {
		if title := t.GroupTitle(g); title != "" {
			p.paragraph(title)
		}
		p.grid(fold, g == 0, grid.Make(chosen, rows[:group.Players]))
		rows = rows[group.Players:]
	}
	if len(rows) > 0 {
		p.paragraph("Without a rating:")
		p.grid(fold, false, grid.Make(UnratedColumns(chosen), rows))
	}
	// The last lines are the notes on the fit.
	lines := t.Remarks()
	if more := len(t.Ratings.Notes) - maxNotes; more > 0 {
		lines = lines[:len(lines)-more]
		lines[len(lines)-1] += fmt.Sprintf(" %s more: --format json.", textfmt.Plural(more, "note"))
	}
	p.list(lines)
}

// fewestGames is how many games two players must have played, so that their ratings are shown: the
// fewest for which the share of intervals that hold the truth was measured
// (results/reference/ratings.md).
const fewestGames = 8

// Score returns what two players scored, if their games are all and say too little for ratings; ""
// otherwise, and where an anchor asks for ratings.
func (t Table) Score() string {
	r := t.Ratings
	few := r.Games > 0 && r.Games < fewestGames
	if !few || len(r.Players) != 2 || len(r.Groups[0].Anchors) > 0 {
		return ""
	}
	a, b := r.Players[0].Name, r.Players[1].Name
	c := r.Against(a, b)
	most := textfmt.Plural(r.Games, "point")
	score := fmt.Sprintf("%s scored %g of %s against %s", nameText(a), c.Points(), most,
		nameText(b))
	results := fmt.Sprintf("%d won, %d drawn, %d lost", c.Wins, c.Draws, c.Losses)
	return fmt.Sprintf("%s (%s): fewer than %d games of two players say too little for ratings.",
		score, results, fewestGames)
}

// Remarks returns the lines below a rating table: the advantage, given ratings, games lost by
// faults, and the notes.
func (t Table) Remarks() []string {
	r := t.Ratings
	if len(r.Players) == 0 {
		return t.Notes()
	}
	advantage := "First-move advantage: "
	if side := t.Sides[0]; side != "" {
		advantage = side + "'s first-move advantage: "
	}
	if r.Advantage.Fitted {
		advantage += plusMinus(r.Advantage.Elo, r.Advantage.Error) + " Elo (fitted)"
	} else {
		advantage += textfmt.Decimal(r.Advantage.Elo) + " Elo (not fitted)"
	}
	lines := []string{advantage}
	var given []string
	for _, g := range r.Groups {
		for _, a := range g.Anchors {
			given = append(given, textfmt.Visible(a.Name)+" is fixed at "+textfmt.Decimal(a.Elo))
		}
	}
	if len(given) > 0 {
		lines = append(lines, "Elo: "+strings.Join(given, ", ")+".")
	}
	return append(lines, t.Notes()...)
}

// Notes returns the lines on games lost by faults, and the notes: those on the games alone if the
// score stands in place of ratings.
func (t Table) Notes() []string {
	lines := faults(t.Ratings)
	notes := t.Ratings.Notes
	if t.Score() != "" {
		notes = t.Ratings.GameNotes()
	}
	for _, n := range notes {
		lines = append(lines, "Note: "+n+".")
	}
	return lists.Map(lines, textfmt.Visible)
}

// GroupTitle returns the line above the table of a group, by its index, where there is more than
// one.
func (t Table) GroupTitle(g int) string {
	groups := t.Ratings.Groups
	if len(groups) < 2 {
		return ""
	}
	title := fmt.Sprintf("Group %d of %d: %s", g+1, len(groups), groups[g].Name)
	if groups[g].Apart != "" {
		title += "; " + groups[g].Apart
	}
	return title + ":"
}

// faults returns a line on how many games a fault decided, and who lost them, if there are any.
func faults(r *ratings.Ratings) []string {
	players := slices.Concat(r.Players, r.Unrated)
	slices.SortFunc(players, func(a, b ratings.Player) int {
		return cmp.Or(b.Faults.Lost-a.Faults.Lost, strings.Compare(a.Name, b.Name))
	})
	total := 0
	var losers []string
	for _, p := range players {
		if p.Faults.Lost > 0 {
			total += p.Faults.Lost
			losers = append(losers, fmt.Sprintf("%s lost %d", p.Name, p.Faults.Lost))
		}
	}
	if total == 0 {
		return nil
	}
	games := textfmt.Plural(r.Games, "game")
	list := textfmt.List(losers, 8)
	return []string{fmt.Sprintf("Faults decided %d of %s: %s", total, games, list)}
}

// tooWide reports whether a table of n columns is left out, and writes that.
func (p *page) tooWide(what string, n int) bool {
	if n <= maxColumns {
		return false
	}
	p.paragraph(fmt.Sprintf("The %s of %d players is too wide to print; csv and json have it.",
		what, n))
	return true
}

// Matrix returns a table with a row and a column for each player; self is the cell of a player
// against itself.
func Matrix(names []string, self any, cell func(a, b string) any) *grid.Table {
	t := grid.New("", 0, "#", "Player")
	t.Columns[1].Left = true
	for i, name := range names {
		t.Columns = append(t.Columns, grid.Head{Title: strconv.Itoa(i + 1), Tip: name})
	}
	for i, player := range names {
		row := []any{i + 1, grid.Name(player)}
		for _, other := range names {
			if other == player {
				row = append(row, self)
			} else {
				row = append(row, cell(player, other))
			}
		}
		t.Add(row...)
	}
	return t
}

// crosstable writes each player's results against each other.
func (p *page) crosstable(t Table) {
	names := t.Ratings.Names()
	if p.tooWide("crosstable", len(names)) {
		return
	}
	what := "Won-lost"
	if t.drawn() {
		what = "Won-drawn-lost"
	}
	p.paragraph(what + " by the player in the row, against the players numbered above:")
	p.grid(2, false, Matrix(names, "x", func(a, b string) any {
		c := t.Ratings.Against(a, b)
		if c.Games() == 0 {
			return nil
		}
		return t.ResultText(c)
	}))
}

// headToHead writes the pairings that fit worst.
func (p *page) headToHead(t Table, most int) {
	all := headToHeadRows(t.Ratings)
	rows := all
	if most > 0 && most < len(all) {
		rows = all[:most]
	}
	p.paragraph(fmt.Sprintf("%d of %d pairings, those that fit worst first:", len(rows), len(all)))
	pairings := grid.Make(headToHeadColumns, rows)
	if !t.drawn() {
		pairings.Hide("Drawn")
	}
	p.grid(3, false, pairings)
	if f := t.Ratings.GoodnessOfFit(); f.Degrees > 0 {
		probability := fmt.Sprintf("= %.3f", f.P)
		if f.P < 0.0005 { // it is never 0
			probability = "< 0.001"
		}
		p.list([]string{fmt.Sprintf("All pairings: chi-square %s on %d degrees of freedom, p %s.",
			textfmt.Decimal(f.ChiSquare), f.Degrees, probability)})
	}
}

// superiority writes the likelihood that the player in the row is the stronger one.
func (p *page) superiority(t Table) {
	r := t.Ratings
	if p.tooWide("table of superiority", len(r.Players)) {
		return
	}
	p.paragraph("Likelihood in % that the player in the row is stronger than those numbered:")
	p.grid(2, false, Matrix(r.Names()[:len(r.Players)], "x", func(a, b string) any {
		d, _ := r.Difference(a, b)
		return grid.Cell{Text: textfmt.Likelihood(d.LOS), Value: 100 * d.LOS}
	}))
}

// comparison writes a sentence for each opponent of one player.
func (p *page) comparison(t Table, player string) {
	var lines []string
	for _, c := range comparisons(t.Ratings, player) {
		elo := textfmt.Decimal(c.Elo)
		by, isLoss := strings.CutPrefix(elo, "-")
		format := "%s beats %s by %s ± %s, LOS %s %%"
		if isLoss {
			format = "%s loses to %s by %s ± %s, LOS %s %%"
		} else if elo == "0.0" {
			format = "%s is level with %s, %s ± %s, LOS %s %%"
		}
		margin, los := textfmt.Decimal(c.Error), textfmt.Likelihood(c.LOS)
		lines = append(lines, fmt.Sprintf(format, nameText(c.A), nameText(c.B), by, margin, los))
	}
	if len(lines) == 0 {
		lines = []string{player + " has no rating here that could be compared."}
	}
	p.list(lines)
}
