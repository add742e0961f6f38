package main

import (
	"context"
	"errors"
	"path/filepath"

	"gyges/agents/tuning/dataset"
	"gyges/configs"
	"gyges/rules/base/files"
	"gyges/rules/base/settings"
	"gyges/tournament"
	"gyges/tournament/progress"
	"gyges/tournament/training"
)

// selfplayCmd lets agents play themselves, and makes training positions of their games.
type selfplayCmd struct {
	Config string `arg:"" optional:"" placeholder:"CONFIG.yaml" help:"YAML file; flags override it."`
	runFlags
}

// Run plays the games, and then extracts the positions of all games in the folder.
func (c *selfplayCmd) Run(ctx context.Context, e *env) error {
	config, err := c.config(e)
	if err != nil {
		return err
	}
	f, s, err := play(ctx, e, config.Games(), 0, c.queueFlags, progress.SelfPlay)
	// A run that has begun goes on in its folder; its positions are made at its end.
	if err != nil {
		if s.Status != tournament.Running && s.Out != "" {
			e.err.printf("Stopped after %d of %d games, before there were training positions. "+
				"Go on with %s\n", s.Played, s.Scheduled, f.goesOn(s, err))
		}
		return runError(err, s)
	}
	// The positions say which agents and settings they come from.
	about := config.Provenance(version())
	made, err := extract(ctx, e, &config.Positions, s.Out, about)
	if err != nil {
		return failure{err} // the games are safe
	}
	e.out.printf("%s", timeText(s))
	// The speed is of the games that were played now.
	if fresh := s.Played - s.Kept; fresh > 0 {
		positions, took := made.Plies*fresh/s.Played, s.End.Sub(s.Start)
		e.out.printf(", %s positions a minute", perSecond(60*positions, took.Seconds()))
	}
	e.out.printf("; the training positions are in %s\n",
		filepath.Join(s.Out, training.PositionsDir))
	f.writeFaults(e.out)
	return f.result(s, nil)
}

// config returns the config of the file, if one is given, with what the flags override.
func (c *selfplayCmd) config(e *env) (config training.SelfPlay, err error) {
	config = training.DefaultSelfPlay()
	if c.Config != "" {
		config, err = configs.LoadSelfPlay(c.Config, e.registry)
		if err != nil {
			return config, err
		}
	}
	// The games are a tournament, so flags of both are read.
	t := &config.Tournament
	err = c.applyRun(&config, t)
	if err != nil {
		return config, err
	}
	if c.Config == "" && len(t.Agents) == 0 {
		return config, errors.New("expected a YAML file, or --agent; see gyges selfplay --help")
	}
	return config, c.check(e, &config)
}

// dataMakeCmd makes training positions of games that were played before, by any run.
type dataMakeCmd struct {
	Dir    string `arg:"" what:"a run" placeholder:"DIR" help:"Folder of a run."`
	Format string `enum:",csv,jsonl" default:"" placeholder:"FORMAT" help:"Write them for other programs: csv or jsonl (JSON lines), into the file positions.csv or positions.jsonl. Default: Parquet, into the folder positions, which fits read."`
	settingsFlags
}

// Run extracts the positions into the folder of the run.
func (c *dataMakeCmd) Run(ctx context.Context, e *env) error {
	config := training.DefaultSelfPlay()
	// Of the settings only those of positions matter here.
	if err := c.apply(&config.Positions); err != nil {
		return err
	}
	config.Text = c.Format
	about := map[string]string{"program": version()}
	_, err := extract(ctx, e, &config.Positions, c.Dir, about)
	return files.Plain(settings.FlagErrors(&config, err))
}

// extract makes training positions of the games in a folder, and prints how many positions became
// some, and why the others didn't. about is what the files say of the games.
func extract(
	ctx context.Context, e *env, config *training.Positions, dir string, about map[string]string,
) (training.Extraction, error) {
	v := &learningView{e: e}
	made, err := config.Extract(ctx, v.env(), dir, about)
	v.end()
	if err != nil {
		return made, err
	}
	for _, note := range made.Notes {
		e.err.warn("%s", note)
	}
	w, written := e.out, made.Written
	train, test := written[dataset.Train], written[dataset.Test]
	w.printf("%d training positions (%d train, %d validation, %d test) "+
		"of %d positions in games: %d repeated", made.Total(),
		train, written[dataset.Validation], test, made.Plies, made.Repeated)
	// Positions are searched only if the config says so.
	if made.Searched > 0 {
		w.printf(", %d searched, %d without a result", made.Searched, made.Unplayed)
	}
	if made.RandomMoves > 0 {
		w.printf(", %d before a random move", made.RandomMoves)
	}
	w.printf(", %d in another split\n", made.Duplicates)
	return made, nil
}
