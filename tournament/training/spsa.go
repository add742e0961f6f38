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
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/tournament"
	"gyges/tournament/game"
)

// How parameters of an agent are tuned by SPSA ([spsa]). Each step plays a short match
// between two agents, whose parameters are perturbed in opposite directions, and moves the
// parameters towards the winner's. What can be tuned is what a spec takes by name:
// [spsaRun.with] is the one place that makes an agent of values, and [SPSA.Validate] the one
// that says which agents have parameters.

// SPSA is a run that tunes parameters by matches between perturbed agents. Start from
// [DefaultSPSA].
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
	Engine   *agents.Program     // that Agent is; nil: it is none, or it isn't known
}

// Verification is the schedule of matches of the tuned agent against the initial one.
type Verification struct {
	Every int `yaml:"every" check:"0..1000000" zero:"at the end only" help:"Steps between two matches against the initial agent."`
	Pairs int `yaml:"pairs" check:"0..1000000" zero:"no verification" help:"Game pairs of each such match."`
}

// Tuned is the result of an SPSA run.
type Tuned struct {
	Outcome
	Names    []string    `json:"parameters"`
	Before   []float64   `json:"before"` // their values
	After    []float64   `json:"after"`
	Start    agents.Spec `json:"start"`   // with the parameters at the start
	Agent    agents.Spec `json:"agent"`   // with the tuned ones
	Gain     *eval.Gain  `json:"gain"`    // Elo of the match after the last step; nil: there is none
	Verified sprt.Pairs  `json:"pairs"`   // of that match
	Steps    int         `json:"steps"`   // in all
	Games    int         `json:"games"`   // of these steps
	Weights  string      `json:"weights"` // the weights file; "" if no weights were tuned
}

// DefaultSPSA returns a config without agent, parameters, openings
// ([schedule.Openings.ForMatch]) and folder.
func DefaultSPSA() SPSA {
	return SPSA{
		Name: "tournament", Rules: rules.MustParse("standard"), Settings: game.DefaultSettings(),
		Method: spsa.Settings{Steps: 100, Pairs: 4}, Seed: 1,
	}
}

// Validate checks everything but Out. The error joins a *[problems.FieldError] for
// each invalid field.
func (c *SPSA) Validate(registry *agents.Registry) error {
	var p problems.List
	tournament.CheckName(&p, c.Name)
	settings.Check(&p, c, "")
	c.Method.Check(&p)
	p.Expect(c.Agent.Kind != "", "agent",
		"expected an agent spec, like alphabeta:depth=2, found none")
	if k, err := registry.Kind(c.Agent); err == nil {
		p.Expect(len(k.Params) > 0, "agent",
			"expected an agent with parameters to tune, found %.60q", c.Agent)
	}
	if c.Agent.Kind != "" {
		tournament.CheckAgent(&p, "agent", registry, c.Agent, c.Rules)
	}
	c.Check(&p, "", []*rules.Rules{c.Rules}, c.Seed)
	if c.Verification.Every > 0 {
		p.Expect(c.Verification.Pairs > 0, "verification.every",
			"expected verification.pairs, too, found %d steps between matches of no pairs",
			c.Verification.Every)
	}
	return p.Err()
}

// Run tunes the parameters. A run that was stopped in the folder resumes. An error is of
// type *[FolderError] if the folder can't be used, and otherwise noted there.
func (c *SPSA) Run(ctx context.Context, env Env) (_ *Tuned, err error) {
	env.Registry = env.Registry.Reading([]agents.Spec{c.Agent}, nil)
	config := describe(c, nil)
	config["parameters"] = c.Method.Params
	f, err := openFolder(ctx, c.Out, Manifest{
		Method:  "spsa",
		Version: env.Version,
		Config:  config,
		Files:   slices.Concat(env.Registry.Files(), c.Openings.Files()),
		Engine:  c.Engine,
		free:    []string{"verification."}, // of matches yet to be played
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.history.Close()) }()
	f.warn(&env)

	// Programs go on from step to step.
	env.Registry = env.Registry.Keeping()
	defer func() { err = errors.Join(err, env.Registry.End()) }()
	c.Method.Seed = c.Seed
	r := &spsaRun{SPSA: c, env: &env, folder: f, theta: c.Method.Start()}
	for _, p := range c.Method.Params {
		r.names = append(r.names, p.Name)
	}
	initial := r.current()
	if err := r.resume(); err != nil {
		return nil, &FolderError{fmt.Errorf("%s: %w", c.Out, err)}
	}
	err = r.steps(ctx, initial)
	t := &Tuned{
		Outcome: Outcome{sprt.Stopped, c.Out},
		Names:   r.names,
		Before:  r.Method.Start(),
		After:   r.theta,
		Start:   initial,
		Agent:   r.current(),
		Steps:   r.done,
		Games:   2 * r.Method.Pairs * r.done,
	}
	if err != nil {
		return t, errors.Join(err, f.save(stopped(ctx), f.manifest.Result))
	}
	return t, r.finish(t)
}

// spsaRun is an SPSA under way.
type spsaRun struct {
	*SPSA
	env    *Env
	folder *folder
	names  []string  // of the parameters
	theta  []float64 // their current values, not rounded
	done   int       // steps in the history
}

// resume goes back to the last step in the history, if there is one.
func (r *spsaRun) resume() (err error) {
	lines := r.folder.kept.lines
	if len(lines) == 0 {
		return nil
	}
	l := lines[len(lines)-1]
	r.theta, err = l.values(r.names)
	if err != nil {
		return err
	}
	r.removeGames(l.Step)
	r.done = l.Step
	return nil
}

// steps makes the steps from the first one that is missing in the history, each followed by a
// verification match if it is due.
func (r *spsaRun) steps(ctx context.Context, initial agents.Spec) error {
	if err := r.folder.save(tournament.Running, r.folder.manifest.Result); err != nil {
		return err
	}
	if r.done > 0 {
		r.env.Step(r.folder.kept.lines)
	}
	for k := r.done + 1; k <= r.Method.Steps; k++ {
		l, err := r.step(ctx, k)
		if err != nil {
			return err
		}
		if r.verificationDue(k) && r.current().String() != initial.String() {
			if err := r.verify(ctx, &l, initial); err != nil {
				return err
			}
		}
		if err := r.folder.append(l); err != nil {
			return err
		}
		r.done = k
		r.removeGames(k)
		r.env.Step(r.folder.kept.lines)
	}
	return nil
}

// with returns the agent with values of the parameters.
func (r *spsaRun) with(values []float64) agents.Spec {
	return tuning.With(r.Agent, r.names, values)
}

// current returns the agent with the current values, rounded.
func (r *spsaRun) current() agents.Spec { return r.with(r.Method.Round(r.theta)) }

// Purposes of derived seeds.
const (
	forStep uint64 = iota + 1
	forVerification
)

// step plays the pairs of step k between the perturbed agents and updates the parameters.
func (r *spsaRun) step(ctx context.Context, k int) (Line, error) {
	plus, minus := r.Method.Perturb(k, r.theta)
	score, err := r.score(ctx, k, r.with(plus), r.with(minus))
	if err != nil {
		return Line{}, err
	}
	r.theta = r.Method.Update(k, r.theta, score)
	return Line{
		Step:       k,
		Score:      &score,
		Games:      2 * r.Method.Pairs,
		Parameters: named(r.names, r.theta),
	}, nil
}

// score plays the pairs of step k and returns the games that a won minus those it lost.
func (r *spsaRun) score(ctx context.Context, k int, a, b agents.Spec) (score float64, err error) {
	if a.String() == b.String() { // after rounding
		return 0, nil
	}
	seed := agents.MixSeed(r.Seed, forStep, uint64(k))
	pairs, err := r.match(ctx, stepFolder(k), a, b, r.Method.Pairs, seed)
	for halves, n := range pairs {
		score += float64(halves-2) * float64(n)
	}
	return score, err
}

// verificationDue reports whether a step is followed by a match against the initial agent.
func (r *spsaRun) verificationDue(step int) bool {
	if r.Verification.Pairs == 0 {
		return false
	}
	if step == r.Method.Steps {
		return true
	}
	every := r.Verification.Every
	return every > 0 && step%every == 0
}

// verify plays the match that is due after a step, and adds the result to its line.
func (r *spsaRun) verify(ctx context.Context, l *Line, initial agents.Spec) error {
	n := r.Verification.Pairs
	r.env.Stage(l.Step, "verification", 2*int64(n))
	seed := agents.MixSeed(r.Seed, forVerification, uint64(l.Step))
	pairs, err := r.match(ctx, verificationFolder(l.Step), r.current(), initial, n, seed)
	if err != nil {
		return err
	}
	l.Pairs = &pairs
	l.Elo, l.EloMargin = finiteElo(pairs.Estimate())
	if l.Elo == nil {
		r.env.Log.Warn("the verification match has no finite Elo estimate",
			"step", l.Step, "pairs", pairs)
	}
	return nil
}

// match plays a match of a against b in a folder of the run's, and returns how its
// pairs ended for a.
func (r *spsaRun) match(
	ctx context.Context, folder string, a, b agents.Spec, pairs int, seed uint64,
) (sprt.Pairs, error) {
	m := tournament.DefaultConfig()
	m.Name = folder
	m.Out = filepath.Join(r.Out, folder)
	m.Rules = []*rules.Rules{r.Rules}
	m.Settings = r.Settings
	m.Agents = []agents.Spec{r.player(a, "tuned"), r.player(b, "other")}
	m.Pairs = pairs
	m.Seed = seed
	m.Workers = r.Workers
	m.Executor = r.Executor
	m.Engines = map[string]*agents.Program{"tuned": r.Engine, "other": r.Engine}
	s, err := r.env.play(ctx, m)
	return s.Pairs, err
}

// player returns an agent with a name in a match. A program keeps the key by which workers find it.
func (r *spsaRun) player(spec agents.Spec, name string) agents.Spec {
	kind, _ := r.env.Registry.Kind(spec) // it has been found before
	_, isProgram := kind.Param("engine")
	key := cmp.Or(spec.Get("engine"), spec.Get("name"))
	if isProgram && key != "" {
		spec = spec.With("engine", key)
	}
	return spec.With("name", name)
}

// removeGames removes the games of a step that is in the history.
func (r *spsaRun) removeGames(k int) {
	for _, name := range []string{stepFolder(k), verificationFolder(k)} {
		if err := os.RemoveAll(filepath.Join(r.Out, name)); err != nil {
			r.env.Log.Warn("remove the games of a step", "error", err)
		}
	}
}

// The folders of the games of a step in the folder of the run.
func stepFolder(k int) string         { return fmt.Sprintf("step-%06d", k) }
func verificationFolder(k int) string { return fmt.Sprintf("verification-%06d", k) }

// finish writes the result: the agent after the last step and, if its weights were tuned, their
// file.
func (r *spsaRun) finish(t *Tuned) error {
	// The match after the last step measures the gain.
	lines := r.folder.kept.lines
	last := lines[len(lines)-1]
	if last.Pairs != nil {
		t.Verified = *last.Pairs
		t.Gain = eloGain(last.Elo, last.EloMargin, t.Verified)
	}
	t.Decision = decide(t.Gain, t.Verified)
	result := map[string]any{"agent": t.Agent.String(), "gain": t.Gain}
	isWeight := func(name string) bool { return strings.HasPrefix(name, eval.ParamPrefix) }
	if !slices.ContainsFunc(r.names, isWeight) {
		return r.folder.finish(result, nil)
	}

	// The file of the tuned weights says where they come from.
	parent, err := tuning.Weights(r.env.Registry, r.Agent, r.Rules)
	if err != nil {
		return err
	}
	w, err := tuning.Weights(r.env.Registry, t.Agent, r.Rules)
	if err != nil {
		return err
	}
	t.Weights = r.folder.file(WeightsFile)
	w.Source = t.Weights
	w.Provenance = eval.Provenance{
		Method:  "spsa",
		Run:     r.Name,
		Parent:  sourceName(&parent),
		Seed:    r.Seed,
		Version: r.env.Version,
		Gain:    t.Gain,
		Data:    fmt.Sprintf("%d games of %s", t.Games, r.Agent),
	}
	return r.folder.finish(result, &w)
}
