package agents

import (
	"cmp"
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

// moves is how many moves of a side are assumed to need time: so many at the start of a
// game, one less for each made, but never less than some.
type moves struct{ usual, least int }

// MoveTime returns how long the search for the next move of g may take, for programs that
// can't save time by themselves where a move is clear: an equal share of what is left for
// all moves of a game. Half of the games between strong players last less than 10 moves a
// side, in Kang less than 23. The last moves take almost no time, so the estimate may be low.
func (c Clock) MoveTime(g *rules.Game) time.Duration {
	m := moves{10, 5}
	if g.Rules().Options().Kang {
		m = moves{24, 8}
	}
	return c.searchTime(c.share(g, m))
}

// times returns how long the search for the next move of g should take under the
// clock, and how long it may. The first is an equal share of what is left for the moves
// until the outcome is proven, some before the end. The second is some times as much, at
// most half of what is left.
func (c Clock) times(g *rules.Game) (soft, hard time.Duration) {
	m := moves{5, 3}
	switch o := g.Rules().Options(); {
	case o.Kang:
		m = moves{14, 5}
	case !o.Relocation:
		m = moves{3, 2}
	}
	share := c.share(g, m)
	return c.searchTime(share), c.searchTime(max(share, min(hardFactor*share, c.Left/2)))
}

// share returns the part of what is left for one of the moves until the next time
// control, and most of the increment; at most four fifths of what is left.
func (c Clock) share(g *rules.Game, m moves) time.Duration {
	n := time.Duration(cmp.Or(c.MovesToGo, max(m.usual-g.Ply()/2, m.least)))
	return min(c.Left/n+c.Increment-c.Increment/n, c.Left*4/5)
}

// searchTime returns a time without the overhead, at least a millisecond.
func (c Clock) searchTime(d time.Duration) time.Duration { return max(d-c.Overhead, time.Millisecond) }
