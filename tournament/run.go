package tournament

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/tournament/record"
)

// Summary says how a run ended.
type Summary struct {
	Status     Status     // Running if the folder could not be made ready, empty if the config is wrong
	Out        string     // the folder of the records
	Scheduled  int64      // games
	Played     int64      // games recorded, those of earlier runs in the folder included
	Kept       int64      // games among them that were there before
	Pairs      sprt.Pairs // whole pairs, where two agents play, as the first listed saw them
	Decided    bool       // the SPRT has been decided, so that no more games are needed
	Faults     int64      // games among them that a fault of an agent decided
	Start, End time.Time
}

// Run plays a tournament and records it in the folder config.Out. onGame, if not
// nil, is called for each game as it is recorded, in schedule order, one at a
// time; it must not keep the run waiting.
//
// A run that was stopped in that folder, in whatever way, goes on: games it has
// are kept and told to onGame first, a line that was cut is taken off, and a
// config that plays other games is refused. So is a second run at the same time.
//
// When ctx is cancelled, games in flight are dropped, everything that is
// finished is written, and the error wraps the context's. A game that can't be
// written stops the run; the error says how many games are safe. An agent's
// fault decides its game and stops nothing.
func Run(ctx context.Context, config Config, registry *agents.Registry, onGame func(*record.Game)) (Summary, error) {
	return run(ctx, config, registry, onGame, func(w *record.Writer) *record.Writer { return w })
}

// run is Run with a way to put another writer in the place of the folder's.
func run(ctx context.Context, config Config, registry *agents.Registry, onGame func(*record.Game), replace func(*record.Writer) *record.Writer) (Summary, error) {
	if err := config.Validate(registry); err != nil {
		return Summary{}, err
	}
	if config.Workers == 0 {
		config.Workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	}
	s := Summary{Status: Running, Out: config.Out, Scheduled: config.Games(), Start: time.Now().UTC()}
	m := newManifest(&config, s.Start)
	schedule := newSchedule(&config)
	c := &collector{schedule: schedule, onGame: onGame}
	st, err := openStore(&config, m, schedule, c.count)
	if err != nil {
		return s, err
	}
	w := replace(st.writer)
	if err := m.save(config.Out); err != nil {
		return s, errors.Join(err, w.Close())
	}
	c.writer, c.next = w, st.kept/2
	if !c.decided {
		err = playAll(ctx, schedule, st, registry, c)
	}
	if closeErr := w.Close(); c.err == nil { // otherwise it says the same again
		err = errors.Join(err, closeErr)
	}
	s.Played, s.Faults, s.End = w.Written(), c.faults, time.Now().UTC()
	s.Kept, s.Pairs, s.Decided = st.kept, c.pairs, c.decided
	s.Status, err = ending(ctx, &s, err)
	if s.Status == Finished {
		err = removeAhead(config.Out)
	}
	m.end(&s, err)
	return s, errors.Join(err, m.save(config.Out))
}

// ending tells how a run ended, and completes its error.
func ending(ctx context.Context, s *Summary, err error) (Status, error) {
	games := filepath.Join(s.Out, GamesFile)
	switch {
	case err == nil && (s.Played == s.Scheduled || s.Decided):
		return Finished, nil
	case err == nil && ctx.Err() != nil:
		return Interrupted, fmt.Errorf("stopped after %d of %d games, which are in %s: %w", s.Played, s.Scheduled, games, ctx.Err())
	case err == nil: // can't happen: somebody must have stopped the run
		err = errors.New("some games were not played")
	}
	return Failed, fmt.Errorf("%w; the %d games in %s are safe", err, s.Played, games)
}

// window returns how many pairs may be under way or wait for an earlier one to
// be written. It lets workers go on while one of them plays a long pair, and
// bounds the memory for games that wait.
func window(workers int) int { return 64 + 8*workers }

// outcome is the games of a pair that were finished, both unless the run stops.
type outcome struct {
	pair  int64
	games []*record.Game
}

// playAll plays the whole schedule and hands the games to the collector. Its
// error is nil when ctx is cancelled.
func playAll(ctx context.Context, s *schedule, st *store, registry *agents.Registry, c *collector) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	size := window(s.config.Workers)
	jobs, slots, outcomes := make(chan int64), make(chan struct{}, size), make(chan outcome, size)

	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(jobs)
		dispatch(groupCtx, s, c.next, jobs, slots)
		return nil
	})
	workers := make([]*worker, s.config.Workers)
	for i := range workers {
		w := newWorker(s, registry)
		w.store = st
		workers[i] = w
		group.Go(func() error { return work(groupCtx, cancel, w, jobs, outcomes) })
	}
	played := make(chan error, 1)
	go func() {
		played <- group.Wait()
		close(outcomes)
	}()
	c.collect(outcomes, slots, cancel)
	err := <-played
	switch cause := context.Cause(ctx); {
	case c.err != nil:
		err = c.err
	case c.decided:
		err = nil // whoever still played was stopped
	case errors.Is(cause, errGoexit):
		err = cause
	}
	// Only now, since an agent that can't be closed is no reason to stop others.
	for _, w := range workers {
		err = errors.Join(err, w.close())
	}
	return err
}

// dispatch hands out the pairs from the first one on in order, each when it is
// known and there is room for it.
func dispatch(ctx context.Context, s *schedule, first int64, jobs chan<- int64, slots chan<- struct{}) {
	for i := first; i < s.len(); i++ {
		select {
		case <-s.known(i):
		case <-ctx.Done():
			return
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		select {
		case jobs <- i:
		case <-ctx.Done():
			return
		}
	}
}

// errGoexit stops a run in which a worker's goroutine has been ended from inside.
var errGoexit = errors.New("an agent ended the goroutine it was called in (runtime.Goexit)")

// work plays pairs until there are none or the run stops. Outcomes never wait:
// there is room for as many as are handed out.
func work(ctx context.Context, cancel context.CancelCauseFunc, w *worker, jobs <-chan int64, outcomes chan<- outcome) error {
	returned := false
	defer func() {
		if !returned {
			cancel(errGoexit)
		}
	}()
	for i := range jobs {
		games, err := w.play(ctx, w.schedule.pair(i))
		outcomes <- outcome{i, games}
		if ctx.Err() != nil {
			break // err says no more than that
		}
		if err != nil {
			returned = true
			return err
		}
	}
	returned = true
	return nil
}
