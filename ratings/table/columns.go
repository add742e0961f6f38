package table

import (
	"fmt"
	"slices"

	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// Column is a column of the rating table.
type Column = grid.Column[*Row]

// Row is a player's row of a rating table.
type Row struct {
	ratings.Player
	table  Table
	number int // place in the table, from 1
}

// Rows returns the rows of the rating table: the rated players, group by group, and then the others.
func (t Table) Rows() (rows []*Row) {
	for i, p := range slices.Concat(t.Ratings.Players, t.Ratings.Unrated) {
		rows = append(rows, &Row{p, t, i + 1})
	}
	return rows
}

// toNext makes a cell of the difference to the next player of the group, empty for the last.
func toNext(cell func(ratings.Difference) any) func(*Row) any {
	return func(r *Row) any {
		next := r.Player
		if players := r.table.Ratings.Players; r.number < len(players) {
			next = players[r.number]
		}
		d, _ := r.table.Ratings.Difference(r.Name, next.Name)
		return cell(d)
	}
}

// perGame is a share of a player's games, empty without games.
func perGame(share func(ratings.Count) float64) func(*Row) any {
	return func(r *Row) any { return grid.Percent(orNaN(r.Games() > 0, share(r.Count))) }
}

// place says where a column is shown unless others are chosen.
type place int

const (
	inText place = 1 << iota // text, Markdown and pages
	ifAny                    // there only where a row has another value than 0
	inCSV
	inJSON
	forRated   // empty for players without a rating, whose tables and objects lack it
	forUnrated // in these alone, and in CSV

	everywhere = inText | inCSV | inJSON
)

// columns are all columns. A new one is an entry here: all formats have it by its flags.
var columns = []struct {
	place
	Column
}{
	{inCSV, Column{Key: "table", Title: "Table", Left: true, Doc: "title of the table: the rule set, or all together",
		Value: func(r *Row) any { return r.table.Title }}},
	{everywhere, Column{Key: "number", Title: "#",
		Doc:   "place in the table, also across groups; the crosstable's columns have the same numbers",
		Value: func(r *Row) any { return r.number }}},
	{everywhere, Column{Key: "name", Title: "Player", Left: true, Doc: "the player, as the records name it",
		Value: func(r *Row) any { return grid.Name(r.Name) }}},
	{inCSV | inJSON | forRated, Column{Key: "group", Title: "Group",
		Doc:   "number of the group; only ratings of one group can be compared",
		Value: func(r *Row) any { return r.Group + 1 }}},
	{everywhere | forRated, Column{Key: "elo", Title: "Elo",
		Doc: "the rating: the maximum of the likelihood, together with all others and the first-move advantage; " +
			"400 points are odds of ten to one. The mean of a group is 0 unless anchors say otherwise; whom few games " +
			"link to the others counts less in it",
		Value: func(r *Row) any { return r.Elo }}},
	{everywhere | forRated, Column{Key: "error", Title: "95 %",
		Doc:   "half the 95 % interval of elo: 1.96 standard errors. The interval is elo ± error",
		Value: func(r *Row) any { return grid.Margin(r.Error) }}},
	{forRated, Column{Key: "low", Title: "Low", Doc: "elo less error",
		Value: func(r *Row) any { return r.Elo - r.Error }}},
	{forRated, Column{Key: "high", Title: "High", Doc: "elo plus error",
		Value: func(r *Row) any { return r.Elo + r.Error }}},
	{everywhere, Column{Key: "games", Title: "Games",
		Doc:   "games against others, also those that could not enter the fit",
		Value: func(r *Row) any { return r.Games() }}},
	{everywhere, Column{Key: "wins", Title: "Won", Doc: "games won", Value: func(r *Row) any { return r.Wins }}},
	{everywhere | ifAny, Column{Key: "draws", Title: "Drawn", Doc: "games drawn",
		Value: func(r *Row) any { return r.Draws }}},
	{everywhere, Column{Key: "losses", Title: "Lost", Doc: "games lost", Value: func(r *Row) any { return r.Losses }}},
	{inCSV | inJSON, Column{Key: "points", Title: "Points", Doc: "wins plus half the draws",
		Value: func(r *Row) any { return r.Points() }}},
	{everywhere, Column{Key: "score", Title: "Score", Doc: "points per game, 0 to 1",
		Value: perGame(ratings.Count.Score)}},
	{inCSV | inJSON, Column{Key: "draw_share", Title: "Draws", Doc: "draws per game, 0 to 1",
		Value: perGame(ratings.Count.DrawShare)}},
	{everywhere | ifAny, Column{Key: "faults", Title: "Faults",
		Doc:   "games that the player lost by a fault of its own: a crash, an illegal move, no answer in time or the like",
		Value: func(r *Row) any { return r.Faults.Lost }}},
	{inCSV | inJSON, Column{Key: "opponent_faults", Title: "Opponents'", Doc: "games that it won by one of an opponent",
		Value: func(r *Row) any { return r.Faults.Won }}},
	{forRated, Column{Key: "difference", Title: "To next",
		Doc: "elo less that of the next player of the group, with half the 95 % interval of that difference, " +
			"from the covariance of both",
		Value: toNext(func(d ratings.Difference) any {
			return grid.Cell{Text: textfmt.Decimal(d.Elo) + " ± " + textfmt.Decimal(d.Error), Value: d.Elo}
		})}},
	{forRated, Column{Key: "difference_error", Title: "95 % of it", Doc: "half the 95 % interval of difference",
		Value: toNext(func(d ratings.Difference) any { return grid.Cell{Value: d.Error} })}},
	{forRated, Column{Key: "los", Title: "LOS",
		Doc: "likelihood of superiority over the next player of the group: the probability that this one is stronger, " +
			"by the normal approximation",
		Value: toNext(func(d ratings.Difference) any { return grid.Likelihood(d.LOS) })}},
	{inCSV, Column{Key: "advantage", Title: "Advantage", Doc: "the first-move advantage in Elo, one for the whole table",
		Value: func(r *Row) any { return grid.Digits(r.table.Ratings.Advantage.Elo) }}},
	{inCSV, Column{Key: "advantage_error", Title: "95 % of it",
		Doc:   "half the 95 % interval of advantage; empty if it wasn't fitted",
		Value: func(r *Row) any { return grid.Digits(r.table.advantageError()) }}},
	{inJSON | forUnrated, Column{Key: "cause", Title: "Cause", Left: true,
		Doc: "why there is no rating: won-all, lost-all, one-sided (won all games against some, lost all against the rest) " +
			"or no-games",
		Value: func(r *Row) any { return string(r.Cause) }}},
	{everywhere | forUnrated, Column{Key: "reason", Title: "Reason", Left: true,
		Doc:   "the same as a sentence, with the opponents",
		Value: func(r *Row) any { return r.Reason }}},
}

// shown returns the columns with all of some flags and none of others.
func shown(flags, but place) (list []Column) {
	for _, c := range columns {
		if c.place&flags != flags || c.place&but != 0 {
			continue
		}
		if value := c.Value; c.place&forRated != 0 {
			c.Value = func(r *Row) any {
				if r.Cause != "" {
					return nil
				}
				return value(r)
			}
		}
		list = append(list, c.Column)
	}
	return list
}

// has reports whether a column has all of some flags.
func has(c Column, flags place) bool {
	return slices.ContainsFunc(shown(flags, 0), func(o Column) bool { return o.Key == c.Key })
}

// ParseColumns returns the columns with these keys, separated by commas.
func ParseColumns(keys string) ([]Column, error) { return grid.Choose(shown(0, 0), keys) }

// UsualColumns returns the columns that are printed for people unless others are asked for.
func (t Table) UsualColumns() []Column {
	rows := t.Rows()
	return slices.DeleteFunc(shown(inText, forUnrated), func(c Column) bool {
		return has(c, ifAny) && !slices.ContainsFunc(rows, func(r *Row) bool { return c.Value(r) != any(0) })
	})
}

// UnratedColumns returns the chosen columns that players without a rating have, and the reason why they have none.
func UnratedColumns(chosen []Column) []Column {
	left := slices.DeleteFunc(slices.Clone(chosen), func(c Column) bool {
		return has(c, forRated) || has(c, inText|forUnrated)
	})
	return append(left, shown(inText|forUnrated, 0)...)
}

// unratedObject returns the columns in JSON of players without a rating: the reason follows the name.
func unratedObject() []Column {
	list := shown(inJSON, forRated|forUnrated)
	name := slices.IndexFunc(list, func(c Column) bool { return c.Key == "name" })
	return slices.Insert(list, name+1, shown(inJSON|forUnrated, 0)...)
}

// drawn reports whether a game was drawn.
func (t Table) drawn() bool {
	return slices.ContainsFunc(t.Rows(), func(r *Row) bool { return r.Draws > 0 })
}

// ResultText returns results as won-drawn-lost, or won-lost where no game of the table was drawn.
func (t Table) ResultText(c ratings.Count) string {
	if t.drawn() {
		return fmt.Sprintf("%d-%d-%d", c.Wins, c.Draws, c.Losses)
	}
	return fmt.Sprintf("%d-%d", c.Wins, c.Losses)
}
