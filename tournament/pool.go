package tournament

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// Executor plays the pairs of a run: in this process, or on workers elsewhere.
type Executor interface {
	// Window returns how many pairs may be handed out and not written yet, at
	// least 1.
	Window() int

	// Play plays the jobs until the channel is closed or ctx ends, and sends one
	// result for each, in any order. Sending never blocks. An error stops the run;
	// the end of ctx is not an error.
	Play(ctx context.Context, config *Config, jobs <-chan Job, results chan<- PairResult) error
}

// Job is a game pair to be played. With the run's config it is all that a worker
// needs.
type Job struct {
	Pair   int64   `json:"pair"`   // its index in the schedule
	Round  int64   `json:"round"`  // the number of its opening
	Rules  int     `json:"rules"`  // an index in Config.Rules
	Agents [2]int  `json:"agents"` // indices in Config.Agents; the first is South in the first game
	Games  [2]bool `json:"games"`  // which of its games are wanted
}

// PairResult is the result of a job.
type PairResult struct {
	Pair  int64
	Games []*record.Game // those that were wanted, in order; fewer if the run stops

	// Err says why the pair can't be played. The run goes on without it as far
	// as it can.
	Err error

	// Written is called when the games are in the file; it may be nil. It must not
	// block.
	Written func()
}

// Runner plays jobs of a run. It belongs to one goroutine.
type Runner struct{ worker *worker }

// NewRunner returns a runner for the runs of a valid config. newAgent makes the
// agents that its specs name, each once and again after a failure.
func NewRunner(config *Config, newAgent func(agents.Spec) (agents.Agent, error)) *Runner {
	return &Runner{newWorker(newEmptySchedule(config), newAgent)}
}

// Play plays a job. The times of all limits and clocks are multiplied by timeScale,
// more than 0; 1 leaves them as they are. The records hold the times of the config.
// On an error it returns the games finished before.
func (p *Runner) Play(ctx context.Context, job Job, timeScale float64) ([]*record.Game, error) {
	pair, err := p.worker.schedule.pairOf(job)
	if err != nil {
		return nil, err
	}
	p.worker.timeScale = timeScale
	return p.worker.play(ctx, pair, job.Games)
}

// Check reports an error unless games from outside are those that a job wants.
func (p *Runner) Check(job Job, games []*record.Game) error {
	pair, err := p.worker.schedule.pairOf(job)
	if err != nil {
		return err
	}
	for n, wanted := range job.Games {
		if !wanted {
			continue
		}
		if len(games) == 0 {
			return fmt.Errorf("game %d: expected a record, found none", 2*job.Pair+int64(n))
		}
		g := games[0]
		games = games[1:]
		if g.Game != 2*job.Pair+int64(n) {
			return fmt.Errorf("expected game %d, found game %d", 2*job.Pair+int64(n), g.Game)
		}
		if err := p.worker.schedule.checkPair(pair, g); err != nil {
			return err
		}
	}
	if len(games) > 0 {
		return fmt.Errorf("expected the games of pair %d, found game %d too", job.Pair, games[0].Game)
	}
	return nil
}

// Close closes the agents.
func (p *Runner) Close() error { return p.worker.close() }

// job returns the i-th pair as a job that wants both games.
func (s *schedule) job(i int64) Job {
	p := s.pair(i)
	return Job{Pair: i, Round: p.round, Rules: p.rulesNum, Agents: p.agents, Games: [2]bool{true, true}}
}

// pairOf returns the pair of a job, which may come from outside.
func (s *schedule) pairOf(j Job) (pair, error) {
	c := s.config
	ok := j.Pair >= 0 && j.Round >= 0 && 0 <= j.Rules && j.Rules < len(c.Rules)
	for _, a := range j.Agents {
		ok = ok && 0 <= a && a < len(c.Agents)
	}
	if !ok {
		return pair{}, fmt.Errorf("pair %d: expected a round, one of %d rule sets and two of %d agents, found %d, %d, %v",
			j.Pair, len(c.Rules), len(c.Agents), j.Round, j.Rules, j.Agents)
	}
	return pair{index: j.Pair, round: j.Round, rules: c.Rules[j.Rules], rulesNum: j.Rules, agents: j.Agents}, nil
}

// localExecutor plays in goroutines of this process.
type localExecutor struct {
	workers  int
	newAgent func(agents.Spec) (agents.Agent, error)
}

var _ Executor = localExecutor{}

// Window implements [Executor]: workers go on while one of them plays a long pair,
// and the memory for games that wait is bounded.
func (p localExecutor) Window() int { return window(p.workers) }

// Play implements [Executor].
func (p localExecutor) Play(ctx context.Context, config *Config, jobs <-chan Job, results chan<- PairResult) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	group, groupCtx := errgroup.WithContext(ctx)
	s := newEmptySchedule(config)
	workers := make([]*worker, p.workers)
	for i := range workers {
		w := newWorker(s, p.newAgent)
		workers[i] = w
		group.Go(func() error { return work(groupCtx, cancel, w, jobs, results) })
	}
	err := group.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, errGoexit) {
		err = cause
	}
	// Only now, since an agent that can't be closed is no reason to stop others.
	for _, w := range workers {
		err = errors.Join(err, w.close())
	}
	return err
}

// errGoexit stops a run in which a worker's goroutine has been ended from inside.
var errGoexit = errors.New("an agent ended the goroutine it was called in (runtime.Goexit)")

// work plays pairs until there are none or the run stops. Sending never blocks:
// there is room for as many as are handed out.
func work(ctx context.Context, cancel context.CancelCauseFunc, w *worker, jobs <-chan Job, results chan<- PairResult) error {
	returned := false
	defer func() {
		if !returned {
			cancel(errGoexit)
		}
	}()
	for job := range jobs {
		p, err := w.schedule.pairOf(job)
		var games []*record.Game
		if err == nil {
			games, err = w.play(ctx, p, job.Games)
		}
		results <- PairResult{Pair: job.Pair, Games: games}
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

// scaledLimits returns limits with their times multiplied by timeScale.
func scaledLimits(l agents.Limits, timeScale float64) agents.Limits {
	l.MoveTime = scaleTime(l.MoveTime, timeScale)
	return l
}

// scaled returns the clock with its times multiplied by timeScale.
func (c Clock) scaled(timeScale float64) Clock {
	return Clock{scaleTime(c.Base, timeScale), scaleTime(c.Increment, timeScale)}
}

func scaleTime(d time.Duration, timeScale float64) time.Duration {
	if d == 0 || timeScale == 1 {
		return d
	}
	return max(time.Duration(float64(d)*timeScale), time.Millisecond)
}

// newEmptySchedule returns a schedule without stages: agents, rule sets, seeds.
func newEmptySchedule(c *Config) *schedule {
	s := &schedule{config: c}
	for _, spec := range c.Agents {
		s.agentNames = append(s.agentNames, spec.String())
		s.agentHash = append(s.agentHash, hashText(spec.Label()))
		s.own = append(s.own, timeOf(spec))
	}
	for _, r := range c.Rules {
		s.rulesHash = append(s.rulesHash, hashText(r.String()))
	}
	return s
}

// checkPair returns an error unless a game belongs to a pair.
func (s *schedule) checkPair(p pair, g *record.Game) error {
	south, southSeed := s.seat(p, int(g.Game%2), rules.South)
	north, northSeed := s.seat(p, int(g.Game%2), rules.North)
	want := record.Game{Pair: p.index, Rules: p.rules.String(),
		South: record.Player{Agent: s.agentNames[south], Seed: southSeed}, North: record.Player{Agent: s.agentNames[north], Seed: northSeed}}
	if g.Pair != want.Pair || g.Rules != want.Rules || g.South != want.South || g.North != want.North {
		return fmt.Errorf("%s: game %d: expected pair %d of %s and %s under %s, found pair %d of %s and %s under %s", GamesFile, g.Game,
			want.Pair, want.South.Agent, want.North.Agent, want.Rules, g.Pair, g.South.Agent, g.North.Agent, g.Rules)
	}
	return nil
}
