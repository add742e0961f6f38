package agents

// How long a search may take: the shares of a chess clock, and the timer that stops a search.

import (
	"time"

	"gyges/rules"
)

// DefaultMoveOverhead is the part of each move's time that is reserved for what
// happens outside of the search: messages, scheduling, garbage collection.
const DefaultMoveOverhead = 10 * time.Millisecond

// Clock is the state of a chess clock for the side to move. The zero value is none; no value is
// negative.
type Clock struct {
	Left      time.Duration // until the flag falls
	Increment time.Duration // gained after each move
	MovesToGo int           // moves until the next time control; 0: Left is for the whole game
	Overhead  time.Duration // of a move, spent outside of the search
}

// hardFactor is how many times its soft limit a search may last under a clock; chosen, not
// measured.
const hardFactor = 3

// MoveTime returns how long the search for the next move of g may take, for programs that can't
// save time by themselves where a move is clear: an equal share of what is left. Half of the games
// between strong players last less than 10 moves a side, in Kang less than 23. The last moves take
// almost no time, so the estimate may be low.
func (c Clock) MoveTime(g *rules.Game) time.Duration {
	usual, least := 10, 5
	if g.Rules().Options().Kang {
		usual, least = 24, 8
	}
	return c.searchTime(c.share(g, usual, least))
}

// times returns how long the search for the next move of g should take, an equal share of what is
// left for the moves until the outcome is proven (in games between strong players mostly 5, in Kang
// 14, without displacement 3), and how long it may: hardFactor times as much, at most half of what
// is left. Until a time control, each of the moves that follow keeps its overhead and the shortest
// search.
func (c Clock) times(g *rules.Game) (soft, hard time.Duration) {
	usual, least := 5, 3
	options := g.Rules().Options()
	switch {
	case options.Kang:
		usual, least = 14, 5
	case !options.Relocation:
		usual, least = 3, 2
	}
	share := c.share(g, usual, least)
	longest := min(hardFactor*share, c.Left/2)
	if c.MovesToGo > 0 {
		kept := min(c.Overhead+shortestSearch, c.Left/time.Duration(c.MovesToGo))
		longest = min(longest, c.Left-kept*time.Duration(c.MovesToGo-1))
	}
	return c.searchTime(share), c.searchTime(max(share, longest))
}

// share returns the part of what is left, at most four fifths, for one of the moves until the next
// time control. Without a time control the number of these moves is estimated: usual at the start
// of the game, one less for each move made, and never below least.
func (c Clock) share(g *rules.Game, usual, least int) time.Duration {
	moves := c.MovesToGo
	if moves == 0 {
		moves = max(usual-g.Ply()/2, least)
	}
	n := time.Duration(moves)
	// The last increment comes after the last of these moves, too late for them.
	increment := c.Increment - c.Increment/n
	return min(c.Left/n+increment, c.Left*4/5)
}

// shortestSearch is the time of a search, however little is left.
const shortestSearch = time.Millisecond

// searchTime returns a time without the overhead, at least that of the shortest search.
func (c Clock) searchTime(d time.Duration) time.Duration {
	return max(d-c.Overhead, shortestSearch)
}

// Timer says when a search stops. It uses all of a fixed time for the move. Under a clock it stops
// earlier while the best move is stable, later where the iteration has found none as good as that
// before. The zero value never stops it.
type Timer struct {
	Unsettled bool // the best move of the iteration has changed, or its score has dropped

	began      time.Time
	soft, hard time.Duration // how long the search should and may take; 0: no limit
	best       rules.Move    // of the iteration before
	stable     int           // iterations in a row that it has been the best
}

// Shares of the soft limit; chosen, not measured.
const (
	lastStart   = 0.5 // no iteration begins later
	stableShare = 0.7 // the soft limit with a stable best move
	stableFor   = 3   // iterations
)

// NewTimer returns the timer of a search for the next move of g that began at a time. It stops
// a little earlier than the limits, as stopping has a delay, too.
func NewTimer(began time.Time, g *rules.Game, lim Limits) Timer {
	soft, hard := lim.Times(g)
	soft -= min(soft/10, time.Millisecond)
	hard -= min(hard/10, time.Millisecond)
	return Timer{
		began: began,
		soft:  soft,
		hard:  hard,
	}
}

// Clocked reports whether time that is not used is saved.
func (t *Timer) Clocked() bool { return t.soft < t.hard }

// Expired reports whether the search must stop now.
func (t *Timer) Expired() bool {
	if t.hard == 0 {
		return false
	}
	limit := t.target()
	if t.Unsettled {
		limit = t.hard
	}
	return time.Since(t.began) >= limit
}

// target returns how long the search should take, by how long its best move has been the best.
func (t *Timer) target() time.Duration {
	if t.Clocked() && t.stable >= stableFor {
		return time.Duration(stableShare * float64(t.soft))
	}
	return t.soft
}

// Finished notes the best move of an iteration, and reports whether time is too short for another
// one.
func (t *Timer) Finished(best rules.Move) bool {
	if best == t.best {
		t.stable++
	} else {
		t.best = best
		t.stable = 0
	}
	t.Unsettled = false
	latest := time.Duration(lastStart * float64(t.target()))
	return t.Clocked() && time.Since(t.began) >= latest
}
