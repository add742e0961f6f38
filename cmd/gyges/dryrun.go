package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

// dryRun plays some games of a run and prints an estimate for all of it.
func dryRun(ctx context.Context, e *env, config tournament.Config) error {
	const wanted = 3 * time.Second
	estimate, err := tournament.EstimateRun(ctx, config, e.registry, wanted)
	if errors.Is(err, context.DeadlineExceeded) {
		return failure{fmt.Errorf("no game of the estimate ended within %v", 10*wanted)}
	}
	if err != nil {
		return err
	}
	games := config.Games()
	e.out.printf("At most %d games: %s for every two players who meet, %s, seed %d\n", games,
		textfmt.Plural(config.Pairs, "pair"), textfmt.Plural(len(config.Rules), "rule set"), config.Seed)
	e.out.printf("About %v and %.3g MB in %s, as %d games took %v each, %d at a time\n",
		estimate.Duration(games).Round(time.Second/10), float64(games*estimate.Bytes)/1e6, config.Out, estimate.Games,
		estimate.PerGame.Round(10*time.Microsecond), estimate.Workers)
	return nil
}
