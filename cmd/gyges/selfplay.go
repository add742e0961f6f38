package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"gyges/agents"
	"gyges/configs"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/selfplay"
)

// selfplayCmd plays games to learn from, and makes samples of them.
type selfplayCmd struct {
	Config   string   `arg:"" optional:"" placeholder:"CONFIG.yaml" help:"YAML file; flags take the place of what it says."`
	Agent    []string `sep:"none" placeholder:"AGENT" complete:"agents" help:"Who plays, against itself and the others; may be repeated. See gyges agents."`
	Rules    string   `placeholder:"RULES,…" complete:"rules" help:"Rule sets, separated by commas. Default: standard."`
	Set      []string `sep:"none" placeholder:"OPTION=VALUE" complete:"options" help:"Change an option of every rule set; may be repeated."`
	Pairs    *int     `placeholder:"N" help:"Game pairs for each pairing and rule set. Default: 1000."`
	Openings string   `placeholder:"HOW" complete:"openings" help:"How games begin: random (set-ups), random:plies=N (and N random plies), agents, or file:PATH. Default: random:plies=2."`
	limitsFlags
	Temperature  *float64 `placeholder:"POINTS" help:"A move that is so much worse than the best is played 1/e as often. Default: 0.2."`
	Random       *float64 `placeholder:"SHARE" help:"Share of moves drawn at random, 0 to 1. Default: 0."`
	ExplorePlies *int     `placeholder:"N" help:"Plies of a game after which best moves are played; 0, the default: never."`
	Validation   *int     `placeholder:"PERCENT" help:"Share of the game pairs whose samples choose when a fit stops. Default: 5."`
	Test         *int     `placeholder:"PERCENT" help:"Share of the game pairs whose samples measure the result of a fit, once. Default: 5."`
	Seed         *uint64  `placeholder:"N" help:"Source of all chance. Default: 1."`
	Workers      *int     `placeholder:"N" help:"Games at a time; 0, the default, is one for each core."`
	Out          string   `placeholder:"DIR" help:"Folder for the records and samples; a run that was stopped there goes on. Default: a new one, results/NAME-TIME."`
	Extend       bool     `help:"Let the run in --out go on with more pairs than it was begun with."`
	queueFlags
	dataFormatFlag
}

// Help is the part of the help below the summary.
func (selfplayCmd) Help() string {
	return "Every agent plays against itself and the others, leaving its best move at times but where it has proven a win or a loss. The games are recorded " +
		"as a tournament's are; then the positions become samples, Parquet files in the folder's samples, and what is in them is " +
		"printed. The same seed gives the same samples whatever --workers says, but for agents that look at the clock.\n\nCtrl-C " +
		"stops the run; the same command with --out and the run's folder goes on with it."
}

func (selfplayCmd) examples() []example {
	return []example{
		{"gyges selfplay configs/selfplay/standard.yaml", ""},
		{"gyges selfplay --agent alphabeta:depth=2,hash=1 --rules kang --pairs 5000 --out results/kang", "no file needed"},
	}
}

// Run plays, makes the samples and says what is in them.
func (c *selfplayCmd) Run(ctx context.Context, e *env) error {
	config, err := fromPath(ctx, c.Config, func() (selfplay.Config, error) { return c.config(e.registry) })
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
	faults := newFaults()
	p := newProgress(e.err, games.Games())
	summary, err := tournament.Run(ctx, games, e.registry, func(g *record.Game) {
		faults.add(g)
		p.step(g.Fault != nil)
	})
	q.end(summary)
	p.end()
	if err != nil {
		if summary.Status != tournament.Running && summary.Out != "" {
			e.err.printf("Stopped after %d of %d games, before there were samples. Go on with the same command and --out %s\n", summary.Played, summary.Scheduled, summary.Out)
		}
		return runError(err, summary)
	}
	about := config.About()
	about["program"] = version()
	made, err := c.extract(ctx, e, games.Out, config.Split, about)
	if err != nil {
		return failure{err} // the games are safe
	}
	to := e.err
	if c.forPeople() {
		to = e.out
	}
	c.tell(to, summary, made)
	faults.write(to)
	if summary.Faults > 0 {
		return errNo
	}
	return nil
}

func (c *selfplayCmd) tell(w *output, s tournament.Summary, made selfplay.Summary) {
	tellSamples(w, made)
	took := s.End.Sub(s.Start)
	w.printf("%d games in %v", s.Played, took.Round(100*time.Millisecond))
	if fresh := s.Played - s.Kept; fresh > 0 {
		w.printf(", %s positions a minute", perSecond(uint64(made.Plies*fresh/s.Played*60), took.Seconds()))
	}
	w.printf("; the samples are in %s\n", filepath.Join(s.Out, selfplay.SamplesDir))
}

// config puts the run together from the file and the flags, and checks it.
func (c *selfplayCmd) config(registry *agents.Registry) (selfplay.Config, error) {
	config := selfplay.DefaultConfig()
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
	if config.Tournament.Out == "" {
		config.Tournament.Out = tournament.DefaultOut(config.Tournament.Name, time.Now())
	}
	return config, flagErrors(config.Validate(registry))
}

// override puts what the flags say in the place of what config says.
func (c *selfplayCmd) override(config *selfplay.Config) error {
	var errs []error
	t := &config.Tournament
	if len(c.Agent) > 0 {
		t.Agents = nil
	}
	for _, text := range c.Agent {
		spec, err := agents.ParseSpec(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--agent: %w", err))
		}
		t.Agents = append(t.Agents, spec)
	}
	var err error
	if c.Rules != "" {
		t.Rules, err = loadRulesList(c.Rules, c.Set)
	} else {
		t.Rules, err = changeAll(t.Rules, c.Set)
	}
	errs = append(errs, err)
	if c.Openings != "" {
		t.Openings, err = parseOpenings(c.Openings)
		errs = append(errs, err)
	}
	errs = append(errs, c.apply(&t.Limits))
	t.Extend = c.Extend
	override(&t.Pairs, c.Pairs)
	override(&config.Explore.Temperature, c.Temperature)
	override(&config.Explore.Random, c.Random)
	override(&config.Explore.Plies, c.ExplorePlies)
	override(&config.Split.Validation, c.Validation)
	override(&config.Split.Test, c.Test)
	override(&t.Seed, c.Seed)
	override(&t.Workers, c.Workers)
	if c.Out != "" {
		t.Out = c.Out
	}
	return errors.Join(errs...)
}
