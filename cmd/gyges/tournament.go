package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gyges/agents"
	"gyges/configs"
	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/problems"
	"gyges/tournament"
)

// tournamentCmd plays a round-robin and rates the players.
type tournamentCmd struct {
	Config   string   `arg:"" optional:"" placeholder:"CONFIG.yaml" help:"YAML file with the tournament; flags override it."`
	Agent    []string `sep:"none" placeholder:"AGENT" complete:"agents" help:"A player, as an agent spec; may be repeated. See gyges agents."`
	Rules    string   `placeholder:"RULES,…" complete:"rules" help:"Rule sets, separated by commas: presets (see gyges rules), PRESET:OPTION=VALUE,…, or YAML files. Default: standard."`
	Set      []string `sep:"none" placeholder:"OPTION=VALUE" complete:"options" help:"Change an option of every rule set; may be repeated."`
	Schedule string   `enum:",round-robin,gauntlet,ladder,swiss,knockout,self-play" default:"" placeholder:"FORMAT" help:"Who meets whom: round-robin (every two; default), gauntlet (the first every other), ladder (each the next one), swiss (neighbours in the table), knockout (seeded in the order given; the higher seed advances after a tie) or self-play (every two, and each one itself)."`
	Rounds   *int     `placeholder:"N" help:"Rounds of a swiss tournament. Default: as many as halve the players to one."`
	Pairs    *int     `placeholder:"N" help:"Game pairs for every two players and rule set: one opening, played twice with sides swapped. Default: 10."`
	Openings string   `placeholder:"HOW" complete:"openings" help:"How games begin: random (set-ups; default), random:plies=N (and N random plies), setups (all distinct ones in order), agents (the players place their pieces), or file:PATH (the positions of a list, in order; see gyges openings)."`
	runFlags
	formatFlag
}

func (tournamentCmd) Help() string {
	return "The players are paired by --schedule, under every rule set. The games are recorded as they finish; then " +
		"a rating table and a crosstable are printed for each rule set. The same seed gives the same games " +
		"with any --workers, but for agents that are limited by time. With --nats, the pairs are played by " +
		"gyges worker, on any number of machines.\n\nCtrl-C stops the run and keeps the games played; the same " +
		"command with --out and the run's folder resumes it, also after a crash. The exit code is 1 if a player " +
		"lost games by a fault, such as an illegal move."
}

func (tournamentCmd) examples() []example {
	return []example{
		{"gyges tournament configs/tournaments/quick.yaml", ""},
		{"gyges tournament --agent random --agent greedy --agent alphabeta:depth=2 --rules standard,kang --pairs 20",
			"no file needed"},
		{"gyges tournament configs/tournaments/quick.yaml --pairs 100 --seed 2 --out results/long", "a file, with changes"},
	}
}

// Run plays the tournament and prints the tables.
func (c *tournamentCmd) Run(ctx context.Context, e *env) error {
	config, err := fromPath(ctx, c.Config, func() (tournament.Config, error) { return c.config(e.registry) })
	if err != nil {
		return err
	}
	e.log.Debug("tournament", "games", config.Games(), "agents", len(config.Agents), "rules", config.Rules,
		"openings", config.Openings.String(), "seed", config.Seed, "workers", config.Workers, "out", config.Out)
	f, summary, err := c.play(ctx, e, config, false)
	if f == nil {
		return err
	}
	if summary.Played == 0 && err != nil {
		if summary.Status == tournament.Interrupted {
			e.err.printf("Stopped before the first game was over.\n")
		}
		return runError(err, summary)
	}
	errReport := f.err
	if c.Events == "" && errReport == nil {
		errReport = c.print(context.WithoutCancel(ctx), e, f, summary)
	}
	if err = errors.Join(runError(err, summary), errReport); err == nil && summary.Faults > 0 {
		err = errNo
	}
	return err
}

// print prints the tables, those of a run that was stopped too. The games are
// safe whatever goes wrong here.
func (c *tournamentCmd) print(ctx context.Context, e *env, f *observer, s tournament.Summary) error {
	rated, err := f.standings.Fit(ctx, ratings.Options{}, c.format() == grid.JSON)
	if err == nil {
		err = c.write(e.out, rated)
	}
	about := e.err
	if c.forPeople() {
		about = e.out
		about.printf("\n")
		err = errors.Join(err, printTable(e.out, f.standings.PlayerTable(f.config.Manifest().Agents), c.format() == grid.Markdown))
	}
	about.printf("\n")
	c.summarize(about, s, f.faults)
	return asFailure(err)
}

// runFlags are those of commands that play a run and report on it.
type runFlags struct {
	gameFlags
	observerFlags
	queueFlags
}

// play plays a run, a match or another tournament, and reports on it while it goes on. The error is that
// of the run; the observer has that of the reports. A dry run, or one that can't begin, has no observer.
func (c *runFlags) play(
	ctx context.Context, e *env, config tournament.Config, match bool,
) (f *observer, s tournament.Summary, err error) {
	config.Log = e.log
	if c.DryRun {
		return nil, s, dryRun(ctx, e, config, c.Events)
	}
	q, err := c.open(ctx, e, &config)
	if err != nil {
		return nil, s, err
	}
	defer q.close()
	f = newObserver(e, c.observerFlags, &config, match)
	s, err = tournament.Run(ctx, config, e.registry, f.game)
	q.end(s)
	f.end(context.WithoutCancel(ctx), s, err)
	return f, s, err
}

// runError distinguishes the user's mistakes from failures of the run.
func runError(err error, s tournament.Summary) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*tournament.ExtendError)):
		return fmt.Errorf("--out: %w; --extend plays more pairs in it", err)
	case s.Status == tournament.Failed:
		return failure{err}
	case s.Status == tournament.Running: // it has not begun
		return fmt.Errorf("--out: %w", plainFileError(err))
	default:
		return err
	}
}

// summarize prints what is reported besides the tables.
func (c *tournamentCmd) summarize(w *output, s tournament.Summary, f faults) {
	w.printf("%d games in %v; the records are in %s\n", s.Played, s.End.Sub(s.Start).Round(100*time.Millisecond), s.Out)
	f.write(w)
	if s.Status != tournament.Finished {
		w.printf("Stopped after %d of %d games. Go on with the same command and --out %s. Rate them again with: gyges "+
			"rate %s\n", s.Played, s.Scheduled, s.Out, s.Out)
	}
}

// config returns the config of the file and the flags, checked.
func (c *tournamentCmd) config(registry *agents.Registry) (tournament.Config, error) {
	config := tournament.DefaultConfig()
	if c.Config == "" && len(c.Agent) < 2 {
		return config, errors.New("expected a YAML file, or --agent at least twice; see gyges tournament --help")
	}
	if c.Config != "" {
		var err error
		if config, err = configs.LoadTournament(c.Config, registry); err != nil {
			return config, plainFileError(err)
		}
	}
	if err := c.override(&config); err != nil {
		return config, err
	}
	config.Out = runFolder(c.Out, config.Out, config.Name)
	return config, flagErrors(config.Validate(registry))
}

// override replaces values of the config by those of the flags.
func (c *tournamentCmd) override(config *tournament.Config) error {
	errs := []error{overrideGames(config, c.Agent, c.Rules, c.Set, c.Openings, c.limitsFlags)}
	if c.Schedule != "" {
		config.Schedule = tournament.Format(c.Schedule)
	}
	_, err := c.columns()
	errs = append(errs, err, c.check(), positive("--clock", c.Clock))
	config.Extend = c.Extend
	override(&config.Rounds, c.Rounds)
	override(&config.Pairs, c.Pairs)
	override(&config.Clock.Base, c.Clock)
	override(&config.Clock.Increment, c.Increment)
	override(&config.TimeMargin, c.TimeMargin)
	override(&config.StallTimeout, c.StallTimeout)
	override(&config.Suspend, c.Suspend)
	if c.Adjudicate != "" {
		var err error
		if config.Adjudication, err = tournament.ParseAdjudication(c.Adjudicate); err != nil {
			errs = append(errs, fmt.Errorf("--adjudicate: %w", err))
		}
	}
	errs = append(errs, c.repetitionFlag.apply(&config.OnRepetition))
	override(&config.Seed, c.Seed)
	override(&config.Workers, c.Workers)
	return errors.Join(errs...)
}

// overrideGames replaces what --agent, --rules, --openings and the limits override, and
// changes the options of --set.
func overrideGames(
	c *tournament.Config, specs []string, ruleSets string, changes []string, openings string, limits limitsFlags,
) error {
	var errs []error
	if len(specs) > 0 {
		c.Agents = nil
	}
	for _, text := range specs {
		spec, err := agents.ParseSpec(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("--agent: %w", err))
		}
		c.Agents = append(c.Agents, spec)
	}
	var err error
	if ruleSets != "" {
		c.Rules, err = loadRulesList(ruleSets)
	}
	c.Rules = slices.Clone(c.Rules)
	for i := 0; i < len(c.Rules) && err == nil; i++ {
		c.Rules[i], err = changeOptions(c.Rules[i], changes)
	}
	errs = append(errs, err)
	if openings != "" {
		c.Openings, err = parseOpenings(openings)
		errs = append(errs, err)
	}
	return errors.Join(append(errs, limits.apply(&c.Limits))...)
}

func override[T any](to *T, flag *T) {
	if flag != nil {
		*to = *flag
	}
}

// parseOpenings reads "random", "random:plies=4", "setups", "agents" or "file:PATH".
func parseOpenings(text string) (tournament.Openings, error) {
	policy, rest, more := strings.Cut(text, ":")
	if policy == string(tournament.FileOpenings) && rest != "" {
		o, err := tournament.LoadOpenings(rest)
		if err != nil {
			err = fmt.Errorf("--openings: %w", plainFileError(err))
		}
		return o, err
	}
	o := tournament.Openings{Policy: tournament.Policy(policy)}
	ok := o.Policy == tournament.RandomOpenings ||
		(o.Policy == tournament.AgentOpenings || o.Policy == tournament.SetupOpenings) && !more
	if more && ok {
		number, plies := strings.CutPrefix(rest, "plies=")
		n, err := strconv.Atoi(number)
		o.Plies, ok = n, plies && err == nil
	}
	if !ok {
		return o, fmt.Errorf("--openings: expected random, random:plies=N, setups, agents or file:PATH, found %.60q", text)
	}
	return o, nil
}

// flagErrors names the flags of the fields of a config. A config
// from a file has been checked with the file's lines before, so that what is
// wrong here came from flags, or from their lack.
func flagErrors(err error) error {
	flags := map[string]string{
		"agents": "--agent", "generations": "--generations", "rules": "--rules", "schedule": "--schedule",
		"rounds": "--rounds", "sprt": "--sprt", "clock": "--clock", "time_margin": "--time-margin", "pairs": "--pairs",
		"openings": "--openings", "seed": "--seed", "workers": "--workers", "stall_timeout": "--stall-timeout",
		"suspend": "--suspend", "on_repetition": "--on-repetition", "explore.temperature": "--temperature",
		"explore.random": "--random", "explore.plies": "--explore-plies", "split.validation": "--validation",
		"split.test": "--test", "limits.depth": "--depth", "limits.nodes": "--nodes", "limits.movetime": "--movetime",
	}
	var errs []error
	for _, one := range problems.Split(err) {
		if fe, ok := errors.AsType[*problems.FieldError](one); ok {
			name := fe.Field
			if i := strings.IndexByte(name, '['); i > 0 {
				name = name[:i]
			}
			if strings.HasPrefix(name, "openings.") {
				name = "openings"
			}
			if flag, ok := flags[name]; ok {
				one = fmt.Errorf("%s: %w", flag, fe.Err)
			}
		}
		errs = append(errs, one)
	}
	return errors.Join(errs...)
}
