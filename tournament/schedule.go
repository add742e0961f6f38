package tournament

import (
	"time"

	"gyges/agents"
	"gyges/rules"
	"gyges/tournament/record"
)

// schedule is the tournament a config stands for, as a function from an index
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
	own        []ownTime
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
		st.pairings = s.table.pairings(s.config.Format, st.count)
		close(st.known)
	}
}

// note takes the games' results, in the order of the schedule.
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
	m := Game{
		Number: 2*p.index + int64(n), Pair: p.index,
		Rules: p.rules, Opening: opening, Policy: c.Openings.String(), Limits: c.Limits,
		OnRepetition: c.OnRepetition, Clock: c.Clock, TimeMargin: c.TimeMargin, Adjudication: c.Adjudication,
	}
	for side := range m.Seats {
		i, seed := s.seat(p, n, rules.Side(side))
		m.Seats[side] = Seat{Name: s.agentNames[i], Seed: seed, Clock: s.own[i].clock, MoveTime: s.own[i].moveTime}
	}
	return m
}

// seated returns the agents of game g of the whole schedule, by side.
func (s *schedule) seated(g int64) [2]int {
	p := s.pair(g / 2)
	return [2]int{p.agents[g%2], p.agents[1-g%2]}
}

// ownTime is the time that an agent's spec asks for.
type ownTime struct {
	clock    Clock
	moveTime time.Duration
}

// timeOf reads it from a checked spec. All kinds with a move time use this name.
func timeOf(spec agents.Spec) (t ownTime) {
	t.clock, _ = ParseClock(spec.Get("clock"))
	t.moveTime, _ = time.ParseDuration(spec.Get("movetime"))
	return t
}
