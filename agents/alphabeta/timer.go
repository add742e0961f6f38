package alphabeta

import (
	"time"

	"gyges/agents"
	"gyges/rules"
)

// timer says when a search stops. With a fixed time for the move it uses all of it.
// Under a clock it stops earlier while the best move is stable, and later where the
// present iteration has not yet found a move as good as that of the one before.
type timer struct {
	began      time.Time
	soft, hard time.Duration // how long the search should and may take; 0: no limit
	best       rules.Move    // of the iteration before
	stable     int           // iterations in a row that it has been the best
	unsettled  bool          // the best move of the iteration has changed, or its score has dropped
}

// Shares of the soft limit.
const (
	lastStart   = 0.5 // no iteration begins later
	stableShare = 0.7 // the soft limit with a stable best move
	stableFor   = 3   // iterations
)

// newTimer returns the timer of a search for the next move of g. It stops a little
// earlier than the limits, as stopping has a delay, too.
func newTimer(began time.Time, g *rules.Game, lim agents.Limits) timer {
	early := func(d time.Duration) time.Duration { return d - min(d/10, time.Millisecond) }
	soft, hard := lim.Times(g)
	return timer{began: began, soft: early(soft), hard: early(hard)}
}

// clocked reports whether time that is not used is saved.
func (t *timer) clocked() bool { return t.soft < t.hard }

// expired reports whether the search must stop now.
func (t *timer) expired() bool {
	if t.hard == 0 {
		return false
	}
	took := time.Since(t.began)
	return took >= t.hard || took >= t.target() && !t.unsettled
}

// target returns how long the search should take by what it has found.
func (t *timer) target() time.Duration {
	if t.clocked() && t.stable >= stableFor {
		return time.Duration(stableShare * float64(t.soft))
	}
	return t.soft
}

// finished notes the best move of an iteration, and reports whether time is too short
// for another one.
func (t *timer) finished(best rules.Move) bool {
	if t.stable++; best != t.best {
		t.best, t.stable = best, 0
	}
	t.unsettled = false
	return t.clocked() && time.Since(t.began) >= time.Duration(lastStart*float64(t.target()))
}
