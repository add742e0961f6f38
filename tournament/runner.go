package tournament

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/lists"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// Runner plays jobs of a run with agents of its own. It belongs to one goroutine.
type Runner struct {
	config   *Config
	newAgent AgentMaker
	agents   []agents.Agent // by index of their spec, then those that play against themselves; nil until needed
	opener   *schedule.Opener
	referee  game.Referee
}

// AgentMaker makes the agent that a spec names, for games under rule sets, as [agents.Registry.New] does.
type AgentMaker func(agents.Spec, ...*rules.Rules) (agents.Agent, error)

// NewRunner returns a runner for the runs of a valid config. newAgent makes the
// agents that its specs name, each once and again after a failure.
func NewRunner(config *Config, newAgent AgentMaker) *Runner {
	return &Runner{
		config:   config,
		newAgent: newAgent,
		agents:   make([]agents.Agent, 2*len(config.Agents)),
		opener:   schedule.NewOpener(config.Openings, config.Seed),
	}
}

// Play plays a job. The times of all limits and clocks are multiplied by timeScale, more than 0; 1 leaves them as they
// are. The records hold the times of the config. On an error it returns the games finished before.
func (r *Runner) Play(ctx context.Context, job Job, timeScale float64) (games []*record.Record, err error) {
	err = r.playEach(ctx, job, timeScale, func(g *record.Record) { games = append(games, g) })
	return games, err
}

// playEach plays a job as Play does, and calls finished with each game as soon as it has ended.
func (r *Runner) playEach(ctx context.Context, job Job, timeScale float64, finished func(*record.Record)) error {
	if err := r.config.checkJob(job); err != nil {
		return err
	}
	position, _, err := r.opener.Opening(r.config.Rules[job.Rules], job.Round)
	if err != nil {
		return err
	}
	for _, number := range job.games() {
		task := r.config.task(job, int(number%2), position)
		task.TimeScale = timeScale
		g, err := r.play(ctx, job, &task)
		if err != nil {
			return err
		}
		finished(g)
	}
	return nil
}

// Check returns an error unless games from outside are those of a job, and what their moves and the settings show.
func (r *Runner) Check(job Job, games []*record.Record) error {
	found := lists.Map(games, func(g *record.Record) int64 { return g.Game })
	if !slices.Equal(job.games(), found) {
		return fmt.Errorf("expected games %d, found games %d", job.games(), found)
	}
	for _, g := range games {
		t, err := r.config.taskOf(job, g, r.opener)
		if err == nil {
			err = t.Verify(g)
		}
		if err == nil && g.NotPlayed() {
			err = fmt.Errorf("game %d: expected a game that was played", g.Game)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CheckPlaying is [Runner.Check] of a game that may be under way.
func (r *Runner) CheckPlaying(job Job, g *record.Record) error {
	if !slices.Contains(job.games(), g.Game) {
		return fmt.Errorf("expected a game of pair %d, found game %d", job.Pair, g.Game)
	}
	t, err := r.config.taskOf(job, g, r.opener)
	if err == nil {
		err = t.VerifyHead(g)
	}
	return cmp.Or(err, record.VerifyPlaying(g))
}

func (r *Runner) play(ctx context.Context, job Job, task *game.Task) (*record.Record, error) {
	var seated [2]int
	for side := range task.Seats {
		seated[side], _ = r.config.seat(job, int(task.Number%2), rules.Side(side))
		if job.Agents[0] == job.Agents[1] && rules.Side(side) == rules.North {
			seated[side] += len(r.config.Agents)
		}
		var err error
		if task.Seats[side].Agent, err = r.agent(seated[side]); err != nil {
			return nil, err
		}
	}
	g, hung, err := r.referee.Play(ctx, task)
	switch {
	case hung != nil: // it can't even be closed
		r.agents[seated[*hung]] = nil
	case err == nil && g.Fault != nil && g.Fault.Kind != record.FaultIllegal:
		failed := seated[g.Fault.Loser()]
		_ = game.Close(r.agents[failed]) // its failure is in the record
		r.agents[failed] = nil
	}
	return g, err
}

// Start makes all agents ready, so that one that can't play is found before the games. The error joins one for each.
func (r *Runner) Start(ctx context.Context) error {
	errs := make([]error, len(r.config.Agents))
	lists.OnAllCores(len(errs), func(i int) { // it takes engines seconds
		a, err := r.agent(i)
		if err == nil {
			if err = a.Start(ctx); err != nil {
				err = fmt.Errorf("agent %.60q: %w", r.config.Agents[i], err)
			}
		}
		errs[i] = err
	})
	return errors.Join(errs...)
}

func (r *Runner) agent(i int) (agents.Agent, error) {
	if r.agents[i] == nil {
		a, err := r.newAgent(r.config.Agents[i%len(r.config.Agents)], r.config.Rules...)
		if err != nil {
			return nil, err
		}
		r.agents[i] = a
	}
	return r.agents[i], nil
}

// Close closes the agents. The second time it does nothing.
func (r *Runner) Close() error {
	var errs []error
	for i, a := range r.agents {
		if a == nil {
			continue
		}
		if err := game.Close(a); err != nil {
			specs := r.config.Agents
			errs = append(errs, fmt.Errorf("closing agent %.60q: %w", specs[i%len(specs)].Label(), err))
		}
	}
	clear(r.agents)
	return errors.Join(errs...)
}

// Executor plays the pairs of a run: in this process, or on workers elsewhere.
type Executor interface {
	// Window returns how many pairs may be sent to it whose last result hasn't been received, at least 1.
	Window() int

	// Play plays the jobs until the channel is closed or ctx ends, and sends the results of each, two at most, in any
	// order. Sending never blocks. An error stops the run; the end of ctx is not an error.
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
	Games []*record.Record // those that were wanted, in order; fewer if the run stops, or if there is More
	More  bool             // another result of the job will follow

	// Err says why the pair can't be played. The run goes on without it as far as it can.
	Err error

	// Written is called when the games are in a file; it may be nil. It must not block.
	Written func()
}

type localExecutor struct {
	workers int
	first   *Runner // of the runners, whose agents are started
}

// Window implements [Executor]: with 64 pairs, and 8 for each worker, none waits until the games before are written.
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
				left := len(job.games())
				err := r.playEach(ctx, job, 1, func(g *record.Record) {
					left--
					results <- Result{Job: job, Games: []*record.Record{g}, More: left > 0}
				})
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
		file := Shown{Config: config}
		for tick := time.Tick(playingInterval); ; {
			select {
			case now := <-tick:
				file.Show(PlayingOf(runners, now), now)
			case <-watched.Done():
				file.Show(new(Playing), time.Now())
				return
			}
		}
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
