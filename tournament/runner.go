package tournament

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/lists"
	"gyges/rules/base/problems"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

// Runner plays jobs of a run with agents of its own. It belongs to one goroutine.
type Runner struct {
	config   *Config
	newAgent AgentMaker
	opener   *schedule.Opener
	referee  game.Referee

	// agents has two agents of each spec, nil until they are needed: by the index of the spec those
	// that play, then the second ones, which play North against the first.
	agents []agents.Agent
}

// AgentMaker makes the agent that a spec names, for games under rule sets, as [agents.Registry.New]
// does.
type AgentMaker func(agents.Spec, ...*rules.Rules) (agents.Agent, error)

// NewRunner returns a runner for the runs of a valid config. newAgent makes the agents that its
// specs name, each once and again after a failure.
func NewRunner(config *Config, newAgent AgentMaker) *Runner {
	return &Runner{
		config:   config,
		newAgent: newAgent,
		agents:   make([]agents.Agent, 2*len(config.Agents)),
		opener:   schedule.NewOpener(config.Openings, config.Seed),
	}
}

// Play plays a job. The times of all limits and clocks are multiplied by timeScale, more than 0; 1
// leaves them as they are. The records hold the times of the config. On an error it returns the
// games finished before.
func (r *Runner) Play(
	ctx context.Context, job Job, timeScale float64,
) (games []*record.Record, err error) {
	err = r.playEach(ctx, job, timeScale, func(g *record.Record) {
		games = append(games, g)
	})
	return games, err
}

// playEach plays a job as Play does, and calls finished with each game as soon as it has ended.
func (r *Runner) playEach(
	ctx context.Context, job Job, timeScale float64, finished func(*record.Record),
) error {
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

// Check returns an error unless games from outside are those of a job, and what their moves and the
// settings show.
func (r *Runner) Check(job Job, games []*record.Record) error {
	found := lists.Map(games, func(g *record.Record) int64 { return g.Game })
	if !slices.Equal(job.games(), found) {
		return fmt.Errorf("expected games %d, found games %d", job.games(), found)
	}
	for _, g := range games {
		task, err := r.config.taskOf(job, g, r.opener)
		if err != nil {
			return err
		}
		if err := task.Verify(g); err != nil {
			return err
		}
		if g.NotPlayed() {
			return fmt.Errorf("game %d: expected a game that was played", g.Game)
		}
	}
	return nil
}

// CheckPlaying is [Runner.Check] of a game that may be under way.
func (r *Runner) CheckPlaying(job Job, g *record.Record) error {
	if !slices.Contains(job.games(), g.Game) {
		return fmt.Errorf("expected a game of pair %d, found game %d", job.Pair, g.Game)
	}
	task, err := r.config.taskOf(job, g, r.opener)
	if err != nil {
		return err
	}
	if err := task.VerifyHead(g); err != nil {
		return err
	}
	return record.VerifyPlaying(g)
}

// play plays a game. An agent that failed isn't used again.
func (r *Runner) play(ctx context.Context, job Job, task *game.Task) (*record.Record, error) {
	seated := job.seated(int(task.Number % 2)) // indices in r.agents, by side
	if seated[rules.South] == seated[rules.North] {
		seated[rules.North] += len(r.config.Agents)
	}
	for side, i := range seated {
		agent, err := r.agent(i)
		if err != nil {
			return nil, err
		}
		task.Seats[side].Agent = agent
	}
	g, hung, err := r.referee.Play(ctx, task)
	if hung != nil { // it can't even be closed
		r.agents[seated[*hung]] = nil
		return g, err
	}
	if err != nil {
		return g, err
	}
	for _, i := range seated { // whose program may have been started anew
		player := r.spec(i).Label()
		difference := r.agents[i].Program().Difference(r.config.Engines[player])
		if difference != "" {
			err := fmt.Errorf("the engine of %.60q has changed since the run began: %s",
				player, difference)
			return nil, &EngineError{err}
		}
	}
	if g.Fault == nil || g.Fault.Kind == record.FaultIllegal { // the agents themselves are well
		return g, nil
	}
	failed := seated[g.Fault.Loser()]
	_ = game.Close(r.agents[failed]) // its failure is in the record
	r.agents[failed] = nil
	return g, nil
}

// EngineError is the error of an engine that was started anew and is another program than before.
type EngineError struct{ error }

// Start makes all agents ready, so that one that can't play is found before the games, and sets
// Engines of the config to those that it finds. The error joins one for each.
func (r *Runner) Start(ctx context.Context) error {
	errs := make([]error, len(r.config.Agents))
	lists.OnAllCores(len(errs), func(i int) { // it takes engines seconds
		agent, err := r.agent(i)
		if err != nil {
			errs[i] = err
			return
		}
		if err := agent.Start(ctx); err != nil {
			errs[i] = problems.Prefix(fmt.Sprintf("agent %.200q", r.spec(i)), err)
		}
	})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	r.config.Engines = map[string]*agents.Program{}
	for i, spec := range r.config.Agents {
		if program := r.agents[i].Program(); program != nil {
			r.config.Engines[spec.Label()] = program
		}
	}
	return nil
}

// spec returns the spec of one of the runner's agents.
func (r *Runner) spec(i int) agents.Spec { return r.config.Agents[i%len(r.config.Agents)] }

// agent returns one of the runner's agents, which is made when it is needed.
func (r *Runner) agent(i int) (agents.Agent, error) {
	if r.agents[i] == nil {
		agent, err := r.newAgent(r.spec(i), r.config.Rules...)
		if err != nil {
			return nil, err
		}
		r.agents[i] = agent
	}
	return r.agents[i], nil
}

// Close closes the agents. The second time it does nothing.
func (r *Runner) Close() error {
	var errs []error
	for i, agent := range r.agents {
		if agent == nil {
			continue
		}
		closing := fmt.Sprintf("closing agent %.60q", r.spec(i).Label())
		errs = append(errs, problems.Prefix(closing, game.Close(agent)))
	}
	clear(r.agents)
	return errors.Join(errs...)
}
