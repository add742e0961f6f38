package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/tuning"
	"gyges/agents/tuning/history"
	"gyges/agents/tuning/spsa"
	"gyges/configs"
	"gyges/ratings/grid"
	"gyges/ratings/textfmt"
	"gyges/tournament"
	"gyges/tournament/training"
)

// tuneSPSACmd tunes agent parameters by SPSA.
type tuneSPSACmd struct {
	Config string `arg:"" placeholder:"CONFIG.yaml" help:"YAML file with the parameters to tune and the settings; see configs/tuning/spsa.yaml."`
	tuneFlags
	queueFlags
}

// Help is the part of the help below the summary.
func (tuneSPSACmd) Help() string {
	return "Prints the agent with its tuned parameters. The same seed gives the same steps whatever --workers says, but for agents " +
		"that look at the clock. Ctrl-C stops the run; the same command with --out and the run's folder goes on with it, also " +
		"after a crash, and comes to the same."
}

func (tuneSPSACmd) examples() []example {
	return []example{{"gyges tune spsa configs/tuning/spsa.yaml --out results/spsa", ""}}
}

// spsaRun is an SPSA run.
type spsaRun struct {
	matches
	settings spsa.Settings
	names    []string
	folder   *training.Folder
	progress *steps
}

// Run tunes the parameters and prints the tuned agent.
func (c *tuneSPSACmd) Run(ctx context.Context, e *env) error {
	config, err := fromPath(ctx, c.Config, func() (configs.SPSA, error) { return configs.LoadSPSA(c.Config, e.registry) })
	if err != nil {
		return plainFileError(err)
	}
	if err := c.apply(&config.Match); err != nil {
		return err
	}
	r := &spsaRun{matches: matches{e, config.Match, config.Verification}, settings: config.Settings}
	r.settings.Seed = config.Match.Seed
	for _, p := range r.settings.Params {
		r.names = append(r.names, p.Name)
	}
	if r.folder, err = openTuning(config.Match.Out, "spsa", r.describe()); err != nil {
		return err
	}
	defer closeTuning(e, r.folder)
	if err := r.resume(); err != nil {
		return err
	}
	q, err := c.open(ctx, e, &r.config)
	if err != nil {
		return err
	}
	defer q.close()
	r.progress = newSteps(e.err, r.settings.Steps)
	theta, err := r.run(ctx)
	r.progress.end()
	if err != nil {
		q.end(tournament.Summary{})
		return tuningError(ctx, e, r.folder.Path, err)
	}
	return r.finish(theta)
}

// describe is what the outcome depends on.
func (r *spsaRun) describe() map[string]any {
	m := r.matchConfig()
	s := &r.settings
	m["parameters"], m["steps"], m["pairs"], m["alpha"], m["gamma"], m["a"] = s.Params, s.Steps, s.Pairs, s.Alpha, s.Gamma, s.A
	return m
}

// resume takes up the run after its last step.
func (r *spsaRun) resume() error {
	if len(r.folder.Lines) == 0 {
		return nil
	}
	last := r.folder.Lines[len(r.folder.Lines)-1]
	theta := make([]float64, len(r.names))
	for i, name := range r.names {
		x, ok := last.Parameters[name]
		if !ok {
			return fmt.Errorf("--out: %s: %w", r.folder.Path, errOtherParameters)
		}
		theta[i] = x
	}
	r.settings.After = &spsa.Step{Step: last.Step, Params: theta}
	r.remove(stepFolder(last.Step))
	r.remove(verifyFolder(last.Step))
	return nil
}

// agent returns the agent with parameters.
func (r *spsaRun) agent(theta []float64) agents.Spec {
	return tuning.With(r.config.Agents[0], r.names, theta)
}

// start returns the agent with the parameters at the start.
func (r *spsaRun) start() agents.Spec {
	theta := make([]float64, len(r.names))
	for i, p := range r.settings.Params {
		theta[i] = p.Start
	}
	return r.agent(r.settings.Round(theta))
}

func (r *spsaRun) run(ctx context.Context) ([]float64, error) {
	r.settings.Record = func(s spsa.Step) error { return r.record(ctx, s) }
	return spsa.Run(ctx, r.settings, r.score)
}

// score plays the pairs of a step.
func (r *spsaRun) score(ctx context.Context, k int, plus, minus []float64) (float64, error) {
	a, b := r.agent(plus), r.agent(minus)
	if a.String() == b.String() {
		return 0, nil // rounded to the same
	}
	pairs, err := r.play(ctx, stepFolder(k), a, b, r.settings.Pairs, agents.MixSeed(r.config.Seed, forStep, uint64(k)))
	score := 0.0
	for half, n := range pairs {
		score += float64(half-2) * float64(n)
	}
	return score, err
}

// record writes a step into the history, after the match that may be due.
func (r *spsaRun) record(ctx context.Context, s spsa.Step) error {
	l := history.Line{Step: s.Step, Score: &s.Score, Games: 2 * r.settings.Pairs, Parameters: parameters(r.names, s.Params)}
	if err := r.measure(ctx, &l, r.settings.Steps, r.agent(r.settings.Round(s.Params)), r.start()); err != nil {
		return err
	}
	if err := r.folder.History.Write(l); err != nil {
		return err
	}
	r.folder.Lines = append(r.folder.Lines, l)
	r.remove(stepFolder(s.Step))
	r.remove(verifyFolder(s.Step))
	r.progress.step(s.Step, r.status())
	return nil
}

// status returns the text of a progress report.
func (r *spsaRun) status() string {
	lines := r.folder.Lines
	won := 0.0
	recent := lines[max(0, len(lines)-100):]
	for _, l := range recent {
		if l.Score != nil {
			won += *l.Score
		}
	}
	return fmt.Sprintf("games won minus lost by the last %d positive perturbations %+.0f%s", len(recent), won, eloStatus(lastVerification(lines)))
}

// finish writes and prints what the run came to.
func (r *spsaRun) finish(theta []float64) error {
	tuned := r.agent(r.settings.Round(theta))
	gain := r.gain(r.folder.Lines)
	w, err := r.weights(tuned, gain)
	if err == nil {
		err = r.folder.Finish(map[string]any{"agent": tuned.String(), "gain": gain}, w)
	}
	if err != nil {
		return failure{err}
	}
	g := grid.Grid{Header: []string{"Parameter", "Before", "After"}}
	for i, p := range r.settings.Params {
		g.Add(p.Name, fiveDigits(p.Start), fiveDigits(theta[i]))
	}
	if err := g.Write(r.e.out, false); err != nil {
		return err
	}
	r.e.out.printf("\nAgent %s\n", textfmt.Escape(tuned.String()))
	printGain(r.e.out, gain)
	r.e.out.printf("%d steps, %d games; the history is in %s\n", r.settings.Steps, 2*r.settings.Pairs*r.settings.Steps, textfmt.Escape(r.folder.Path))
	if w != nil {
		r.e.out.printf("The weights are in %s\n", textfmt.Escape(w.Source))
	}
	return nil
}

// printGain prints the result of the last verification match.
func printGain(w *output, g *eval.Gain) {
	if g != nil {
		w.printf("Elo against the agent as it was %+.1f ± %.1f (95 %%), %d games\n", g.Value, g.Margin, g.Count)
	}
}

// weights returns the tuned weights; nil if none were tuned.
func (r *spsaRun) weights(tuned agents.Spec, gain *eval.Gain) (*eval.Weights, error) {
	any := false
	for _, name := range r.names {
		any = any || strings.HasPrefix(name, eval.ParamPrefix)
	}
	if !any {
		return nil, nil
	}
	parent, err := tuning.Weights(r.e.registry, r.config.Agents[0], r.config.Rules[0])
	if err != nil {
		return nil, err
	}
	w, err := tuning.Weights(r.e.registry, tuned, r.config.Rules[0])
	w.Source = filepath.Join(r.folder.Path, training.WeightsFile)
	w.Provenance = eval.Provenance{
		Method: "spsa", Run: r.config.Name, Parent: parentName(&parent), Seed: r.config.Seed, Version: version(), Gain: gain,
		Data: fmt.Sprintf("%d games of %s", 2*r.settings.Pairs*r.settings.Steps, r.config.Agents[0]),
	}
	return &w, err
}
