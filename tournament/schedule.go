package tournament

import (
	"fmt"
	"hash/fnv"
	"time"

	"gyges/agents"
	"gyges/rules"
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
	config     *Config
	stages     []stage
	table      table
	noted      int64 // games
	agentHash  []uint64
	rulesHash  []uint64
	agentNames []string
	own        []timeControl // by agent
}

// stage is a part of the schedule whose pairings are known before it begins.
type stage struct {
	first    int64         // index of its first pair
	count    int           // pairings
	pairings [][2]int      // indices of agents; nil until known
	known    chan struct{} // closed when they are
}

// pair is one opening played twice.
type pair struct {
	index    int64
	round    int64 // also the number of the opening under its rules
	rules    *rules.Rules
	rulesNum int    // index of the rules
	agents   [2]int // indices of agents; the first is South in the first game
}

// newEmptySchedule returns a schedule without stages: agents, rule sets, seeds.
func newEmptySchedule(c *Config) *schedule {
	s := &schedule{config: c}
	for _, spec := range c.Agents {
		s.agentNames = append(s.agentNames, spec.String())
		s.agentHash = append(s.agentHash, hashText(spec.Label()))
		s.own = append(s.own, timeOf(spec))
	}
	for _, r := range c.Rules {
		s.rulesHash = append(s.rulesHash, hashText(r.String()))
	}
	return s
}

func newSchedule(c *Config) *schedule {
	s := newEmptySchedule(c)
	s.table = newTable(len(c.Agents))
	first := int64(0)
	for _, count := range c.stageSizes() {
		s.stages = append(s.stages, stage{first: first, count: count, known: make(chan struct{})})
		first += s.pairsPerPairing() * int64(count)
	}
	s.begin(0)
	return s
}

// pairsPerPairing returns how many game pairs two agents who meet play.
func (s *schedule) pairsPerPairing() int64 { return int64(s.config.Pairs) * int64(len(s.config.Rules)) }

// len returns the number of pairs.
func (s *schedule) len() int64 { return s.end(len(s.stages) - 1) }

// begin makes the pairings of stage k, if there is one.
func (s *schedule) begin(k int) {
	if k < len(s.stages) {
		st := &s.stages[k]
		st.pairings = s.table.pairings(s.config.Schedule, st.count)
		close(st.known)
	}
}

// note adds the games' results, in the order of the schedule.
func (s *schedule) note(g *record.Game) {
	for side, agent := range s.seated(g.Game) {
		s.table.points[agent] += int64(record.HalfPoints(g.Result, rules.Side(side)))
	}
	s.noted++
	if k := s.stageOf(g.Game / 2); s.noted == 2*s.end(k) {
		s.table.endStage(s.stages[k].pairings, 4*s.pairsPerPairing())
		s.begin(k + 1)
	}
}

// end returns the index of the pair after stage k.
func (s *schedule) end(k int) int64 {
	return s.stages[k].first + s.pairsPerPairing()*int64(s.stages[k].count)
}

// stageOf returns the stage of the i-th pair.
func (s *schedule) stageOf(i int64) int {
	k := len(s.stages) - 1
	for s.stages[k].first > i {
		k--
	}
	return k
}

// known returns a channel that is closed when the i-th pair is known.
func (s *schedule) known(i int64) <-chan struct{} { return s.stages[s.stageOf(i)].known }

// pair returns the i-th pair, 0 <= i < len. It must be known.
func (s *schedule) pair(i int64) pair {
	k := s.stageOf(i)
	st := &s.stages[k]
	in := i - st.first
	pairings, ruleSets := int64(st.count), int64(len(s.config.Rules))
	r := int(in / pairings % ruleSets)
	return pair{
		index:    i,
		round:    int64(k)*int64(s.config.Pairs) + in/pairings/ruleSets,
		rules:    s.config.Rules[r],
		rulesNum: r,
		agents:   st.pairings[in%pairings],
	}
}

// seat returns which agent of a pair plays a side in its game 0 or 1, and the
// seed it gets.
func (s *schedule) seat(p pair, game int, side rules.Side) (agent int, seed uint64) {
	agent = p.agents[(game+int(side))%2]
	seed = agents.MixSeed(s.config.Seed, forGame, s.rulesHash[p.rulesNum],
		s.agentHash[p.agents[0]], s.agentHash[p.agents[1]], uint64(p.round), uint64(game), uint64(side))
	return agent, seed
}

// game returns game n, 0 or 1, of a pair, without its agents.
func (s *schedule) game(p pair, n int, opening rules.Position) Game {
	c := s.config
	setup := Game{
		Number: 2*p.index + int64(n), Pair: p.index,
		Rules: p.rules, Opening: opening, Policy: c.Openings.String(), Limits: c.Limits,
		OnRepetition: c.OnRepetition, Clock: c.Clock, TimeMargin: c.TimeMargin, Adjudication: c.Adjudication,
	}
	for side := range setup.Seats {
		i, seed := s.seat(p, n, rules.Side(side))
		setup.Seats[side] = Seat{Name: s.agentNames[i], Seed: seed, Clock: s.own[i].clock, MoveTime: s.own[i].moveTime}
	}
	return setup
}

// seated returns the agents of game g of the whole schedule, by side.
func (s *schedule) seated(g int64) [2]int {
	p := s.pair(g / 2)
	return [2]int{p.agents[g%2], p.agents[1-g%2]}
}

// timeControl bounds the time of a side in a game.
type timeControl struct {
	clock    Clock
	moveTime time.Duration
}

// timeOf reads an agent's time control from its checked spec. All kinds with a move
// time use this name.
func timeOf(spec agents.Spec) (t timeControl) {
	t.clock, _ = ParseClock(spec.Get("clock"))
	t.moveTime, _ = time.ParseDuration(spec.Get("movetime"))
	return t
}

// job returns the i-th pair as a job with both games.
func (s *schedule) job(i int64) Job {
	p := s.pair(i)
	return Job{Pair: i, Round: p.round, Rules: p.rulesNum, Agents: p.agents, Games: [2]bool{true, true}}
}

// pairOf returns the pair of a job, which may come from outside.
func (s *schedule) pairOf(j Job) (pair, error) {
	c := s.config
	ok := j.Pair >= 0 && j.Round >= 0 && 0 <= j.Rules && j.Rules < len(c.Rules)
	for _, a := range j.Agents {
		ok = ok && 0 <= a && a < len(c.Agents)
	}
	if !ok {
		return pair{}, fmt.Errorf("pair %d: expected a round, one of %d rule sets and two of %d agents, found %d, %d, %v",
			j.Pair, len(c.Rules), len(c.Agents), j.Round, j.Rules, j.Agents)
	}
	return pair{index: j.Pair, round: j.Round, rules: c.Rules[j.Rules], rulesNum: j.Rules, agents: j.Agents}, nil
}

// checkPair returns an error unless a game belongs to a pair.
func (s *schedule) checkPair(p pair, g *record.Game) error {
	south, southSeed := s.seat(p, int(g.Game%2), rules.South)
	north, northSeed := s.seat(p, int(g.Game%2), rules.North)
	want := record.Game{
		Pair: p.index, Rules: p.rules.String(), South: record.Player{Agent: s.agentNames[south], Seed: southSeed},
		North: record.Player{Agent: s.agentNames[north], Seed: northSeed},
	}
	if g.Pair != want.Pair || g.Rules != want.Rules || g.South != want.South || g.North != want.North {
		return fmt.Errorf("%s: game %d: expected pair %d of %s and %s under %s, found pair %d of %s and %s under %s",
			GamesFile, g.Game, want.Pair, want.South.Agent, want.North.Agent, want.Rules, g.Pair, g.South.Agent,
			g.North.Agent, g.Rules)
	}
	return nil
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
