package main

import (
	"context"
	"errors"
	"fmt"

	"gyges/ratings"
	"gyges/ratings/table"
)

// seriesFlags say how to rate over time.
type seriesFlags struct {
	OverTime string  `enum:",whole,window" default:"" placeholder:"HOW" help:"Rate over time, a step for each file in the order given: whole fits the whole history at once, in which ratings drift from step to step; window fits each step with those just before it."`
	Window   int     `default:"1" placeholder:"N" help:"With --over-time window, fit so many steps together. Default: 1."`
	Drift    float64 `default:"30" placeholder:"ELO" help:"With --over-time whole, the standard deviation of a rating's change from one step to the next. Default: 30."`
}

// checkSeries finds flags that don't go with ratings over time.
func (c *rateCmd) checkSeries() error {
	if c.OverTime == "" {
		return nil
	}
	var errs []error
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"--bootstrap", c.Bootstrap > 0}, {"--columns", c.Columns != ""}, {"--per-side", c.PerSide}, {"--pool", c.Pool},
		{"--crosstable", c.Crosstable}, {"--head-to-head", c.HeadToHead}, {"--los", c.Los}, {"--compare", c.Compare != ""},
	} {
		if f.given {
			errs = append(errs, fmt.Errorf("--over-time: expected no %s beside it", f.name))
		}
	}
	return errors.Join(errs...)
}

// overTime rates each file as a step of its own.
func (c *rateCmd) overTime(ctx context.Context, e *env, in *intake, files []string, o ratings.Options) error {
	var steps []ratings.Step
	all := new(ratings.Data)
	for _, f := range files {
		s := newStandings()
		if err := in.file(ctx, e.in, f, s); err != nil {
			return err
		}
		d := s.all()
		all.Merge(d)
		steps = append(steps, ratings.Step{Name: f, Data: d})
	}
	players := all.Players()
	if err := c.anyGames(in, len(players) > 0); err != nil {
		return err
	}
	c.warn(e, &in.tally)
	if err := c.settle(&o, players); err != nil {
		return err
	}
	series, err := ratings.FitSeries(ctx, steps, ratings.SeriesOptions{
		Options: o, Method: ratings.Method(c.OverTime), Window: c.Window, Drift: c.Drift,
	})
	if err != nil {
		return err
	}
	series.Notes = append(series.Notes, in.notes()...)
	return table.WriteHistory(e.out, c.format(), series)
}
