package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

type matchCmd struct {
	A    string `arg:"" what:"two agents" placeholder:"AGENT" complete:"agents" help:"The player whose strength is measured, as an agent spec."`
	B    string `arg:"" what:"a second agent" placeholder:"AGENT" complete:"agents" help:"The player it is measured against."`
	SPRT string `name:"sprt" placeholder:"TEST" help:"Stop when elo0 or elo1 is accepted: elo0=0,elo1=5,alpha=0.05,beta=0.05,model=normalized (or logistic); omitted values are as here. Or two stages, TEST/TEST, of which the second is played if the first accepts elo1, each with limits of its own: elo1=10,nodes=500/elo1=5,nodes=4000 (or depth, movetime, clock)."`
	runFlags
	intervalFlag
}

// Run plays the match, in one or two stages, and prints its result.
func (c *matchCmd) Run(ctx context.Context, e *env) error {
	stages, err := c.stages(e.registry)
	staged, faults := len(stages) > 1, int64(0)
	for i := 0; err == nil && i < len(stages); i++ {
		config := &stages[i]
		title := ""
		if staged {
			title = fmt.Sprintf("%sStage %d of 2, %s: %s\n", strings.Repeat("\n", i), i+1, config.Name, limitText(config))
		}
		var s tournament.Summary
		s, err = c.play(ctx, e, config, title)
		faults += s.Faults
		verdict := config.SPRT.Verdict(s.Pairs)
		if staged && err == nil && (i == 1 || verdict != sprt.AcceptH1) {
			e.out.printf("\nVerdict %s\n", map[sprt.Verdict]string{
				sprt.AcceptH1:  "passed: H1 accepted in both stages",
				sprt.AcceptH0:  "failed: H0 accepted in the " + config.Name,
				sprt.Undecided: "undecided: no more pairs in the " + config.Name + "; --extend plays more",
			}[verdict])
			break
		}
	}
	if err == nil && faults > 0 {
		return errNo
	}
	return err
}

// play plays the match, or one of its stages, which has a title, and prints its result.
func (c *matchCmd) play(
	ctx context.Context, e *env, config *tournament.Config, title string,
) (tournament.Summary, error) {
	f, summary, err := play(ctx, e, *config, c.RatingInterval, c.queueFlags, matchRun)
	if f == nil {
		return summary, err
	}
	if err != nil && summary.Status != tournament.Interrupted {
		return summary, runError(err, summary)
	}
	e.out.printf("%s", title)
	c.print(e, f, summary)
	if out := summary.Out; err != nil {
		if title != "" {
			out = filepath.Dir(out)
		}
		e.out.printf("Stopped. Go on with the same command and --out %s.\n", out)
	}
	return summary, errors.Join(err, f.err)
}

// print prints the result of the match.
func (c *matchCmd) print(e *env, f *observer, summary tournament.Summary) {
	config := f.config
	count := f.standings.Count(config.Agents[0].String())
	e.out.printf("%s against %s\nOpenings %s\n%s", textfmt.Escape(config.Agents[0].Label()),
		textfmt.Escape(config.Agents[1].Label()), textfmt.Escape(config.Openings.String()),
		matchText(config.SPRT, summary.Pairs))
	f.writePrecision(e.out, summary)
	e.out.printf("Games %d: %d won, %d drawn, %d lost\n", summary.Played, count.Wins, count.Draws, count.Losses)
	e.out.printf("%s; the records are in %s\n", timeText(summary), summary.Out)
	for _, note := range f.counted.Identical.Notes(int(f.counted.Pairs.N())) {
		e.out.printf("%s\n", strings.Join(textfmt.Wrap("Note: "+note+".", tableWidth(e.out)), "\n"))
	}
	f.writeFaults(e.out)
}

// stages returns the checked configs of what is played one after the other: that of the flags, or one for each of the
// two stages of its test.
func (c *matchCmd) stages(registry *agents.Registry) ([]tournament.Config, error) {
	config := tournament.DefaultMatch()
	config.Name, config.Pairs = tournament.MatchName, tournament.UnsetPairs
	var errs []error
	for _, text := range []string{c.A, c.B} {
		spec, err := agents.ParseSpec(text)
		errs = append(errs, err)
		config.Agents = append(config.Agents, spec)
	}
	errs = append(errs, c.applyRun(&config, &config))
	stages, err := readStages(config, c.SPRT)
	for _, one := range problems.Split(err) {
		errs = append(errs, fmt.Errorf("--sprt: %w", one))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for i := range stages {
		s := &stages[i]
		s.SetOpenings(s.Rules...)
		s.SetPairs()
		if err := c.checkRun(s, s.Validate(registry), "match", &config.Out, "agents"); err != nil {
			return nil, err
		}
		if s.Out = config.Out; len(stages) > 1 {
			s.Out = filepath.Join(config.Out, tournament.StageFolder(s.Name))
		}
	}
	other := filepath.Join(tournament.StageFolder(tournament.FirstStage), tournament.GamesFile)
	if len(stages) > 1 {
		other = tournament.GamesFile
	}
	if _, err := os.Lstat(filepath.Join(config.Out, other)); err == nil {
		return nil, fmt.Errorf("--out: %s: holds a match of another kind, in %s; expected a folder of its own for a match "+
			"in stages", config.Out, other)
	}
	return stages, nil
}

// readStages returns config with a test: once, or with those of two stages and their limits. The second stage has the
// next seed, so that it isn't played from the same random openings.
func readStages(config tournament.Config, text string) ([]tournament.Config, error) {
	first, second, staged := strings.Cut(text, "/")
	if !staged {
		var err error
		if text != "" {
			config.SPRT, err = sprt.Parse(text)
		}
		return []tournament.Config{config}, err
	}
	if n := strings.Count(text, "/") + 1; n > 2 {
		return nil, fmt.Errorf("expected one test or two stages, found %d", n)
	}
	stages := []tournament.Config{config, config}
	stages[0].Name, stages[1].Name, stages[1].Seed = tournament.FirstStage, tournament.SecondStage, config.Seed+1
	for i, text := range []string{first, second} {
		if err := readStage(&stages[i], text); err != nil {
			return nil, fmt.Errorf("stage %d: %w", i+1, err)
		}
		if limitText(&stages[i]) == limitText(&config) {
			return nil, fmt.Errorf("stage %d: expected a limit, like nodes=500 (or depth, movetime, clock), found none", i+1)
		}
	}
	if limits := limitText(&stages[0]); limits == limitText(&stages[1]) {
		return nil, fmt.Errorf("expected stages with different limits, found %s in both", limits)
	}
	return stages, nil
}

// readStage sets the test and the limits of a stage.
func readStage(config *tournament.Config, text string) error {
	keys, test := []string{"elo0", "elo1", "alpha", "beta", "model"}, []string{}
	limits := limitsOf(config)
	for part := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(part, "=")
		if slices.Contains(keys, key) {
			test = append(test, part)
			continue
		}
		i := slices.IndexFunc(limits, func(f settings.Field) bool { return f.Flag == key })
		if i < 0 {
			return fmt.Errorf("expected %s, found %.60q", suggest.OneOf(append(keys, limitNames...)), part)
		}
		f := limits[i]
		if !f.Value.IsZero() {
			return fmt.Errorf("%s is given twice; expected it once, and no --%s beside it", key, key)
		}
		err := f.SetTexts(value)
		if bounds, ok := f.Tag.Lookup("check"); ok && err == nil {
			err = settings.InBounds(f.Value, bounds, "")
		}
		if err == nil && f.Value.IsZero() {
			err = fmt.Errorf("expected a limit, found %s", value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	var err error
	if config.SPRT = sprt.Default(); len(test) > 0 {
		config.SPRT, err = sprt.Parse(strings.Join(test, ","))
	}
	return err
}

// limitNames are the limits that a stage may have, by their flags.
var limitNames = []string{"nodes", "depth", "movetime", "clock"}

// limitsOf returns the settings of a config that are in limitNames.
func limitsOf(config *tournament.Config) []settings.Field {
	return slices.DeleteFunc(settings.Fields(config, ""), func(f settings.Field) bool {
		return !slices.Contains(limitNames, f.Flag)
	})
}

// limitText returns the limits that a config sets.
func limitText(config *tournament.Config) string {
	var list []string
	for _, f := range limitsOf(config) {
		if !f.Value.IsZero() {
			list = append(list, f.Flag+"="+f.Texts()[0])
		}
	}
	return strings.Join(list, ",")
}
