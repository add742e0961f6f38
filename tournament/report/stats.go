package report

import (
	"math"

	"gyges/agents"
	"gyges/ratings"
	"gyges/rules"
	"gyges/tournament/record"
)

// ruleStats counts the games under one rule set.
type ruleStats struct {
	rules    string
	results  [3]int64 // South won, drawn, North won
	lengths  map[int]int64
	reasons  map[string]*[3]int64 // results by reason
	order    []string             // the agents, as they were first met
	agents   map[string]*agentStats
	openings openingStats
}

// maxReasons bounds the reasons told apart: a file may hold any texts.
const maxReasons = 40

// otherReasons stands for those beyond maxReasons.
const otherReasons = "other"

func newRuleStats(rules string) *ruleStats {
	return &ruleStats{rules: rules, lengths: map[int]int64{}, reasons: map[string]*[3]int64{}, agents: map[string]*agentStats{}}
}

func (s *ruleStats) add(g *record.Game) {
	result := record.HalfPoints(g.Result, rules.North)
	s.results[result]++
	if g.Reason != record.Imported || len(g.Moves) > 0 {
		s.lengths[g.Plies]++
	}
	s.reason(g.Reason)[result]++
	south, north := s.agent(g.South.Agent), s.agent(g.North.Agent)
	if f := g.Fault; f != nil {
		loser := south
		if f.Side == "north" {
			loser = north
		}
		loser.fault(string(f.Kind))
	}
	s.addTurns(g, [2]*agentStats{south, north}, result)
}

// addTurns credits each turn to the player who took it; result is the outcome
// for South, from 0, won, to 2. A game whose opening can't be read is left out.
func (s *ruleStats) addTurns(g *record.Game, players [2]*agentStats, result int) {
	first, side, err := g.FirstTurn()
	if err != nil {
		return
	}
	for i := range g.Plies {
		won := result
		if side == rules.North {
			won = 2 - result
		}
		players[side].add(g, first+i, won)
		side = side.Other()
	}
}

func (s *ruleStats) reason(name string) *[3]int64 {
	counts, ok := s.reasons[name]
	if !ok {
		if len(s.reasons) >= maxReasons {
			name = otherReasons
		}
		if counts, ok = s.reasons[name]; !ok {
			counts = new([3]int64)
			s.reasons[name] = counts
		}
	}
	return counts
}

func (s *ruleStats) agent(name string) *agentStats {
	a, ok := s.agents[name]
	if !ok {
		a = new(agentStats)
		s.agents[name] = a
		s.order = append(s.order, name)
	}
	return a
}

func (s *ruleStats) games() int64 { return s.results[0] + s.results[1] + s.results[2] }

// openingStats counts game pairs by what became of their opening.
type openingStats struct {
	southTwice int64 // South won both
	northTwice int64
	onePlayer  int64 // one player won on either side
	draws      int64 // one game or both were drawn
}

func (o *openingStats) add(first, second ratings.Result) {
	switch {
	case first == ratings.Draw || second == ratings.Draw:
		o.draws++
	case first != second:
		o.onePlayer++
	case first == ratings.Win:
		o.southTwice++
	default:
		o.northTwice++
	}
}

func (o *openingStats) pairs() int64 { return o.southTwice + o.northTwice + o.onePlayer + o.draws }

// agentStats is what one agent's moves under one rule set say of it.
type agentStats struct {
	moves int64
	time  spread // of milliseconds a move
	nodes spread // of positions a move, where some were counted
	depth spread // of plies, where some were searched
	scale [2*maxBin + 1]bin
	// Claims of a proven win or loss, by what became of them: kept or not.
	wins, losses [2]int64

	faults map[string]int64 // games lost by faults, by their kind
}

// maxBin is the last bin of the calibration: it takes scores in points of so
// much and more.
const maxBin = 10

// bin counts the moves of one score, rounded to whole points.
type bin struct {
	moves int64
	half  int64 // half points of the games for the mover
}

// add counts move i of a game that the mover won (0), drew (1) or lost (2).
func (a *agentStats) add(g *record.Game, i, won int) {
	a.moves++
	if len(g.Timing.MoveMS) > 0 {
		a.time.add(g.Timing.MoveMS[i])
	}
	if len(g.Nodes) > 0 && g.Nodes[i] > 0 {
		a.nodes.add(float64(g.Nodes[i]))
	}
	if len(g.Depths) > 0 && g.Depths[i] > 0 {
		a.depth.add(float64(g.Depths[i]))
	}
	if len(g.Scores) > 0 && g.Scores[i] != record.NoScore {
		a.judge(g.Scores[i], won)
	}
}

func (a *agentStats) fault(kind string) {
	if a.faults == nil {
		a.faults = map[string]int64{}
	}
	if _, known := a.faults[kind]; !known && len(a.faults) >= maxReasons {
		kind = otherReasons
	}
	a.faults[kind]++
}

func (a *agentStats) judge(s record.Score, won int) {
	if plies, proven := agents.Score(s).Proven(); proven {
		claims, kept := &a.wins, won == 0
		if plies < 0 {
			claims, kept = &a.losses, won == 2
		}
		if kept {
			claims[0]++
		} else {
			claims[1]++
		}
		return
	}
	at := int(math.Round(float64(s) / 100))
	b := &a.scale[max(-maxBin, min(at, maxBin))+maxBin]
	b.moves++
	b.half += int64(2 - won)
}

// spread is the distribution of positive figures: their number, sum and maximum
// exact, quantiles to some 4 %.
type spread struct {
	n      int64
	sum    float64
	max    float64
	counts []int64 // by logarithm; made with the first figure
}

const (
	perOctave  = 8
	minOctave  = -10 // figures up to 2^minOctave share the first count
	maxOctave  = 44
	numOctaves = maxOctave - minOctave
)

func (s *spread) add(x float64) {
	const most = 1e15
	if !(x >= 0 && x <= most) { // a file may say so
		return
	}
	if s.counts == nil {
		s.counts = make([]int64, numOctaves*perOctave+1)
	}
	s.n++
	s.sum += x
	s.max = max(s.max, x)
	at := 0
	if x > 0 {
		at = int(math.Round((math.Log2(x) - minOctave) * perOctave))
	}
	s.counts[max(0, min(at, len(s.counts)-1))]++
}

func (s *spread) mean() float64 {
	if s.n == 0 {
		return 0
	}
	return s.sum / float64(s.n)
}

// quantile returns the figure that a share p of all don't exceed, about.
func (s *spread) quantile(p float64) float64 {
	left := int64(math.Ceil(p * float64(s.n)))
	for i, c := range s.counts {
		if left -= c; left <= 0 && c > 0 {
			return min(s.max, math.Exp2(float64(i)/perOctave+minOctave))
		}
	}
	return 0
}
