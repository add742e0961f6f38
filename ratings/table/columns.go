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
	Name    string           // the player, as the records name it
	Rated   *ratings.Player  // nil for a player without a rating
	unrated *ratings.Unrated // nil with a rating
	ratings *ratings.Ratings
	faults  ratings.Faults
	count   ratings.Count
	table   string
	number  int
}

// Rows returns the rows of the rating table: the rated players, group by group, and then
// the others.
func (t Table) Rows() []*Row {
	r, faults := t.Ratings, t.Ratings.Faults()
	var list []*Row
	add := func(name string, count ratings.Count) *Row {
		list = append(list, &Row{
			table: t.Title, number: len(list) + 1, Name: name, ratings: r, count: count, faults: faults[name],
		})
		return list[len(list)-1]
	}
	for i, p := range r.Players {
		add(p.Name, p.Count).Rated = &r.Players[i]
	}
	for i, u := range r.Unrated {
		add(u.Name, u.Count).unrated = &r.Unrated[i]
	}
	return list
}

// rated makes a cell empty for players without a rating.
func rated(cell func(*Row) any) func(*Row) any {
	return func(r *Row) any {
		if r.Rated == nil {
			return nil
		}
		return cell(r)
	}
}

// toNext makes a cell of the difference to the next player of the group, empty for the last.
func toNext(cell func(ratings.Difference) any) func(*Row) any {
	return func(r *Row) any {
		players := r.ratings.Players
		if r.number >= len(players) {
			return nil
		}
		d, err := r.ratings.Difference(r.Name, players[r.number].Name)
		if err != nil { // the next one is of another group
			return nil
		}
		return cell(d)
	}
}

// perGame is a share of a player's games, empty without games.
func perGame(share func(ratings.Count) float64) func(*Row) any {
	return func(r *Row) any {
		if r.count.Games() == 0 {
			return nil
		}
		return grid.Percent(share(r.count))
	}
}

// columns are all columns.
var columns = []Column{
	{Key: "table", Title: "Table", Left: true, Doc: "title of the table: the rule set, or all together",
		Value: func(r *Row) any { return r.table }},
	{Key: "number", Title: "#",
		Doc:   "place in the table, also across groups; the crosstable's columns have the same numbers",
		Value: func(r *Row) any { return r.number }},
	{Key: "name", Title: "Player", Left: true, Doc: "the player, as the records name it",
		Value: func(r *Row) any { return grid.Name(r.Name) }},
	{Key: "group", Title: "Group", Doc: "number of the group; only ratings of one group can be compared",
		Value: rated(func(r *Row) any { return r.Rated.Group + 1 })},
	{Key: "elo", Title: "Elo",
		Doc: "the rating: the maximum of the likelihood, together with all others and the first-move advantage; " +
			"400 points are odds of ten to one. The mean of a group is 0 unless anchors say otherwise",
		Value: rated(func(r *Row) any { return r.Rated.Elo })},
	{Key: "error", Title: "95 %", Doc: "half the 95 % interval of elo: 1.96 standard errors. The interval is elo ± error",
		Value: rated(func(r *Row) any { return grid.Margin(r.Rated.Error) })},
	{Key: "low", Title: "Low", Doc: "elo less error",
		Value: rated(func(r *Row) any { return r.Rated.Elo - r.Rated.Error })},
	{Key: "high", Title: "High", Doc: "elo plus error",
		Value: rated(func(r *Row) any { return r.Rated.Elo + r.Rated.Error })},
	{Key: "games", Title: "Games", Doc: "games against others, also those that could not enter the fit",
		Value: func(r *Row) any { return r.count.Games() }},
	{Key: "wins", Title: "Won", Doc: "games won", Value: func(r *Row) any { return r.count.Wins }},
	{Key: "draws", Title: "Drawn", Doc: "games drawn", Value: func(r *Row) any { return r.count.Draws }},
	{Key: "losses", Title: "Lost", Doc: "games lost", Value: func(r *Row) any { return r.count.Losses }},
	{Key: "points", Title: "Points", Doc: "wins plus half the draws",
		Value: func(r *Row) any { return r.count.Points() }},
	{Key: "score", Title: "Score", Doc: "points per game, 0 to 1", Value: perGame(ratings.Count.Score)},
	{Key: "draw_share", Title: "Draws", Doc: "draws per game, 0 to 1", Value: perGame(ratings.Count.DrawShare)},
	{Key: "faults", Title: "Faults",
		Doc: "games that a fault decided, of the player or of its opponent: a crash, an illegal move, " +
			"no answer in time or the like",
		Value: func(r *Row) any { return r.faults.Games() }},
	{Key: "fault_losses", Title: "Own", Doc: "those of them that the player lost",
		Value: func(r *Row) any { return r.faults.Lost }},
	{Key: "difference", Title: "To next",
		Doc: "elo less that of the next player of the group, with half the 95 % interval of that difference, " +
			"from the covariance of both",
		Value: toNext(func(d ratings.Difference) any {
			return grid.Cell{Text: textfmt.Decimal(d.Elo) + " ± " + textfmt.Decimal(d.Error), Value: d.Elo}
		})},
	{Key: "difference_error", Title: "95 % of it", Doc: "half the 95 % interval of difference",
		Value: toNext(func(d ratings.Difference) any { return grid.Cell{Value: d.Error} })},
	{Key: "los", Title: "LOS",
		Doc: "likelihood of superiority over the next player of the group: the probability that this one is stronger, " +
			"by the normal approximation",
		Value: toNext(func(d ratings.Difference) any { return grid.Percent(d.LOS) })},
	{Key: "advantage", Title: "Advantage", Doc: "the first-move advantage in Elo, one for the whole table",
		Value: func(r *Row) any { return grid.Digits(r.ratings.Advantage.Elo) }},
	{Key: "advantage_error", Title: "95 % of it",
		Doc: "half the 95 % interval of advantage; empty if it wasn't fitted",
		Value: func(r *Row) any {
			if !r.ratings.Advantage.Fitted {
				return nil
			}
			return grid.Digits(r.ratings.Advantage.Error)
		}},
	{Key: "cause", Title: "Cause", Left: true,
		Doc: "why there is no rating: won-all, lost-all, one-sided (won all games against some, lost all against the rest) " +
			"or no-games",
		Value: func(r *Row) any {
			if r.unrated == nil {
				return nil
			}
			return string(r.unrated.Cause)
		}},
	{Key: "reason", Title: "Reason", Left: true, Doc: "the same as a sentence, with the opponents",
		Value: func(r *Row) any {
			if r.unrated == nil {
				return nil
			}
			return r.unrated.Reason
		}},
}

// Keys of the columns that the formats have.
const (
	textColumns = "number,name,elo,error,games,wins,draws,losses,score"
	csvColumns  = "table,number,name,group,elo,error,games,wins,draws,losses,points,score,draw_share,faults," +
		"fault_losses,advantage,advantage_error,reason"
	countKeys   = "games,wins,draws,losses,points,score,draw_share,faults,fault_losses"
	playerKeys  = "number,name,group,elo,error," + countKeys
	unratedKeys = "number,name,cause,reason," + countKeys
)

// ratedColumns are those that are empty for players without a rating.
var ratedColumns = []string{"group", "elo", "error", "low", "high", "difference", "difference_error", "los"}

// ParseColumns returns the columns with these keys, separated by commas.
func ParseColumns(keys string) ([]Column, error) { return grid.Choose(columns, keys) }

// known returns the columns of a list that is part of the program.
func known(keys string) []Column {
	list, err := grid.Choose(columns, keys)
	if err != nil {
		panic(err)
	}
	return list
}

// UsualColumns returns the columns that are printed for people unless others are asked
// for.
func (t Table) UsualColumns() []Column {
	keys := textColumns
	if len(t.Ratings.Faults()) > 0 {
		keys += ",faults"
	}
	return withDraws(known(keys), t.drawn())
}

// drawn reports whether a game was drawn.
func (t Table) drawn() bool {
	return slices.ContainsFunc(t.Ratings.Pairings(), func(p ratings.Pairing) bool { return p.Draws > 0 })
}

// ResultText returns results as won-drawn-lost, or won-lost where no game of the table was drawn.
func (t Table) ResultText(c ratings.Count) string {
	if t.drawn() {
		return fmt.Sprintf("%d-%d-%d", c.Wins, c.Draws, c.Losses)
	}
	return fmt.Sprintf("%d-%d", c.Wins, c.Losses)
}

// withDraws returns columns for text, without that of draws unless a game was drawn.
func withDraws[R any](columns []grid.Column[R], drawn bool) []grid.Column[R] {
	if drawn {
		return columns
	}
	return slices.DeleteFunc(slices.Clone(columns), func(c grid.Column[R]) bool { return c.Key == "draws" })
}

// LeftColumns returns the chosen columns that players without a rating have, and the
// reason why they have none.
func LeftColumns(chosen []Column) []Column {
	left := slices.DeleteFunc(slices.Clone(chosen), func(c Column) bool {
		return c.Key == "reason" || slices.Contains(ratedColumns, c.Key)
	})
	return append(left, known("reason")...)
}
