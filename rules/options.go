package rules

import (
	"fmt"
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

// NullMove says whether a turn may leave the board as it was.
type NullMove string

// Repetition says which earlier positions a move may not reproduce.
type Repetition string

// BlockedRow says what happens when no piece of the active row can move.
type BlockedRow string

// KangEntry says whether a player who holds pieces must bring one in.
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

// option describes one field of Options by name.
type option struct {
	name   string
	values string // what is accepted, for messages
	get    func(*Options) string
	set    func(*Options, string) bool // false: not an accepted value
}

// choice makes an option of a string type with fixed values.
func choice[T ~string](name string, field func(*Options) *T, values ...T) option {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return option{
		name:   name,
		values: strings.Join(texts, ", "),
		get:    func(o *Options) string { return string(*field(o)) },
		set: func(o *Options, s string) bool {
			for _, v := range values {
				if s == string(v) {
					*field(o) = v
					return true
				}
			}
			return false
		},
	}
}

func boolean(name string, field func(*Options) *bool) option {
	return option{
		name:   name,
		values: "true, false",
		get:    func(o *Options) string { return strconv.FormatBool(*field(o)) },
		set: func(o *Options, s string) bool {
			*field(o) = s == "true"
			return s == "true" || s == "false"
		},
	}
}

func integer(name string, low, high int, field func(*Options) *int) option {
	return option{
		name:   name,
		values: fmt.Sprintf("a number from %d to %d", low, high),
		get:    func(o *Options) string { return strconv.Itoa(*field(o)) },
		set: func(o *Options, s string) bool {
			n, err := strconv.Atoi(s)
			*field(o) = n
			return err == nil && low <= n && n <= high
		},
	}
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

// OptionNames returns the names of all options, in printing order.
func OptionNames() []string {
	names := make([]string, len(optionTable))
	for i, opt := range optionTable {
		names[i] = opt.name
	}
	return names
}

// OptionValues returns what the named option accepts, the default first, as a
// text for people; "" for an unknown name.
func OptionValues(name string) string {
	for _, opt := range optionTable {
		if opt.name == name {
			return opt.values
		}
	}
	return ""
}

// Get returns the value of the named option as text; "" for an unknown name.
func (o Options) Get(name string) string {
	for _, opt := range optionTable {
		if opt.name == name {
			return opt.get(&o)
		}
	}
	return ""
}

// Set changes the named option. The error names the option and what is
// accepted; o is unchanged then.
func (o *Options) Set(name, value string) error {
	for _, opt := range optionTable {
		if opt.name != name {
			continue
		}
		changed := *o
		if !opt.set(&changed, value) {
			return fmt.Errorf("rule option %s: %q is not one of: %s", name, value, opt.values)
		}
		*o = changed
		return nil
	}
	return fmt.Errorf("unknown rule option %q; expected one of: %s", name, strings.Join(OptionNames(), ", "))
}
