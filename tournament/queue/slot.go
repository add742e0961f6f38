package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gyges/tournament"
)

// maxAhead is how many pairs a worker may have in hand for each game at a time, and
// aheadTime how much time they may take. Quick games would otherwise wait for the
// network, long ones for a worker that has taken them too early.
const (
	maxAhead  = 64
	aheadTime = 200 * time.Millisecond
)

// room returns how many more pairs the worker should have in hand.
func (w *Worker) room() int {
	ahead := 1
	if n := w.pairs.Load(); n > 0 {
		mean := max(time.Duration(w.nanos.Load()/n), 1)
		ahead = int(min(max(aheadTime/mean, 1), maxAhead))
	}
	if w.isolating.Load() > 0 {
		return 0
	}
	return w.options.Workers*ahead - w.held.len()
}

// How long a worker waits on the server for jobs when it has one run only, and
// between looks when it has several.
const (
	waitForJobs = 3 * time.Second
	betweenRuns = 100 * time.Millisecond
)

// fetch takes jobs from the server as there is room for them, from all runs in
// turn.
func (w *Worker) fetch(ctx context.Context) {
	turn := 0
	for ctx.Err() == nil {
		runs := w.open(time.Now())
		room := w.room()
		if len(runs) == 0 || room <= 0 {
			select {
			case <-w.changed:
			case <-time.After(time.Second): // a run may have fallen silent
			case <-ctx.Done():
			}
			continue
		}
		if len(runs) == 1 {
			w.fetchFrom(ctx, runs[0], room, waitForJobs)
			continue
		}
		found := 0
		for range runs {
			turn++
			found += w.fetchFrom(ctx, runs[turn%len(runs)], max(w.room(), 0), 0)
		}
		if found == 0 {
			sleep(ctx, betweenRuns)
		}
	}
}

// open lists the runs whose jobs may be taken.
func (w *Worker) open(now time.Time) []*subscription {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []*subscription
	for _, r := range w.runs {
		if r.ready && !r.aside && now.Sub(r.announced) < goneAfter {
			list = append(list, r)
		}
	}
	return list
}

// fetchFrom takes up to n jobs of a run and returns how many there were. It waits
// for the first one, and for more, up to the given time.
func (w *Worker) fetchFrom(ctx context.Context, r *subscription, n int, wait time.Duration) int {
	w.fetching.Lock()
	defer w.fetching.Unlock()
	if n == 0 || w.isolating.Load() > 0 {
		return 0
	}
	var batch jetstream.MessageBatch
	var err error
	if wait > 0 {
		once, cancel := context.WithTimeout(r.ctx, wait)
		defer cancel()
		w.stopFetch.Store(&cancel)
		batch, err = r.jobs.Fetch(n, jetstream.FetchContext(once))
	} else {
		batch, err = r.jobs.FetchNoWait(n)
	}
	found := 0
	if err == nil {
		for m := range batch.Messages() {
			found++
			w.take(ctx, r, m)
		}
		err = batch.Error()
	}
	if err != nil && r.ctx.Err() == nil && !errors.Is(err, jetstream.ErrNoMessages) {
		w.options.Log.Debug("asking for jobs", "error", err)
		sleep(ctx, retryWait)
	}
	return found
}

// take puts a job into the hands of a slot.
func (w *Worker) take(ctx context.Context, r *subscription, m jetstream.Msg) {
	t, err := newTask(r, m)
	if err != nil {
		w.options.Log.Debug("a job that is none is removed", "run", r.name, "error", err)
		_ = m.Term() // otherwise it comes again
		return
	}
	w.held.add(t)
	if w.isolating.Load() > 0 && t.begun.CompareAndSwap(false, true) {
		w.handBack(ctx, t)
		return
	}
	select {
	case w.tasks <- t:
	case <-ctx.Done():
	}
}

// slot plays one game at a time. It belongs to one goroutine.
type workerSlot struct {
	worker  *Worker
	runners map[*subscription]*tournament.Runner
}

// sweepEvery is how often a slot looks for agents that it no longer needs.
const sweepEvery = 10 * time.Second

// work plays until ctx ends. Results are sent until sending does.
func (s *workerSlot) work(ctx, sending context.Context) {
	s.runners = map[*subscription]*tournament.Runner{}
	defer s.sweep(true)
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case t := <-s.worker.tasks:
			s.handle(sending, t)
		case <-tick.C:
			s.sweep(false)
		case <-ctx.Done():
			return
		}
	}
}

// suspicious is from which time on that a pair is handed out it is played with
// nothing beside it, since it may be what brings workers down.
const suspicious = 3

// settleTime is how long jobs may be under way that the server has handed out.
const settleTime = 250 * time.Millisecond

// isolate waits until nothing but t is in hand or on its way here: games that are
// being played are played to their end, pairs that wait for their turn are given
// back, so that they don't count as tried. The caller calls release. If t itself
// has been given back meanwhile, ok is false.
func (w *Worker) isolate(ctx context.Context, t *task) (release func(), ok bool) {
	w.isolating.Add(1)
	w.alone.Lock()
	if stop := w.stopFetch.Load(); stop != nil {
		timer := time.AfterFunc(settleTime, *stop)
		defer timer.Stop()
	}
	w.fetching.Lock() // from now on nothing is asked for
	defer w.fetching.Unlock()
	release = func() {
		w.alone.Unlock()
		w.isolating.Add(-1)
		w.wake()
	}
	if !t.begun.CompareAndSwap(false, true) {
		return release, false
	}
	var wait sync.WaitGroup
	for _, t := range w.held.all() {
		if t.begun.CompareAndSwap(false, true) {
			wait.Go(func() { w.handBack(ctx, t) })
		}
	}
	wait.Wait()
	for deadline := time.Now().Add(lastWords); w.held.len() > 1 && time.Now().Before(deadline); {
		if !sleep(ctx, 10*time.Millisecond) { // results are on their way
			break
		}
	}
	return release, true
}

// handBack puts a job at the end of the queue as if it had not been handed out.
func (w *Worker) handBack(ctx context.Context, t *task) {
	defer w.done(t)
	again := t.job
	again.Tries = t.tries - 1
	text, err := json.Marshal(again)
	if err == nil {
		m := nats.NewMsg(t.message.Subject())
		m.Data = text
		m.Header.Set(jetstream.MsgIDHeader, fmt.Sprintf("%s/%d/%d/again", t.run.name, t.job.Pair, t.number))
		once, cancel := context.WithTimeout(ctx, lastWords)
		defer cancel()
		_, err = w.js.PublishMsg(once, m)
	}
	if err != nil {
		w.options.Log.Debug("handing back a job", "error", err)
		_ = t.message.Nak() // otherwise its lease runs out
		return
	}
	acknowledge(t.message)
}

// handle plays a pair and sends the result.
func (s *workerSlot) handle(sending context.Context, t *task) {
	w := s.worker
	if t.run.ctx.Err() != nil {
		w.dropped(t)
		return
	}
	var ok bool
	if t.tries >= suspicious && t.tries <= t.run.tries {
		var release func()
		release, ok = w.isolate(sending, t)
		defer release()
	} else {
		w.alone.RLock()
		defer w.alone.RUnlock()
		ok = t.begun.CompareAndSwap(false, true)
	}
	if !ok {
		return
	}
	if t.tries > t.run.tries {
		w.publishResult(sending, t, nil, errors.New("the worker was lost each time"))
		return
	}
	w.playing.Add(1)
	start := time.Now()
	games, err := s.runner(t.run).Play(t.run.ctx, t.job.Job, t.run.timeScale)
	w.nanos.Add(int64(time.Since(start)))
	w.playing.Add(-1)
	w.pairs.Add(1)
	switch {
	case t.run.ctx.Err() != nil:
		w.dropped(t)
	case err == nil:
		w.publishResult(sending, t, games, nil)
	case t.tries >= t.run.tries:
		w.publishResult(sending, t, nil, err)
	default:
		w.options.Log.Warn("a pair can't be played; it is given back", "run", t.run.name, "pair", t.job.Pair, "error", err)
		_ = t.message.NakWithDelay(retryWait) // otherwise its lease runs out
		w.done(t)
	}
}

// dropped forgets a task whose run has ended. When it is the worker that ends, the
// task stays in hand, to be given back.
func (w *Worker) dropped(t *task) {
	if w.hasEnded(t.run) {
		w.done(t)
	}
}

// hasEnded tells whether a run is over, or forgotten.
func (w *Worker) hasEnded(r *subscription) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runs[r.name] != r
}

// player returns the slot's player for a run.
func (s *workerSlot) runner(r *subscription) *tournament.Runner {
	p := s.runners[r]
	if p == nil {
		s.sweep(false)
		p = tournament.NewRunner(&r.config, r.registry.New)
		s.runners[r] = p
	}
	return p
}

// sweep closes the agents of runs that have ended, or of all.
func (s *workerSlot) sweep(all bool) {
	for r, p := range s.runners {
		if !all && r.ctx.Err() == nil {
			continue
		}
		if err := p.Close(); err != nil {
			s.worker.options.Log.Warn("closing agents", "run", r.name, "error", err)
		}
		delete(s.runners, r)
	}
}
