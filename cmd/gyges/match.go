package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/progress"
)

// matchCmd plays a match: a tournament of two agents, which a sequential test may end.
type matchCmd struct {
	A agents.Spec `arg:"" what:"two agents" placeholder:"AGENT" help:"The player whose strength is measured, as an agent spec."`
	B agents.Spec `arg:"" what:"a second agent" placeholder:"AGENT" help:"The player it is measured against."`
	runFlags
	resultFlag
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
	if summary.End.IsZero() { // it has not begun
		return runError(err, summary)
	}
	w := f.printMatch(c.Format, summary)
	if err != nil {
		w.printf("Stopped. Go on with %s.\n", f.goesOn(summary, err))
	}
	return f.result(summary, err)
}

// printMatch prints the result from the first player's view, and returns where its text is.
func (f *observer) printMatch(format grid.Format, summary tournament.Summary) *output {
	w := f.e.result(format, f.Object(summary))
	// The players are named as the run has them that goes on.
	first := f.Config.Agents[0]
	second := f.Config.Agents[1]
	w.printf("%s against %s\n", first.Label(), second.Label())
	w.printf("Openings %s\n", f.Config.Openings.String())
	w.printTest(f.Config.SPRT, f.Run.Pairs)
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
	return w
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
	return config, c.check(e, &config, "agents")
}

// sprtCmd computes what a test says of the pairs of a run, or of pairs that were counted elsewhere.
type sprtCmd struct {
	Folder string  `arg:"" optional:"" name:"run" help:"Folder of a run of two players, which may go on."`
	Penta  []int64 `placeholder:"A,B,C,D,E" help:"In place of a run: game pairs that gave the first player 0, ½, 1, 1½ and 2 points."`
	settingsFlags
	resultFlag
}

// Run prints the facts in the form of gyges match.
func (c *sprtCmd) Run(ctx context.Context, e *env) error {
	if (c.Folder == "") == (c.Penta == nil) {
		return errors.New("expected a run, or else --penta: gyges sprt RUN; see gyges sprt --help")
	}
	if c.Folder != "" {
		return c.judge(ctx, e)
	}
	var pairs sprt.Pairs
	isCounts := len(c.Penta) == len(pairs) && slices.Min(c.Penta) >= 0
	if !isCounts || slices.Max(c.Penta) > 1e9 {
		return fmt.Errorf("--penta: expected five counts from 0 to 1000000000, found %d", c.Penta)
	}
	copy(pairs[:], c.Penta)
	// The test has no pairs of its own: it judges those that are given.
	test := sprt.Default()
	if err := c.override(&test); err != nil {
		return err
	}
	e.result(c.Format, test.Object(pairs, false)).printTest(test, pairs)
	return nil
}

// override sets what the flags give of a test.
func (c *sprtCmd) override(t *sprt.Test) error {
	if err := c.apply((*sprt.Settings)(t)); err != nil {
		return err
	}
	return t.Check()
}

// judge prints how a run stands by its own test or another one. Its records are counted like those
// of a match that is played.
func (c *sprtCmd) judge(ctx context.Context, e *env) error {
	m, err := tournament.ReadManifest(os.DirFS(c.Folder))
	if err != nil {
		return named(c.Folder, files.Plain(err))
	}
	if m == nil || len(m.Config.Agents) != 2 {
		return fmt.Errorf("%s: expected a run of two players, found another or none", c.Folder)
	}
	test := &m.Config.SPRT
	*test = cmp.Or(*test, sprt.Default())
	if err := c.override(test); err != nil {
		return err
	}
	f := &observer{Observer: progress.New(&m.Config, progress.Match), e: e}
	s := tournament.Summary{
		Status: m.Status, Out: c.Folder, Start: m.Start, End: cmp.Or(m.End, time.Now()),
	}
	if err := f.End(ctx, s); err != nil {
		return files.Plain(err)
	}
	s.Played = f.Recorded
	f.printMatch(c.Format, s)
	return nil
}

// printTest prints what a test, or a match without one, says of game pairs: a fact a line.
func (o *output) printTest(t sprt.Test, p sprt.Pairs) {
	for _, fact := range t.Facts(p) {
		o.printf("%s %s\n", fact[0], fact[1]) // name and value
	}
}
