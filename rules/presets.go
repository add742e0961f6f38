package rules

import (
	"fmt"
	"strings"
)

// Preset is a named rule set with its source.
type Preset struct {
	Name    string
	Doc     string // one line: whose rules these are
	Options Options
}

// standard holds the default of every option.
var standard = Options{
	Relocation:   true,
	SetupZone:    FirstRow,
	SetupOrder:   SouthThenNorth,
	DoorRule:     Undirected,
	RevisitPiece: true,
	NullMove:     ForbidNull,
	Repetition:   Superko,
	BlockedRow:   NextRow,
	KangEntry:    Mandatory,
	KangGoals:    3,
	KangCooldown: 1,
	MaxPlies:     400,
}

// with returns the standard rules with some options changed.
func with(change func(*Options)) Options {
	o := standard
	change(&o)
	return o
}

var presetTable = []Preset{
	{"standard", "the common ground of the rulebooks, with every gap settled", standard},
	{"simplified", "Italian rulebook, simplified variant: no displacement", with(func(o *Options) { o.Relocation = false })},
	{"kang", "Italian rulebook, Kang variant (Leroy 2018): pieces enter from the hand, three exits win", with(func(o *Options) { o.Kang = true })},
	{"italian", "Italian rulebook: silent on repetition", with(func(o *Options) { o.Repetition = NoRepetition })},
	{"leather", "French rulebook of the leather edition: no position may return", standard},
	{"gigamic-basic", "Turkish and Russian rulebooks of the Gigamic edition, basic game: no displacement, players place in turn", with(func(o *Options) {
		o.Relocation, o.SetupOrder, o.Repetition, o.RevisitPiece = false, Alternate, NoRepetition, false
	})},
	{"gigamic-advanced", "Turkish rulebook of the Gigamic edition, advanced game", with(func(o *Options) {
		o.SetupOrder, o.Repetition, o.RevisitPiece = Alternate, NoRepetition, false
	})},
	{"cosmoludo", "English rulebook of the Cosmoludo edition: set-up on two rows", with(func(o *Options) {
		o.SetupZone, o.Repetition = TwoRows, NoRepetition
	})},
}

// Presets returns the named rule sets, standard first.
func Presets() []Preset { return append([]Preset(nil), presetTable...) }

// FindPreset returns the preset of that name. The error lists the names.
func FindPreset(name string) (Preset, error) {
	names := make([]string, 0, len(presetTable))
	for _, p := range presetTable {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Preset{}, fmt.Errorf("unknown rules %q; expected one of: %s", name, strings.Join(names, ", "))
}
