package table

import (
	"fmt"
	"slices"

	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/lists"
)

// This file has the rows and the columns of all tables of two players each.

// comparison is a row of two players: what a scored against b, what was expected of it, and how
// much stronger a is than b. A table's columns say which of it are known.
type comparison struct {
	table string // its title
	ratings.HeadToHead
	ratings.Difference
}

// pairColumn is a column of two players.
type pairColumn = grid.Column[*comparison]

var (
	tableTitle = pairColumn{Key: "table", Value: func(c *comparison) any { return c.table }}

	crosstableColumns = append([]pairColumn{
		{Key: "south", Value: (*comparison).first},
		{Key: "north", Value: (*comparison).second},
	}, resultColumns(0)...)

	headToHeadColumns = slices.Concat([]pairColumn{
		{Title: "#", Value: func(c *comparison) any { return c.Number }},
		{Key: "a", Title: "Player", Left: true, Value: (*comparison).first},
		{Key: "b", Title: "Against", Left: true, Value: (*comparison).second},
		gamesColumn,
	}, resultColumns(1), []pairColumn{
		{Key: "points", Title: "Points", Value: func(c *comparison) any { return c.Points() }},
		{Key: "expected", Title: "Expected", Value: func(c *comparison) any { return c.Expected }},
		{Key: "z", Title: "z", Value: func(c *comparison) any {
			return grid.Cell{Text: fmt.Sprintf("%+.2f", c.Z), Value: c.Z}
		}},
		{Key: "pentanomial", Value: func(c *comparison) any { return c.Pairs }},
	})

	comparisonColumns = append([]pairColumn{
		{Key: "a", Value: (*comparison).first},
		{Key: "b", Value: (*comparison).second},
	}, differenceColumns...)

	// gauntletColumns are those of [Table.Gauntlet].
	gauntletColumns = slices.Concat([]pairColumn{
		tableTitle,
		{Key: "player", Value: (*comparison).first},
		{Key: "opponent", Title: "Opponent", Left: true, Value: (*comparison).second},
		gamesColumn,
	}, resultColumns(0), []pairColumn{
		{Key: "score", Title: "Score", Value: func(c *comparison) any {
			return grid.Percent(c.Score())
		}},
	}, differenceColumns)

	gamesColumn = pairColumn{Key: "games", Title: "Games", Value: func(c *comparison) any {
		return c.Games()
	}}

	differenceColumns = []pairColumn{
		{Key: "difference", Title: "Elo diff.", Value: func(c *comparison) any { return c.Elo }},
		{Key: "error", Title: "95 %",
			Value: func(c *comparison) any { return grid.Margin(c.Error) }},
		{Key: "los", Title: "LOS",
			Value: func(c *comparison) any { return grid.Likelihood(c.LOS) }},
	}
)

// resultColumns are columns of games by their results, with a drop, see [grid.Column].
func resultColumns(drop int) []pairColumn {
	return []pairColumn{
		{Key: "wins", Title: "Won", Drop: drop,
			Value: func(c *comparison) any { return c.Wins }},
		{Key: "draws", Title: "Drawn", Drop: drop,
			Value: func(c *comparison) any { return c.Draws }},
		{Key: "losses", Title: "Lost", Drop: drop,
			Value: func(c *comparison) any { return c.Losses }},
	}
}

func (c *comparison) first() any { return grid.Name(c.A) }

func (c *comparison) second() any { return grid.Name(c.B) }

// crosstableRows returns what each player scored with South against each other.
func crosstableRows(r *ratings.Ratings) []*comparison {
	return lists.Map(r.Pairings(), func(p ratings.Pairing) *comparison {
		c := new(comparison)
		c.A = p.South
		c.B = p.North
		c.Count = p.Count
		return c
	})
}

// headToHeadRows returns the pairings with what was expected of them.
func headToHeadRows(r *ratings.Ratings) []*comparison {
	return lists.Map(r.HeadToHeads(), func(h ratings.HeadToHead) *comparison {
		return &comparison{HeadToHead: h}
	})
}

// comparisons returns the differences of players to the others of their groups, in the order of the
// table.
func comparisons(r *ratings.Ratings, players ...string) (list []*comparison) {
	for _, player := range players {
		for _, other := range r.Players {
			if d, known := r.Difference(player, other.Name); known {
				h := ratings.HeadToHead{A: player, B: other.Name}
				list = append(list, &comparison{HeadToHead: h, Difference: d})
			}
		}
	}
	return list
}
