package agents

import (
	"time"

	"gyges/rules"
)

// DefaultMoveOverhead is the part of each move's time that is reserved for what
// happens outside of the search: messages, scheduling, garbage collection.
const DefaultMoveOverhead = 10 * time.Millisecond

// Clock is the state of a chess clock for the side to move. No value is negative.
type Clock struct {
	Left      time.Duration // until the flag falls
	Increment time.Duration // gained after each move
	MovesToGo int           // moves until the next time control; 0: Left is for the rest of the game
	Overhead  time.Duration // of a move, spent outside of the search
}

// MoveTime returns how long the search for the next move of g may take: an equal
// share of what is left and most of the increment, at most four fifths of what is
// left and at least a millisecond.
func (c Clock) MoveTime(g *rules.Game) time.Duration {
	moves := time.Duration(c.MovesToGo)
	if moves == 0 {
		moves = time.Duration(movesLeft(g))
	}
	share := c.Left/moves + c.Increment - c.Increment/moves
	return max(min(share, c.Left*4/5)-c.Overhead, time.Millisecond)
}

// movesLeft estimates how many moves the side to move still has in the game. Half
// of the games between strong players last less than 10 moves a side, in Kang less
// than 23; nine in ten less than 14 and 34. The last moves take almost no time, as
// their outcome is proven, so the estimate may be low.
func movesLeft(g *rules.Game) int {
	usual, least := 10, 5
	if g.Rules().Options().Kang {
		usual, least = 24, 8
	}
	return max(usual-g.Ply()/2, least)
}
