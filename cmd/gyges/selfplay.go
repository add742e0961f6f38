package main

import (
	"context"
	"errors"
	"path/filepath"

	"gyges/agents"
	"gyges/configs"
	"gyges/tournament"
	"gyges/tournament/training"
)

type selfplayCmd struct {
	Config string `arg:"" optional:"" placeholder:"CONFIG.yaml" help:"YAML file; flags override it."`
	runFlags
}

// Run plays, extracts the training positions and prints their counts.
func (c *selfplayCmd) Run(ctx context.Context, e *env) error {
	config, err := c.config(e.registry)
	if err != nil {
		return err
	}
	f, summary, err := play(ctx, e, config.Games(), 0, c.queueFlags, selfPlayRun)
	if err != nil {
		if summary.Status != tournament.Running && summary.Out != "" {
			e.err.printf("Stopped after %d of %d games, before there were training positions. "+
				"Go on with the same command and --out %s\n", summary.Played, summary.Scheduled, summary.Out)
		}
		return runError(err, summary)
	}
	v := &learningView{e: e}
	made, err := config.Extract(ctx, v.env(), summary.Out, config.Provenance(version()))
	v.end()
	if err != nil {
		return failure{err} // the games are safe
	}
	c.summarize(e, summary, made)
	f.writeFaults(e.out)
	if summary.Faults > 0 {
		return errNo
	}
	return nil
}

func (c *selfplayCmd) summarize(e *env, s tournament.Summary, made training.Extraction) {
	summarizeExtraction(e, made)
	w := e.out
	w.printf("%s", timeText(s))
	if fresh := s.Played - s.Kept; fresh > 0 {
		w.printf(", %s positions a minute",
			perSecond(uint64(made.Plies*fresh/s.Played*60), s.End.Sub(s.Start).Seconds()))
	}
	w.printf("; the training positions are in %s\n", filepath.Join(s.Out, training.PositionsDir))
}

// config returns the config of the file and the flags, checked.
func (c *selfplayCmd) config(registry *agents.Registry) (config training.SelfPlay, err error) {
	config = training.DefaultSelfPlay()
	if c.Config != "" {
		if config, err = configs.LoadSelfPlay(c.Config, registry); err != nil {
			return config, err
		}
	}
	t := &config.Tournament
	if err = c.applyRun(&config, t); err != nil {
		return config, err
	}
	if c.Config == "" && len(t.Agents) == 0 {
		return config, errors.New("expected a YAML file, or --agent; see gyges selfplay --help")
	}
	return config, c.checkRun(&config, config.Validate(registry), t.Name, &t.Out)
}
