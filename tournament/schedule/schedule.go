// Package schedule says who meets whom in a run, in which opening, and with which seeds.
//
//	Format    a way to decide who meets whom: its stages, the pairings of a stage from the results
//	          before it, and its tables. Each has a file of its own and is listed once, in formats
//	Schedule  the stages of one run: results go in ([Schedule.Add]), pairings come out
//	          ([Schedule.Pair])
//	Openings  where games begin, as configs say it; [Opener] finds them, [Screening] makes lists
//
// A run plays what a schedule of [New] has. Who reads the records of a run adds their results to a
// schedule of [Recorded], whose tables are those of the run.
package schedule

import (
	"errors"
	"hash/fnv"
	"slices"

	"gyges/agents"
	"gyges/rules"
)

// Size is what a schedule has of a run's config, beside its format.
type Size struct {
	Players  int
	Rounds   int // 0: as many as the format has by itself
	Pairs    int // of games, of each match under each rule set
	RuleSets int
}

// Games returns how many games a schedule of a format has.
func (z Size) Games(f Format) (games int64) {
	for _, matches := range f.Stages(z.Players, z.Rounds) {
		games += int64(matches) * z.perMatch()
	}
	return games
}

func (z Size) perMatch() int64 { return 2 * int64(z.Pairs) * int64(z.RuleSets) }

// Schedule is the schedule of a run, as a function from an index to a game pair: a million pairs
// take no memory. It has one stage or, in formats where who meets whom depends on results, several.
// A stage's order is round by round, in a round rule set by rule set, and in a rule set match by
// match, so that whatever has been played so far is balanced.
//
// One goroutine adds results and reads the stages; others may ask for pairs that are
// [Schedule.Known].
type Schedule struct {
	Size
	Format Format
	Stages []Stage // with the results so far

	known []chan struct{} // by stage, closed when its pairings are known; nil if records say them
	added int64           // games
}

// Stage is a part of a schedule whose pairings are known before it begins: a round in some formats,
// all in others.
type Stage struct {
	First   int64 // index of its first game pair
	Games   int64 // of each match
	Matches []Match
}

// Match is all games of two players in a stage.
type Match struct {
	Players [2]int   // by their places in the config; they never change once they are known
	Halves  [2]int64 // half points of each
	Games   int64    // played so far
}

// New returns the schedule of a run of which nothing is played.
func New(f Format, z Size) *Schedule {
	s := Recorded(f, z)
	for range s.Stages {
		s.known = append(s.known, make(chan struct{}))
	}
	s.begin(0)
	return s
}

// Recorded returns the schedule of a run whose records say who met.
func Recorded(f Format, z Size) *Schedule {
	s := &Schedule{Size: z, Format: f}
	first := int64(0)
	for _, matches := range f.Stages(z.Players, z.Rounds) {
		stage := Stage{First: first, Games: z.perMatch(), Matches: make([]Match, matches)}
		s.Stages = append(s.Stages, stage)
		first += z.perMatch() / 2 * int64(matches)
	}
	return s
}

// begin makes the pairings of stage k, if there is one. No game ends a stage without matches, so
// that the next stage begins with it.
func (s *Schedule) begin(k int) {
	for ; k < len(s.Stages); k++ {
		for i, p := range s.Format.Pairings(s.Players, s.Stages[:k]) {
			s.Stages[k].Matches[i].Players = p
		}
		close(s.known[k])
		if len(s.Stages[k].Matches) > 0 {
			return
		}
	}
}

var errForeign = errors.New("expected a game of the schedule, found another one")

// Add counts a game of pair i with the half points of South. It refuses one of other players or of
// a whole pair.
func (s *Schedule) Add(i int64, south, north int, halves int) error {
	k := s.stageOf(i)
	if k < 0 {
		return errForeign
	}
	m := s.match(i)
	if s.known == nil && m.Games == 0 {
		m.Players = [2]int{south, north}
	}
	side := slices.Index(m.Players[:], south)
	alone := south == north && !s.Format.About().Alone
	// A run of one stage may have been extended.
	whole := len(s.Stages) > 1 && m.Games == s.Stages[k].Games
	if side < 0 || m.Players[1-side] != north {
		return errForeign
	}
	if alone || whole {
		return errForeign
	}
	m.Games++
	m.Halves[side] += int64(halves)
	m.Halves[1-side] += int64(2 - halves)
	s.added++
	if s.known != nil && s.added == 2*s.end(k) {
		s.begin(k + 1)
	}
	return nil
}

// Len returns the number of game pairs.
func (s *Schedule) Len() int64 { return s.end(len(s.Stages) - 1) }

// end returns the index of the pair after stage k. It may be called while results are added.
func (s *Schedule) end(k int) int64 {
	st := &s.Stages[k]
	return st.First + st.Games/2*int64(len(st.Matches))
}

// stageOf returns the stage of pair i, which is never one without matches; -1 for i < 0.
func (s *Schedule) stageOf(i int64) int {
	k := len(s.Stages) - 1
	for k >= 0 && (len(s.Stages[k].Matches) == 0 || s.Stages[k].First > i) {
		k--
	}
	return k
}

func (s *Schedule) match(i int64) *Match {
	st := &s.Stages[s.stageOf(i)]
	return &st.Matches[(i-st.First)%int64(len(st.Matches))]
}

// Known returns a channel that is closed when pair i is known.
func (s *Schedule) Known(i int64) <-chan struct{} { return s.known[s.stageOf(i)] }

// Pair returns the players of pair i, 0 <= i < Len, which must be known, its rule set and its
// round, which is the number of its opening. The first player has South in the first of its two
// games.
func (s *Schedule) Pair(i int64) (players [2]int, ruleSet int, round int64) {
	k := s.stageOf(i)
	st := &s.Stages[k]
	matches, ruleSets := int64(len(st.Matches)), int64(s.RuleSets)
	turn := (i - st.First) / matches // each turn is a round of one rule set
	ruleSet = int(turn % ruleSets)
	round = turn / ruleSets
	// The rounds of earlier stages count, too.
	round += int64(k) * int64(s.Pairs)
	return s.match(i).Players, ruleSet, round
}

// Played returns how many games of the stage have been played, and how many it has in all.
func (st *Stage) Played() (games, all int64) {
	for i := range st.Matches {
		games += st.Matches[i].Games
	}
	return games, st.Games * int64(len(st.Matches))
}

// listed returns n players as they are listed.
func listed(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// What a seed is for; the first thing mixed into the run's seed.
const (
	forOpening uint64 = 1
	forGame    uint64 = 2
)

// Seed returns the seed of an agent's side in game 0 or 1 of a pair. Seeds of a run are mixed from
// its own by [agents.MixSeed]:
//
//	opening: forOpening, rules, round
//	agent:   forGame, rules, first agent, second agent, round, game of the pair (0, 1),
//	         side (South 0, North 1)
//
// Texts are mixed in by their hash; an agent's is what tables call it: its name= or the whole spec.
// Seeds don't depend on what else the run plays: the same two agents meet in the same games when
// others join or pairs are added; and an agent that has a name plays the same from wherever its
// files are read.
func Seed(
	run uint64, ruleSet string, labels [2]string, round int64, game int, side rules.Side,
) uint64 {
	first, second := hashText(labels[0]), hashText(labels[1])
	return agents.MixSeed(run, forGame, hashText(ruleSet), first, second,
		uint64(round), uint64(game), uint64(side))
}

func hashText(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s)) // never fails
	return h.Sum64()
}
