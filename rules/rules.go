// Package rules is the game of Gygès (Claude Leroy, 1985): positions, legal moves, notation, rule
// options and perft. It is independent of agents and tournaments.
//
// Begin with [Game] and the example of the package. [Options] choose the game that is played; [New]
// resolves them once into a [Rules]. A [Position] is a comparable value of two machine words.
// [Rules.Moves] fills a [MoveSet], which keeps the legal moves factored as sources, ends and drop
// squares; [Rules.Apply] makes one of them. A [Game] adds the earlier positions, which the
// repetition rule needs.
//
// Moves are found by a turn, which asks a courseSearch (or, under directed doors, a stepSearch)
// where each piece that may be moved can end.
//
// Words used throughout: a leg is the run of exactly h steps that a height allows; a course is the
// whole sequence of legs of one turn; the ends of a leg or a course are the squares where it can
// end; a piece that is landed on is bounced off or displaced; a displaced piece is dropped on an
// empty square; a door is the edge between two orthogonally adjacent squares.
package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gyges/rules/base/lists"
	"gyges/rules/base/suggest"
)

// KangGoals is how many pieces a player takes out to win under Kang.
const KangGoals = 3

// Rules is a rule set with its options resolved; it is read-only and may be shared between
// goroutines.
type Rules struct {
	name       string
	options    Options
	goalsToWin int  // exits that end the game
	allowNull  bool // null_move: allow
	directed   bool // door_rule: directed
	perLeg     bool // door_rule: per_leg
	playable   bool // drop_zone: playable_row
	stepwise   bool // [courseSearch] doesn't know an option's value: [stepSearch] finds courses
}

// New checks the options and resolves them. name is what messages, records and tables call the rule
// set.
func New(name string, o Options) (*Rules, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("rules %s: %w", name, err)
	}
	r := &Rules{
		name:       name,
		options:    o,
		goalsToWin: 1,
		allowNull:  o.NullMove == AllowNull,
		directed:   o.DoorRule == Directed,
		perLeg:     o.DoorRule == PerLeg,
		playable:   o.DropZone == BehindPlayableRow,
		stepwise:   o.DoorRule == Directed,
	}
	if o.Kang {
		r.goalsToWin = KangGoals
	}
	return r, nil
}

// Parse reads a rule set from its text, as String prints it: a preset name, which may be followed
// by changed options: "standard:null_move=allow,repetition=none". Small letters and capitals are
// the same, and a rulebook's language stands for its preset.
func Parse(text string) (*Rules, error) {
	name, changes, isChanged := strings.Cut(strings.ToLower(text), ":")
	name = cmp.Or(rulebooks[name], name)
	i := slices.IndexFunc(presetTable, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		names := lists.Map(presetTable, func(p Preset) string { return p.Name })
		return nil, errors.New(suggest.Unknown("rules", name, names))
	}
	r := presetTable[i].rules
	if !isChanged {
		return r, nil
	}
	r, err := r.With(strings.Split(changes, ",")...)
	if err != nil {
		err = fmt.Errorf("rules %.60q: %w", text, err)
	}
	return r, err
}

// With returns the rule set, one of [Parse], with options changed that are given as "option=value".
func (r *Rules) With(changes ...string) (*Rules, error) {
	o := r.options
	if err := errors.Join(lists.Map(changes, o.Change)...); err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(r.name, ":")
	preset := MustParse(name).options
	if fromPreset := preset.Changes(o); len(fromPreset) > 0 {
		name += ":" + strings.Join(fromPreset, ",")
	}
	return New(name, o)
}

// UnmarshalText implements [encoding.TextUnmarshaler] by [Parse].
func (r *Rules) UnmarshalText(text []byte) error {
	parsed, err := Parse(string(text))
	if err == nil {
		*r = *parsed
	}
	return err
}

// MarshalText implements [encoding.TextMarshaler] by [Rules.String].
func (r *Rules) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

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
