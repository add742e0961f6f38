package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning"
	"gyges/agents/tuning/tdleaf"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/tournament"
	"gyges/tournament/record"
)

// TD is the configuration of a run that learns weights from self-play by TDLeaf(λ).
type TD struct {
	Tuning
	Settings tdleaf.Settings
	Games    int // of each step
}

// DefaultTD returns a config that lacks the agent and the folder.
func DefaultTD() TD {
	return TD{Tuning: DefaultTuning(), Settings: tdleaf.Settings{Lambda: 0.7, Rate: 5, Scale: 0.005}, Games: 16}
}

// Validate checks everything that can be checked before a game is played, the folder
// aside. The error joins a *[problems.FieldError] for each invalid field.
func (c *TD) Validate(registry *agents.Registry) error {
	var p problems.List
	if c.validate(&p, registry) {
		if _, err := tuning.Weights(registry, c.agent(), c.Match.Rules[0]); err != nil {
			p.Add("agent", err)
		}
	}
	problems.InRange(&p, "steps", "a number from 1", c.Steps, 1, maxCount)
	problems.InRange(&p, "games", "a number from 1", c.Games, 1, maxCount)
	return errors.Join(append(p, c.Settings.Check())...)
}

// Run learns the weights. A run that was stopped in the folder resumes. An error is of
// type *[FolderError] if the folder can't be used.
func (c *TD) Run(ctx context.Context, env Env) (*Tuned, error) {
	parent, err := tuning.Weights(env.Registry, c.agent(), c.Match.Rules[0])
	if err != nil {
		return nil, err
	}
	r := &tdRun{
		tuner: tuner{Tuning: &c.Tuning, env: &env}, td: c, parent: &parent, state: tdleaf.Start(parent.Values[:]),
	}
	if r.eval, err = eval.New(parent, c.Match.Rules[0]); err != nil {
		return nil, err
	}
	s, config := &c.Settings, c.describe()
	config["weights"], config["frozen"] = named(eval.Names(), parent.Values[:]), frozenNames(s.Frozen)
	config["games"], config["lambda"], config["rate"], config["scale"] = c.Games, s.Lambda, s.Rate, s.Scale
	return r.run(ctx, "td", config, r)
}

// frozenNames lists the features whose weights are not tuned.
func frozenNames(frozen []bool) []string {
	list := []string{}
	for j, name := range eval.Names() {
		if frozen != nil && frozen[j] {
			list = append(list, name)
		}
	}
	return list
}

// tdRun is a TD run.
type tdRun struct {
	tuner
	td     *TD
	parent *eval.Weights // the initial weights
	state  tdleaf.State
	eval   *eval.Evaluator // for features and the output of the parent's network
}

// The parts of a state in the history, beside the weights.
const (
	stateGradients = "gradients"
	stateFeatures  = "features"
	stateLeaves    = "leaves"
)

func (r *tdRun) resume(l *Line) error {
	weights, err := l.values(eval.Names())
	leaves, n := l.State[stateLeaves], len(weights)
	s := tdleaf.State{Weights: weights, Gradients: l.State[stateGradients], Features: l.State[stateFeatures]}
	if err != nil || l.Loss == nil || len(leaves) != 1 || len(s.Gradients) != n || len(s.Features) != n {
		return errOtherParameters
	}
	s.Loss, s.Leaves = *l.Loss, leaves[0]
	r.state = s
	return nil
}

// agent returns the agent with the current weights.
func (r *tdRun) agent() agents.Spec { return tuning.WithWeights(r.tuner.agent(), r.state.Weights) }

// step plays the games of step k and learns from them.
func (r *tdRun) step(ctx context.Context, k int) (Line, error) {
	games, err := r.playGames(ctx, k)
	if err != nil {
		return Line{}, err
	}
	if r.state, err = r.td.Settings.Step(r.state, games); err != nil {
		return Line{}, fmt.Errorf("step %d: %w", k, err)
	}
	s := &r.state
	return Line{
		Step: k, Loss: &s.Loss, Games: len(games), Parameters: named(eval.Names(), s.Weights),
		State: map[string][]float64{stateGradients: s.Gradients, stateFeatures: s.Features, stateLeaves: {s.Leaves}},
	}, nil
}

// playGames plays the games of a step on all cores. A game depends on the weights, the
// step and its number alone.
func (r *tdRun) playGames(ctx context.Context, step int) ([]tdleaf.Game, error) {
	workers := cmp.Or(r.Match.Workers, runtime.GOMAXPROCS(0))
	games := make([]tdleaf.Game, r.td.Games)
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range min(workers, len(games)) {
		group.Go(func() (err error) {
			spec := r.agent()
			var seats [2]tournament.Seat
			for side := range seats {
				seats[side].Name = spec.String()
				if seats[side].Agent, err = r.env.Registry.New(spec); err != nil {
					return err
				}
				defer func() { err = errors.Join(err, agents.Close(seats[side].Agent)) }()
			}
			for err == nil {
				i := int(next.Add(1)) - 1
				if i >= len(games) {
					return nil
				}
				games[i], err = r.playGame(ctx, int64(step-1)*int64(len(games))+int64(i), seats)
			}
			return err
		})
	}
	return games, group.Wait()
}

// playGame plays game k of the run.
func (r *tdRun) playGame(ctx context.Context, k int64, seats [2]tournament.Seat) (game tdleaf.Game, err error) {
	c := &r.Match
	opening, err := c.Openings.Opening(c.Rules[0], c.Seed, k)
	if err != nil {
		return game, err
	}
	for side := range seats {
		seats[side].Seed = agents.MixSeed(c.Seed, forTDGame, uint64(k), uint64(side))
	}
	g, err := tournament.PlayGame(ctx, &tournament.Game{
		Number: k, Pair: k / 2, Rules: c.Rules[0], Opening: opening, Policy: c.Openings.String(), Seats: seats,
		Limits: c.Limits, OnRepetition: c.OnRepetition, TimeMargin: c.TimeMargin,
		OnMove: func(g *rules.Game, d agents.Decision) {
			if d.Scored && !d.Move.IsPlacement() {
				game.Leaves = append(game.Leaves, leaf(r.eval, g, d))
			}
		},
	})
	if err != nil {
		return game, err
	}
	if g.Fault != nil {
		return game, fmt.Errorf("game %d: the agent lost by a fault (%s): %s", k, g.Fault.Kind, g.Fault.Detail)
	}
	game.Result = points(g.Result)
	return game, nil
}

// points returns the points of South for a result.
func points(result string) float64 { return float64(record.HalfPoints(result, rules.South)) / 2 }

// leaf returns the position at the end of a decision's principal variation; its first
// move has been played in g.
func leaf(e *eval.Evaluator, g *rules.Game, d agents.Decision) tdleaf.Leaf {
	p := g.Position()
	mover := p.Side().Other()
	var outcome rules.Outcome
	if plies, proven := d.Score.Proven(); proven {
		if outcome = rules.WinFor(mover); plies < 0 {
			outcome = rules.WinFor(mover.Other())
		}
	} else {
		if len(d.PV) > 0 && d.PV[0] == d.Move {
			for _, m := range d.PV[1:] {
				p = g.Rules().Apply(p, m)
			}
		}
		outcome = g.Rules().Outcome(p)
	}
	if outcome != rules.Undecided {
		return tdleaf.Leaf{Proven: true, Value: points(outcome.String())}
	}
	var f [eval.NumFeatures]float64
	var in eval.Inputs
	base := e.Extract(p, &f, &in)
	return tdleaf.Leaf{Features: f[:], Base: base, South: p.Side() == rules.South}
}

// finish writes and returns the result.
func (r *tdRun) finish() (*Tuned, error) {
	t := &Tuned{
		Names: eval.Names(), Before: r.parent.Values[:], After: r.state.Weights, Agent: r.agent(),
		Loss: &r.state.Loss, Gain: r.gain(), Steps: r.Steps, Games: r.td.Games * r.Steps,
	}
	tuned := *r.parent
	for j, x := range r.state.Weights {
		tuned.Values[j] = tuning.SixDigits(x)
	}
	w := r.weights("tdleaf", &tuned, r.parent, t.Games)
	t.Weights = w.Source
	return t, r.folder.finish(map[string]any{"loss": r.state.Loss, "gain": t.Gain}, w)
}
