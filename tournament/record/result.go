package record

import (
	"gyges/ratings"
	"gyges/rules"
)

// results are the results that a record may have, by South's half points.
var results = [...]string{"0-1", "1/2-1/2", "1-0"}

// HalfPoints returns what a side gets for a result of a checked record: 2 for a win, 1 for a draw, 0 for a loss.
func HalfPoints(result string, side rules.Side) int {
	switch result {
	case results[1]:
		return 1
	case rules.WinFor(side).String():
		return 2
	default:
		return 0
	}
}

// HalfPoints returns the half points of an agent, given by its spec, in a game that
// it played; those of South if it played itself.
func (g *Record) HalfPoints(agent string) int {
	if g.South.Agent == agent {
		return HalfPoints(g.Result, rules.South)
	}
	return HalfPoints(g.Result, rules.North)
}

// ResultText returns a result as records have it.
func ResultText(r ratings.Result) string { return results[r+1] }
