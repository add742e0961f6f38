package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gyges/agents"
	"gyges/agents/tuning/dataset"
	"gyges/agents/tuning/ranking"
	"gyges/agents/tuning/spsa"
	"gyges/configs"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/game"
	"gyges/tournament/record"
	"gyges/tournament/training"
)

// learnedRules are the rules of a tuning or a training, in place of those of its file.
type learnedRules struct {
	Rules *rules.Rules `placeholder:"RULES" help:"Rule set: a preset (see gyges rules) or PRESET:OPTION=VALUE,…. Default: that of the file."`
}

// tuneTexelCmd fits the weights of the evaluation to training positions.
type tuneTexelCmd struct {
	Config string   `arg:"" what:"a YAML file" placeholder:"CONFIG.yaml" help:"YAML file with the settings; see configs/tuning/texel.yaml."`
	Data   []string `placeholder:"DIR" help:"Folders of training positions, separated by commas; overrides data in the file."`
	Out    string   `placeholder:"DIR" help:"New folder for the result. Default: results/NAME-TIME."`
	learnedRules
	resultFlag
}

// Run fits the weights. It plays no games, so it needs no workers.
func (c *tuneTexelCmd) Run(ctx context.Context, e *env) error {
	config, err := configs.LoadTexel(c.Config, c.Rules, c.Data...)
	if err != nil {
		return err
	}
	config.Out = newFolder(cmp.Or(c.Out, config.Out), config.Name)
	v := &learningView{e: e}
	// The history has a line for each step, from which the losses are shown.
	env, steps := v.env(), int64(config.Settings.Steps())
	env.Step = func(history []training.Line) {
		last := history[len(history)-1]
		v.step(int64(last.Step), steps, "iterations, "+stepText(history))
	}
	result, err := config.Run(ctx, env)
	v.end()
	if errors.As(err, new(*training.FolderError)) {
		return fileError("--out", err)
	}
	if err != nil && !wasInterrupted(ctx, err) {
		return files.Plain(err)
	}
	w := e.result(c.Format, result)
	if err != nil {
		return err
	}
	c.print(w, result)
	return nil
}

// print prints the weights before and after, and the losses on each split of the positions.
func (c *tuneTexelCmd) print(w *output, r *training.Fitted) {
	features := grid.New("", 1, "Feature", "Before", "After", " ")
	features.Columns[3].Left = true
	// A frozen weight was not to be changed.
	for _, f := range r.Features {
		frozen := ""
		if f.Frozen {
			frozen = "frozen"
		}
		features.Add(f.Name, fiveDigits(f.Parent), fiveDigits(f.Weight), frozen)
	}
	printTable(w, features, grid.Text, 1)
	n := r.Positions
	w.printf("\nPositions: %d training, %d validation, %d test",
		n[dataset.Train], n[dataset.Validation], n[dataset.Test])
	if r.LeftOut > 0 {
		w.printf(" (%d left out that are in an earlier split)", r.LeftOut)
	}
	w.printf("; scale %.5f, %d iterations", r.Scale, r.Iterations)
	if r.EarlyStop {
		w.printf(", stopped early")
	}
	if r.Network != nil {
		w.printf("; with a network of %d units, of which %d are live", r.Units, r.LiveUnits)
	}
	// Every loss is compared with the one of the weights at the start.
	w.printf("\nTraining loss %.6f, was %.6f\n", r.Loss[1], r.Loss[0])
	w.printf("Validation loss %.6f, was %.6f\n", r.ValidationLoss[1], r.ValidationLoss[0])
	if t := r.Test; t != nil {
		w.printf("Test loss %.6f, was %.6f: gain %.6f ± %.6f (95 %%)\n",
			t.Loss, t.ParentLoss, t.Gain, t.GainMargin)
	} else {
		w.printf("Test loss not measured: there are no test positions\n")
	}
	if p := r.Policy; p != nil {
		test, parent := p.Test, p.Parent
		w.printf("Policy: fitted to %d moves, loss %.4f, was %.4f, on those of %d test positions\n",
			p.Positions, test.Loss, parent.Loss, test.Positions)
		for k, n := range ranking.Firsts {
			now, before := textfmt.Percent(test.Among[k]), textfmt.Percent(parent.Among[k])
			w.printf("Among the first %d: %s, was %s\n", n, now, before)
		}
	}
	verdict := training.Verdict(r.Gain(), sprt.Pairs{}, "the weights at the start")
	w.printf("The weights are in %s\n", r.Weights)
	w.printf("Verdict: %s; how they play, a match tells\n", verdict)
}

// fiveDigits returns a number with five significant digits.
func fiveDigits(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }

// tuneSPSACmd tunes parameters of an agent by matches of perturbed copies of it.
type tuneSPSACmd struct {
	Config string `arg:"" what:"a YAML file" placeholder:"CONFIG.yaml" help:"YAML file with the parameters to tune and the settings; see configs/tuning/spsa.yaml."`
	settingsFlags
	learnedRules
	queueFlags
	resultFlag
}

// Run begins with the config, whose agent is started for that: a mistake there leaves no folder.
func (c *tuneSPSACmd) Run(ctx context.Context, e *env) error {
	config, err := configs.LoadSPSA(ctx, c.Config, c.Rules, e.registry)
	if ctx.Err() != nil { // an agent that was stopped is no mistake in the file
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	if err := c.settle(e, &config); err != nil {
		return err
	}
	config.Out = newFolder(config.Out, config.Name)
	games := tournament.Config{
		Agents: []agents.Spec{config.Agent}, Settings: config.Settings, Out: config.Out,
	}
	q, err := c.open(ctx, e, &games)
	if err != nil {
		return err
	}
	defer q.close()
	config.Executor = games.Executor
	// What has begun goes on in its folder, and so may the queue of its games.
	v := &learningView{e: e}
	tuned, err := config.Run(ctx, spsaEnv(v, &config.Method))
	v.end()
	q.began = !errors.As(err, new(*training.FolderError))
	if !q.began {
		return fileError("--out", err)
	}
	w := e.result(c.Format, tuned)
	if err != nil {
		return e.learningError(ctx, config.Out, err)
	}
	c.print(w, tuned, &config)
	return nil
}

// print prints the parameters before and after, and how to test the new ones.
func (c *tuneSPSACmd) print(w *output, t *training.Tuned, config *training.SPSA) {
	parameters := grid.New("", 1, "Parameter", "Before", "After")
	for i, name := range t.Names {
		parameters.Add(name, fiveDigits(t.Before[i]), fiveDigits(t.After[i]))
	}
	printTable(w, parameters, grid.Text, 1)
	// Then what is on the disk, and what to do with it.
	w.printf("\n%d steps, %d games; the history is in %s\n", t.Steps, t.Games, config.Out)
	if t.Weights != "" {
		w.printf("The weights are in %s\n", t.Weights)
	}
	verdict := training.Verdict(t.Gain, t.Verified, "the agent at the start")
	// A tuning shows no gain by itself; a match does, with the settings of the tuning.
	defaults := game.DefaultSettings()
	defaults.Openings.ForMatch(config.Rules)
	words := []string{
		t.Agent.With("name", "new").String(), t.Start.With("name", "old").String(),
		"--rules", config.Rules.String(),
	}
	words = append(words, settings.Arguments(&config.Settings, &defaults)...)
	next := "A match against the start: " + commandLine("match", words...)
	if t.Gain == nil && t.Verified.N() == 0 {
		verdict = "nothing was verified, so no gain is shown; " +
			"play this match, or give verification.pairs"
	}
	if t.Agent.String() == t.Start.String() {
		verdict = "no gain"
		next = "It is the agent at the start"
	}
	w.printf("Agent after the last step %s\n", t.Agent.String())
	w.printf("%s\nVerdict: %s\n", next, verdict)
}

// spsaEnv is the view's env of a tuning by matches, where the games of all steps are one stage.
func spsaEnv(v *learningView, s *spsa.Settings) training.Env {
	// A step plays pairs of two perturbed agents.
	step := 2 * int64(s.Pairs) // games
	all := step * int64(s.Steps)
	done, text := int64(0), "games"
	show := func() {
		v.what = ""
		v.step(done, all, text)
	}
	env := v.env()
	env.Step = func(history []training.Line) {
		last := history[len(history)-1].Step
		done = step * int64(last)
		text = fmt.Sprintf("games, step %d", last)
		if known := stepText(history); known != "" {
			text += ", " + known
		}
		show()
	}
	env.Game = func(g *record.Record) {
		if v.games { // of a verification
			v.meter.game(g)
			return
		}
		done++
		show()
	}
	return env
}

// stepText says what is known after the last step: its losses, and the last Elo that was measured.
func stepText(history []training.Line) string {
	var parts []string
	last := history[len(history)-1]
	if last.Loss != nil {
		parts = append(parts, fmt.Sprintf("loss %.5f", *last.Loss))
	}
	if last.ValidationLoss != nil {
		parts = append(parts, fmt.Sprintf("validation loss %.5f", *last.ValidationLoss))
	}
	// Matches are rare, so the last one may be some steps ago.
	for _, l := range slices.Backward(history) {
		if l.Elo != nil {
			elo := fmt.Sprintf("Elo %+.1f ± %.1f after step %d", *l.Elo, *l.EloMargin, l.Step)
			parts = append(parts, elo)
			break
		}
	}
	return strings.Join(parts, ", ")
}

// learningError returns the error of a run that was stopped, and prints how to resume it.
func (e *env) learningError(ctx context.Context, out string, err error) error {
	goOn := "Go on with the same command and --out " + out
	if wasInterrupted(ctx, err) {
		e.err.printf("Stopped. %s\n", goOn)
		return err
	}
	e.err.printf("Stopped by an error. Once its cause is mended: %s; "+
		"keys of tune and numbers of pairs may change\n", goOn)
	return failure{err}
}
