package main

import (
	"context"
	"errors"

	"gyges/configs"
	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/progress"
)

// tournamentCmd plays a tournament that a config file or flags describe, and rates its players.
type tournamentCmd struct {
	Config string `arg:"" optional:"" placeholder:"CONFIG.yaml" help:"YAML file with the tournament; flags override it."`
	runFlags
	RatingInterval int64 `check:"0.." zero:"never" placeholder:"N" help:"Report the ratings after every N games, too, on stderr."`
	formatFlag
}

// Run plays the tournament. Its tables are printed also when it was stopped, if any game is over.
func (c *tournamentCmd) Run(ctx context.Context, e *env) error {
	config, err := c.config(e)
	if err != nil {
		return err
	}
	f, summary, err := play(ctx, e, config, c.RatingInterval, c.queueFlags, progress.Rated)
	// Without a game there is nothing to print but the error.
	if summary.Played == 0 && err != nil {
		if summary.Status == tournament.Interrupted {
			e.err.printf("Stopped before the first game was over.\n")
		}
		return runError(err, summary)
	}
	// The tables are printed even after an interruption, so they need another context.
	if f.err == nil {
		f.err = c.print(context.WithoutCancel(ctx), e, f, summary, err)
	}
	return f.result(summary, err)
}

// print prints the tables and what else is reported, also of a run that was stopped. The games are
// safe in any case.
func (c *tournamentCmd) print(
	ctx context.Context, e *env, f *observer, s tournament.Summary, errRun error,
) error {
	rated, err := f.Standings.Fit(ctx, ratings.Options{}, c.Format == grid.JSON)
	rated.Moves = f.Standings.PlayerTable()
	if err == nil {
		err = c.write(e.out, rated)
	}
	// Formats for programs have the tables alone on the standard output.
	w := e.err
	if isForPeople(c.Format) {
		w = e.out
		w.printf("\nResults by side, and the depth, nodes and time of a move:\n\n")
		printTable(w, rated.Moves, c.Format, 1)
	}
	w.printf("\n")
	f.writePrecision(w, s)
	w.printf("%s; the records are in %s\n", timeText(s), s.Out)
	f.writeFaults(w)
	if s.Status != tournament.Finished {
		goesOn, out := f.goesOn(s, errRun), textfmt.ShellWord(s.Out)
		w.printf(
			"Stopped after %d of %d games. Go on with %s. Rate them again with: gyges rate %s\n",
			s.Played, s.Scheduled, goesOn, out)
	}
	return asFailure(err)
}

// config returns the config of the file, if one is given, with what the flags override.
func (c *tournamentCmd) config(e *env) (config tournament.Config, err error) {
	config = tournament.DefaultConfig()
	config.Pairs = tournament.UnsetPairs
	if c.Config != "" {
		config, err = configs.LoadTournament(c.Config, e.registry)
		if err != nil {
			return config, err
		}
	}
	err = c.applyRun(&config, &config)
	if err != nil {
		return config, err
	}
	// Pairs that were not given depend on what else may end the run.
	config.SetPairs()
	if c.Config == "" && len(config.Agents) < 2 {
		return config, errors.New(
			"expected a YAML file, or --agent at least twice; see gyges tournament --help")
	}
	return config, c.check(e, &config)
}
