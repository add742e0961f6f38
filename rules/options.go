package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SetupZone says on which rows the pieces are placed before play.
type SetupZone string

// SetupOrder says who places when before play.
type SetupOrder string

// DoorRule says what "no door twice in one turn" means.
type DoorRule string

// DropZone says behind which row of the opponent no displaced piece may be put.
type DropZone string

// NullMove reports whether a turn may leave the board as it was.
type NullMove string

// Repetition says which earlier positions a move may not reproduce.
type Repetition string

// BlockedRow says what happens when no piece of the active row can move.
type BlockedRow string

// KangEntry reports whether a player who holds pieces must bring one in.
type KangEntry string

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

	Superko      Repetition = "superko"  // no position that stood before in this game
	Previous     Repetition = "previous" // not the position before the opponent's last turn
	NoRepetition Repetition = "none"     // no rule

	NextRow    BlockedRow = "next_row"
	PassIfStop BlockedRow = "pass"

	Mandatory KangEntry = "mandatory"
	Optional  KangEntry = "optional"
)

// Options is a rule set as data. The tags are the names used in YAML files and
// on the command line. The zero value is not a rule set: start from a preset.
type Options struct {
	Relocation   bool       // relocation: landing on a piece may displace it
	SetupZone    SetupZone  // setup_zone
	SetupOrder   SetupOrder // setup_order
	DoorRule     DoorRule   // door_rule
	RevisitPiece bool       // revisit_piece: a course may land twice on one piece; never changes outcomes
	NullMove     NullMove   // null_move
	DropZone     DropZone   // drop_zone
	Repetition   Repetition // repetition
	BlockedRow   BlockedRow // blocked_row
	Kang         bool       // kang: the Kang variant
	KangEntry    KangEntry  // kang_entry
	KangGoals    int        // kang_goals: pieces to take out to win, 1 to 9
	KangCooldown int        // kang_cooldown: turns to wait after taking a piece out, 0 or 1
	MaxPlies     int        // max_plies: a game of this many plies is a draw, 1 to 100000; set-up not counted
}

// Option describes one option of a rule set.
type Option struct {
	Name      string
	Choices   []string // what is accepted, the default first; none for a number
	Low, High int      // bounds of a number
}

// Accepts says in words what the option may be.
func (o Option) Accepts() string {
	if o.Choices == nil {
		return fmt.Sprintf("a number from %d to %d", o.Low, o.High)
	}
	return strings.Join(o.Choices, ", ")
}

// option is an Option with the field of Options that it stands for.
type option struct {
	Option
	get func(*Options) string
	set func(*Options, string) // the value is one that is accepted
}

// choice makes an option of a string type with fixed values.
func choice[T ~string](name string, field func(*Options) *T, values ...T) option {
	choices := make([]string, len(values))
	for i, v := range values {
		choices[i] = string(v)
	}
	return option{
		Option: Option{Name: name, Choices: choices},
		get:    func(o *Options) string { return string(*field(o)) },
		set:    func(o *Options, s string) { *field(o) = T(s) },
	}
}

func boolean(name string, field func(*Options) *bool) option {
	return option{
		Option: Option{Name: name, Choices: []string{"true", "false"}},
		get:    func(o *Options) string { return strconv.FormatBool(*field(o)) },
		set:    func(o *Options, s string) { *field(o) = s == "true" },
	}
}

func integer(name string, low, high int, field func(*Options) *int) option {
	return option{
		Option: Option{Name: name, Low: low, High: high},
		get:    func(o *Options) string { return strconv.Itoa(*field(o)) },
		set:    func(o *Options, s string) { *field(o), _ = strconv.Atoi(s) },
	}
}

// check returns an error that names the option and what it accepts if value is something else.
func (o Option) check(value string) error {
	n, err := strconv.Atoi(value)
	if slices.Contains(o.Choices, value) || o.Choices == nil && err == nil && o.Low <= n && n <= o.High {
		return nil
	}
	return fmt.Errorf("rule option %s: %.60q is not one of: %s", o.Name, value, o.Accepts())
}

// optionTable lists the options in the order in which they are printed.
var optionTable = []option{
	boolean("relocation", func(o *Options) *bool { return &o.Relocation }),
	choice("setup_zone", func(o *Options) *SetupZone { return &o.SetupZone }, FirstRow, TwoRows),
	choice("setup_order", func(o *Options) *SetupOrder { return &o.SetupOrder }, SouthThenNorth, Alternate),
	choice("door_rule", func(o *Options) *DoorRule { return &o.DoorRule }, Undirected, Directed, PerLeg),
	boolean("revisit_piece", func(o *Options) *bool { return &o.RevisitPiece }),
	choice("null_move", func(o *Options) *NullMove { return &o.NullMove }, ForbidNull, AllowNull),
	choice("drop_zone", func(o *Options) *DropZone { return &o.DropZone }, BehindFirstRow, BehindPlayableRow),
	choice("repetition", func(o *Options) *Repetition { return &o.Repetition }, Superko, Previous, NoRepetition),
	choice("blocked_row", func(o *Options) *BlockedRow { return &o.BlockedRow }, NextRow, PassIfStop),
	boolean("kang", func(o *Options) *bool { return &o.Kang }),
	choice("kang_entry", func(o *Options) *KangEntry { return &o.KangEntry }, Mandatory, Optional),
	integer("kang_goals", 1, 9, func(o *Options) *int { return &o.KangGoals }),
	integer("kang_cooldown", 0, 1, func(o *Options) *int { return &o.KangCooldown }),
	integer("max_plies", 1, 100000, func(o *Options) *int { return &o.MaxPlies }),
}

// OptionList describes all options, in printing order.
func OptionList() []Option {
	list := make([]Option, len(optionTable))
	for i, opt := range optionTable {
		list[i] = opt.Option
	}
	return list
}

// Get returns the value of the named option as text; "" for an unknown name.
func (o Options) Get(name string) string {
	for _, opt := range optionTable {
		if opt.Name == name {
			return opt.get(&o)
		}
	}
	return ""
}

// Values returns the values of all options as text, by name.
func (o Options) Values() map[string]string {
	values := make(map[string]string, len(optionTable))
	for _, opt := range optionTable {
		values[opt.Name] = opt.get(&o)
	}
	return values
}

// Set changes the named option. The error names the option and what is
// accepted; o is unchanged then.
func (o *Options) Set(name, value string) error {
	names := make([]string, len(optionTable))
	for i, opt := range optionTable {
		if names[i] = opt.Name; opt.Name != name {
			continue
		}
		if err := opt.check(value); err != nil {
			return err
		}
		opt.set(o, value)
		return nil
	}
	return fmt.Errorf("unknown rule option %.60q; expected one of: %s", name, strings.Join(names, ", "))
}
