package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gyges/agents"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

type matchCmd struct {
	A string `arg:"" what:"two agents" placeholder:"AGENT" help:"The player whose strength is measured, as an agent spec."`
	B string `arg:"" what:"a second agent" placeholder:"AGENT" help:"The player it is measured against."`
	runFlags
	RatingInterval int64 `check:"0.." zero:"never" placeholder:"N" help:"Report the ratings after every N games, too, on stderr."`
}

// Run plays the match and prints its result.
func (c *matchCmd) Run(ctx context.Context, e *env) error {
	config, err := c.config(e.registry)
	if err != nil {
		return err
	}
	f, summary, err := play(ctx, e, config, c.RatingInterval, c.queueFlags, matchRun)
	if f == nil {
		return err
	}
	if err != nil && summary.Status != tournament.Interrupted {
		return runError(err, summary)
	}
	c.print(e, f, summary)
	if err != nil {
		e.out.printf("Stopped. Go on with the same command and --out %s.\n", summary.Out)
	}
	if err = errors.Join(err, f.err); err == nil && summary.Faults > 0 {
		err = errNo
	}
	return err
}

// print prints the result of the match.
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
	e.out.printf("%s; the records are in %s\n", timeText(summary), summary.Out)
	for _, note := range f.counted.Identical.Notes(int(f.counted.Pairs.N())) {
		e.out.printf("%s\n", strings.Join(textfmt.Wrap("Note: "+note+".", tableWidth(e.out)), "\n"))
	}
	f.writeFaults(e.out)
}

// config returns the config of the flags, checked.
func (c *matchCmd) config(registry *agents.Registry) (tournament.Config, error) {
	config := tournament.DefaultMatch()
	config.Name, config.Pairs = tournament.MatchName, tournament.UnsetPairs
	var errs []error
	for _, text := range []string{c.A, c.B} {
		spec, err := agents.ParseSpec(text)
		errs = append(errs, err)
		config.Agents = append(config.Agents, spec)
	}
	if err := errors.Join(append(errs, c.applyRun(&config, &config))...); err != nil {
		return config, err
	}
	config.Openings.ForMatch(config.Rules...)
	config.SetPairs()
	return config, c.checkRun(&config, config.Validate(registry), config.Name, &config.Out, "agents")
}
