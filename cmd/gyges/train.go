package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"gyges/agents"
	"gyges/configs"
	"gyges/ratings/table"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/training"
)

type trainCmd struct {
	Config string `arg:"" what:"a YAML file" placeholder:"CONFIG.yaml" help:"YAML file with the settings; see configs/training/standard.yaml."`
	settingsFlags
	learnedRules
	queueFlags
	formatFlag
}

func (c *trainCmd) Run(ctx context.Context, e *env) error {
	config, err := configs.LoadGenerations(c.Config, c.Rules, e.registry)
	if err != nil {
		return err
	}
	err = c.apply(&config)
	if err = cmp.Or(err, c.checkRun(&config, config.Validate(e.registry), config.Name, &config.Out)); err != nil {
		return err
	}
	m := tournament.Config{Agents: []agents.Spec{config.Agent}, Settings: config.Match.Settings, Out: config.Out}
	q, err := c.open(ctx, e, &m)
	if err != nil {
		return err
	}
	defer q.close()
	config.Executor = m.Executor
	v := &learningView{e: e, budget: config.Time}
	s, err := config.Run(ctx, v.env())
	v.end()
	q.began = !errors.As(err, new(*training.FolderError))
	if err != nil {
		return e.learningError(ctx, config.Out, err)
	}
	return c.print(ctx, e, s)
}

func (c *trainCmd) print(ctx context.Context, e *env, s training.Trained) error {
	text := &output{w: io.Discard} // for people
	if c.forPeople() {
		text = e.out
	}
	rows := training.Rows(s.Generations, s.Rating)
	columns := slices.DeleteFunc(training.Columns(rows), func(c grid.Column[training.Row]) bool {
		return c.Title == "Rating" // a table of their own has them
	})
	err := printTable(text, grid.Make(columns, rows), c.Format, 2)
	text.printf("\n")
	if err == nil && s.RatingGames != "" {
		var rated table.Tables
		if rated, err = s.Standings.Fit(ctx, training.RatingOptions(), c.Format == grid.JSON); err == nil {
			err = c.write(e.out, rated)
		}
		text.printf("\nThe games of that rating are in %s\n", textfmt.Escape(filepath.ToSlash(s.RatingGames)))
	}
	text.printf("The weights of generation %d are in %s\n", s.Best, textfmt.Escape(s.Weights))
	for _, line := range []string{s.Verdict(), s.Ended} {
		if line != "" {
			text.printf("%s\n", line)
		}
	}
	return asFailure(err)
}

type learningView struct {
	e       *env
	budget  time.Duration // 0: no bound
	what    string        // the stage of a generation
	meter   *meter        // nil: nothing is done
	games   bool          // are what it counts
	seconds float64       // of all generations
}

func (v *learningView) env() training.Env {
	return training.Env{Registry: v.e.registry, Version: version(), Log: v.e.log, Observer: training.Observer{
		Stage: v.stage, Game: func(g *record.Record) { v.meter.game(g) }, Progress: v.step, Generation: v.generation,
	}}
}

func (v *learningView) begin(count int64, games bool) {
	v.end()
	v.meter, v.games = newMeter(v.e.err, count), games
}

func (v *learningView) end() {
	v.meter.end()
	v.meter = nil
}

func (v *learningView) stage(generation int, stage string, count int64) {
	v.what = fmt.Sprintf("Generation %d: %s", generation, stage)
	switch stage {
	case "verification":
		v.what = fmt.Sprintf("Step %d: %s", generation, stage)
	case "rating":
		v.what = "Rating of the generations adopted"
	}
	v.begin(count, !slices.Contains([]string{"tune", "policy", "search"}, stage))
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
	if v.meter == nil || v.games || v.meter.total != all { // other work than before
		v.begin(all, false)
		v.meter.restart(done)
	}
	before := ""
	if v.what != "" {
		before = v.what + ", "
	}
	v.meter.step(done, all, before, text)
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
	if g.LeftOut > 0 {
		fit += fmt.Sprintf(", %d held-out positions left out that an earlier split has", g.LeftOut)
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
