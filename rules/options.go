package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gyges/rules/base/lists"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
	"gyges/rules/base/suggest"
)

// The values of options that the rules ask for; the others, and what they mean, stand in the tags
// of [Options].
const (
	TwoRows           = "two_rows"
	Alternate         = "alternate"
	Directed          = "directed"
	PerLeg            = "per_leg"
	AllowNull         = "allow"
	BehindPlayableRow = "playable_row"
	Superko           = "superko"
	NoRepetition      = "none"
	Mandatory         = "mandatory"
	Optional          = "optional"
)

// Options is a rule set as data: an option is a field, whose tags are those of package settings.
// They are all that texts of rule sets, `gyges rules`, the manual and pages know of an option; what
// it means for play stands in prose.tmpl.
//
// The zero value is not a rule set: start from a preset.
type Options struct {
	Relocation bool   `yaml:"relocation" default:"true" help:"Whether a piece may be displaced."`
	SetupZone  string `yaml:"setup_zone" default:"first_row" choices:"first_row|two_rows" help:"Where a player's pieces are placed before play:"`
	SetupOrder string `yaml:"setup_order" default:"south_then_north" choices:"south_then_north: all of South's first|alternate: a piece each in turn" help:"Who places them when:"`
	DoorRule   string `yaml:"door_rule" default:"undirected" choices:"undirected: in a turn|directed: in a turn and a direction|per_leg: in a leg" help:"A door is passed once at most:"`
	NullMove   string `yaml:"null_move" default:"forbid" choices:"forbid|allow" help:"Turns that leave the board as it was:"`
	DropZone   string `yaml:"drop_zone" default:"first_row" choices:"first_row: the first that is occupied|playable_row: the first that can be played" help:"The opponent's row behind which no displaced piece goes:"`
	Repetition string `yaml:"repetition" default:"superko" choices:"superko: all of the game|none" help:"Earlier positions that may not return:"`
	Kang       bool   `yaml:"kang" default:"false" help:"Whether the Kang variant is played."`
	KangEntry  string `yaml:"kang_entry" default:"mandatory" choices:"mandatory|optional" help:"Whether pieces in hand have to enter:"`
	MaxPlies   int    `yaml:"max_plies" default:"400" check:"1..100000" help:"Turns of both players until a draw, placements not counted."`
}

// Option is an option with its value in a rule set.
type Option struct{ settings.Field }

// List returns the options in printing order.
func (o Options) List() []Option {
	return lists.Map(settings.Fields(&o, ""), func(f settings.Field) Option { return Option{f} })
}

// Text returns the value as text.
func (o Option) Text() string { return o.Texts()[0] }

// Enum returns the values that the option may have; nil for a number.
func (o Option) Enum() []string {
	if _, isBool := o.Value.Interface().(bool); isBool {
		return []string{"true", "false"}
	}
	return o.Field.Enum()
}

// Accepts returns in words what the option may be.
func (o Option) Accepts() string {
	if low, high, ok := strings.Cut(o.Tag.Get("check"), ".."); ok {
		return fmt.Sprintf("a number from %s to %s", low, high)
	}
	return strings.Join(o.Enum(), ", ")
}

// DefaultOptions returns the options, each with its default.
func DefaultOptions() Options {
	var o Options
	settings.SetDefaults(&o)
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

// Change sets an option given as "option=value". The error names the option and what it accepts; o
// is unchanged then.
func (o *Options) Change(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("expected option=value, found %.60q", text)
	}
	changed := *o
	fields := settings.Fields(&changed, "")
	field := settings.Find(fields, name)
	if field == nil {
		names := lists.Map(fields, func(f settings.Field) string { return f.Key })
		return errors.New(suggest.Unknown("rule option", name, names))
	}
	if err := field.SetTexts(value); err != nil {
		return fmt.Errorf("rule option %s: %w", name, err)
	}
	if err := changed.check(); err != nil {
		return fmt.Errorf("rule option %w", err)
	}
	*o = changed
	return nil
}

func (o Options) check() error {
	var errs problems.List
	settings.Check(&errs, &o, "")
	return errs.Err()
}

// Changes lists the options that differ in other, each "option=value" with other's value.
func (o Options) Changes(other Options) []string {
	var changes []string
	mine := o.Values()
	for _, opt := range other.List() {
		if opt.Text() != mine[opt.Key] {
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
	preset("simplified", "the usual rules without displacement: shorter to learn",
		"relocation=false"),
	preset("kang", "the usual rules of the Kang variant: three exits win", "kang=true"),
	preset("italian", "Italian rulebook, silent on repetition", "repetition=none"),
	preset("italian-simplified", "Italian rulebook, simplified variant",
		"relocation=false", "repetition=none"),
	preset("italian-kang", "Italian rulebook, Kang variant: pieces may enter",
		"kang=true", "kang_entry=optional", "repetition=none"),
	preset("leather", "French rulebook, leather edition: no position returns"),
	preset("russian", "Russian rulebook, Gigamic edition",
		"relocation=false", "setup_order=alternate", "door_rule=directed", "null_move=allow",
		"repetition=none"),
	preset("turkish-basic", "Turkish rulebook, Gigamic edition, basic rules",
		"relocation=false", "setup_order=alternate", "door_rule=per_leg", "repetition=none"),
	preset("turkish-advanced", "Turkish rulebook, Gigamic edition, advanced rules",
		"setup_order=alternate", "door_rule=per_leg", "drop_zone=playable_row", "repetition=none"),
	preset("cosmoludo", "English rulebook, Cosmoludo edition: two-row set-up",
		"setup_zone=two_rows", "drop_zone=playable_row", "null_move=allow", "repetition=none"),
}

// rulebooks are the presets of rulebooks whose language isn't in the preset's name.
var rulebooks = map[string]string{"french": "leather", "english": "cosmoludo"}

// preset makes a preset of the defaults and what differs from them.
func preset(name, doc string, changes ...string) Preset {
	o := DefaultOptions()
	if err := errors.Join(lists.Map(changes, o.Change)...); err != nil {
		panic(err) // the table is wrong
	}
	r, err := New(name, o)
	if err != nil {
		panic(err)
	}
	return Preset{name, doc, o, r}
}

// Presets returns the named rule sets, standard first.
func Presets() []Preset { return slices.Clone(presetTable) }
