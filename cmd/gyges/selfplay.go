package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"gyges/agents"
	"gyges/configs"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/training"
)

// selfplayCmd plays games to learn from, and converts them to training positions.
type selfplayCmd struct {
	Config   string   `arg:"" optional:"" placeholder:"CONFIG.yaml" help:"YAML file; flags override it."`
	Agent    []string `sep:"none" placeholder:"AGENT" complete:"agents" help:"Agent that plays against itself and the others; may be repeated. See gyges agents."`
	Rules    string   `placeholder:"RULES,…" complete:"rules" help:"Rule sets, separated by commas. Default: standard."`
	Set      []string `sep:"none" placeholder:"OPTION=VALUE" complete:"options" help:"Change an option of every rule set; may be repeated."`
	Pairs    *int     `placeholder:"N" help:"Game pairs for each pairing and rule set. Default: 1000."`
	Openings string   `placeholder:"HOW" complete:"openings" help:"How games begin: random (set-ups), random:plies=N (and N random plies), agents, or file:PATH. Default: random:plies=2."`
	limitsFlags
	Temperature  *float64 `placeholder:"POINTS" help:"Exploration: a move that is so much worse than the best one is played 1/e as often. Default: 0.2."`
	Random       *float64 `placeholder:"SHARE" help:"Share of moves drawn at random, 0 to 1. Default: 0."`
	ExplorePlies *int     `placeholder:"N" help:"Plies of a game after which best moves are played; 0, the default: never."`
	Validation   *int     `placeholder:"PERCENT" help:"Share of the game pairs for validation positions (early stopping). Default: 5."`
	Test         *int     `placeholder:"PERCENT" help:"Share of the game pairs for test positions (to measure the result of a fit). Default: 5."`
	Seed         *uint64  `placeholder:"N" help:"Seed of all random choices. Default: 1."`
	Workers      *int     `placeholder:"N" help:"Games at a time; 0, the default, is one for each core."`
	Out          string   `placeholder:"DIR" help:"Folder for the records and training positions; a run that was stopped there resumes. Default: a new one, results/NAME-TIME."`
	Extend       bool     `help:"Resume the run in --out with more pairs than it was begun with."`
	queueFlags
}

func (selfplayCmd) Help() string {
	return "Every agent plays against itself and the others, with exploration except where it has proven a win or a " +
		"loss. The games are recorded as a tournament's are; then they are converted to training positions, " +
		"Parquet files in the folder positions, which are counted. The same seed gives the same positions " +
		"with any --workers, but for agents that are limited by time.\n\nCtrl-C stops the run; the same " +
		"command with --out and the run's folder resumes it."
}

func (selfplayCmd) examples() []example {
	return []example{
		{"gyges selfplay configs/selfplay/standard.yaml", ""},
		{"gyges selfplay --agent alphabeta:depth=2,hash=1 --rules kang --pairs 5000 --out results/kang", "no file needed"},
	}
}

// Run plays, extracts the training positions and prints their counts.
func (c *selfplayCmd) Run(ctx context.Context, e *env) error {
	config, err := fromPath(ctx, c.Config, func() (training.SelfPlay, error) { return c.config(e.registry) })
	if err != nil {
		return err
	}
	config.Tournament.Log = e.log
	games := config.Games()
	q, err := c.open(ctx, e, &games)
	if err != nil {
		return err
	}
	defer q.close()
	faults := faults{}
	p := newProgress(e.err, games.Games())
	p.reading, games.OnBegin = true, p.resume
	summary, err := tournament.Run(ctx, games, e.registry, func(g *record.Game) {
		faults.add(g)
		p.step(g.Fault != nil)
	})
	q.end(summary)
	p.end()
	if err != nil {
		if summary.Status != tournament.Running && summary.Out != "" {
			e.err.printf("Stopped after %d of %d games, before there were training positions. "+
				"Go on with the same command and --out %s\n", summary.Played, summary.Scheduled, summary.Out)
		}
		return runError(err, summary)
	}
	made, err := training.Extract(ctx, games.Out, config.Split, config.Provenance(version()))
	if err != nil {
		return failure{err} // the games are safe
	}
	c.summarize(e.out, summary, made)
	faults.write(e.out)
	if summary.Faults > 0 {
		return errNo
	}
	return nil
}

func (c *selfplayCmd) summarize(w *output, s tournament.Summary, made training.Extraction) {
	summarizeExtraction(w, made)
	took := s.End.Sub(s.Start)
	w.printf("%d games in %v", s.Played, took.Round(100*time.Millisecond))
	if fresh := s.Played - s.Kept; fresh > 0 {
		w.printf(", %s positions a minute", perSecond(uint64(made.Plies*fresh/s.Played*60), took.Seconds()))
	}
	w.printf("; the training positions are in %s\n", filepath.Join(s.Out, training.PositionsDir))
}

// config returns the config of the file and the flags, checked.
func (c *selfplayCmd) config(registry *agents.Registry) (training.SelfPlay, error) {
	config := training.DefaultSelfPlay()
	if c.Config == "" && len(c.Agent) == 0 {
		return config, errors.New("expected a YAML file, or --agent; see gyges selfplay --help")
	}
	if c.Config != "" {
		var err error
		if config, err = configs.LoadSelfPlay(c.Config, registry); err != nil {
			return config, plainFileError(err)
		}
	}
	if err := c.override(&config); err != nil {
		return config, err
	}
	config.Tournament.Out = runFolder(c.Out, config.Tournament.Out, config.Tournament.Name)
	return config, flagErrors(config.Validate(registry))
}

// override replaces values of the config by those of the flags.
func (c *selfplayCmd) override(config *training.SelfPlay) error {
	t := &config.Tournament
	err := overrideGames(t, c.Agent, c.Rules, c.Set, c.Openings, c.limitsFlags)
	t.Extend = c.Extend
	override(&t.Pairs, c.Pairs)
	override(&config.Explore.Temperature, c.Temperature)
	override(&config.Explore.Random, c.Random)
	override(&config.Explore.Plies, c.ExplorePlies)
	override(&config.Split.Validation, c.Validation)
	override(&config.Split.Test, c.Test)
	override(&t.Seed, c.Seed)
	override(&t.Workers, c.Workers)
	return err
}
