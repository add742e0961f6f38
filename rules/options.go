package rules

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

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

// Options is a rule set as data. A tag holds the option's name in YAML files and on the
// command line, its values or bounds, and its default where that is not the first value.
// The zero value is not a rule set: start from a preset.
type Options struct {
	// Relocation lets a piece displace the piece that it lands on.
	Relocation bool       `option:"relocation" values:"true,false"`
	SetupZone  SetupZone  `option:"setup_zone" values:"first_row,two_rows"`
	SetupOrder SetupOrder `option:"setup_order" values:"south_then_north,alternate"`
	DoorRule   DoorRule   `option:"door_rule" values:"undirected,directed,per_leg"`
	NullMove   NullMove   `option:"null_move" values:"forbid,allow"`
	DropZone   DropZone   `option:"drop_zone" values:"first_row,playable_row"`
	Repetition Repetition `option:"repetition" values:"superko,none"`
	// Kang selects the Kang variant; KangEntry has no effect without it.
	Kang      bool      `option:"kang" values:"true,false" default:"false"`
	KangEntry KangEntry `option:"kang_entry" values:"mandatory,optional"`
	// MaxPlies is how many plies, placements not counted, make a game a draw.
	MaxPlies int `option:"max_plies" low:"1" high:"100000" default:"400"`
}

// Option describes one option of a rule set.
type Option struct {
	Name      string
	Choices   []string // the accepted values; nil for a number
	Low, High int      // bounds of a number

	field    int    // of Options
	standard string // the default
}

// optionList holds the options in the order of the fields of Options.
var optionList = readTags()

func readTags() []Option {
	var list []Option
	for f := range reflect.TypeFor[Options]().Fields() {
		o := Option{Name: f.Tag.Get("option"), field: len(list), standard: f.Tag.Get("default")}
		if f.Type.Kind() == reflect.Int {
			o.Low, _ = strconv.Atoi(f.Tag.Get("low"))
			o.High, _ = strconv.Atoi(f.Tag.Get("high"))
		} else {
			o.Choices = strings.Split(f.Tag.Get("values"), ",")
			o.standard = cmp.Or(o.standard, o.Choices[0])
		}
		list = append(list, o)
	}
	return list
}

// OptionList describes all options, in printing order.
func OptionList() []Option { return slices.Clone(optionList) }

// Accepts returns in words what the option may be.
func (o Option) Accepts() string {
	if o.Choices == nil {
		return fmt.Sprintf("a number from %d to %d", o.Low, o.High)
	}
	return strings.Join(o.Choices, ", ")
}

// check returns an error that names the option and what it accepts if value is something else.
func (o Option) check(value string) error {
	n, err := strconv.Atoi(value)
	if slices.Contains(o.Choices, value) || o.Choices == nil && err == nil && o.Low <= n && n <= o.High {
		return nil
	}
	return fmt.Errorf("rule option %s: %.60q is not one of: %s", o.Name, value, o.Accepts())
}

// value returns the option's value in options as text.
func (o Option) value(options Options) string {
	return fmt.Sprint(reflect.ValueOf(options).Field(o.field))
}

// Values returns the values of all options as text, by name.
func (o Options) Values() map[string]string {
	values := make(map[string]string, len(optionList))
	for _, opt := range optionList {
		values[opt.Name] = opt.value(o)
	}
	return values
}

// Set changes the named option. The error names the option and what it accepts; o is
// unchanged then.
func (o *Options) Set(name, value string) error {
	i := slices.IndexFunc(optionList, func(opt Option) bool { return opt.Name == name })
	if i < 0 {
		names := make([]string, len(optionList))
		for i, opt := range optionList {
			names[i] = opt.Name
		}
		return errors.New(suggest.Unknown("rule option", name, names))
	}
	if err := optionList[i].check(value); err != nil {
		return err
	}
	switch field := reflect.ValueOf(o).Elem().Field(i); field.Kind() {
	case reflect.Bool:
		field.SetBool(value == "true")
	case reflect.Int:
		n, _ := strconv.Atoi(value) // checked
		field.SetInt(int64(n))
	default:
		field.SetString(value)
	}
	return nil
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
	for _, opt := range optionList {
		if v := opt.value(other); v != opt.value(o) {
			changes = append(changes, opt.Name+"="+v)
		}
	}
	return changes
}

// Preset is a named rule set with its source.
type Preset struct {
	Name    string
	Doc     string // one line: whose rules these are
	Options Options
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
	var o Options
	var errs []error
	for _, opt := range optionList {
		errs = append(errs, o.Set(opt.Name, opt.standard))
	}
	for _, c := range changes {
		errs = append(errs, o.Change(c))
	}
	if err := errors.Join(errs...); err != nil {
		panic(err) // the table is wrong
	}
	return Preset{name, doc, o}
}

// Presets returns the named rule sets, standard first.
func Presets() []Preset { return slices.Clone(presetTable) }
