package main

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"gyges/rules/base/settings"
	"gyges/tournament"
)

// settingsFlags are flags that override the settings of a config, made of their tags: see [settings.Flags].
type settingsFlags struct{ kong.Plugins }

// newSettingsFlags returns the flags of the settings of a config, which holds the defaults, but for those without.
func newSettingsFlags(defaults any, without ...string) settingsFlags {
	return settingsFlags{kong.Plugins{settings.Flags(defaults, without...)}}
}

// apply sets the settings of config that are overridden.
func (f *settingsFlags) apply(config any) error { return settings.Apply(config, f.Plugins[0]) }

// checkRun returns what is wrong with a config, by the names of its flags. A run that has no folder gets a new one.
func (f *settingsFlags) checkRun(config any, invalid error, name string, out *string, without ...string) error {
	*out = cmp.Or(*out, tournament.DefaultOut("results", name, time.Now()))
	return settings.FlagErrors(config, invalid, without...)
}

// runFlags are those of commands that play a run: what overrides its settings, and the workers.
type runFlags struct {
	settingsFlags
	Rules      string   `placeholder:"RULES,…" help:"Rule sets, separated by commas: presets (see gyges rules) or PRESET:OPTION=VALUE,…. Default: standard."`
	Set        []string `sep:"none" placeholder:"OPTION=VALUE" help:"Change an option of every rule set; may be repeated."`
	Extend     bool     `help:"Resume the run in --out with more pairs than it was begun with."`
	queueFlags `group:"Workers on other machines:"`
}

// newRunFlags returns the flags of the settings of a config, which holds the defaults, but for those without.
func newRunFlags(defaults any, without ...string) runFlags {
	return runFlags{settingsFlags: newSettingsFlags(defaults, append(without, "rules")...)}
}

// applyRun sets what the flags override in config, whose games are those of t.
func (f *runFlags) applyRun(config any, t *tournament.Config) error {
	errs := []error{f.apply(config)}
	t.Extend = f.Extend
	t.Rules = slices.Clone(t.Rules)
	var err error
	if f.Extend && t.Out == "" {
		errs = append(errs, errors.New("--extend needs --out"))
	}
	if f.Rules != "" {
		t.Rules, err = loadRulesList(f.Rules)
	}
	for i := 0; i < len(t.Rules) && err == nil; i++ {
		t.Rules[i], err = changeOptions(t.Rules[i], f.Set)
	}
	return errors.Join(append(errs, err)...)
}
