package agents

import (
	"time"

	"gyges/rules"
)

// DefaultMoveOverhead is the part of each move's time that is reserved for what
// happens outside of the search: messages, scheduling, garbage collection.
const DefaultMoveOverhead = 10 * time.Millisecond

// Clock is the state of a chess clock for the side to move. The zero value is none; no
// value is negative.
type Clock struct {
	Left      time.Duration // until the flag falls
	Increment time.Duration // gained after each move
	MovesToGo int           // moves until the next time control; 0: Left is for the rest of the game
	Overhead  time.Duration // of a move, spent outside of the search
}

// hardFactor is how many times its soft limit a search may last under a clock.
const hardFactor = 3

// times returns how long the search for the next move of g should take under the
// clock, and how long it may. The first is an equal share of what is left and most of
// the increment, the second some times as much; both are at most four fifths of what
// is left, the first at most half, and at least a millisecond.
func (c Clock) times(g *rules.Game) (soft, hard time.Duration) {
	moves := time.Duration(c.MovesToGo)
	if moves == 0 {
		moves = time.Duration(movesLeft(g))
	}
	share := c.Left/moves + c.Increment - c.Increment/moves
	most := c.Left * 4 / 5
	if moves > 1 { // an equal share of what the next moves need stays
		most = c.Left / 2
	}
	share = min(share, c.Left*4/5)
	limit := func(d time.Duration) time.Duration { return max(d-c.Overhead, time.Millisecond) }
	return limit(share), limit(max(share, min(hardFactor*share, most)))
}

// movesLeft estimates for how many moves the side to move still needs time. Half of
// the games between strong players last less than 10 moves a side, in Kang less than
// 23, but the outcome is proven some moves before the end, and the first moves matter
// most. The estimate may be low, as only a share of what is left is spent.
func movesLeft(g *rules.Game) int {
	usual, least := 6, 3
	if g.Rules().Options().Kang {
		usual, least = 15, 5
	}
	return max(usual-g.Ply()/2, least)
}
