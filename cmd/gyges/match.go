package main

import (
	"context"
	"fmt"
	"strings"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/progress"
)

// matchCmd plays a match: a tournament of two agents, which a sequential test may end.
type matchCmd struct {
	A agents.Spec `arg:"" what:"two agents" placeholder:"AGENT" help:"The player whose strength is measured, as an agent spec."`
	B agents.Spec `arg:"" what:"a second agent" placeholder:"AGENT" help:"The player it is measured against."`
	runFlags
	RatingInterval int64 `check:"0.." zero:"never" placeholder:"N" help:"Report the ratings after every N games, too, on stderr."`
}

// Run plays the match and prints its result, also of a match that was stopped.
func (c *matchCmd) Run(ctx context.Context, e *env) error {
	config, err := c.config(e)
	if err != nil {
		return err
	}
	// While it goes on, the score of the first player is shown.
	f, summary, err := play(ctx, e, config, c.RatingInterval, c.queueFlags, progress.Match)
	// A match that was interrupted has a result, even of no games.
	if err != nil && summary.Played == 0 && summary.Status != tournament.Interrupted {
		return runError(err, summary)
	}
	c.print(e.out, f, summary)
	if err != nil {
		e.out.printf("Stopped. Go on with %s.\n", f.goesOn(summary, err))
	}
	return f.result(summary, err)
}

// print prints the result from the first player's view.
func (c *matchCmd) print(w *output, f *observer, summary tournament.Summary) {
	first, second := f.Config.Agents[0], f.Config.Agents[1] // as the run has them that goes on
	w.printf("%s against %s\n", first.Label(), second.Label())
	w.printf("Openings %s\n", f.Config.Openings.String())
	w.print(matchText(f.Config.SPRT, summary.Pairs))
	f.writePrecision(w, summary)

	player := first.String()
	// Draws are rare, so they are mentioned only where there are some.
	count, drawn := f.Standings.Count(player), ""
	if count.Draws > 0 {
		drawn = fmt.Sprintf(" %d drawn,", count.Draws)
	}
	w.printf("Games %d: %d won,%s %d lost\n", summary.Played, count.Wins, drawn, count.Losses)
	if sets := f.Standings.RuleSets; len(sets) > 1 {
		for _, set := range sets {
			pairs := set.PairsOf(player)
			w.printf("Rules %s: Elo %s, pairs %v\n", set.Name, pairs.Estimate().EloText(), pairs)
		}
	}
	w.printf("%s; the records are in %s\n", timeText(summary), summary.Out)
	pairs := int(f.Run.Pairs.N())
	for _, note := range f.Run.Identical.Notes(pairs) {
		lines := textfmt.Wrap("Note: "+note+".", tableWidth(w))
		w.print(strings.Join(lines, "\n") + "\n")
	}
	f.writeFaults(w)
}

// config returns the config of the match. Openings that are not given are those of matches.
func (c *matchCmd) config(e *env) (tournament.Config, error) {
	config := tournament.DefaultMatch()
	config.Name = tournament.MatchName
	config.Pairs = tournament.UnsetPairs
	config.Agents = []agents.Spec{c.A, c.B}
	if err := c.applyRun(&config, &config); err != nil {
		return config, err
	}
	config.Openings.ForMatch(config.Rules...)
	config.SetPairs()
	config.Out = newFolder(config.Out, config.Name)
	return config, c.check(e, &config, "agents")
}

// sprtCmd computes what a test says of pairs that were counted elsewhere.
type sprtCmd struct {
	Penta string  `required:"" placeholder:"A,B,C,D,E" help:"Game pairs that gave the first player 0, ½, 1, 1½ and 2 points."`
	Elo0  float64 `name:"elo0" default:"0" placeholder:"ELO" help:"Strength under H0. Default: 0."`
	Elo1  float64 `name:"elo1" default:"5" placeholder:"ELO" help:"Strength under H1. Default: 5."`
	Alpha float64 `default:"0.05" placeholder:"P" help:"Chance to accept H1 when H0 holds. Default: 0.05."`
	Beta  float64 `default:"0.05" placeholder:"P" help:"Chance to accept H0 when H1 holds. Default: 0.05."`
	Model string  `enum:"normalized,logistic" default:"normalized" placeholder:"MODEL" help:"What Elo means: normalized (default) or logistic."`
}

// Run prints the facts in the form of gyges match.
func (c *sprtCmd) Run(e *env) error {
	pairs, err := c.pairs()
	if err != nil {
		return err
	}
	// The test has no pairs of its own: it judges those that are given.
	test := sprt.Test{
		Elo0: c.Elo0, Elo1: c.Elo1, Alpha: c.Alpha, Beta: c.Beta, Model: sprt.Model(c.Model),
	}
	if err := test.Check(); err != nil {
		return err
	}
	e.out.print(matchText(test, pairs))
	return nil
}

// pairs reads the five counts of --penta.
func (c *sprtCmd) pairs() (pairs sprt.Pairs, err error) {
	const most = 1_000_000_000
	parts := strings.Split(c.Penta, ",")
	// One message says all that is expected.
	valid := len(parts) == len(pairs)
	for i := 0; valid && i < len(pairs); i++ {
		pairs[i], err = settings.Parse[int64](parts[i])
		valid = err == nil && 0 <= pairs[i] && pairs[i] <= most
	}
	if !valid {
		hint := settings.ZeroHint(c.Penta)
		return pairs, fmt.Errorf("--penta: expected five counts from 0 to %d, "+
			"separated by commas%s, found %.80q", int64(most), hint, c.Penta)
	}
	return pairs, nil
}

// matchText returns what a test, or a match without one, says of game pairs: a fact a line.
func matchText(t sprt.Test, p sprt.Pairs) string {
	var text strings.Builder
	// A fact is a name and a value.
	for _, fact := range t.Facts(p) {
		fmt.Fprintln(&text, fact[0], fact[1])
	}
	return text.String()
}
