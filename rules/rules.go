package rules

import (
	"fmt"
	"strings"
)

// Rules is a rule set with its options resolved for generation. It is
// read-only after New and may be shared between goroutines.
type Rules struct {
	name       string
	options    Options
	goalsToWin int  // exits that end the game: 1, or kang_goals
	allowNull  bool // null_move: allow
	directed   bool // door_rule: directed
	perLeg     bool // door_rule: per_leg
	playable   bool // drop_zone: playable_row
	legs       *legTable
	entries    *entryTable
	nextRow    bool // blocked_row: next_row
	cooldown   bool // Kang with a waiting turn after an exit
}

// New checks the options and resolves them. name stands for the rule set in
// messages, records and tables; the preset's name where there is one.
func New(name string, o Options) (*Rules, error) {
	for _, opt := range optionTable {
		if err := opt.check(opt.get(&o)); err != nil {
			return nil, fmt.Errorf("rules %s: %w", name, err)
		}
	}
	r := &Rules{
		name:       name,
		options:    o,
		goalsToWin: 1,
		allowNull:  o.NullMove == AllowNull,
		legs:       legs,
		entries:    entries,
		nextRow:    o.BlockedRow == NextRow,
		cooldown:   o.Kang && o.KangCooldown > 0,
		perLeg:     o.DoorRule == PerLeg,
		playable:   o.DropZone == BehindPlayableRow,
	}
	if o.DoorRule == Directed {
		r.directed, r.legs, r.entries = true, directedLegs, directedEntries
	}
	if o.Kang {
		r.goalsToWin = o.KangGoals
	}
	return r, nil
}

// Parse reads a rule set from its text, as String prints it: a preset name,
// which may be followed by changed options: "standard:null_move=allow,repetition=none".
func Parse(text string) (*Rules, error) {
	name, changes, changed := strings.Cut(text, ":")
	preset, err := FindPreset(name)
	if err != nil {
		return nil, err
	}
	o := preset.Options
	if changed {
		for _, c := range strings.Split(changes, ",") {
			key, value, ok := strings.Cut(c, "=")
			if !ok {
				return nil, fmt.Errorf("rules %.60q: expected option=value, found %.60q", text, c)
			}
			if err := o.Set(key, value); err != nil {
				return nil, fmt.Errorf("rules %.60q: %w", text, err)
			}
		}
	}
	return New(textOf(preset, o), o)
}

// textOf prints options as a preset and what differs from it.
func textOf(preset Preset, o Options) string {
	changes := preset.Options.Changes(o)
	if len(changes) == 0 {
		return preset.Name
	}
	return preset.Name + ":" + strings.Join(changes, ",")
}

// Changes lists what makes other rules of these, each "option=value".
func (o Options) Changes(other Options) []string {
	var changes []string
	for _, opt := range optionTable {
		if v := opt.get(&other); v != opt.get(&o) {
			changes = append(changes, opt.Name+"="+v)
		}
	}
	return changes
}

// MustParse is Parse for texts that are known to be right; it panics on an error.
func MustParse(text string) *Rules {
	r, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return r
}

// String returns the rule set's name, which Parse reads back if it came from Parse.
func (r *Rules) String() string { return r.name }

// Options returns the rule set as data.
func (r *Rules) Options() Options { return r.options }
