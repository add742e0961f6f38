package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"gyges/agents"
	"gyges/configs"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/record"
	"gyges/tournament/training"
)

// trainCmd trains weights, generation by generation.
type trainCmd struct {
	Config string `arg:"" what:"a YAML file" placeholder:"CONFIG.yaml" help:"YAML file with the settings; see configs/training/standard.yaml."`
	settingsFlags
	learnedRules
	queueFlags
	formatFlag
}

// Run trains and prints the generations and their rating.
func (c *trainCmd) Run(ctx context.Context, e *env) error {
	config, err := c.config(e)
	if err != nil {
		return err
	}
	q, err := c.open(ctx, e, &config)
	if err != nil {
		return err
	}
	defer q.close()
	v := &learningView{e: e, budget: config.Time}
	s, err := config.Run(ctx, v.env())
	v.end()
	if err != nil {
		return e.learningError(ctx, config.Out, err)
	}
	return c.print(ctx, e, s)
}

// config returns the config of the file and the flags, checked.
func (c *trainCmd) config(e *env) (training.Generations, error) {
	if _, err := c.columns(); err != nil {
		return training.Generations{}, err
	}
	r, err := c.resolve()
	if err != nil {
		return training.Generations{}, err
	}
	config, err := configs.LoadGenerations(c.Config, r, e.registry)
	if err != nil {
		return config, err
	}
	if err := c.apply(&config); err != nil {
		return config, err
	}
	return config, c.checkRun(&config, config.Validate(e.registry), config.Name, &config.Out)
}

// open connects the run to workers, with --nats.
func (c *trainCmd) open(ctx context.Context, e *env, config *training.Generations) (*queued, error) {
	m := config.Match
	m.Agents, m.Out = []agents.Spec{config.Agent}, config.Out
	q, err := c.queueFlags.open(ctx, e, &m)
	config.Match.Executor, config.SelfPlay.Tournament.Executor = m.Executor, m.Executor
	return q, err
}

// print prints the generations and the joint rating.
func (c *trainCmd) print(ctx context.Context, e *env, s training.Trained) error {
	if !c.forPeople() {
		return c.printRating(ctx, e, s)
	}
	rows := training.Rows(s.Generations, nil)
	t := grid.New(c.format(), grid.Options{Fold: 2}, training.Columns(rows), rows)
	if err := printTable(e.out, t, c.format() == grid.Markdown); err != nil {
		return failure{err}
	}
	e.out.printf("\n")
	if err := c.printRating(ctx, e, s); err != nil {
		return err
	}
	e.out.printf("Best: generation %d; its weights are in %s\n", s.Best, s.Weights)
	return nil
}

// printRating prints the joint rating, if there is one.
func (c *trainCmd) printRating(ctx context.Context, e *env, s training.Trained) error {
	if s.RatingGames == "" {
		return nil
	}
	rated, err := s.Standings.Fit(ctx, training.RatingOptions(), c.format() == grid.JSON)
	if err == nil {
		err = c.write(e.out, rated)
	}
	if err != nil {
		return failure{err}
	}
	if c.forPeople() {
		e.out.printf("\nThe games of that rating are in %s\n", filepath.ToSlash(s.RatingGames))
	}
	return nil
}

// learningView prints the progress of a run that learns.
type learningView struct {
	e        *env
	budget   time.Duration // 0: no bound
	what     string        // the stage of a generation
	progress *progress     // of its games; nil: it plays none
	meter    *meter        // of what else is done; nil: it plays games
	seconds  float64       // of all generations
}

// env returns what runs that learn need, with their progress shown.
func (v *learningView) env() training.Env {
	return training.Env{Registry: v.e.registry, Version: version(), Log: v.e.log, Observer: training.Observer{
		Stage: v.stage, Game: func(g *record.Game) { v.progress.game(g) }, Progress: v.step, Generation: v.generation,
	}}
}

// end removes the bar.
func (v *learningView) end() {
	v.progress.end()
	if v.meter != nil {
		v.meter.end()
	}
	v.progress, v.meter = nil, nil
}

func (v *learningView) stage(generation int, stage string, count int64) {
	v.end()
	v.what = fmt.Sprintf("Generation %d: %s", generation, stage)
	switch stage {
	case "verification":
		v.what = fmt.Sprintf("Step %d: %s", generation, stage)
	case "tune", "policy", "search":
		v.e.err.printf("%s\n", v.what)
		v.meter = newMeter(v.e.err, count)
		if v.meter.bar {
			v.meter.report(0, count, v.what)
		}
		return
	case "rating":
		v.what = "Rating of the generations adopted"
	}
	v.e.err.printf("%s, at most %d games\n", v.what, count)
	v.progress = newProgress(v.e.err, count)
}

// step shows how far work that plays no games has come.
func (v *learningView) step(done, all int64, text string) {
	if v.meter == nil || v.meter.total != all { // other work than before
		v.end()
		v.meter = newMeter(v.e.err, all)
		v.meter.restart(done)
	}
	if !v.meter.due() {
		return
	}
	line := fmt.Sprintf("%d %s", done, text)
	if done < all {
		line = fmt.Sprintf("%d of %d %s, %s", done, all, text, v.meter.left(done, all-done))
	}
	if v.what != "" {
		line = v.what + ", " + line
	}
	v.meter.report(done, all, line)
}

func (v *learningView) generation(g training.Generation) {
	v.end()
	v.seconds += g.Timing.Seconds()
	after := fmt.Sprintf("after %d pairs, LLR %.2f", g.Pairs.N(), g.LLR)
	if g.Pairs.N() == 0 {
		after = "without a match"
	}
	took := fmt.Sprintf("%.1f minutes in all", v.seconds/60)
	if v.budget > 0 {
		took = fmt.Sprintf("%.1f of %.1f minutes", v.seconds/60, v.budget.Minutes())
	}
	v.e.err.printf("Generation %d: %s %s; %s\n", g.Number, g.Verdict(), after, took)
	fit := fmt.Sprintf("%d positions, training loss %.4f, validation loss %.4f", g.Positions, g.Loss, g.ValidationLoss)
	if g.Test != nil {
		fit += fmt.Sprintf(", test loss %.4f", g.Test.Loss)
	}
	if g.LiveUnits > 0 {
		fit += fmt.Sprintf(", %d live units", g.LiveUnits)
	}
	if elo := g.AgainstReference(); elo != "" {
		fit += ", Elo to the reference " + elo
	}
	for _, line := range textfmt.Wrap(fit, tableWidth(v.e.err)-2) {
		v.e.err.printf("  %s\n", line)
	}
}
