package tournament

import (
	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/ratings/sprt"
)

// MatchPairs counts the game pairs of a run of two agents. Pairs that repeat an earlier one of the
// run move for move are left out.
type MatchPairs struct {
	Pairs     sprt.Pairs        // by the half points of the first agent
	Course    []uint8           // the half points of the first agent in each pair, in order
	Identical ratings.Identical // pairs whose two games are one, and pairs that were left out
}

// AddPair counts a pair; player is the first agent. The second game's players are the first's with
// sides swapped.
func (p *MatchPairs) AddPair(player string, first, second *source.Outcome) {
	lead := int(first.Result - second.Result) // of the first game's South, in half points: -2 to 2
	if first.South != player {
		lead = -lead
	}
	p.Pairs[2+lead]++
	p.Course = append(p.Course, uint8(2+lead))
	if source.OneGame(first, second) {
		p.Identical.OneGame++
	}
}
