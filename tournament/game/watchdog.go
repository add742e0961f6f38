package game

import (
	"sync"
	"time"

	"gyges/rules"
)

const (
	// lateTick is by how much a tick is late if the program did not run. Timers of a busy machine
	// are rarely punctual.
	lateTick = 20 * time.Millisecond

	// longStop is the shortest time for which a program is taken to have been stopped, as by
	// Ctrl-Z, and not only slow.
	longStop = time.Second
)

// watchdog knows until when an agent must have answered. The goroutine that plays the game tells it
// of each call of an agent; another one, which waits for the game, lets it tick and asks it.
type watchdog struct {
	mu      sync.Mutex
	waiting bool // an agent has been called and hasn't answered
	call    call // the last one
	givenUp bool // nothing that the game's goroutine does counts any more

	every   time.Duration // between two ticks
	last    time.Time     // the time of the last tick
	stopped time.Duration // of the move under way: for how long the program did not run, at most
}

// call is a call of an agent.
type call struct {
	side     rules.Side
	patience time.Duration // how long it is waited for
	deadline time.Duration // when that ends, since the game's start
}

// enter notes that an agent is called now.
func (w *watchdog) enter(c call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = true
	w.call = c
}

// leave notes that the agent has answered, and reports whether the game may go on.
func (w *watchdog) leave() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = false
	return !w.givenUp
}

// overdue returns the call of an agent whose time is over, if there is one.
func (w *watchdog) overdue(now time.Duration) (c call, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ok = w.waiting && now > w.call.deadline
	return w.call, ok
}

// giveUp reports whether an agent is still being called, and whose. Then the game's goroutine is
// left behind.
func (w *watchdog) giveUp() (side rules.Side, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.givenUp = w.waiting
	return w.call.side, w.givenUp
}

// tick finds out for how long the program did not run since the last tick. An agent that is called
// didn't run either, and has as much more time. The monotonic clock of some systems stands still
// while the machine sleeps, so the wall clock is read too.
func (w *watchdog) tick(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	monotonic := now.Sub(w.last)
	wall := now.Round(0).Sub(w.last.Round(0))
	late := max(monotonic, wall) - w.every
	w.last = now
	if late < lateTick {
		return
	}
	w.call.deadline += late
	if late >= longStop {
		w.stopped += late + longStop // ticks are no further apart than a long stop
	}
}

// ran returns how much of the time that a move took the program ran.
func (w *watchdog) ran(took time.Duration) time.Duration {
	if took < longStop {
		return took
	}
	w.tick(time.Now()) // the next tick may be yet to come
	w.mu.Lock()
	defer w.mu.Unlock()
	took -= w.stopped
	w.stopped = 0
	return max(took, 0)
}
