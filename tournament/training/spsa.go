package training

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning"
	"gyges/agents/tuning/spsa"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/tournament"
)

// SPSA is the configuration of a run that tunes parameters by matches between perturbed
// agents. Start from [DefaultSPSA].
type SPSA struct {
	// Match is how games are played: rules (one set), openings, limits, seed, workers
	// and folder. Agents holds the agent that is tuned; Pairs is not used.
	Match        tournament.Config `yaml:",inline" keys:"name openings limits stall_timeout seed workers out"`
	Settings     spsa.Settings     `yaml:",inline"` // but Seed, which is that of Match
	Verification Verification      `yaml:"verification" help:"Matches of the tuned agent against the initial one."`
}

// Verification is the schedule of matches of the tuned agent against the initial one.
type Verification struct {
	Every int `yaml:"every" check:"0..1000000" zero:"at the end only" help:"Steps between two matches against the initial agent."`
	Pairs int `yaml:"pairs" check:"0..1000000" zero:"no verification" help:"Game pairs of each such match."`
}

// Tuned is the result of an SPSA run.
type Tuned struct {
	Names         []string    // of the parameters
	Before, After []float64   // their values
	Agent         agents.Spec // with the tuned parameters
	Gain          *eval.Gain  // Elo of the match after the last step; nil: there was none
	Steps, Games  int         // in all
	Weights       string      // the weights file; "" if no weights were tuned
}

// DefaultSPSA returns a config that lacks the agent, the parameters and the folder.
func DefaultSPSA() SPSA {
	return SPSA{Match: tournament.DefaultMatch(), Settings: spsa.Settings{Steps: 100, Pairs: 4}}
}

// Validate checks everything that can be checked before a game is played, the folder
// aside. The error joins a *[problems.FieldError] for each invalid field.
func (c *SPSA) Validate(registry *agents.Registry) error {
	var p problems.List
	settings.Check(&p, &c.Verification, "verification.")
	c.Settings.Check(&p)
	p.Expect(len(c.Match.Agents) == 1, "agent", "expected an agent spec, like alphabeta:depth=2, found none")
	m := c.Match
	m.Agents = append(slices.Clone(m.Agents), agents.Spec{Kind: "random"}) // a match needs two
	for _, err := range problems.Split(m.Validate(registry)) {
		fe, ok := errors.AsType[*problems.FieldError](err)
		switch {
		case !ok:
			p = append(p, err)
		case fe.Field == "agents": // there is none
		case fe.Field == "agents[0]":
			p.Add("agent", fe.Err)
		case fe.Field == "agents[1]": // the agent is random, too
			p.Expect(false, "agent", "expected an agent with parameters to tune, found %.60q", c.agent())
		default:
			p = append(p, fe)
		}
	}
	return p.Err()
}

// agent returns the agent that is tuned.
func (c *SPSA) agent() agents.Spec { return c.Match.Agents[0] }

// describe returns everything that the outcome of a run depends on.
func (c *SPSA) describe() map[string]any {
	m, s := &c.Match, &c.Settings
	return map[string]any{
		"rules": m.Rules[0].String(), "agent": c.agent().String(),
		"openings": m.Openings.String(), "positions": m.Openings.Positions,
		"depth": m.Limits.Depth, "nodes": m.Limits.Nodes, "movetime": m.Limits.MoveTime.String(), "seed": m.Seed,
		"steps": s.Steps, "verification_every": c.Verification.Every, "verification_pairs": c.Verification.Pairs,
		"parameters": s.Params, "pairs": s.Pairs, "alpha": s.Alpha, "gamma": s.Gamma, "a": s.A,
	}
}

// Purposes of derived seeds.
const (
	forStep uint64 = iota + 1
	forVerification
)

// Run tunes the parameters. A run that was stopped in the folder resumes. An error is of
// type *[FolderError] if the folder can't be used, and otherwise noted there.
func (c *SPSA) Run(ctx context.Context, env Env) (_ *Tuned, err error) {
	r := &spsaRun{SPSA: c, settings: c.Settings, env: &env}
	r.settings.Seed, r.theta = c.Match.Seed, c.Settings.Start()
	for _, p := range c.Settings.Params {
		r.names = append(r.names, p.Name)
	}
	manifest := Manifest{Method: "spsa", Version: env.Version, Config: c.describe()}
	if r.folder, err = openFolder(ctx, c.Match.Out, manifest); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.folder.close()) }()
	if err := r.steps(ctx); err != nil {
		if _, unusable := errors.AsType[*FolderError](err); !unusable {
			err = errors.Join(err, r.folder.save(stopped(ctx), r.folder.manifest.Result))
		}
		return nil, err
	}
	return r.finish()
}

// spsaRun is an SPSA run.
type spsaRun struct {
	*SPSA
	settings spsa.Settings
	env      *Env
	folder   *folder
	names    []string
	theta    []float64 // the current parameters, not rounded
}

// steps makes the steps of a run, each followed by a verification match if it is due. It
// resumes after the last step in the history.
func (r *spsaRun) steps(ctx context.Context) (err error) {
	initial, last := r.current(), 0
	if n := len(r.folder.kept.lines); n > 0 {
		last = r.folder.kept.lines[n-1].Step
		if r.theta, err = r.folder.kept.lines[n-1].values(r.names); err != nil {
			return &FolderError{fmt.Errorf("%s: %w", r.folder.path, err)}
		}
		r.removeGames(last)
	}
	if err := r.folder.begin(); err != nil {
		return err
	}
	if last > 0 {
		r.env.step(r.folder.kept.lines)
	}
	for k := last + 1; k <= r.settings.Steps; k++ {
		l, err := r.step(ctx, k)
		if err == nil {
			err = r.verify(ctx, &l, r.current(), initial)
		}
		if err == nil {
			err = r.folder.append(l)
		}
		if err != nil {
			return err
		}
		r.removeGames(k)
		r.env.step(r.folder.kept.lines)
	}
	return nil
}

// current returns the agent with the current parameters, rounded.
func (r *spsaRun) current() agents.Spec { return r.with(r.settings.Round(r.theta)) }

func (r *spsaRun) with(theta []float64) agents.Spec { return tuning.With(r.agent(), r.names, theta) }

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

// verify plays the match that is due after a step, and adds the result to its line.
func (r *spsaRun) verify(ctx context.Context, l *Line, tuned, initial agents.Spec) error {
	v, k := r.Verification, l.Step
	due := v.Pairs > 0 && (k == r.settings.Steps || v.Every > 0 && k%v.Every == 0)
	if !due || tuned.String() == initial.String() {
		return nil
	}
	r.env.stage(k, "verification", 2*int64(v.Pairs))
	seed := agents.MixSeed(r.Match.Seed, forVerification, uint64(k))
	s, err := r.play(ctx, verificationFolder(k), tuned, initial, v.Pairs, seed)
	if err != nil {
		return err
	}
	if l.Elo, l.EloMargin = finiteElo(s.Pairs.Estimate()); l.Elo == nil {
		r.env.warn("the verification match has no finite Elo estimate", "step", k, "pairs", s.Pairs)
	}
	return nil
}

// play plays a match of two agents in a folder of the run, which resumes there.
func (r *spsaRun) play(
	ctx context.Context, folder string, a, b agents.Spec, pairs int, seed uint64,
) (tournament.Summary, error) {
	c := r.Match
	c.Agents = []agents.Spec{a.With("name", "tuned"), b.With("name", "other")}
	c.Pairs, c.Seed, c.Out, c.Name = pairs, seed, filepath.Join(r.Match.Out, folder), folder
	return r.env.play(ctx, c, r.env.game)
}

// removeGames removes the games of a step that is in the history.
func (r *spsaRun) removeGames(k int) {
	for _, name := range []string{stepFolder(k), verificationFolder(k)} {
		if err := os.RemoveAll(filepath.Join(r.Match.Out, name)); err != nil {
			r.env.warn("remove the games of a step", "error", err)
		}
	}
}

func stepFolder(k int) string         { return fmt.Sprintf("step-%06d", k) }
func verificationFolder(k int) string { return fmt.Sprintf("verification-%06d", k) }

// finish writes and returns the result.
func (r *spsaRun) finish() (*Tuned, error) {
	last := r.folder.kept.lines[len(r.folder.kept.lines)-1]
	t := &Tuned{
		Names: r.names, Before: r.settings.Start(), After: r.theta, Agent: r.current(),
		Gain:  eloGain(last.Elo, last.EloMargin, 2*int64(r.Verification.Pairs)),
		Steps: r.settings.Steps, Games: 2 * r.settings.Pairs * r.settings.Steps,
	}
	var w *eval.Weights
	if slices.ContainsFunc(r.names, func(name string) bool { return strings.HasPrefix(name, eval.ParamPrefix) }) {
		parent, err := tuning.Weights(r.env.Registry, r.agent(), r.Match.Rules[0])
		if err != nil {
			return nil, err
		}
		tuned, err := tuning.Weights(r.env.Registry, t.Agent, r.Match.Rules[0])
		if err != nil {
			return nil, err
		}
		w, t.Weights = &tuned, r.folder.file(WeightsFile)
		w.Source, w.Provenance = t.Weights, eval.Provenance{
			Method: "spsa", Run: r.Match.Name, Parent: sourceName(&parent), Seed: r.Match.Seed,
			Version: r.env.Version, Gain: t.Gain, Data: fmt.Sprintf("%d games of %s", t.Games, r.agent()),
		}
	}
	return t, r.folder.finish(map[string]any{"agent": t.Agent.String(), "gain": t.Gain}, w)
}
