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
	// Window returns how many pairs may be sent to it whose last result hasn't been received, at
	// least 1.
	Window() int

	// Play plays the jobs until the channel is closed or ctx ends, and sends the results of each,
	// two at most, in any order. Sending never blocks. An error stops the run; the end of ctx is
	// not an error.
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

// seated returns the agents of game 0 or 1, by side.
func (j Job) seated(n int) [2]int {
	if n == 1 {
		return [2]int{j.Agents[1], j.Agents[0]}
	}
	return j.Agents
}

// Result is what came of a job.
type Result struct {
	Job
	Games []*record.Record // those wanted, in order; fewer if the run stops or there is More
	More  bool             // another result of the job will follow

	// Err says why the pair can't be played. The run goes on without it as far as it can.
	Err error

	// Written is called when the games are in a file; it may be nil. It must not block.
	Written func()
}

// localExecutor plays in this process.
type localExecutor struct {
	workers int
	first   *Runner // of the runners, whose agents are started
}

// Window implements [Executor]: with 64 pairs, and 8 for each worker, none waits until the games
// before are written.
func (e localExecutor) Window() int { return 64 + 8*e.workers }

// Play implements [Executor].
func (e localExecutor) Play(
	ctx context.Context, config *Config, jobs <-chan Job, results chan<- Result,
) error {
	runners := []*Runner{e.first}
	for len(runners) < e.workers {
		runners = append(runners, NewRunner(config, e.first.newAgent))
	}
	showCtx, stop := context.WithCancel(ctx)
	var showing sync.WaitGroup
	showing.Go(func() { showPlaying(showCtx, config, runners) })
	group, ctx := errgroup.WithContext(ctx)
	for _, r := range runners {
		group.Go(func() error { return r.playJobs(ctx, jobs, results) })
	}
	err := group.Wait()
	stop()
	showing.Wait()
	// Only now, since an agent that can't be closed is no reason to stop others.
	for _, r := range runners {
		err = errors.Join(err, r.Close())
	}
	return err
}

// playJobs plays jobs as [Executor.Play] does, one after another.
func (r *Runner) playJobs(ctx context.Context, jobs <-chan Job, results chan<- Result) error {
	for job := range jobs {
		left := len(job.games())
		err := r.playEach(ctx, job, 1, func(g *record.Record) {
			left--
			results <- Result{Job: job, Games: []*record.Record{g}, More: left > 0}
		})
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it is the context's, which the caller has
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// showPlaying shows the games that runners play, until ctx ends.
func showPlaying(ctx context.Context, config *Config, runners []*Runner) {
	file := Shown{Config: config}
	for tick := time.Tick(playingInterval); ; {
		select {
		case now := <-tick:
			file.Show(PlayingOf(runners, now), now)
		case <-ctx.Done():
			file.Show(new(Playing), time.Now())
			return
		}
	}
}
