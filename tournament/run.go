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
	"time"

	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/rules/base/jsonl"
	"gyges/tournament/record"
)

// ErrDecided is why the context of an [Executor] ends when no more games are needed.
var ErrDecided = errors.New("the run is decided")

// Summary says how a run ended.
type Summary struct {
	// Status is Running if the folder could not be made ready, empty if config or agents are wrong.
	Status Status

	Out          string  // the folder of the records
	Scheduled    int64   // games
	Played       int64   // games recorded, those of earlier runs in the folder included
	Kept         int64   // games among them that were there before
	MatchPairs           // of whole pairs
	Decided      bool    // no more games are needed: by the SPRT, by narrow intervals, or Exhausted
	Exhausted    bool    // the last pairs only repeat earlier ones
	Faults       int64   // games among them that a fault of an agent decided
	DeadLettered []error // why pairs were not played, by workers elsewhere
	Start, End   time.Time
}

// Run plays a tournament and records it in the folder config.Out. onGame, if not nil, is called for
// each game as it is recorded, in schedule order, one at a time; it must not keep the run waiting.
//
// A run that was stopped in that folder, in whatever way, goes on: games it has are kept and passed
// to onGame first, an incomplete last line is removed, and a config that plays other games is
// refused. So is a second run at the same time, and one whose agents don't start: nothing is left
// of it.
//
// When ctx is cancelled, games in flight are dropped, everything that is finished is written, and
// the error wraps the context's. A game that can't be written stops the run; the error says how
// many games are safe. An agent's fault decides its game and stops nothing.
func Run(
	ctx context.Context, config Config, registry *agents.Registry, onGame func(*record.Record),
) (Summary, error) {
	s, err := prepare(config, registry, onGame)
	if err != nil {
		return Summary{}, err
	}
	defer func() { _ = s.runner.Close() }() // done before, unless the run doesn't begin
	if err := s.open(ctx); err != nil {
		return s.Summary, err
	}
	defer func() { _ = s.store.lock.Close() }() // nothing was written by it
	err = s.play(ctx)
	return s.finish(ctx, err)
}

// session is a run from one start of the program to its end: one that is stopped and goes on has
// several.
type session struct {
	*collector
	runner   *Runner // its agents are started before the first game
	executor Executor
}

// prepare checks the config and makes what it takes to play it. The folder isn't looked at, and no
// agent is started.
func prepare(
	config Config, registry *agents.Registry, onGame func(*record.Record),
) (*session, error) {
	registry = registry.Reading(config.Agents, config.Files)
	config.Read = registry.Files()
	if err := config.Validate(registry); err != nil {
		return nil, err
	}
	config.Workers = cmp.Or(config.Workers, min(runtime.GOMAXPROCS(0), maxWorkers))
	s := &session{
		collector: newCollector(newPlan(&config), onGame),
		runner:    NewRunner(&config, registry.New),
		executor:  config.Executor,
	}
	if s.executor == nil {
		s.executor = localExecutor{config.Workers, s.runner}
	}
	s.manifest = newManifest(Running, config.inputs(config.Read), s.Start)
	s.manifest.ID = rand.Text()
	s.manifest.Games.Scheduled = s.Scheduled
	return s, nil
}

// open reads the folder, starts the agents, and makes the folder ready for the games that are
// missing. It changes nothing there until all that may be refused has been looked at:
//
//   - Where games are to be played anew, the agents start first. Then these games are taken out of
//     the folder.
//   - Otherwise the folder is read first. The agents start if there are games to play.
func (s *session) open(ctx context.Context) error {
	config := s.plan.config
	anew := len(config.Again) > 0
	if anew {
		if err := s.start(ctx, true); err != nil {
			return err
		}
		if err := setAside(config, *s.manifest); err != nil {
			return err
		}
	}
	st, err := openStore(s.plan, s.manifest, s.count)
	if err != nil {
		return err
	}
	s.store = st
	if config.Extend && s.err != nil {
		return errors.Join(fmt.Errorf("%s: %w", config.Out, s.err), st.discard())
	}
	missing := st.kept < s.Scheduled && !s.isOver()
	if missing && !st.isNew {
		s.manifest.Resumed = s.Start.Round(0).UTC()
	}
	if missing {
		s.manifest.End = time.Time{}
	}
	// Where no game is missing, engines that start are compared with those that played.
	starts := missing || len(s.manifest.Engines) > 0
	if starts && !anew {
		if err := s.start(ctx, missing); err != nil {
			return errors.Join(err, st.discard())
		}
	}
	if err := st.begin(s.plan); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", config.Out, err), st.Close(), st.lock.Close())
	}
	s.writer = st.writer
	s.manifest.Games.Played = st.found()
	if err := s.manifest.save(config.Out); err != nil {
		return errors.Join(err, s.writer.Close(), st.lock.Close())
	}
	return nil
}

// start starts the agents. If one doesn't start that is needed, the run is refused like one whose
// config is wrong; if one is another program than it was, like one in whose folder another run is.
func (s *session) start(ctx context.Context, needed bool) error {
	if err := s.runner.Start(ctx); err != nil {
		if !needed {
			return nil //nolint:nilerr // there are no games to play
		}
		s.Summary = Summary{}
		return err
	}
	return s.manifest.addEngines(s.plan.config.Engines)
}

// play plays the games that are missing. Its error is nil when ctx is cancelled.
func (s *session) play(ctx context.Context) error {
	config := s.plan.config
	if config.Executor != nil {
		_ = s.runner.Close() // others play
	}
	s.next.Store(s.store.kept)
	s.finished = s.store.found()
	if config.OnBegin != nil {
		config.OnBegin(s.finished, s.store.has)
	}
	if s.isOver() {
		return s.err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	size := s.executor.Window()
	jobs := make(chan Job)
	slots := make(chan struct{}, size)
	results := make(chan Result, 2*size) // two of each job, so that sending never blocks
	group, groupCtx := errgroup.WithContext(ctx)
	first := s.next.Load() / 2 // the collector changes it
	group.Go(func() error {
		defer close(jobs)
		return s.dispatch(groupCtx, first, jobs, slots, results)
	})
	group.Go(func() error { return s.executor.Play(groupCtx, config, jobs, results) })
	played := make(chan error, 1)
	go func() {
		played <- group.Wait()
		close(results)
	}()
	s.collect(results, slots, cancel)
	return errors.Join(s.err, <-played)
}

// finish closes the files of a run that was played, with an error or nil, and writes how it ended.
func (s *session) finish(ctx context.Context, err error) (Summary, error) {
	closeErr := s.writer.Close()
	s.End = time.Now().UTC()
	s.Played = s.writer.Written()
	s.Kept += s.store.kept
	switch {
	case s.err != nil: // a game can't be written; closeErr says the same again
		s.Played = countGames(s.store.Name())
		s.Kept = s.store.found()
	case closeErr != nil:
		err = errors.Join(err, closeErr)
	default: // all games that are needed are in order
		err = errors.Join(err, s.store.ahead.remove())
	}
	s.Status, err = ending(ctx, &s.Summary, err)
	s.manifest.Status = s.Status
	s.manifest.Games.Played = s.Played
	if s.manifest.End.IsZero() { // else nothing was played
		s.manifest.End = s.End
	}
	if s.Status == Failed {
		s.manifest.Error = err.Error()
	}
	return s.Summary, errors.Join(err, s.manifest.save(s.Out))
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
	if err == nil {
		switch {
		case s.Played == s.Scheduled, s.Decided:
			return Finished, nil
		case ctx.Err() != nil:
			return Interrupted, fmt.Errorf("stopped after %d of %d games, which are in %s: %w",
				s.Played, s.Scheduled, games, ctx.Err())
		case len(s.DeadLettered) > 0:
			err = fmt.Errorf("%d pairs could not be played: %w",
				len(s.DeadLettered), s.DeadLettered[0])
		default: // can't happen: something must have stopped the run
			err = errors.New("some games were not played")
		}
	}
	if errors.Is(err, errChanged) {
		return Failed, err
	}
	return Failed, fmt.Errorf("%w; the %d games in %s are safe", err, s.Played, games)
}
