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
	DropZone:     BehindFirstRow,
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
	{"standard", "common ground of the rulebooks, on which agents meet", standard},
	{"simplified", "common ground without displacement",
		with(func(o *Options) { o.Relocation = false })},
	{"kang", "common ground of the Kang variant: three exits win",
		with(func(o *Options) { o.Kang = true })},
	{"italian", "Italian rulebook, silent on repetition", with(func(o *Options) { o.Repetition = NoRepetition })},
	{"italian-simplified", "Italian rulebook, simplified variant",
		with(func(o *Options) { o.Relocation, o.Repetition = false, NoRepetition })},
	{"italian-kang", "Italian rulebook, Kang variant: pieces may enter",
		with(func(o *Options) { o.Kang, o.KangEntry, o.Repetition = true, Optional, NoRepetition })},
	{"leather", "French rulebook, leather edition: no position returns", standard},
	{"russian", "Russian rulebook, Gigamic edition", with(func(o *Options) {
		o.Relocation, o.SetupOrder, o.DoorRule = false, Alternate, Directed
		o.NullMove, o.Repetition = AllowNull, NoRepetition
	})},
	{"turkish-basic", "Turkish rulebook, Gigamic edition, basic rules", with(turkish)},
	{"turkish-advanced", "Turkish rulebook, Gigamic edition, advanced rules", with(func(o *Options) {
		turkish(o)
		o.Relocation, o.DropZone = true, BehindPlayableRow
	})},
	{"cosmoludo", "English rulebook, Cosmoludo edition: two-row set-up", with(func(o *Options) {
		o.SetupZone, o.DropZone, o.NullMove, o.Repetition = TwoRows, BehindPlayableRow, AllowNull, NoRepetition
	})},
}

// turkish makes the basic rules of the Turkish rulebook of standard.
func turkish(o *Options) {
	o.Relocation, o.SetupOrder, o.DoorRule = false, Alternate, PerLeg
	o.RevisitPiece, o.Repetition = false, NoRepetition
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
	return Preset{}, fmt.Errorf("unknown rules %.60q; expected one of: %s", name, strings.Join(names, ", "))
}
