package game

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gyges/rules"
	"gyges/tournament/record"
)

const cancelGrace = 5 * time.Second // for an agent to notice that it is cancelled

// watchdog is the state that a watchdog reads: until when a referee waits for an agent. It costs two atomic operations
// a move. It holds 0 while no agent is called; the side and the end of the time for its answer, counted from the game's
// start; or givenUp, once the watchdog has given the referee up. What the referee wrote before a call may be read by
// the watchdog from then on.
type watchdog struct {
	state   atomic.Int64
	stopped atomic.Int64 // nanoseconds of long stops, at most, which don't count in the move under way
	ticks   ticks
}

// ticks are the times at which the watchdog looks.
type ticks struct {
	mu    sync.Mutex // held by tests
	every time.Duration
	last  time.Time
}

// lateTick is by how much a tick is late if the program did not run; timers of a busy machine are rarely punctual.
const lateTick = 20 * time.Millisecond

// longStop is the shortest time for which a program is taken to have been stopped, as by Ctrl-Z, and not only slow.
const longStop = time.Second

func (t *ticks) begin(now time.Time, every time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.every, t.last = every, now
}

// ran returns how much of the time that a move took the program ran.
func (w *watchdog) ran(took time.Duration) time.Duration {
	if took < longStop {
		return took
	}
	w.extend(w.ticks.late(time.Now())) // the next tick may be yet to come
	return max(took-time.Duration(w.stopped.Swap(0)), 0)
}

// late notes the present time, and returns for how long the program did not run since the last tick. The monotonic
// clock of some systems stands still while the machine sleeps, so the wall clock is read too.
func (t *ticks) late(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	late := max(now.Sub(t.last), now.Round(0).Sub(t.last.Round(0))) - t.every
	t.last = now
	if late < lateTick {
		return 0
	}
	return late
}

const givenUp = -1

func (w *watchdog) enter(side rules.Side, until time.Duration) {
	w.state.Store(int64(until)<<1 | int64(side) + 2)
}

func (w *watchdog) extend(by time.Duration) {
	if by >= longStop {
		w.stopped.Add(int64(by + longStop)) // the ticks are no further apart
	}
	if s := w.state.Load(); s >= 2 {
		w.state.CompareAndSwap(s, s+int64(by)<<1) // otherwise it has answered
	}
}

// leave reports whether the referee may go on.
func (w *watchdog) leave() bool {
	s := w.state.Load()
	return s != givenUp && w.state.CompareAndSwap(s, 0)
}

// late reports whether an agent is being called whose time is over, and its side.
func (w *watchdog) late(now time.Duration) (side rules.Side, ok bool) {
	s := w.state.Load()
	return rules.Side(s & 1), s >= 2 && now > time.Duration((s-2)>>1)
}

var errGoexit = errors.New("an agent ended the goroutine it was called in (runtime.Goexit)")

// Referee plays games, one after another. It belongs to one goroutine, but for [Referee.Playing].
type Referee struct {
	play  *play                // used again from game to game; nil before the first and once it was left behind
	shown atomic.Pointer[play] // of the game under way; nil: none
}

// Playing returns the record so far of the game under way; nil if there is none. It may be called concurrently.
func (r *Referee) Playing() *record.Record {
	if p := r.shown.Load(); p != nil {
		return p.played()
	}
	return nil
}

// Play is [Play] that tells which agent hangs: one that doesn't answer within its limit and the stall timeout loses. If
// it doesn't return when it is cancelled either, its goroutine, which can't be ended, is left behind; then hung is its
// side, and the agent must not be used again, not even closed.
func (r *Referee) Play(ctx context.Context, g *Task) (rec *record.Record, hung *rules.Side, err error) {
	gameCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := time.Now()
	if r.play == nil {
		r.play = new(play)
	}
	p := r.play
	p.begin(g, start)
	g = g.scaled()
	every := min(max(cmp.Or(g.StallTimeout/20, time.Second), time.Millisecond), time.Second) // the watchdog's ticks
	p.watchdog.stopped.Store(0)
	p.watchdog.ticks.begin(start, every)
	var played *record.Record // valid once done has its error
	done := make(chan error, 1)
	go func() {
		err := errGoexit
		defer func() { done <- err }()
		played, err = p.toEnd(gameCtx, g, start)
	}()
	r.shown.Store(p)
	defer r.shown.Store(nil)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			return played, nil, err
		case <-ctx.Done():
			hung, _ := r.await(done)
			return nil, hung, ctx.Err()
		case <-ticker.C:
			p.watchdog.extend(p.watchdog.ticks.late(time.Now())) // the agent didn't run either
			side, late := p.watchdog.late(time.Since(start))
			if !late || g.StallTimeout == 0 {
				continue
			}
			cancel()
			hung, err := r.await(done)
			if hung == nil && err == nil {
				return played, nil, nil // it ended meanwhile
			}
			if ctx.Err() != nil {
				return nil, hung, ctx.Err()
			}
			rec := p.finish(nil, newFault(side, record.FaultTimeout,
				fmt.Sprintf("no answer within %v", p.patience[side].Round(time.Millisecond))))
			if hung == nil { // otherwise there is no trace
				rec.Timing.Trace = traceOf(g.Seats[side].Agent)
			}
			return rec, hung, nil
		}
	}
}

// await waits for a game that has been cancelled; one that doesn't end is left behind, with the agent of the side hung.
func (r *Referee) await(done <-chan error) (hung *rules.Side, err error) {
	for {
		select {
		case err := <-done:
			return nil, err
		case <-time.After(cancelGrace):
			p := r.play
			if s := p.watchdog.state.Load(); s >= 2 && p.watchdog.state.CompareAndSwap(s, givenUp) {
				r.play = nil
				side := p.side
				return &side, nil
			}
		}
	}
}
