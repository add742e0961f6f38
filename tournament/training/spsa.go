package training

import (
	"cmp"
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
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/lists"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/tournament"
	"gyges/tournament/game"
)

// SPSA is a run that tunes parameters by matches between perturbed agents. Start from [DefaultSPSA].
type SPSA struct {
	Name          string       `yaml:"name" form:"a name, in quotes if it is a number" help:"Name of the run, and of its folder under results. Default: the file's."`
	Rules         *rules.Rules `yaml:"rules" form:"a rule set, like standard or standard:null_move=allow" help:"The rule set of all games."`
	Agent         agents.Spec  `yaml:"agent" form:"an agent spec, like random or alphabeta:depth=2" help:"The agent that is tuned."`
	game.Settings `yaml:",inline"`

	Method       spsa.Settings `yaml:",inline"` // but its Seed, which is that below
	Verification Verification  `yaml:"verification" help:"Matches of the tuned agent against the initial one."`

	Seed     uint64              `yaml:"seed" name:"seed" placeholder:"N" help:"Seed of all random choices."`
	Workers  int                 `yaml:"workers" check:"0..1024" zero:"all cores" name:"workers" placeholder:"N" help:"Games at a time; 0, the default, is one for each core."`
	Out      string              `yaml:"out" form:"a folder, in quotes if it is a number" name:"out" placeholder:"DIR" help:"Folder of the run; a run that was stopped there resumes. Default: a new one, results/NAME-TIME."`
	Executor tournament.Executor // plays the pairs; nil: this process
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
	Start, Agent  agents.Spec // with the parameters at the start, and with the tuned ones
	Gain          *eval.Gain  // Elo of the match after the last step; nil: there is none
	Verified      sprt.Pairs  // of that match
	Steps, Games  int         // in all
	Weights       string      // the weights file; "" if no weights were tuned
}

// DefaultSPSA returns a config without agent, parameters, openings ([schedule.Openings.ForMatch]) and folder.
func DefaultSPSA() SPSA {
	return SPSA{
		Name: "tournament", Rules: rules.MustParse("standard"), Settings: game.DefaultSettings(),
		Method: spsa.Settings{Steps: 100, Pairs: 4}, Seed: 1,
	}
}

// Validate checks everything but Out. The error joins a *[problems.FieldError] for each invalid field.
func (c *SPSA) Validate(registry *agents.Registry) error {
	var p problems.List
	tournament.CheckName(&p, c.Name)
	settings.Check(&p, c, "")
	c.Method.Check(&p)
	k, err := registry.Kind(c.Agent)
	p.Expect(c.Agent.Kind != "", "agent", "expected an agent spec, like alphabeta:depth=2, found none")
	p.Expect(err != nil || len(k.Params) > 0, "agent", "expected an agent with parameters to tune, found %.60q", c.Agent)
	if c.Agent.Kind != "" {
		tournament.CheckAgent(&p, "agent", registry, c.Agent, c.Rules)
	}
	c.Check(&p, "", []*rules.Rules{c.Rules}, c.Seed)
	p.Expect(c.Verification.Every <= 0 || c.Verification.Pairs > 0, "verification.every",
		"expected verification.pairs, too, found %d steps between matches of no pairs", c.Verification.Every)
	return p.Err()
}

func (c *SPSA) match(folder string, a, b agents.Spec, pairs int, seed uint64) tournament.Config {
	m := tournament.DefaultConfig()
	m.Name, m.Out, m.Rules, m.Settings = folder, filepath.Join(c.Out, folder), []*rules.Rules{c.Rules}, c.Settings
	m.Agents = []agents.Spec{a.With("name", "tuned"), b.With("name", "other")}
	m.Pairs, m.Seed, m.Workers, m.Executor = pairs, seed, c.Workers, c.Executor
	return m
}

// Purposes of derived seeds.
const (
	forStep uint64 = iota + 1
	forVerification
)

// Run tunes the parameters. A run that was stopped in the folder resumes. An error is of
// type *[FolderError] if the folder can't be used, and otherwise noted there.
func (c *SPSA) Run(ctx context.Context, env Env) (_ *Tuned, err error) {
	r := &spsaRun{SPSA: c, settings: c.Method, env: &env}
	r.settings.Seed, r.theta = c.Seed, c.Method.Start()
	r.names = lists.Map(c.Method.Params, func(p spsa.Param) string { return p.Name })
	env.Registry = env.Registry.Reading([]agents.Spec{c.Agent}, nil)
	config := describe(c, nil)
	config["parameters"] = c.Method.Params
	manifest := Manifest{
		Method: "spsa", Version: env.Version, Config: config,
		Files: slices.Concat(env.Registry.Files(), c.Openings.Files()),
		free:  []string{"verification."}, // of matches yet to be played
	}
	if r.folder, err = openFolder(ctx, c.Out, manifest); err != nil {
		return nil, err
	}
	r.folder.warn(&env)
	defer func() { err = errors.Join(err, r.folder.history.Close()) }()
	if err := r.steps(ctx); err != nil {
		if _, unusable := errors.AsType[*FolderError](err); !unusable {
			err = errors.Join(err, r.folder.save(stopped(ctx), r.folder.manifest.Result))
		}
		return nil, err
	}
	return r.finish()
}

type spsaRun struct {
	*SPSA
	settings spsa.Settings
	env      *Env
	folder   *folder
	names    []string
	theta    []float64 // the current parameters, not rounded
}

// steps makes the steps after the last one in the history, each followed by a verification match if it is due.
func (r *spsaRun) steps(ctx context.Context) (err error) {
	initial, last := r.current(), 0
	if n := len(r.folder.kept.lines); n > 0 {
		last = r.folder.kept.lines[n-1].Step
		if r.theta, err = r.folder.kept.lines[n-1].values(r.names); err != nil {
			return &FolderError{fmt.Errorf("%s: %w", r.folder.path, err)}
		}
		r.removeGames(last)
	}
	if err := r.folder.save(tournament.Running, r.folder.manifest.Result); err != nil {
		return err
	}
	if last > 0 {
		r.env.Step(r.folder.kept.lines)
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
		r.env.Step(r.folder.kept.lines)
	}
	return nil
}

func (r *spsaRun) current() agents.Spec { return r.with(r.settings.Round(r.theta)) }

func (r *spsaRun) with(theta []float64) agents.Spec { return tuning.With(r.Agent, r.names, theta) }

// step plays the pairs of step k between the perturbed agents and updates the parameters.
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
func (r *spsaRun) score(ctx context.Context, k int, a, b agents.Spec) (score float64, err error) {
	if a.String() == b.String() { // after rounding
		return 0, nil
	}
	seed := agents.MixSeed(r.Seed, forStep, uint64(k))
	s, err := r.env.play(ctx, r.match(stepFolder(k), a, b, r.settings.Pairs, seed), r.env.Game)
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
	r.env.Stage(k, "verification", 2*int64(v.Pairs))
	seed := agents.MixSeed(r.Seed, forVerification, uint64(k))
	s, err := r.env.play(ctx, r.match(verificationFolder(k), tuned, initial, v.Pairs, seed), r.env.Game)
	if err != nil {
		return err
	}
	l.Pairs = &s.Pairs
	if l.Elo, l.EloMargin = finiteElo(s.Pairs.Estimate()); l.Elo == nil {
		r.env.Log.Warn("the verification match has no finite Elo estimate", "step", k, "pairs", s.Pairs)
	}
	return nil
}

// removeGames removes the games of a step that is in the history.
func (r *spsaRun) removeGames(k int) {
	for _, name := range []string{stepFolder(k), verificationFolder(k)} {
		if err := os.RemoveAll(filepath.Join(r.Out, name)); err != nil {
			r.env.Log.Warn("remove the games of a step", "error", err)
		}
	}
}

func stepFolder(k int) string         { return fmt.Sprintf("step-%06d", k) }
func verificationFolder(k int) string { return fmt.Sprintf("verification-%06d", k) }

func (r *spsaRun) finish() (*Tuned, error) {
	last := r.folder.kept.lines[len(r.folder.kept.lines)-1]
	verified := *cmp.Or(last.Pairs, new(sprt.Pairs))
	t := &Tuned{
		Names: r.names, Before: r.settings.Start(), After: r.theta,
		Start: r.with(r.settings.Round(r.settings.Start())), Agent: r.current(),
		Gain: eloGain(last.Elo, last.EloMargin, 2*cmp.Or(verified.N(), int64(r.Verification.Pairs))), Verified: verified,
		Steps: r.settings.Steps, Games: 2 * r.settings.Pairs * r.settings.Steps,
	}
	var w *eval.Weights
	if slices.ContainsFunc(r.names, func(name string) bool { return strings.HasPrefix(name, eval.ParamPrefix) }) {
		parent, errParent := tuning.Weights(r.env.Registry, r.Agent, r.Rules)
		tuned, err := tuning.Weights(r.env.Registry, t.Agent, r.Rules)
		if err := cmp.Or(errParent, err); err != nil {
			return nil, err
		}
		w, t.Weights = &tuned, r.folder.file(WeightsFile)
		w.Source, w.Provenance = t.Weights, eval.Provenance{
			Method: "spsa", Run: r.Name, Parent: sourceName(&parent), Seed: r.Seed,
			Version: r.env.Version, Gain: t.Gain, Data: fmt.Sprintf("%d games of %s", t.Games, r.Agent),
		}
	}
	return t, r.folder.finish(map[string]any{"agent": t.Agent.String(), "gain": t.Gain}, w)
}
