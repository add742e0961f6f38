package training

import (
	"context"
	"errors"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning"
	"gyges/agents/tuning/spsa"
	"gyges/rules/base/problems"
)

// SPSA is the configuration of a run that tunes parameters by matches between perturbed
// agents.
type SPSA struct {
	Tuning
	Settings spsa.Settings // but Steps and Seed, which are those of Tuning
}

// Validate checks everything that can be checked before a game is played, the folder
// aside. The error joins a *[problems.FieldError] for each invalid field.
func (c *SPSA) Validate(registry *agents.Registry) error {
	var p problems.List
	c.validate(&p, registry)
	s := c.settings()
	return errors.Join(append(p, s.Check())...)
}

// settings returns the settings with those of Tuning.
func (c *SPSA) settings() spsa.Settings {
	s := c.Settings
	s.Steps, s.Seed = c.Steps, c.Match.Seed
	return s
}

// Run tunes the parameters. A run that was stopped in the folder resumes. An error is of
// type *[FolderError] if the folder can't be used.
func (c *SPSA) Run(ctx context.Context, env Env) (*Tuned, error) {
	r := &spsaRun{tuner: tuner{Tuning: &c.Tuning, env: &env}, settings: c.settings()}
	for _, p := range r.settings.Params {
		r.names = append(r.names, p.Name)
	}
	r.theta = r.settings.Start()
	s, config := &r.settings, c.describe()
	config["parameters"], config["pairs"] = s.Params, s.Pairs
	config["alpha"], config["gamma"], config["a"] = s.Alpha, s.Gamma, s.A
	return r.run(ctx, "spsa", config, r)
}

// spsaRun is an SPSA run.
type spsaRun struct {
	tuner
	settings spsa.Settings
	names    []string
	theta    []float64 // the current parameters, not rounded
}

func (r *spsaRun) resume(l *Line) (err error) {
	r.theta, err = l.values(r.names)
	return err
}

// agent returns the agent with the current parameters, rounded.
func (r *spsaRun) agent() agents.Spec { return r.with(r.settings.Round(r.theta)) }

func (r *spsaRun) with(theta []float64) agents.Spec {
	return tuning.With(r.tuner.agent(), r.names, theta)
}

// step plays the pairs of step k between the perturbed agents and updates the
// parameters.
func (r *spsaRun) step(ctx context.Context, k int) (Line, error) {
	plus, minus := r.settings.Perturb(k, r.theta)
	score, err := r.score(ctx, k, r.with(plus), r.with(minus))
	if err != nil {
		return Line{}, err
	}
	r.theta = r.settings.Update(k, r.theta, score)
	return Line{Step: k, Score: &score, Games: 2 * r.settings.Pairs, Parameters: named(r.names, r.theta)}, nil
}

// score plays the pairs of step k and returns the games that a won minus those it lost.
func (r *spsaRun) score(ctx context.Context, k int, a, b agents.Spec) (float64, error) {
	if a.String() == b.String() { // after rounding
		return 0, nil
	}
	seed := agents.MixSeed(r.Match.Seed, forStep, uint64(k))
	s, err := r.play(ctx, stepFolder(k), a, b, r.settings.Pairs, seed)
	score := 0.0
	for half, n := range s.Pairs {
		score += float64(half-2) * float64(n)
	}
	return score, err
}

// finish writes and returns the result.
func (r *spsaRun) finish() (*Tuned, error) {
	t := &Tuned{
		Names: r.names, Before: r.settings.Start(), After: r.theta, Agent: r.agent(), Gain: r.gain(),
		Steps: r.Steps, Games: 2 * r.settings.Pairs * r.Steps,
	}
	var w *eval.Weights
	if slices.ContainsFunc(r.names, func(name string) bool { return strings.HasPrefix(name, eval.ParamPrefix) }) {
		parent, err := tuning.Weights(r.env.Registry, r.tuner.agent(), r.Match.Rules[0])
		if err != nil {
			return nil, err
		}
		tuned, err := tuning.Weights(r.env.Registry, t.Agent, r.Match.Rules[0])
		if err != nil {
			return nil, err
		}
		w = r.weights("spsa", &tuned, &parent, t.Games)
		t.Weights = w.Source
	}
	return t, r.folder.finish(map[string]any{"agent": t.Agent.String(), "gain": t.Gain}, w)
}
