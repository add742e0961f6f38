package table

import (
	"fmt"
	"slices"

	"gyges/ratings"
	"gyges/rules/base/grid"
)

// Column is a column of the rating table.
type Column = grid.Column[*Row]

// Row is a player's row of a rating table.
type Row struct {
	ratings.Player
	table  Table
	number int // place in the table, from 1
}

// Rows returns the rows of the rating table: the rated players, group by group, and then the
// others.
func (t Table) Rows() (rows []*Row) {
	for i, p := range slices.Concat(t.Ratings.Players, t.Ratings.Unrated) {
		rows = append(rows, &Row{p, t, i + 1})
	}
	return rows
}

// toNext returns the difference to the next player of the group, NaN for the last.
func (r *Row) toNext() ratings.Difference {
	next := r.Name
	if players := r.table.Ratings.Players; r.number < len(players) {
		next = players[r.number].Name
	}
	d, _ := r.table.Ratings.Difference(r.Name, next)
	return d
}

// perGame is a share of a player's games, empty without games.
func (r *Row) perGame(share float64) grid.Cell {
	return grid.Percent(orNaN(r.Games() > 0, share))
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
	words      // aligned left

	everywhere = inText | inCSV | inJSON
)

// columns are all columns: place, key, title, definition and value. A new one is an entry here: all
// formats have it by its place.
var columns = []struct {
	place
	key, title, doc string
	value           func(*Row) any
}{
	{
		inCSV | words, "table", "Table",
		"title of the table: the rule set, or all together",
		func(r *Row) any { return r.table.Title },
	},
	{
		everywhere, "number", "#",
		"place in the table, also across groups; the crosstable's columns have the same " +
			"numbers",
		func(r *Row) any { return r.number },
	},
	{
		everywhere | words, "name", "Player",
		"the player, as the records name it",
		func(r *Row) any { return grid.Name(r.Name) },
	},
	{
		inCSV | inJSON | forRated, "group", "Group",
		"number of the group; only ratings of one group can be compared",
		func(r *Row) any { return r.Group + 1 },
	},
	{
		everywhere | forRated, "elo", "Elo",
		"the rating: the maximum of the likelihood, together with all others and the " +
			"first-move advantage; 400 points are odds of ten to one. The mean of a group is 0 " +
			"unless anchors say otherwise; whom few games link to the others counts less in it",
		func(r *Row) any { return r.Elo },
	},
	{
		everywhere | forRated, "error", "95 %",
		"half the 95 % interval of elo: 1.96 standard errors. The interval is elo ± error",
		func(r *Row) any { return grid.Margin(r.Error) },
	},
	{
		forRated, "low", "Low",
		"elo less error",
		func(r *Row) any { return r.Elo - r.Error },
	},
	{
		forRated, "high", "High",
		"elo plus error",
		func(r *Row) any { return r.Elo + r.Error },
	},
	{
		everywhere, "games", "Games",
		"games against others, also those that could not enter the fit",
		func(r *Row) any { return r.Games() },
	},
	{
		everywhere, "wins", "Won",
		"games won",
		func(r *Row) any { return r.Wins },
	},
	{
		everywhere | ifAny, "draws", "Drawn",
		"games drawn",
		func(r *Row) any { return r.Draws },
	},
	{
		everywhere, "losses", "Lost",
		"games lost",
		func(r *Row) any { return r.Losses },
	},
	{
		inCSV | inJSON, "points", "Points",
		"wins plus half the draws",
		func(r *Row) any { return r.Points() },
	},
	{
		everywhere, "score", "Score",
		"points per game, 0 to 1",
		func(r *Row) any { return r.perGame(r.Score()) },
	},
	{
		inCSV | inJSON, "draw_share", "Draws",
		"draws per game, 0 to 1",
		func(r *Row) any { return r.perGame(r.DrawShare()) },
	},
	{
		everywhere | ifAny, "faults", "Faults",
		"games that the player lost by a fault of its own: a crash, an illegal move, no " +
			"answer in time or the like",
		func(r *Row) any { return r.Faults.Lost },
	},
	{
		inCSV | inJSON, "opponent_faults", "Opponents'",
		"games that it won by one of an opponent",
		func(r *Row) any { return r.Faults.Won },
	},
	{
		forRated, "difference", "To next",
		"elo less that of the next player of the group, with half the 95 % interval of that " +
			"difference, from the covariance of both",
		func(r *Row) any {
			d := r.toNext()
			return grid.Cell{Text: plusMinus(d.Elo, d.Error), Value: d.Elo}
		},
	},
	{
		forRated, "difference_error", "95 % of it",
		"half the 95 % interval of difference",
		func(r *Row) any { return grid.Cell{Value: r.toNext().Error} },
	},
	{
		forRated, "los", "LOS",
		"likelihood of superiority over the next player of the group: the probability that " +
			"this one is stronger, by the normal approximation",
		func(r *Row) any { return grid.Likelihood(r.toNext().LOS) },
	},
	{
		inCSV, "advantage", "Advantage",
		"the first-move advantage in Elo, one for the whole table",
		func(r *Row) any { return grid.Digits(r.table.Ratings.Advantage.Elo) },
	},
	{
		inCSV, "advantage_error", "95 % of it",
		"half the 95 % interval of advantage; empty if it wasn't fitted",
		func(r *Row) any { return grid.Digits(r.table.advantageError()) },
	},
	{
		inJSON | forUnrated | words, "cause", "Cause",
		"why there is no rating: won-all, lost-all, one-sided (won all games against some, " +
			"lost all against the rest) or no-games",
		func(r *Row) any { return string(r.Cause) },
	},
	{
		everywhere | forUnrated | words, "reason", "Reason",
		"the same as a sentence, with the opponents",
		func(r *Row) any { return r.Reason },
	},
}

// shown returns the columns with all of some flags and none of others.
func shown(flags, but place) (list []Column) {
	for _, c := range columns {
		if c.place&flags != flags || c.place&but != 0 {
			continue
		}
		value := c.value
		if c.place&forRated != 0 {
			value = func(r *Row) any {
				if r.Cause != "" {
					return nil
				}
				return c.value(r)
			}
		}
		column := Column{Key: c.key, Title: c.title, Doc: c.doc, Value: value}
		column.Left = c.place&words != 0
		list = append(list, column)
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
func (t Table) UsualColumns() (list []Column) {
	rows := t.Rows()
	for _, c := range shown(inText, forUnrated) {
		occurs := func(r *Row) bool { return c.Value(r) != 0 }
		if !has(c, ifAny) || slices.ContainsFunc(rows, occurs) {
			list = append(list, c)
		}
	}
	return list
}

// UnratedColumns returns the chosen columns that players without a rating have, and the reason why
// they have none.
func UnratedColumns(chosen []Column) (list []Column) {
	for _, c := range chosen {
		if !has(c, forRated) && !has(c, inText|forUnrated) {
			list = append(list, c)
		}
	}
	return append(list, shown(inText|forUnrated, 0)...)
}

// unratedObject returns the columns in JSON of players without a rating: the reason follows the
// name.
func unratedObject() (list []Column) {
	for _, c := range shown(inJSON, forRated|forUnrated) {
		list = append(list, c)
		if c.Key == "name" {
			list = append(list, shown(inJSON|forUnrated, 0)...)
		}
	}
	return list
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
