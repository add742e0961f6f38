package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"gyges/agents"
	"gyges/configs"
	"gyges/ratings"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

type tournamentCmd struct {
	Config string `arg:"" optional:"" placeholder:"CONFIG.yaml" help:"YAML file with the tournament; flags override it."`
	runFlags
	RatingInterval int64 `check:"0.." zero:"never" placeholder:"N" help:"Report the ratings after every N games, too, on stderr."`
	formatFlag
}

func (c *tournamentCmd) Run(ctx context.Context, e *env) error {
	config, err := c.config(e.registry)
	if err != nil {
		return err
	}
	f, summary, err := play(ctx, e, config, c.RatingInterval, c.queueFlags, ratedRun)
	if summary.Played == 0 && err != nil {
		if summary.Status == tournament.Interrupted {
			e.err.printf("Stopped before the first game was over.\n")
		}
		return runError(err, summary)
	}
	errReport := f.err
	if errReport == nil {
		errReport = c.print(context.WithoutCancel(ctx), e, f, summary, err)
	}
	return cmp.Or(errors.Join(runError(err, summary), errReport), answer(summary.Faults == 0))
}

// print prints the tables and what else is reported, also of a run that was stopped. The games are safe in any case.
func (c *tournamentCmd) print(
	ctx context.Context, e *env, f *observer, s tournament.Summary, errRun error,
) error {
	rated, err := f.standings.Fit(ctx, ratings.Options{}, c.Format == grid.JSON)
	if err == nil {
		err = c.write(e.out, rated)
	}
	w := e.err
	if c.forPeople() {
		w = e.out
		w.printf("\nResults by side, and the depth, nodes and time of a move:\n\n")
		err = errors.Join(err, printTable(w, f.standings.PlayerTable(f.config.Players()), c.Format, 1))
	}
	w.printf("\n")
	f.writePrecision(w, s)
	w.printf("%s; the records are in %s\n", timeText(s), textfmt.Escape(s.Out))
	f.writeFaults(w)
	if s.Status != tournament.Finished {
		w.printf("Stopped after %d of %d games. Go on with %s. Rate them again with: gyges rate %s\n", s.Played,
			s.Scheduled, f.goesOn(s, errRun), textfmt.Escape(textfmt.ShellWord(s.Out)))
	}
	return asFailure(err)
}

// goesOn says which command goes on with a run that was stopped, with an error.
func (f *observer) goesOn(s tournament.Summary, err error) string {
	out := "--out " + textfmt.Escape(textfmt.ShellWord(s.Out))
	few, tooFew := errors.AsType[*tournament.TooFewError](err)
	switch {
	case tooFew && !f.config.Schedule.Format().About().Adaptive:
		for _, name := range few.Suspended {
			out += " --again " + textfmt.Escape(textfmt.ShellWord(name))
		}
		return "the same command and " + out + " once that is mended"
	case len(f.config.Again) > 0:
		return "the same command without --again and " + out
	}
	return "the same command and " + out
}

// play plays a run and reports on it while it goes on. The error is that of the run; the observer has that of the
// reports. One that can't begin has no observer and an empty status.
func play(
	ctx context.Context, e *env, config tournament.Config, interval int64, workers queueFlags, kind runKind,
) (f *observer, s tournament.Summary, err error) {
	config.Log = e.log
	if err := config.Resume(e.registry); err != nil {
		return nil, tournament.Summary{Status: tournament.Running}, err
	}
	q, err := workers.open(ctx, e, &config)
	if err != nil {
		return nil, s, err
	}
	defer q.close()
	f = newObserver(e, interval, &config, kind)
	s, err = tournament.Run(ctx, config, e.registry, f.game)
	q.began = s.Status != "" && s.Status != tournament.Running
	f.end(context.WithoutCancel(ctx), s)
	return f, s, err
}

func runError(err error, s tournament.Summary) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*tournament.ExtendError)):
		return fmt.Errorf("--out: %w; --extend plays what is missing in it", err)
	case s.Status == tournament.Failed:
		return failure{err}
	case s.Status == tournament.Running: // it has not begun
		return fmt.Errorf("--out: %w", files.Plain(err))
	default:
		return err
	}
}

func (c *tournamentCmd) config(registry *agents.Registry) (config tournament.Config, err error) {
	config = tournament.DefaultConfig()
	config.Pairs = tournament.UnsetPairs
	if c.Config != "" {
		if config, err = configs.LoadTournament(c.Config, registry); err != nil {
			return config, err
		}
	}
	if err = c.applyRun(&config, &config); err != nil {
		return config, err
	}
	config.SetPairs()
	if c.Config == "" && len(config.Agents) < 2 {
		return config, errors.New("expected a YAML file, or --agent at least twice; see gyges tournament --help")
	}
	return config, c.checkRun(&config, config.Validate(registry), config.Name, &config.Out)
}

// settingsFlags are flags that override the settings of a config, made of their tags: see [settings.Flags].
type settingsFlags struct{ kong.Plugins }

// newSettingsFlags returns the flags of the settings of a config, which holds the defaults, but for those without.
func newSettingsFlags(defaults any, without ...string) settingsFlags {
	return settingsFlags{kong.Plugins{settings.Flags(defaults, without...)}}
}

func (f *settingsFlags) apply(config any) error { return settings.Apply(config, f.Plugins[0]) }

// checkRun returns what is wrong with a config, by the names of its flags. A run that has no folder gets a new one.
func (f *settingsFlags) checkRun(config any, invalid error, name string, out *string, without ...string) error {
	*out = cmp.Or(*out, tournament.DefaultOut("results", name, time.Now()))
	return settings.FlagErrors(config, invalid, without...)
}

// runFlags are those of commands that play a run: what overrides its settings, and the workers.
type runFlags struct {
	settingsFlags
	Rules      rulesList `placeholder:"RULES,…" sep:"none" help:"Rule sets, separated by commas: presets (see gyges rules) or PRESET:OPTION=VALUE,…. Default: standard."`
	Set        []string  `sep:"none" placeholder:"OPTION=VALUE" help:"Change an option of every rule set; may be repeated."`
	Extend     bool      `help:"Resume the run in --out with more pairs or further agents than it was begun with."`
	Again      []string  `sep:"none" placeholder:"NAME" help:"Play the games of this player of the run in --out anew, as after a mend of its engine; may be repeated."`
	queueFlags `group:"Workers on other machines:"`
}

func newRunFlags(defaults any, without ...string) runFlags {
	return runFlags{settingsFlags: newSettingsFlags(defaults, append(without, "rules")...)}
}

// applyRun sets what the flags override in config, whose games are those of t.
func (f *runFlags) applyRun(config any, t *tournament.Config) error {
	errs := []error{f.apply(config)}
	t.Extend = f.Extend
	if f.Extend && t.Out == "" {
		errs = append(errs, errors.New("--extend needs --out"))
	}
	if len(f.Again) > 0 && t.Out == "" {
		errs = append(errs, errors.New("--again needs --out"))
	}
	errs = append(errs, named("--again", t.SetAgain(f.Again)))
	if f.Rules != nil {
		t.Rules = f.Rules
	}
	t.Rules = slices.Clone(t.Rules)
	for i, r := range t.Rules {
		changed, err := r.With(f.Set...)
		t.Rules[i], errs = changed, append(errs, named("--set", err))
	}
	return errors.Join(errs...)
}
