package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/alecthomas/kong"

	"gyges/ratings"
)

// modelFlags are the options of the fit.
type modelFlags struct {
	Anchor    []string `sep:"none" placeholder:"NAME=ELO[±SD]" help:"Give a player a rating that the others are measured from; with ±SD (or +-SD) loosely: the rating is fitted, and ELO ± SD is what was known before. May be repeated. Without it the mean is 0."`
	Offset    []string `sep:"none" placeholder:"NAME=OTHER+ELO" help:"Fix a difference: NAME is rated ELO above OTHER (or OTHER-ELO, below). May be repeated."`
	Advantage signed   `default:"fit" placeholder:"ELO" help:"South's first-move advantage: fit (default), or a fixed number of Elo."`
	Draws     string   `enum:"half,davidson,rao-kupper" default:"half" placeholder:"MODEL" help:"What a draw is: half (default) a win and half a loss, or an outcome with a parameter of its own: davidson or rao-kupper."`
	Prior     signed   `default:"auto" placeholder:"N" help:"Give each player N virtual draws against an imaginary opponent; 0 for none: players without a finite rating are then listed apart. fit takes the ratings from a normal distribution whose width is estimated; it suits Swiss and knock-out games from files without a manifest. Default: auto, which is fit for runs of these formats, 2 where players have no finite rating, otherwise 0."`
	Intervals string   `enum:"pairs,games,model" default:"pairs" placeholder:"KIND" help:"The unit that intervals treat as independent: pairs of games from one opening (default), single games, or what the likelihood alone says (model)."`
	Bootstrap int      `default:"0" placeholder:"N" help:"Check the intervals by N resamples."`
	Seed      uint64   `default:"1" placeholder:"N" help:"Seed of the resamples. Default: 1."`
}

// signed is the text of a number that may begin with a minus, which kong would
// take for a flag.
type signed string

// Decode implements kong's MapperValue.
func (s *signed) Decode(ctx *kong.DecodeContext) error {
	if ctx.Scan.Peek().IsEOL() {
		return errors.New("expected a number, found the end")
	}
	*s = signed(ctx.Scan.Pop().String())
	return nil
}

// options returns the options but for the offsets, which need the players' names.
func (c *modelFlags) options() (ratings.Options, error) {
	o := ratings.Options{
		Draws:     ratings.DrawModel(c.Draws),
		Intervals: ratings.Intervals(c.Intervals),
		Bootstrap: c.Bootstrap,
		Seed:      c.Seed,
	}
	var errs []error
	switch c.Prior {
	case "auto":
	case "fit":
		o.FitPrior = true
	default:
		draws, err := strconv.ParseFloat(string(c.Prior), 64)
		if err != nil {
			errs = append(errs, fmt.Errorf("--prior: expected auto, fit or a number of draws, found %.60q", string(c.Prior)))
		}
		o.Prior = &draws
	}
	for _, text := range c.Anchor {
		a, err := ratings.ParseAnchor(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--anchor: %w", err))
		}
		o.Anchors = append(o.Anchors, a)
	}
	if c.Advantage != "fit" {
		elo, err := ratings.ParseElo(string(c.Advantage))
		if err != nil {
			errs = append(errs, fmt.Errorf("--advantage: fit or a number: %w", err))
		}
		o.Advantage = &elo
	}
	return o, errors.Join(errs...)
}

// commandWords are words of a command line.
type commandWords []string

// flag adds a flag unless it has its default value.
func (w *commandWords) flag(name, value, usual string) {
	if value != usual {
		*w = append(*w, "--"+name, value)
	}
}

// words returns the flags on a command line, without those at their defaults.
func (c *modelFlags) words() commandWords {
	var words commandWords
	for _, a := range c.Anchor {
		words.flag("anchor", a, "")
	}
	for _, o := range c.Offset {
		words.flag("offset", o, "")
	}
	words.flag("advantage", string(c.Advantage), "fit")
	words.flag("draws", c.Draws, string(ratings.HalfPoints))
	words.flag("prior", string(c.Prior), "auto")
	words.flag("intervals", c.Intervals, string(ratings.ByPair))
	words.flag("bootstrap", strconv.Itoa(c.Bootstrap), "0")
	words.flag("seed", strconv.FormatUint(c.Seed, 10), "1")
	return words
}

// historyFlags are the options of ratings over time.
type historyFlags struct {
	OverTime string  `enum:",whole,window" default:"" placeholder:"HOW" help:"Rate over time, a step for each file in the order given: whole fits the whole history at once, in which ratings drift from step to step; window fits each step with those just before it."`
	Window   int     `default:"1" placeholder:"N" help:"With --over-time window, fit so many steps together. Default: 1."`
	Drift    float64 `default:"30" placeholder:"ELO" help:"With --over-time whole, the standard deviation of a rating's change from one step to the next. Default: 30."`
}

// fitHistory rates the players at each step.
func (c *historyFlags) fitHistory(
	ctx context.Context, steps []ratings.Step, o ratings.Options,
) (*ratings.Series, error) {
	return ratings.FitSeries(ctx, steps, ratings.SeriesOptions{
		Options: o, Method: ratings.Method(c.OverTime), Window: c.Window, Drift: c.Drift,
	})
}
