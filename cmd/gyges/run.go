package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"gyges/agents"
	"gyges/ratings"
	"gyges/rules/base/files"
	"gyges/rules/base/grid"
	"gyges/rules/base/settings"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/progress"
	"gyges/tournament/record"
)

// This file has what the commands that play a run share: tournament, match, selfplay and, of the
// flags, the commands that tune.

// settingsFlags are flags that override the settings of a config, made of their tags: see
// [settings.Flags].
type settingsFlags struct{ kong.Plugins }

// newSettingsFlags returns the flags of the settings of a config, which holds the defaults, but
// for those without.
func newSettingsFlags(defaults any, without ...string) settingsFlags {
	return settingsFlags{kong.Plugins{settings.Flags(defaults, without...)}}
}

// apply sets what the flags override in config.
func (f *settingsFlags) apply(config any) error { return settings.Apply(config, f.Plugins[0]) }

// runConfig is the config of a run of any kind.
type runConfig interface {
	Validate(registry *agents.Registry) error
}

// check returns what is wrong with a config, by the names of its flags, but for settings without.
func (f *settingsFlags) check(e *env, config runConfig, without ...string) error {
	return settings.FlagErrors(config, config.Validate(e.registry), without...)
}

// settle sets what the flags override in config, and checks it.
func (f *settingsFlags) settle(e *env, config runConfig) error {
	if err := f.apply(config); err != nil {
		return err
	}
	return f.check(e, config)
}

// newFolder returns the folder of a run: the one that is given, or else a new one.
func newFolder(out, name string) string {
	return cmp.Or(out, tournament.DefaultOut("results", name, time.Now()))
}

// runFlags are the flags of commands that play a run: what overrides its settings, and the workers.
type runFlags struct {
	settingsFlags
	Rules      rulesList `placeholder:"RULES,…" sep:"none" help:"Rule sets, separated by commas: presets (see gyges rules) or PRESET:OPTION=VALUE,…. Default: standard."`
	Set        []string  `sep:"none" placeholder:"OPTION=VALUE" help:"Change an option of every rule set; may be repeated."`
	Extend     bool      `help:"Resume the run in --out with more pairs or further agents than it was begun with."`
	Again      []string  `sep:"none" placeholder:"NAME" help:"Play the games of this player of the run in --out anew, as after a mend of its engine; may be repeated."`
	queueFlags `group:"Workers on other machines:"`
}

// newRunFlags is newSettingsFlags of a command whose rule sets have a flag of their own.
func newRunFlags(defaults any, without ...string) runFlags {
	return runFlags{settingsFlags: newSettingsFlags(defaults, append(without, "rules")...)}
}

// applyRun sets what the flags override in config, whose games are those of t, and their folder.
func (f *runFlags) applyRun(config any, t *tournament.Config) error {
	// All that is wrong is reported at once.
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
	// Changes of options are made in every rule set, those of the file included.
	t.Rules = slices.Clone(t.Rules)
	for i, r := range t.Rules {
		changed, err := r.With(f.Set...)
		t.Rules[i] = changed
		errs = append(errs, named("--set", err))
	}
	t.Out = newFolder(t.Out, t.Name)
	return errors.Join(errs...)
}

// observer shows a run while it goes on: progress, faults and interim ratings. What is counted, and
// how it is worded, is in package progress; here it is printed when it is due. After the run it has
// the standings from which the command prints the results.
type observer struct {
	*meter
	*progress.Observer
	e        *env
	interval int64 // games between two reports of ratings; 0: none
	err      error // the first in writing
}

// newObserver returns an observer of a run, and lets config tell it what is played.
func newObserver(e *env, interval int64, config *tournament.Config, kind progress.Kind) *observer {
	o := progress.New(config, kind)
	f := &observer{Observer: o, meter: newMeter(e, config.Games()), e: e, interval: interval}
	f.reading = true // until resume is called
	f.state = o.State
	f.faults = &o.Faults
	f.few = int64(2 * cmp.Or(config.Workers, runtime.NumCPU())) // a pair of each
	config.OnBegin = f.resume
	config.OnFinished = f.finished
	return f
}

// game takes a game as it is recorded.
func (f *observer) game(g *record.Record) {
	f.Add(g)
	f.meter.game(g)
	if f.interval == 0 || f.err != nil {
		return
	}
	if f.reading || f.isOld(g) {
		return
	}
	// After the last game the final ratings follow.
	if f.Recorded%f.interval == 0 && f.Recorded < f.total {
		f.err = asFailure(f.interim())
	}
}

// interim prints the ratings so far.
func (f *observer) interim() error {
	w := f.e.err
	if f.Kind == progress.Match {
		w.printTest(f.Config.SPRT, f.Run.Pairs)
		return nil
	}
	// It takes milliseconds, so it needs no cancellation.
	rated, err := f.Standings.Fit(context.Background(), ratings.Options{}, false)
	if err != nil {
		return err
	}
	return formatFlag{Format: grid.Text}.write(w, rated)
}

// play plays a run, on workers if the flags say so, and reports on it while it goes on. It returns
// the error of the run; the observer has the first error of the reports. A run that can't begin has
// no observer and an empty status.
func play(
	ctx context.Context, e *env, config tournament.Config, interval int64, workers queueFlags,
	kind progress.Kind,
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
	f.end()
	// A run that failed may have fewer games on the disk than it had played.
	errEnd := f.End(context.WithoutCancel(ctx), s)
	if f.err == nil {
		f.err = asFailure(errEnd)
	}
	return f, s, err
}

// runError returns the error of a run as the command's.
func runError(err error, s tournament.Summary) error {
	if errors.As(err, new(*tournament.ExtendError)) {
		return fmt.Errorf("--out: %w; --extend plays what is missing in it", err)
	}
	if err == nil {
		return nil
	}
	// The status says how far the run had come.
	switch s.Status {
	case tournament.Failed:
		return failure{err}
	case tournament.Running: // it has not begun
		return fmt.Errorf("--out: %w", files.Plain(err))
	}
	return err
}

// result returns the error of the command: of the run, of the reports, or that games were lost by
// faults.
func (f *observer) result(s tournament.Summary, errRun error) error {
	err := errors.Join(runError(errRun, s), f.err)
	if err != nil {
		return err
	}
	return answer(s.Faults == 0)
}

// goesOn says which command goes on with a run that was stopped, with an error.
func (f *observer) goesOn(s tournament.Summary, err error) string {
	same, out := "the same command and --out ", textfmt.ShellWord(s.Out)
	few, tooFew := errors.AsType[*tournament.TooFewError](err)
	// Suspended players play no more unless their games are played anew.
	if tooFew && !f.Config.Schedule.Format().About().Adaptive {
		for _, name := range few.Suspended {
			out += " --again " + textfmt.ShellWord(name)
		}
		return same + out + " once that is mended"
	}
	if len(f.Config.Again) > 0 { // they have been played anew
		same = "the same command without --again and --out "
	}
	return same + out
}

// commandLine returns a command of this program with words that follow it, as a shell reads them.
func commandLine(command string, words ...string) string {
	line := "gyges " + command
	for _, word := range words {
		line += " " + textfmt.ShellWord(word)
	}
	return line
}

// timeText says how many games a run has played and how long it took; games that were there before
// are no part of either.
func timeText(s tournament.Summary) string {
	played := max(s.Played-s.Kept, 0)
	took := s.End.Sub(s.Start).Round(100 * time.Millisecond)
	text := fmt.Sprintf("%s in %v", textfmt.Plural(int(played), "game"), took)
	if s.Kept > 0 {
		text += fmt.Sprintf(", %d played before", s.Kept)
	}
	return text
}

// writePrecision prints whether the run has ended at an error, or since no new game came.
func (f *observer) writePrecision(w *output, s tournament.Summary) {
	if s.Exhausted {
		w.printf("Stopped without a decision: no new game comes, as the last pairs all repeat " +
			"earlier ones move for move\n")
	}
	if text := f.Precision(s); text != "" {
		w.printf("%s\n", text)
	}
}

// writeFaults prints a line for each player and kind of fault, and how losses on time may be
// avoided.
func (f *observer) writeFaults(w *output) {
	adaptive := f.Config.Schedule.Format().About().Adaptive
	timedOut := false
	for _, fault := range f.Faults.Sorted() {
		player, hint := agents.LabelOf(fault.Player), ""
		switch fault.Kind {
		case record.FaultSuspended:
			if !adaptive {
				hint = "; --again " + textfmt.ShellWord(player) + " plays its games anew"
			}
		case record.FaultTimeout:
			timedOut = true
		}
		w.printf("%s %s%s\n", player, styled(w, yellow, fault.Text()), hint)
	}
	// More games at a time than cores share the time, by which clocks run out.
	cores, workers := runtime.NumCPU(), f.Config.Workers
	if timedOut && f.Config.Executor == nil && workers > cores {
		w.printf("Games were lost on time, with %d at a time on %s: "+
			"--workers %d avoids losses that the machine causes.\n",
			workers, textfmt.Plural(cores, "core"), cores)
	}
}
