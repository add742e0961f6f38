package tournament

import (
	"gyges/ratings"
	"gyges/ratings/source"
	"gyges/ratings/sprt"
)

// PairCount counts the game pairs of a run of two agents, as the first of them saw them. Of other runs it counts none.
// Pairs that repeat an earlier one of the run move for move are left out.
type PairCount struct {
	Pairs     sprt.Pairs
	Course    []uint8           // the pairs in the order in which they were counted, each as the first agent's half points
	Identical ratings.Identical // OneGame counts pairs whose two games are one, Pairs those that were left out

	player string // the first agent; "" if there aren't two
}

// NewPairCount returns a count of the pairs of a run of players.
func NewPairCount(players []string) PairCount {
	if len(players) != 2 {
		return PairCount{}
	}
	return PairCount{player: source.Name(players[0])}
}

// Add counts a pair. The second game's players are the first's with sides swapped.
func (p *PairCount) Add(first, second *source.Outcome) {
	if p.player == "" || first.South == first.North {
		return
	}
	lead := int(first.Result - second.Result) // of the first game's South, in half points: -2 to 2
	if first.South != p.player {
		lead = -lead
	}
	p.Pairs[2+lead]++
	p.Course = append(p.Course, uint8(2+lead))
	if source.OneGame(first, second) {
		p.Identical.OneGame++
	}
}
