package report

import (
	"math"

	"gyges/agents"
	"gyges/ratings"
	"gyges/rules"
	"gyges/tournament/record"
)

// ruleStats counts the games under one rule set. Its fields are exported, as those
// below, for JSON.
type ruleStats struct {
	Rules   string
	Results [3]int64 // South won, drawn, North won
	Lengths map[int]int64
	Reasons map[string]*[3]int64 // results by reason
	Order   []string             // the agents, in the order of their first games
	Agents  map[string]*agentStats
	Pairs   pairStats
}

// maxReasons bounds the reasons that are counted apart: a file may hold any texts.
const maxReasons = 40

// otherReasons is the name under which the reasons beyond maxReasons are counted.
const otherReasons = "other"

func newRuleStats(rules string) *ruleStats {
	return &ruleStats{
		Rules: rules, Lengths: map[int]int64{}, Reasons: map[string]*[3]int64{}, Agents: map[string]*agentStats{},
	}
}

func (s *ruleStats) games() int64 { return s.Results[0] + s.Results[1] + s.Results[2] }

func (s *ruleStats) add(g *record.Game) {
	result := record.HalfPoints(g.Result, rules.North)
	s.Results[result]++
	if g.Reason != record.Imported || len(g.Moves) > 0 {
		s.Lengths[g.Plies]++
	}
	reason := bounded(s.Reasons, g.Reason)
	if s.Reasons[reason] == nil {
		s.Reasons[reason] = new([3]int64)
	}
	s.Reasons[reason][result]++
	players := [2]*agentStats{s.agent(g.South.Agent), s.agent(g.North.Agent)}
	if f := g.Fault; f != nil {
		loser := players[f.Loser()]
		loser.Faults[bounded(loser.Faults, string(f.Kind))]++
	}
	for i, side := range g.Movers() {
		players[side].add(g, i, record.HalfPoints(g.Result, side))
	}
}

// bounded returns the key under which a text is counted: itself or, if the map has
// maxReasons keys, otherReasons.
func bounded[V any](counts map[string]V, text string) string {
	if _, known := counts[text]; !known && len(counts) >= maxReasons {
		return otherReasons
	}
	return text
}

func (s *ruleStats) agent(name string) *agentStats {
	a, ok := s.Agents[name]
	if !ok {
		a = &agentStats{Faults: map[string]int64{}}
		s.Agents[name] = a
		s.Order = append(s.Order, name)
	}
	return a
}

// pairStats counts game pairs by their results.
type pairStats struct {
	SouthTwice int64 // South won both
	NorthTwice int64
	OnePlayer  int64 // one player won on either side
	Draws      int64 // one game or both were drawn
}

func (o *pairStats) add(first, second ratings.Result) {
	switch {
	case first == ratings.Draw || second == ratings.Draw:
		o.Draws++
	case first != second:
		o.OnePlayer++
	case first == ratings.Win:
		o.SouthTwice++
	default:
		o.NorthTwice++
	}
}

func (o *pairStats) pairs() int64 { return o.SouthTwice + o.NorthTwice + o.OnePlayer + o.Draws }

// agentStats are the figures of one agent's moves under one rule set.
type agentStats struct {
	Moves       int64
	Time        distribution // of milliseconds a move
	Nodes       distribution // of positions a move, where some were counted
	Depth       distribution // of plies, where some were searched
	Calibration [2*maxBin + 1]bin

	Wins, Losses [2]int64 // claims of a proven win or loss: those that came true, and the others

	Faults map[string]int64 // games lost by faults, by their kind
}

// maxBin is the last bin of the calibration, for scores of maxBin points and more.
const maxBin = 10

// bin counts the moves of one score, rounded to whole points.
type bin struct {
	Moves      int64
	HalfPoints int64 // of the games, for the mover
}

// add counts move i of a game in which the mover got so many half points.
func (a *agentStats) add(g *record.Game, i, halfPoints int) {
	a.Moves++
	if len(g.Timing.MoveMS) > 0 {
		a.Time.add(g.Timing.MoveMS[i])
	}
	if len(g.Nodes) > 0 && g.Nodes[i] > 0 {
		a.Nodes.add(float64(g.Nodes[i]))
	}
	if len(g.Depths) > 0 && g.Depths[i] > 0 {
		a.Depth.add(float64(g.Depths[i]))
	}
	if len(g.Scores) > 0 && g.Scores[i] != record.NoScore {
		a.addScore(g.Scores[i], halfPoints)
	}
}

func (a *agentStats) addScore(s record.Score, halfPoints int) {
	plies, proven := agents.Score(s).Proven()
	claims, expected := &a.Wins, 2
	switch {
	case !proven:
		b := &a.Calibration[max(-maxBin, min(int(math.Round(float64(s)/100)), maxBin))+maxBin]
		b.Moves++
		b.HalfPoints += int64(halfPoints)
		return
	case plies < 0:
		claims, expected = &a.Losses, 0
	}
	if halfPoints == expected {
		claims[0]++
	} else {
		claims[1]++
	}
}

// distribution is that of positive numbers: their count, sum and maximum exact,
// quantiles to some 4 %.
type distribution struct {
	N      int64
	Sum    float64
	Max    float64
	Counts []int64 // by logarithm; made with the first number
}

const (
	perOctave = 8
	minOctave = -10 // numbers up to 2^minOctave share the first count
	maxOctave = 44
)

func (d *distribution) add(x float64) {
	const most = 1e15
	if !(x >= 0 && x <= most) { // a file may hold anything
		return
	}
	if d.Counts == nil {
		d.Counts = make([]int64, (maxOctave-minOctave)*perOctave+1)
	}
	d.N++
	d.Sum += x
	d.Max = max(d.Max, x)
	at := 0
	if x > 0 {
		at = int(math.Round((math.Log2(x) - minOctave) * perOctave))
	}
	d.Counts[max(0, min(at, len(d.Counts)-1))]++
}

func (d *distribution) mean() float64 { return d.Sum / float64(max(d.N, 1)) }

// quantile returns approximately the p-quantile.
func (d *distribution) quantile(p float64) float64 {
	left := int64(math.Ceil(p * float64(d.N)))
	for i, c := range d.Counts {
		if left -= c; left <= 0 && c > 0 {
			return min(d.Max, math.Exp2(float64(i)/perOctave+minOctave))
		}
	}
	return 0
}
