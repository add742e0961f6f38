package main

import (
	"context"
	"fmt"
	"path/filepath"

	"gyges/agents"
	"gyges/configs"
	"gyges/rules/base/grid"
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
	v := &trainView{e: e}
	env := e.learning(nil)
	env.Observer = training.Observer{
		Stage: v.stage, Game: func(g *record.Game) { v.progress.game(g) }, Generation: v.generation,
	}
	s, err := config.Run(ctx, env)
	v.progress.end()
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
	if s.Rating == "" {
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
		e.out.printf("\nThe games of that rating are in %s\n", filepath.ToSlash(s.Rating))
	}
	return nil
}

// trainView prints the progress of a training.
type trainView struct {
	e        *env
	progress *progress
	seconds  float64 // of all generations
}

func (v *trainView) stage(generation int, stage string, games int64) {
	v.progress.end()
	what := fmt.Sprintf("Generation %d: %s", generation, stage)
	if stage == "rating" {
		what = "Rating of the generations adopted"
	}
	if games == 0 {
		v.e.err.printf("%s\n", what)
		return
	}
	v.e.err.printf("%s, at most %d games\n", what, games)
	v.progress = newProgress(v.e.err, games)
}

func (v *trainView) generation(g training.Generation) {
	v.progress.end()
	v.seconds += g.Timing.Seconds()
	after := fmt.Sprintf("after %d pairs, LLR %.2f", g.Pairs.N(), g.LLR)
	if g.Pairs.N() == 0 {
		after = "without a match"
	}
	v.e.err.printf("Generation %d: %s %s; %.1f minutes in all\n", g.Number, g.Verdict(), after, v.seconds/60)
}
