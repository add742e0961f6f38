package tournament

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gyges/tournament/record"
)

// Executor plays the pairs of a run: in this process, or on workers elsewhere.
type Executor interface {
	// Window returns how many pairs may be sent to it and not written yet, at least 1.
	Window() int

	// Play plays the jobs until the channel is closed or ctx ends, and sends the result of each, in any order. Sending
	// never blocks. An error stops the run; the end of ctx is not an error.
	Play(ctx context.Context, config *Config, jobs <-chan Job, results chan<- Result) error
}

// Job is a game pair to be played: with the run's config all that a worker needs.
type Job struct {
	Pair   int64   `json:"pair"`   // its index in the schedule
	Round  int64   `json:"round"`  // the number of its opening
	Rules  int     `json:"rules"`  // an index in Config.Rules
	Agents [2]int  `json:"agents"` // indices in Config.Agents; the first is South in the first game
	Wanted [2]bool `json:"games"`  // which of its games are to be played
}

// games returns the numbers of the games that are to be played.
func (j Job) games() (list []int64) {
	for n, wanted := range j.Wanted {
		if wanted {
			list = append(list, 2*j.Pair+int64(n))
		}
	}
	return list
}

// Result is what came of a job.
type Result struct {
	Job
	Games []*record.Record // those that were wanted, in order; fewer if the run stops

	// Err says why the pair can't be played. The run goes on without it as far as it can.
	Err error

	// Written is called when the games are in the file; it may be nil. It must not block.
	Written func()
}

type localExecutor struct {
	workers int
	first   *Runner // of the runners, whose agents are started
}

// Window implements [Executor]: 64 pairs, and 8 for each worker, are room enough for one that takes many times as long
// as the others, and bound the memory for games that can't be written yet.
func (e localExecutor) Window() int { return 64 + 8*e.workers }

// Play implements [Executor].
func (e localExecutor) Play(ctx context.Context, config *Config, jobs <-chan Job, results chan<- Result) error {
	group, ctx := errgroup.WithContext(ctx)
	runners := []*Runner{e.first}
	for len(runners) < e.workers {
		runners = append(runners, NewRunner(config, e.first.newAgent))
	}
	for _, r := range runners {
		group.Go(func() error {
			for job := range jobs {
				games, err := r.Play(ctx, job, 1)
				results <- Result{Job: job, Games: games}
				switch {
				case ctx.Err() != nil:
					return nil //nolint:nilerr // it is the context's, which the caller has
				case err != nil:
					return err
				}
			}
			return nil
		})
	}
	watched, stop := context.WithCancel(ctx)
	var shown sync.WaitGroup
	shown.Go(func() {
		ShowPlaying(watched, config, func(now time.Time) *Playing { return PlayingOf(runners, now) })
	})
	err := group.Wait()
	stop()
	shown.Wait()
	// Only now, since an agent that can't be closed is no reason to stop others.
	for _, r := range runners {
		err = errors.Join(err, r.Close())
	}
	return err
}
