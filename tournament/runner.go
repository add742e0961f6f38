package tournament

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

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
func (r *Runner) Play(ctx context.Context, job Job, timeScale float64) ([]*record.Record, error) {
	if err := r.config.checkJob(job); err != nil {
		return nil, err
	}
	position, _, err := r.opener.Opening(r.config.Rules[job.Rules], job.Round)
	if err != nil {
		return nil, err
	}
	games := make([]*record.Record, 0, 2)
	for _, number := range job.games() {
		g, err := r.playOne(ctx, job, int(number%2), position, timeScale)
		if err != nil {
			return games, err
		}
		games = append(games, g)
	}
	return games, nil
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

func (r *Runner) playOne(
	ctx context.Context, job Job, n int, position rules.Position, timeScale float64,
) (*record.Record, error) {
	setup := r.config.task(job, n, position)
	setup.TimeScale = timeScale
	var seated [2]int
	for side := range setup.Seats {
		seated[side], _ = r.config.seat(job, n, rules.Side(side))
		if job.Agents[0] == job.Agents[1] && rules.Side(side) == rules.North {
			seated[side] += len(r.config.Agents)
		}
		var err error
		if setup.Seats[side].Agent, err = r.agent(seated[side]); err != nil {
			return nil, err
		}
	}
	g, hung, err := r.referee.Play(ctx, &setup)
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
