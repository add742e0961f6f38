package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"gyges/agents"
	"gyges/configs"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/training"
)

// trainCmd trains weights in generations: games, a fit to their positions, and a match against the
// weights before.
type trainCmd struct {
	Config string `arg:"" what:"a YAML file" placeholder:"CONFIG.yaml" help:"YAML file with the settings; see configs/training/standard.yaml."`
	settingsFlags
	learnedRules
	queueFlags
	formatFlag
}

// Run plays and fits until the time or the number of generations of the config is reached.
func (c *trainCmd) Run(ctx context.Context, e *env) error {
	config, err := configs.LoadGenerations(c.Config, c.Rules, e.registry)
	if err != nil {
		return err
	}
	if err := c.settle(e, &config); err != nil {
		return err
	}
	config.Out = newFolder(config.Out, config.Name)
	// Whether workers can play the games depends on the agent and on these settings.
	games := tournament.Config{
		Agents: []agents.Spec{config.Agent}, Settings: config.Match.Settings, Out: config.Out,
	}
	q, err := c.open(ctx, e, &games)
	if err != nil {
		return err
	}
	defer q.close()
	config.Executor = games.Executor
	v := &learningView{e: e, budget: config.Time}
	trained, err := config.Run(ctx, v.env())
	v.end()
	q.began = !errors.As(err, new(*training.FolderError))
	if !q.began {
		return fileError("--out", err)
	}
	w := e.result(c.Format, trained)
	if err != nil {
		return e.learningError(ctx, config.Out, err)
	}
	if c.Format == grid.JSON {
		c.Format = grid.Text
	}
	return asFailure(c.print(ctx, w, trained))
}

// print prints a table of the generations, and the ratings of those adopted.
func (c *trainCmd) print(ctx context.Context, w *output, s training.Trained) error {
	text := &output{w: io.Discard} // for people
	if isForPeople(c.Format) {
		text = w
	}
	// First the generations: their data, their fits and their matches.
	rows := training.Rows(s.Generations, s.Rating)
	columns := slices.DeleteFunc(training.Columns(rows), func(c grid.Column[training.Row]) bool {
		return c.Title == "Rating" // a table of their own has them
	})
	printTable(text, grid.Make(columns, rows), c.Format, 2)
	text.printf("\n")
	// Where a rating was asked for, the adopted generations have played each other.
	if s.RatingGames != "" {
		rated, err := s.Standings.Fit(ctx, training.RatingOptions(), false)
		if err != nil {
			return err
		}
		if err := c.write(w, rated); err != nil {
			return err
		}
		text.printf("\nThe games of that rating are in %s\n", filepath.ToSlash(s.RatingGames))
	}
	text.printf("The weights of generation %d are in %s\n", s.Best, s.Weights)
	for _, line := range []string{s.Verdict(), s.Ended} {
		if line != "" {
			text.printf("%s\n", line)
		}
	}
	return nil
}

// learningView shows a run that tunes while it goes on: stage by stage, of which some play games
// and some count steps, with a line on each generation that has ended. Each stage has a meter of
// its own, so that its speed is not mixed with another one's.
type learningView struct {
	e       *env
	budget  time.Duration // of all generations; 0: no bound
	what    string        // the stage of a generation
	meter   *meter        // nil: nothing is done
	games   bool          // the meter counts games
	seconds float64       // of all generations
}

// env returns what the run needs of this process, with the view as its observer.
func (v *learningView) env() training.Env {
	return training.Env{
		Registry: v.e.registry, Version: version(), Log: v.e.log,
		Observer: training.Observer{
			Stage:      v.stage,
			Game:       func(g *record.Record) { v.meter.game(g) },
			Progress:   v.step,
			Generation: v.generation,
		},
	}
}

// begin begins to measure other work.
func (v *learningView) begin(count int64, games bool) {
	v.end()
	v.meter = newMeter(v.e, count)
	v.games = games
}

// end removes the bar of the work that was measured.
func (v *learningView) end() {
	v.meter.end()
	v.meter = nil
}

// stage begins a stage of a generation, with the number of its games or steps.
func (v *learningView) stage(generation int, stage string, count int64) {
	v.what = fmt.Sprintf("Generation %d: %s", generation, stage)
	switch stage {
	case "verification":
		v.what = fmt.Sprintf("Step %d: %s", generation, stage)
	case "rating":
		v.what = "Rating of the generations adopted"
	}
	// These stages are measured in steps.
	playsNone := []string{"tune", "policy", "search"}
	v.begin(count, !slices.Contains(playsNone, stage))
	if v.games {
		v.e.err.printf("%s, at most %d games\n", v.what, count)
		return
	}
	v.e.err.printf("%s\n", v.what)
	if v.meter.bar {
		v.meter.report(0, count, v.what)
	}
}

// step shows how far work that plays no games has come.
func (v *learningView) step(done, all int64, text string) {
	other := v.meter == nil || v.games || v.meter.total != all
	if other { // than the work before
		v.begin(all, false)
		v.meter.restart(done)
	}
	before := ""
	if v.what != "" {
		before = v.what + ", "
	}
	v.meter.step(done, all, before, text)
}

// generation prints the outcome of a generation, and below it the figures of its fit.
func (v *learningView) generation(g training.Generation) {
	v.end()
	v.seconds += g.Timing.Seconds()
	after := "without a match"
	if n := g.Pairs.N(); n > 0 {
		after = fmt.Sprintf("after %d pairs, LLR %.2f", n, g.LLR)
	}
	// The time is of all generations, as a budget is.
	took := fmt.Sprintf("%.1f minutes in all", v.seconds/60)
	if v.budget > 0 {
		took = fmt.Sprintf("%.1f of %.1f minutes", v.seconds/60, v.budget.Minutes())
	}
	// The first line says what became of the weights, the lines below how they were fitted.
	w := v.e.err
	w.printf("Generation %d: %s %s; %s\n", g.Number, g.Verdict(), after, took)
	fit := fmt.Sprintf("%d positions, training loss %.4f, validation loss %.4f",
		g.Positions, g.Loss, g.ValidationLoss)
	if g.Test != nil {
		fit += fmt.Sprintf(", test loss %.4f", g.Test.Loss)
	}
	if g.LeftOut > 0 {
		fit += fmt.Sprintf(", %d held-out positions left out that an earlier split has", g.LeftOut)
	}
	if g.LiveUnits > 0 {
		fit += fmt.Sprintf(", %d live units", g.LiveUnits)
	}
	if elo := g.AgainstReference(); elo != "" {
		fit += ", Elo to the reference " + elo
	}
	for _, line := range textfmt.Wrap(fit, tableWidth(w)-2) {
		w.printf("  %s\n", line)
	}
}
