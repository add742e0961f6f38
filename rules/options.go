package rules

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
)

// The types of the options that are a choice between names.
type (
	SetupZone  string // rows on which the pieces are placed before play
	SetupOrder string // who places when before play
	DoorRule   string // what "no door twice in one turn" means
	DropZone   string // the row of the opponent behind which no displaced piece may be put
	NullMove   string // whether a turn may leave the board as it was
	Repetition string // the earlier positions that a move may not reproduce
	KangEntry  string // whether a player who holds pieces must bring one in
)

// The values of the options, the default first.
const (
	FirstRow SetupZone = "first_row"
	TwoRows  SetupZone = "two_rows"

	SouthThenNorth SetupOrder = "south_then_north"
	Alternate      SetupOrder = "alternate"

	Undirected DoorRule = "undirected" // a door counts once, whatever the direction
	Directed   DoorRule = "directed"   // once in each direction
	PerLeg     DoorRule = "per_leg"    // once in a leg: doors open again for the next leg

	ForbidNull NullMove = "forbid"
	AllowNull  NullMove = "allow"

	BehindFirstRow    DropZone = "first_row"    // his first occupied row
	BehindPlayableRow DropZone = "playable_row" // the row that he can play, the next one where his first is blocked

	Superko      Repetition = "superko" // all earlier positions of the game
	NoRepetition Repetition = "none"    // no rule

	Mandatory KangEntry = "mandatory"
	Optional  KangEntry = "optional"
)

// Options is a rule set as data: an option is a field, and its tags are all that texts of
// rule sets, `gyges rules`, the manual and pages know of it. They are those of package
// settings, and
//
//	shortcuts:"A,B"  the values under which the ends of courses may be found without following
//	                 courses step by step, see [courseSearch]; without the tag, all values
//	prose:"TEXT %s"  a sentence with the value for [Options.Prose], of options that its template
//	                 doesn't name
//
// The default is that of the tag, else the first of the values. The zero value is not a rule
// set: start from a preset.
type Options struct {
	Relocation bool       `yaml:"relocation" default:"true" help:"Whether a piece may be displaced."`
	SetupZone  SetupZone  `yaml:"setup_zone" enum:"first_row,two_rows" help:"Where pieces are placed before play."`
	SetupOrder SetupOrder `yaml:"setup_order" enum:"south_then_north,alternate" help:"All of South's first, or in turn."`
	DoorRule   DoorRule   `yaml:"door_rule" enum:"undirected,directed,per_leg" shortcuts:"undirected,per_leg" help:"A door is used once in a turn, once in each direction, or once in a leg."`
	NullMove   NullMove   `yaml:"null_move" enum:"forbid,allow" help:"Whether a turn may leave the board as it was."`
	DropZone   DropZone   `yaml:"drop_zone" enum:"first_row,playable_row" help:"The opponent's row behind which no displaced piece goes: the first occupied, or that which can be played."`
	Repetition Repetition `yaml:"repetition" enum:"superko,none" help:"Whether earlier positions may not return."`
	Kang       bool       `yaml:"kang" default:"false" help:"The Kang variant."`
	KangEntry  KangEntry  `yaml:"kang_entry" enum:"mandatory,optional" help:"Whether pieces in hand have to enter."`
	MaxPlies   int        `yaml:"max_plies" check:"1..100000" default:"400" prose:"Turn %s ends the game as a draw, both players' turns counted. No rulebook says so; it ends games that would go on." help:"Turns of both players until a draw, placements not counted."`
}

// Option is an option with its value in a rule set.
type Option struct{ settings.Field }

// List returns the options in printing order.
func (o Options) List() []Option {
	var list []Option
	for _, f := range settings.Fields(&o, "") {
		list = append(list, Option{f})
	}
	return list
}

// Text returns the value as text.
func (o Option) Text() string { return o.Texts()[0] }

// standard returns the default.
func (o Option) standard() string { return cmp.Or(append(o.Enum(), o.Tag.Get("default"))...) }

// Choices returns the values that the option may have, the default first; nil for a number.
func (o Option) Choices() []string {
	switch {
	case o.Value.Kind() != reflect.Bool:
		return o.Enum()
	case o.standard() == "true":
		return []string{"true", "false"}
	default:
		return []string{"false", "true"}
	}
}

// Accepts returns in words what the option may be, the default first.
func (o Option) Accepts() string {
	if low, high, ok := strings.Cut(o.Tag.Get("check"), ".."); ok {
		return fmt.Sprintf("%s; %s to %s", o.standard(), low, high)
	}
	return strings.Join(o.Choices(), ", ")
}

// stepwise reports whether courses must be followed step by step under the option's value.
func (o Option) stepwise() bool {
	values, some := o.Tag.Lookup("shortcuts")
	return some && !slices.Contains(strings.Split(values, ","), o.Text())
}

// DefaultOptions returns the options, each with its default.
func DefaultOptions() (o Options) {
	for _, f := range settings.Fields(&o, "") {
		if err := f.SetTexts(Option{f}.standard()); err != nil {
			panic(err) // the tag is wrong
		}
	}
	return o
}

// Values returns the values of all options as text, by name.
func (o Options) Values() map[string]string {
	values := map[string]string{}
	for _, opt := range o.List() {
		values[opt.Key] = opt.Text()
	}
	return values
}

// Set changes the named option. The error names the option and what it accepts; o is
// unchanged then.
func (o *Options) Set(name, value string) error {
	changed := *o
	fields := settings.Fields(&changed, "")
	i := slices.IndexFunc(fields, func(f settings.Field) bool { return f.Key == name })
	if i < 0 {
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = f.Key
		}
		return errors.New(suggest.Unknown("rule option", name, names))
	}
	if err := fields[i].SetTexts(value); err != nil {
		return fmt.Errorf("rule option %s: %w", name, err)
	}
	if err := changed.check(); err != nil {
		return fmt.Errorf("rule option %w", err)
	}
	*o = changed
	return nil
}

// check returns an error for each option that has a value which it doesn't accept.
func (o Options) check() error {
	var errs problems.List
	settings.Check(&errs, &o, "")
	return errs.Err()
}

// Change sets an option given as "option=value".
func (o *Options) Change(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("expected option=value, found %.60q", text)
	}
	return o.Set(name, value)
}

// Changes lists the options that differ in other, each "option=value" with other's value.
func (o Options) Changes(other Options) []string {
	var changes []string
	mine := o.List()
	for i, opt := range other.List() {
		if opt.Text() != mine[i].Text() {
			changes = append(changes, opt.Key+"="+opt.Text())
		}
	}
	return changes
}

// Preset is a named rule set with its source.
type Preset struct {
	Name    string
	Doc     string // one line: whose rules these are
	Options Options
	rules   *Rules // resolved
}

var presetTable = []Preset{
	preset("standard", "the usual rules; if you are new, try simplified"),
	preset("simplified", "the usual rules without displacement: shorter to learn", "relocation=false"),
	preset("kang", "the usual rules of the Kang variant: three exits win", "kang=true"),
	preset("italian", "Italian rulebook, silent on repetition", "repetition=none"),
	preset("italian-simplified", "Italian rulebook, simplified variant", "relocation=false", "repetition=none"),
	preset("italian-kang", "Italian rulebook, Kang variant: pieces may enter",
		"kang=true", "kang_entry=optional", "repetition=none"),
	preset("leather", "French rulebook, leather edition: no position returns"),
	preset("russian", "Russian rulebook, Gigamic edition",
		"relocation=false", "setup_order=alternate", "door_rule=directed", "null_move=allow", "repetition=none"),
	preset("turkish-basic", "Turkish rulebook, Gigamic edition, basic rules",
		"relocation=false", "setup_order=alternate", "door_rule=per_leg", "repetition=none"),
	preset("turkish-advanced", "Turkish rulebook, Gigamic edition, advanced rules",
		"setup_order=alternate", "door_rule=per_leg", "drop_zone=playable_row", "repetition=none"),
	preset("cosmoludo", "English rulebook, Cosmoludo edition: two-row set-up",
		"setup_zone=two_rows", "drop_zone=playable_row", "null_move=allow", "repetition=none"),
}

// preset makes a preset of the defaults and what differs from them.
func preset(name, doc string, changes ...string) Preset {
	o := DefaultOptions()
	for _, c := range changes {
		if err := o.Change(c); err != nil {
			panic(err) // the table is wrong
		}
	}
	r, err := New(name, o)
	if err != nil {
		panic(err)
	}
	return Preset{name, doc, o, r}
}

// Presets returns the named rule sets, standard first.
func Presets() []Preset { return slices.Clone(presetTable) }
