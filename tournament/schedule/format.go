package schedule

import (
	"cmp"

	"gyges/ratings/table"
	"gyges/rules/base/settings"
)

// Format is a way to decide who meets whom. Players are given by their places in the config, from
// 0.
type Format interface {
	About() Facts

	// Stages returns the number of matches of each stage, which may be 0. rounds is what the config
	// says; 0: nothing.
	Stages(players, rounds int) []int

	// Pairings returns who meets whom in each match of the stage after those given, which are
	// whole. The first of a match has South in the first game of each of its pairs.
	Pairings(players int, before []Stage) [][2]int

	// Tables returns standings, bracket and the like after the games so far; nil: none. ended says
	// that the run has ended, maybe before all games were played. The players' names are as tables
	// show them.
	Tables(s *Schedule, names []string, ended bool) []table.Standings
}

// formats are all formats, as lists show them. The first is the one of configs that name none.
var formats = []Format{
	roundRobin,
	gauntlet,
	ladder,
	swiss,
	knockout,
	selfPlay,
}

// Facts are what the rest of the program needs to know of a format.
type Facts struct {
	Name       string // in configs, flags and tables
	Doc        string // who meets whom, in half a sentence
	Alone      bool   // each player meets itself too, so that one is enough; nothing is compared
	Adaptive   bool   // who meets whom follows from the results so far
	Challenger bool   // the first player meets each other one, and has a table of its results

	// MostRounds returns how many rounds the config may choose, each of which is a stage; nil: it
	// may choose none.
	MostRounds func(players int) int
}

// About implements [Format] for those that embed the facts.
func (f Facts) About() Facts { return f }

// fixed is a format of one stage, without tables of its own: the ratings say all.
type fixed struct {
	Facts
	pairs func(players int) [][2]int
}

func (f fixed) Stages(players, _ int) []int { return []int{len(f.pairs(players))} }

func (f fixed) Pairings(players int, _ []Stage) [][2]int { return f.pairs(players) }

func (fixed) Tables(*Schedule, []string, bool) []table.Standings { return nil }

// Name is the name of a format, as configs have it; "": that of the first one, round-robin.
type Name string

// The names of formats that commands choose themselves.
const (
	RoundRobin Name = "round-robin"
	SelfPlay   Name = "self-play"
)

// Choices lists the formats.
func (Name) Choices() (list []settings.Choice) {
	for _, f := range formats {
		about := f.About()
		list = append(list, settings.Choice{Name: about.Name, Doc: about.Doc})
	}
	return list
}

// Format returns the format. One that this version doesn't know, as a manifest may name it, has no
// matches.
func (n Name) Format() Format {
	for _, f := range formats {
		if f.About().Name == string(cmp.Or(n, RoundRobin)) {
			return f
		}
	}
	return fixed{Facts{Name: string(n)}, func(int) [][2]int { return nil }}
}
