package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"gyges/agents"
	"gyges/configs"
	"gyges/rules/base/grid"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/training"
)

// trainCmd trains weights, generation by generation.
type trainCmd struct {
	Config string `arg:"" placeholder:"CONFIG.yaml" help:"YAML file with the settings; see configs/training/standard.yaml."`
	settingsFlags
	queueFlags
	formatFlag
}

func (trainCmd) Help() string {
	return "Each generation, the best agent so far plays itself, weights are fitted to the games (gyges tune texel), " +
		"and the agent with the new weights plays the best one until a sequential test is decided. If it wins, it " +
		"is the best one. At the end all that were adopted play each other, and are rated together. The folder " +
		"has a folder for each generation, and the best weights in weights.json.\n\nCtrl-C stops the run at any " +
		"stage; the same command with --out and the run's folder resumes it."
}

func (trainCmd) examples() []example {
	return []example{
		{"gyges train configs/training/standard.yaml", ""},
		{"gyges train configs/training/kang.yaml --generations 10 --out results/kang", "more of them; again, to resume"},
	}
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
	env.Observer = training.Observer{Stage: v.stage, Game: v.game, Generation: v.generation}
	s, err := config.Run(ctx, env)
	v.end()
	if err != nil {
		q.end(tournament.Summary{}) // a run that can resume needs its queue
		return e.learningError(ctx, config.Out, err)
	}
	return c.print(ctx, e, s)
}

// config returns the config of the file and the flags, checked.
func (c *trainCmd) config(e *env) (training.Generations, error) {
	if _, err := c.columns(); err != nil {
		return training.Generations{}, err
	}
	config, err := configs.LoadGenerations(c.Config, e.registry)
	if err != nil {
		return config, plainFileError(err)
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
	matched := slices.ContainsFunc(s.Generations, func(g training.Generation) bool { return g.Pairs.N() > 0 })
	t := grid.Grid{Header: []string{"Generation", ""}, Left: map[int]bool{1: true}, Fold: 1}
	if matched {
		t.Header = append(t.Header, "Pairs", "LLR", "Elo (biased)", "Parent")
	}
	t.Header = append(t.Header, "Positions", "Validation loss", "Test loss", "Test gain", "Minutes")
	seconds := 0.0
	for _, g := range s.Generations {
		row := []string{strconv.Itoa(g.Number), verdict(&g)}
		if matched {
			row = append(row, matchCells(&g)...)
		}
		loss, gain := "-", "-"
		if g.Test != nil {
			loss = fmt.Sprintf("%.5f", g.Test.Loss)
			gain = fmt.Sprintf("%+.5f ± %.5f", g.Test.Gain, g.Test.GainMargin)
		}
		seconds += g.Timing.Seconds()
		t.Add(append(row, strconv.Itoa(g.Positions), fmt.Sprintf("%.5f", g.ValidationLoss), loss, gain,
			fmt.Sprintf("%.1f", seconds/60))...)
	}
	if err := printTable(e.out, &t, c.format() == grid.Markdown); err != nil {
		return failure{err}
	}
	e.out.printf("\n")
	if err := c.printRating(ctx, e, s); err != nil {
		return err
	}
	e.out.printf("Best: generation %d; its weights are in %s\n", s.Best, s.Weights)
	return nil
}

// matchCells are the cells of a generation's match.
func matchCells(g *training.Generation) []string {
	elo := "-"
	if g.Elo != nil {
		elo = fmt.Sprintf("%+.1f ± %.1f", *g.Elo, *g.EloMargin)
	}
	return []string{strconv.FormatInt(g.Pairs.N(), 10), fmt.Sprintf("%+.2f", g.LLR), elo, strconv.Itoa(g.Parent)}
}

func verdict(g *training.Generation) string {
	if g.Adopted {
		return "adopted"
	}
	return "rejected"
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
	v.end()
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

func (v *trainView) game(g *record.Game) {
	v.progress.step(g.Fault != nil)
}

func (v *trainView) generation(g training.Generation) {
	v.end()
	v.seconds += g.Timing.Seconds()
	after := fmt.Sprintf("after %d pairs, LLR %.2f", g.Pairs.N(), g.LLR)
	if g.Pairs.N() == 0 {
		after = "without a match"
	}
	v.e.err.printf("Generation %d: %s %s; %.1f minutes in all\n", g.Number, verdict(&g), after, v.seconds/60)
}

func (v *trainView) end() {
	if v.progress != nil {
		v.progress.end()
		v.progress = nil
	}
}
