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

// Pool is where the pairs of a run are played: in this process, or by workers
// elsewhere.
type Pool interface {
	// Window returns how many pairs may be handed out and not written yet, at
	// least 1.
	Window() int

	// Play plays the jobs, until there are no more or ctx ends, and sends an
	// outcome for each, once, in any order. There is always room for it. An error
	// stops the run; that ctx has ended is none.
	Play(ctx context.Context, config *Config, jobs <-chan Job, outcomes chan<- Outcome) error
}

// Job is a game pair to be played. With the run's config it says all that a
// worker must know.
type Job struct {
	Pair   int64   `json:"pair"`   // its index in the schedule
	Round  int64   `json:"round"`  // the number of its opening
	Rules  int     `json:"rules"`  // an index in Config.Rules
	Agents [2]int  `json:"agents"` // indices in Config.Agents; the first is South in the first game
	Games  [2]bool `json:"games"`  // which of its games are wanted
}

// Outcome is what became of a job.
type Outcome struct {
	Pair  int64
	Games []*record.Game // those that were wanted, in order; fewer if the run stops

	// Err says why the pair can't be played. The run goes on without it as far
	// as it can.
	Err error

	// Written is called when the games are in the file; nil: nobody cares. It must
	// not wait.
	Written func()
}

// Player plays jobs of a run. It belongs to one goroutine.
type Player struct{ worker *worker }

// NewPlayer returns a player for the runs of a valid config. newAgent makes the
// agents that its specs name, each once and again after a failure.
func NewPlayer(config *Config, newAgent func(agents.Spec) (agents.Agent, error)) *Player {
	return &Player{newWorker(newSeating(config), newAgent)}
}

// Play plays a job. The times of all limits and clocks are multiplied by pace,
// which is more than 0, 1 as a rule; the records have them as in the config.
// On an error it returns the games finished before.
func (p *Player) Play(ctx context.Context, job Job, pace float64) ([]*record.Game, error) {
	pair, err := p.worker.schedule.pairOf(job)
	if err != nil {
		return nil, err
	}
	p.worker.pace = pace
	return p.worker.play(ctx, pair, job.Games)
}

// Check tells whether games from outside are those that a job asks for.
func (p *Player) Check(job Job, games []*record.Game) error {
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
func (p *Player) Close() error { return p.worker.close() }

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

// localPool plays in goroutines of this process.
type localPool struct {
	workers  int
	newAgent func(agents.Spec) (agents.Agent, error)
}

var _ Pool = localPool{}

// Window implements [Pool]: workers go on while one of them plays a long pair,
// and the memory for games that wait is bounded.
func (p localPool) Window() int { return window(p.workers) }

// Play implements [Pool].
func (p localPool) Play(ctx context.Context, config *Config, jobs <-chan Job, outcomes chan<- Outcome) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	group, groupCtx := errgroup.WithContext(ctx)
	s := newSeating(config)
	workers := make([]*worker, p.workers)
	for i := range workers {
		w := newWorker(s, p.newAgent)
		workers[i] = w
		group.Go(func() error { return work(groupCtx, cancel, w, jobs, outcomes) })
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

// work plays pairs until there are none or the run stops. Outcomes never wait:
// there is room for as many as are handed out.
func work(ctx context.Context, cancel context.CancelCauseFunc, w *worker, jobs <-chan Job, outcomes chan<- Outcome) error {
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
		outcomes <- Outcome{Pair: job.Pair, Games: games}
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

// paced returns limits with their times multiplied by pace.
func paced(l agents.Limits, pace float64) agents.Limits {
	l.MoveTime = scaled(l.MoveTime, pace)
	return l
}

// paced returns the clock with its times multiplied by pace.
func (c Clock) paced(pace float64) Clock {
	return Clock{scaled(c.Base, pace), scaled(c.Increment, pace)}
}

func scaled(d time.Duration, pace float64) time.Duration {
	if d == 0 || pace == 1 {
		return d
	}
	return max(time.Duration(float64(d)*pace), time.Millisecond)
}

// newSeating returns the part of a schedule that doesn't depend on who meets whom.
func newSeating(c *Config) *schedule {
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

// checkPair tells whether a game is one of a pair.
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
