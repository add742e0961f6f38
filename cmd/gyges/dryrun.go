package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

// estimateTime is how long a dry run plays.
const estimateTime = 3 * time.Second

// planJSON is the output of a dry run.
type planJSON struct {
	Event         string  `json:"event"` // "plan"
	Games         int64   `json:"games"`
	AtMost        bool    `json:"at_most,omitempty"` // a test may stop the run before
	EstimateGames int64   `json:"estimate_games"`
	Workers       int     `json:"workers"`
	PerGame       float64 `json:"seconds_per_game"`
	Seconds       float64 `json:"seconds"`
	PerBytes      int64   `json:"bytes_per_game"`
	Bytes         int64   `json:"bytes"`
}

// dryRun plays some games of a run and prints an estimate for all of it.
func dryRun(ctx context.Context, e *env, config tournament.Config, events string) error {
	estimate, err := tournament.EstimateRun(ctx, config, e.registry, estimateTime)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return failure{fmt.Errorf("no game of the estimate ended within %v; the run would take more than %v",
			10*estimateTime, time.Duration(config.Games()/int64(max(estimate.Workers, 1)))*10*estimateTime)}
	case err != nil:
		return err
	}
	games := config.Games()
	plan := planJSON{
		Event: "plan", Games: games, AtMost: config.SPRT != (sprt.Test{}), EstimateGames: estimate.Games,
		Workers: estimate.Workers, PerGame: estimate.PerGame.Seconds(), Seconds: estimate.Duration(games).Seconds(),
		PerBytes: estimate.Bytes, Bytes: games * estimate.Bytes,
	}
	if events != "" {
		return writeJSONLine(e.out, plan)
	}
	most := ""
	if plan.AtMost {
		most = " at most"
	}
	e.out.printf("Games     %d%s: %d pairs for every two players who meet, %s, seed %d\n", games, most, config.Pairs,
		textfmt.Plural(len(config.Rules), "rule set"), config.Seed)
	e.out.printf("Estimate  %d games, %d at a time, %v and %s each\n", estimate.Games, estimate.Workers,
		estimate.PerGame.Round(10*time.Microsecond), bytesText(estimate.Bytes))
	e.out.printf("Duration  about %v%s\n", roughly(estimate.Duration(games)), most)
	e.out.printf("Records   about %s%s, in %s\n", bytesText(plan.Bytes), most, config.Out)
	return nil
}

// roughly rounds a time to what an estimate is worth.
func roughly(d time.Duration) time.Duration {
	switch {
	case d > time.Hour:
		return d.Round(time.Minute)
	case d > time.Minute:
		return d.Round(time.Second)
	}
	return d.Round(time.Second / 10)
}

func bytesText(n int64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if x := float64(n) / unit.size; x >= 1 {
			return fmt.Sprintf("%.3g %s", x, unit.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}
