package tournament

import (
	"fmt"
	"hash/fnv"
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/game"
	"gyges/tournament/record"
)

// schedule is the tournament of a config, as a function from an index
// to a game pair: a million pairs take no memory. It has one stage, or, in
// formats where who plays whom depends on results, several. A stage's order is
// round by round, in a round rule set by rule set, and in a rule set pairing by
// pairing, so that whatever has been played so far is balanced.
//
// A stage's pairings are made when the last game of the stage before is noted.
type schedule struct {
	config *Config
	stages []Stage
	ready  []chan struct{} // by stage: closed when its pairings are known
	noted  int64           // games
	seats  []game.Seat     // by agent, without seeds and the agents themselves
}

// newEmptySchedule returns a schedule without stages.
func newEmptySchedule(c *Config) *schedule {
	s := &schedule{config: c}
	for _, spec := range c.Agents {
		clock, _ := game.ParseClock(spec.Get("clock")) // both have been checked
		moveTime, _ := time.ParseDuration(spec.Get("movetime"))
		s.seats = append(s.seats, game.Seat{Name: spec.String(), Clock: clock, MoveTime: moveTime})
	}
	return s
}

func newSchedule(c *Config) *schedule {
	s := newEmptySchedule(c)
	s.stages = c.stages()
	for range s.stages {
		s.ready = append(s.ready, make(chan struct{}))
	}
	s.begin(0)
	return s
}

// len returns the number of pairs.
func (s *schedule) len() int64 { return s.end(len(s.stages) - 1) }

// begin makes the pairings of stage k, if there is one.
func (s *schedule) begin(k int) {
	if k == len(s.stages) {
		return
	}
	matches := s.stages[k].Matches
	for i, p := range s.config.pairings(len(matches), s.stages[:k]) {
		matches[i].Agents = p
	}
	close(s.ready[k])
}

// note adds the games' results, in the order of the schedule.
func (s *schedule) note(g *record.Record) {
	s.match(g.Game/2).Add(s.seated(g.Game)[rules.South], g.Result)
	s.noted++
	if k := s.stageOf(g.Game / 2); s.noted == 2*s.end(k) {
		s.begin(k + 1)
	}
}

// end returns the index of the pair after stage k.
func (s *schedule) end(k int) int64 {
	return s.stages[k].First + s.stages[k].Games/2*int64(len(s.stages[k].Matches))
}

// stageOf returns the stage of the i-th pair.
func (s *schedule) stageOf(i int64) int {
	k := len(s.stages) - 1
	for s.stages[k].First > i {
		k--
	}
	return k
}

// match returns the match of the i-th pair.
func (s *schedule) match(i int64) *Match {
	st := &s.stages[s.stageOf(i)]
	return &st.Matches[(i-st.First)%int64(len(st.Matches))]
}

// known returns a channel that is closed when the i-th pair is known.
func (s *schedule) known(i int64) <-chan struct{} { return s.ready[s.stageOf(i)] }

// job returns the i-th pair, 0 <= i < len, with both games. It must be known.
func (s *schedule) job(i int64) Job {
	k := s.stageOf(i)
	st, ruleSets := &s.stages[k], int64(len(s.config.Rules))
	round := (i - st.First) / int64(len(st.Matches)) // of a rule set
	return Job{
		Pair: i, Round: int64(k)*int64(s.config.Pairs) + round/ruleSets, Rules: int(round % ruleSets),
		Agents: s.match(i).Agents, Wanted: [2]bool{true, true},
	}
}

// check returns an error unless a job, which may come from outside, is one of the config's.
func (s *schedule) check(j Job) error {
	c := s.config
	ok := j.Pair >= 0 && j.Round >= 0 && 0 <= j.Rules && j.Rules < len(c.Rules)
	for _, a := range j.Agents {
		ok = ok && 0 <= a && a < len(c.Agents)
	}
	if !ok {
		return fmt.Errorf("pair %d: expected a round, one of %d rule sets and two of %d agents, found %d, %d, %v",
			j.Pair, len(c.Rules), len(c.Agents), j.Round, j.Rules, j.Agents)
	}
	return nil
}

// seat returns which agent plays a side in game 0 or 1 of a pair, and the seed it gets.
func (s *schedule) seat(j Job, n int, side rules.Side) (agent int, seed uint64) {
	c := s.config
	seed = agents.MixSeed(c.Seed, forGame, hashText(c.Rules[j.Rules].String()), hashText(c.Agents[j.Agents[0]].Label()),
		hashText(c.Agents[j.Agents[1]].Label()), uint64(j.Round), uint64(n), uint64(side))
	return j.Agents[(n+int(side))%2], seed
}

// game returns game n, 0 or 1, of a pair, without its agents.
func (s *schedule) game(j Job, n int, opening rules.Position) game.Game {
	c := s.config
	setup := game.Game{
		Number: 2*j.Pair + int64(n), Pair: j.Pair,
		Rules: c.Rules[j.Rules], Opening: opening, Policy: c.Openings.String(), Limits: c.Limits,
		OnRepetition: c.OnRepetition, Clock: c.Clock, TimeMargin: c.TimeMargin, StallTimeout: c.StallTimeout,
		Adjudication: c.Adjudication,
	}
	for side := range setup.Seats {
		i, seed := s.seat(j, n, rules.Side(side))
		setup.Seats[side] = s.seats[i]
		setup.Seats[side].Seed = seed
	}
	return setup
}

// seated returns the agents of game g of the whole schedule, by side.
func (s *schedule) seated(g int64) [2]int {
	a := s.match(g / 2).Agents
	return [2]int{a[g%2], a[1-g%2]}
}

// checkGame returns an error unless a game belongs to a pair.
func (s *schedule) checkGame(j Job, g *record.Record) error {
	setup := s.game(j, int(g.Game%2), rules.Position{}) // openings are not compared
	want := setup.Blank()
	if g.Pair != want.Pair || g.Rules != want.Rules || g.South != want.South || g.North != want.North {
		return fmt.Errorf("%s: game %d: expected pair %d of %s and %s under %s, found pair %d of %s and %s under %s",
			GamesFile, g.Game, want.Pair, want.South.Agent, want.North.Agent, want.Rules, g.Pair, g.South.Agent,
			g.North.Agent, g.Rules)
	}
	return nil
}

// checkOwn returns an error unless a game of the run's file is what the schedule has in its place.
func (s *schedule) checkOwn(g *record.Record) error {
	i := g.Game / 2
	if i >= s.len() {
		return fmt.Errorf("%s: game %d: expected %d games at most", GamesFile, g.Game, 2*s.len())
	}
	return s.checkGame(s.job(i), g)
}

// What a seed is for; the first thing mixed into the run's seed.
const (
	forOpening uint64 = 1
	forGame    uint64 = 2
)

// Seeds of a run are mixed from its own by [agents.MixSeed]:
//
//	opening: forOpening, rules, round
//	agent:   forGame, rules, first agent, second agent, round, game of the pair (0, 1), side (South 0, North 1)
//
// Texts are mixed in by their [hashText]; an agent's is what tables call it: its
// name= or the whole spec. Seeds don't depend on what else the run plays: the same
// two agents meet in the same games when others join or pairs are added; and an
// agent that has a name plays the same from wherever its files are read.

// hashText is the FNV-1a hash of 64 bits.
func hashText(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s)) // never fails
	return h.Sum64()
}
