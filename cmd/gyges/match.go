package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

type matchCmd struct {
	A agents.Spec `arg:"" what:"two agents" placeholder:"AGENT" help:"The player whose strength is measured, as an agent spec."`
	B agents.Spec `arg:"" what:"a second agent" placeholder:"AGENT" help:"The player it is measured against."`
	runFlags
	RatingInterval int64 `check:"0.." zero:"never" placeholder:"N" help:"Report the ratings after every N games, too, on stderr."`
}

func (c *matchCmd) Run(ctx context.Context, e *env) error {
	config, err := c.config(e.registry)
	if err != nil {
		return err
	}
	f, summary, err := play(ctx, e, config, c.RatingInterval, c.queueFlags, matchRun)
	if err != nil && summary.Status != tournament.Interrupted && summary.Played == 0 {
		return runError(err, summary)
	}
	c.print(e, f, summary)
	if err != nil {
		e.out.printf("Stopped. Go on with %s.\n", f.goesOn(summary, err))
	}
	return cmp.Or(errors.Join(runError(err, summary), f.err), answer(summary.Faults == 0))
}

func (c *matchCmd) print(e *env, f *observer, summary tournament.Summary) {
	config := f.config
	count := f.standings.Count(config.Agents[0].String())
	e.out.printf("%s against %s\nOpenings %s\n%s", textfmt.Escape(config.Agents[0].Label()),
		textfmt.Escape(config.Agents[1].Label()), textfmt.Escape(config.Openings.String()),
		matchText(config.SPRT, summary.Pairs))
	f.writePrecision(e.out, summary)
	drawn := ""
	if count.Draws > 0 {
		drawn = fmt.Sprintf(" %d drawn,", count.Draws)
	}
	e.out.printf("Games %d: %d won,%s %d lost\n", summary.Played, count.Wins, drawn, count.Losses)
	for _, set := range f.standings.RuleSets {
		if pairs := set.PairsOf(config.Agents[0].String()); len(f.standings.RuleSets) > 1 {
			e.out.printf("Rules %s: Elo %s, pairs %v\n", textfmt.Escape(set.Name), pairs.Estimate().EloText(), pairs)
		}
	}
	e.out.printf("%s; the records are in %s\n", timeText(summary), textfmt.Escape(summary.Out))
	for _, note := range f.counted.Identical.Notes(int(f.counted.Pairs.N())) {
		e.out.printf("%s\n", strings.Join(textfmt.Wrap("Note: "+note+".", tableWidth(e.out)), "\n"))
	}
	f.writeFaults(e.out)
}

func (c *matchCmd) config(registry *agents.Registry) (tournament.Config, error) {
	config := tournament.DefaultMatch()
	config.Name, config.Pairs = tournament.MatchName, tournament.UnsetPairs
	config.Agents = []agents.Spec{c.A, c.B}
	if err := c.applyRun(&config, &config); err != nil {
		return config, err
	}
	config.Openings.ForMatch(config.Rules...)
	config.SetPairs()
	return config, c.checkRun(&config, config.Validate(registry), config.Name, &config.Out, "agents")
}

type sprtCmd struct {
	Penta string  `required:"" placeholder:"A,B,C,D,E" help:"Game pairs that gave the first player 0, ½, 1, 1½ and 2 points."`
	Elo0  float64 `name:"elo0" default:"0" placeholder:"ELO" help:"Strength under H0. Default: 0."`
	Elo1  float64 `name:"elo1" default:"5" placeholder:"ELO" help:"Strength under H1. Default: 5."`
	Alpha float64 `default:"0.05" placeholder:"P" help:"Chance to accept H1 when H0 holds. Default: 0.05."`
	Beta  float64 `default:"0.05" placeholder:"P" help:"Chance to accept H0 when H1 holds. Default: 0.05."`
	Model string  `enum:"normalized,logistic" default:"normalized" placeholder:"MODEL" help:"What Elo means: normalized (default) or logistic."`
}

func (c *sprtCmd) Run(e *env) error {
	const most = 1_000_000_000
	var pairs sprt.Pairs
	parts := strings.Split(c.Penta, ",")
	for i := range parts {
		n, err := settings.Parse[int64](parts[i])
		if len(parts) != len(pairs) || err != nil || n < 0 || n > most {
			return fmt.Errorf("--penta: expected five counts from 0 to %d, separated by commas%s, found %.80q", int64(most),
				settings.ZeroHint(c.Penta), c.Penta)
		}
		pairs[i] = n
	}
	test := sprt.Test{Elo0: c.Elo0, Elo1: c.Elo1, Alpha: c.Alpha, Beta: c.Beta, Model: sprt.Model(c.Model)}
	if err := test.Check(); err != nil {
		return err
	}
	e.out.printf("%s", matchText(test, pairs))
	return nil
}

func matchText(t sprt.Test, p sprt.Pairs) string {
	var text strings.Builder
	for _, fact := range t.Facts(p) {
		fmt.Fprintln(&text, fact[0], fact[1])
	}
	return text.String()
}
