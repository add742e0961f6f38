package main

import (
	"errors"
	"fmt"
	"strings"

	"gyges/rules"
)

// rulesFlags choose a rule set. Commands that play by one embed them.
type rulesFlags struct {
	Rules string   `default:"standard" placeholder:"RULES" complete:"rules" help:"Rule set: a preset (see gyges rules), PRESET:OPTION=VALUE,…, or a YAML file. Default: standard."`
	Set   []string `sep:"none" placeholder:"OPTION=VALUE" complete:"options" help:"Change an option of the rule set; may be repeated."`
}

// load resolves the rule set, with the changes.
func (f rulesFlags) load(changes ...string) (*rules.Rules, error) {
	base, err := loadRules(f.Rules)
	if err != nil {
		return nil, fmt.Errorf("--rules: %w", err)
	}
	return change(base, append(changes, f.Set...))
}

// asksForRepetition tells whether the user has set the repetition rule himself.
func (f rulesFlags) asksForRepetition() bool {
	_, options, _ := strings.Cut(f.Rules, ":")
	for _, o := range append(strings.Split(options, ","), f.Set...) {
		if strings.HasPrefix(o, "repetition=") {
			return true
		}
	}
	return false
}

// change returns the rule set with options changed, each "option=value".
func change(base *rules.Rules, changes []string) (*rules.Rules, error) {
	if len(changes) == 0 {
		return base, nil
	}
	o := base.Options()
	var errs []error
	for _, c := range changes {
		name, value, ok := strings.Cut(c, "=")
		err := fmt.Errorf("expected option=value, found %.60q", c)
		if ok {
			err = o.Set(name, value)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--set: %w", err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return rules.New(nameOf(base.String(), changes), o)
}

// nameOf names a changed rule set by what it was and the changes.
func nameOf(base string, changes []string) string {
	sep := ":"
	if strings.Contains(base, ":") {
		sep = ","
	}
	name := base + sep + strings.Join(changes, ",")
	if r, err := rules.Parse(name); err == nil {
		return r.String()
	}
	return name
}

// parseGame reads a position in which a game goes on and a move is to be found.
func parseGame(r *rules.Rules, words []string) (*rules.Game, error) {
	p, err := parsePosition(r, words)
	if err != nil {
		return nil, err
	}
	if r.SettingUp(p) {
		return nil, errors.New("position: expected one in which all pieces are placed")
	}
	g := rules.NewGame(r, p)
	if o, reason := g.Outcome(); o != rules.Undecided {
		return nil, fmt.Errorf("position: the game is over there, %v by %s", o, reason)
	}
	return g, nil
}

// parsePosition reads a position given in words: quoted on the command line or
// not, it is the same.
func parsePosition(r *rules.Rules, words []string) (rules.Position, error) {
	if len(words) == 0 {
		return rules.Position{}, errors.New("expected a position, like '321123/000000/000000/000000/000000/321123 s'")
	}
	p, err := r.ParsePosition(strings.Join(words, " "))
	if err != nil {
		return p, fmt.Errorf("position %w", err)
	}
	return p, nil
}
