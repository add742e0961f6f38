package tournament

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules/base/jsonl"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// ErrDecided is why the context of an [Executor] ends when no more games are needed.
var ErrDecided = errors.New("the run is decided")

// Summary says how a run ended.
type Summary struct {
	Status       Status     // Running if the folder could not be made ready, empty if config or agents are wrong
	Out          string     // the folder of the records
	Scheduled    int64      // games
	Played       int64      // games recorded, those of earlier runs in the folder included
	Kept         int64      // games among them that were there before
	Pairs        sprt.Pairs // whole pairs that repeat no other, where two agents play, as the first listed saw them
	Decided      bool       // the SPRT is, or the intervals are narrow enough, so that no more games are needed
	Exhausted    bool       // it is Decided since the last pairs only repeat earlier ones
	Faults       int64      // games among them that a fault of an agent decided
	DeadLettered []error    // why pairs were not played, by workers elsewhere
	Start, End   time.Time
}

// Run plays a tournament and records it in the folder config.Out. onGame, if not nil, is called for each game as it is
// recorded, in schedule order, one at a time; it must not keep the run waiting.
//
// A run that was stopped in that folder, in whatever way, goes on: games it has are kept and passed to onGame first, an
// incomplete last line is removed, and a config that plays other games is refused. So is a second run at the same time,
// and one whose agents don't start: nothing is left of it.
//
// When ctx is cancelled, games in flight are dropped, everything that is finished is written, and the error wraps the
// context's. A game that can't be written stops the run; the error says how many games are safe. An agent's fault
// decides its game and stops nothing.
func Run(ctx context.Context, config Config, registry *agents.Registry, onGame func(*record.Record)) (Summary, error) {
	return run(ctx, config, registry, onGame, func(w *record.Writer) *record.Writer { return w })
}

// run is Run with a way to put another writer in the place of the folder's.
func run(
	ctx context.Context, config Config, registry *agents.Registry, onGame func(*record.Record),
	replace func(*record.Writer) *record.Writer,
) (Summary, error) {
	registry = registry.Reading(config.Agents, config.Files)
	config.Read = registry.Files()
	if err := config.Validate(registry); err != nil {
		return Summary{}, err
	}
	config.Workers = cmp.Or(config.Workers, min(runtime.GOMAXPROCS(0), maxWorkers))
	plan := newPlan(&config)
	c := &collector{
		Summary: Summary{Status: Running, Out: config.Out, Scheduled: config.Games(), Start: time.Now().UTC()},
		plan:    plan, onGame: onGame, suspend: newSuspensions(config.Suspend, len(config.Agents)),
		precision: newPrecision(plan), advanced: make(chan struct{}, 1), dead: map[int64]error{},
	}
	s := &c.Summary
	m := newManifest(Running, config.inputs(config.Read), s.Start)
	m.ID, m.Games.Scheduled = rand.Text(), s.Scheduled
	first := NewRunner(&config, registry.New)
	defer func() { _ = first.Close() }() // done before, unless the run doesn't begin
	executor := config.Executor
	if executor == nil {
		executor = localExecutor{config.Workers, first}
	}
	again := len(config.Again) > 0
	if again { // before the folder is changed
		if err := first.Start(ctx); err != nil {
			return Summary{}, err
		}
		if err := setAside(&config, *m); err != nil {
			return *s, err
		}
	}
	st, err := openStore(&config, m, plan, c.count)
	if err != nil {
		return *s, err
	}
	defer func() { _ = st.lock.Close() }() // nothing was written by it
	if config.Extend && c.err != nil {
		return *s, errors.Join(fmt.Errorf("%s: %w", config.Out, c.err), st.discard())
	}
	missing := c.err == nil && !s.Decided && st.kept < s.Scheduled
	if missing && !again {
		if err := first.Start(ctx); err != nil {
			return Summary{}, errors.Join(err, st.discard())
		}
	}
	if err := st.begin(&config, plan); err != nil {
		return *s, errors.Join(fmt.Errorf("%s: %w", config.Out, err), st.Close())
	}
	if config.Executor != nil {
		_ = first.Close() // others play
	}
	w := replace(st.writer)
	if err := m.save(config.Out); err != nil {
		return *s, errors.Join(err, w.Close())
	}
	c.writer, c.store = w, st
	c.next.Store(st.kept)
	c.finished.Store(st.kept + int64(len(st.before)))
	if config.OnBegin != nil {
		config.OnBegin(c.finished.Load(), st.has)
	}
	if c.err == nil && !s.Decided {
		stop := c.keepPlayed(*m)
		err = c.playAll(ctx, executor)
		stop()
	}
	err = cmp.Or(err, c.err)
	closeErr := w.Close()
	s.Played, s.Kept, s.End = w.Written(), st.kept+s.Kept, time.Now().UTC()
	switch {
	case c.err != nil: // closeErr says the same again
		s.Played = countGames(st.Name())
		s.Kept = st.kept + int64(len(st.before))
	case closeErr != nil:
		err = errors.Join(err, closeErr)
	default: // all games that are needed are in order
		err = errors.Join(err, st.ahead.remove())
	}
	s.Status, err = ending(ctx, s, err)
	m.Status, m.Games.Played, m.End = s.Status, s.Played, s.End
	if s.Status == Failed {
		m.Error = err.Error()
	}
	return *s, errors.Join(err, m.save(config.Out))
}

// countGames returns how many games readers find in the file of a run's games.
func countGames(path string) (games int64) {
	f, err := OpenGames(path)
	if err != nil {
		return 0
	}
	defer f.Close() //nolint:errcheck // it was only read
	_, _ = jsonl.Read(f, path, record.MaxLine, func([]byte) error {
		games++
		return nil
	})
	return games
}

// ending returns the status of a run that has ended with an error or nil, and its error.
func ending(ctx context.Context, s *Summary, err error) (Status, error) {
	games := filepath.Join(s.Out, GamesFile)
	if _, errAhead := os.Stat(filepath.Join(s.Out, aheadFile)); errAhead == nil {
		games += " and " + aheadFile
	}
	switch {
	case err == nil && (s.Played == s.Scheduled || s.Decided):
		return Finished, nil
	case err == nil && ctx.Err() != nil:
		return Interrupted, fmt.Errorf("stopped after %d of %d games, which are in %s: %w", s.Played, s.Scheduled, games,
			ctx.Err())
	case err == nil && len(s.DeadLettered) > 0:
		err = fmt.Errorf("%d pairs could not be played: %w", len(s.DeadLettered), s.DeadLettered[0])
	case err == nil: // can't happen: something must have stopped the run
		err = errors.New("some games were not played")
	}
	if errors.Is(err, errChanged) {
		return Failed, err
	}
	return Failed, fmt.Errorf("%w; the %d games in %s are safe", err, s.Played, games)
}

// playedEvery is the time between two manifests of a run that goes on.
const playedEvery = 2 * time.Second

// keepPlayed writes a manifest anew while games are finished, until stop is called. What can't be written is found
// where the games are written.
func (c *collector) keepPlayed(m Manifest) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var keeper sync.WaitGroup
	keeper.Go(func() {
		for tick := time.Tick(playedEvery); ; {
			select {
			case <-tick:
			case <-ctx.Done():
				return
			}
			if played := c.finished.Load(); played != m.Games.Played {
				m.Games.Played = played
				_ = m.save(c.Out)
			}
		}
	})
	return func() {
		cancel()
		keeper.Wait()
	}
}

// playAll lets the executor play the schedule and the collector write it. Its error is nil when ctx is cancelled.
func (c *collector) playAll(ctx context.Context, executor Executor) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	size := max(executor.Window(), 1)
	jobs, slots, results := make(chan Job), make(chan struct{}, size), make(chan Result, 2*size)

	group, groupCtx := errgroup.WithContext(ctx)
	first := c.next.Load() / 2 // the collector changes it
	group.Go(func() error {
		defer close(jobs)
		return c.dispatch(groupCtx, first, jobs, slots, results)
	})
	group.Go(func() error { return executor.Play(groupCtx, c.plan.config, jobs, results) })
	played := make(chan error, 1)
	go func() {
		played <- group.Wait()
		close(results)
	}()
	c.collect(results, slots, cancel)
	return errors.Join(c.err, <-played)
}

// dispatch sends the pairs from the first one on to the executor in order, each when it is known and there is room for
// it. Pairs that needn't be played are left out, and pairs of suspended agents have a result at once.
func (c *collector) dispatch(
	ctx context.Context, first int64, jobs chan<- Job, slots chan<- struct{}, results chan<- Result,
) error {
	p := c.plan
	o, warned := schedule.NewOpener(p.config.Openings, p.config.Seed), make([]bool, len(p.config.Rules))
	for i := first; i < p.Len(); i++ {
		select {
		case <-p.Known(i):
		case <-ctx.Done():
			return nil
		}
		job := p.job(i)
		for n := range job.Wanted {
			job.Wanted[n] = !c.store.has(2*i + int64(n))
		}
		if job.Wanted == [2]bool{} {
			continue
		}
		for i >= c.next.Load()/2+maxAhead {
			select {
			case <-c.advanced:
			case <-ctx.Done():
				return nil
			}
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		position, again, err := o.Opening(p.config.Rules[job.Rules], job.Round)
		if err != nil {
			return err
		}
		if again > 0 && !warned[job.Rules] {
			warned[job.Rules] = true
			p.config.warn(fmt.Sprintf("openings for %s only: they begin again", textfmt.Plural(int(again), "round")),
				"rules", p.config.Rules[job.Rules])
		}
		if c.suspend.has(job.Agents[0]) || c.suspend.has(job.Agents[1]) {
			r := Result{Job: job}
			for _, number := range job.games() {
				setup := p.config.task(job, int(number%2), position)
				r.Games = append(r.Games, setup.Blank())
			}
			results <- r
			continue
		}
		select {
		case jobs <- job:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}
