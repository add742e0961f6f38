package standings

import (
	"math"

	"gyges/agents"
	"gyges/ratings"
	"gyges/rules"
	"gyges/tournament/record"
)

// RuleSet is what was counted of the games under one rule set. Results and Pairs count all games, the rest those that
// could be read whole.
type RuleSet struct {
	Name    string
	Results [3]int64 // South won, drawn, North won
	Pairs   PairCounts

	Lengths map[int]int64        // games by their plies, without imported ones that have no moves
	Reasons map[string]*[3]int64 // results by the reason of the game's end
	Order   []string             // the players' specs, in the order of their first games
	Players map[string]*Player   // by spec

	data  *ratings.Data // results by pairing, players by their specs
	sides ratings.Sides // those of Gygès, or of the first game of other rules; empty if they have no names
}

// MaxReasons bounds the reasons that are counted apart: a file may hold any texts. The others
// are counted as OtherReasons.
const (
	MaxReasons   = 40
	OtherReasons = "other"
)

func newRuleSet(name string) *RuleSet {
	s := &RuleSet{
		Name: name, Lengths: map[int]int64{}, Reasons: map[string]*[3]int64{}, Players: map[string]*Player{},
		data: new(ratings.Data),
	}
	if _, err := rules.Parse(name); err == nil {
		s.sides = ratings.SouthNorth
	}
	return s
}

// Games returns the number of games.
func (s *RuleSet) Games() int64 { return s.Results[0] + s.Results[1] + s.Results[2] }

// add counts a game that could be read whole, but for its result.
func (s *RuleSet) add(g *record.Game) {
	if g.Reason != record.Imported || len(g.Moves) > 0 {
		s.Lengths[g.Plies]++
	}
	reason := bounded(s.Reasons, g.Reason)
	if s.Reasons[reason] == nil {
		s.Reasons[reason] = new([3]int64)
	}
	s.Reasons[reason][record.HalfPoints(g.Result, rules.North)]++
	players := [2]*Player{s.player(g.South.Agent), s.player(g.North.Agent)}
	for side, p := range players {
		p.Results[side][record.HalfPoints(g.Result, rules.Side(side).Other())]++
		p.Plies += int64(g.Plies)
	}
	if f := g.Fault; f != nil {
		loser := players[f.Loser()]
		loser.Faults[bounded(loser.Faults, f.String())]++
	}
	for i, side := range g.Movers() {
		players[side].addMove(g, i, record.HalfPoints(g.Result, side))
	}
}

// bounded returns the key under which a text is counted: itself or, if the map has
// MaxReasons keys, OtherReasons.
func bounded[V any](counts map[string]V, text string) string {
	if _, known := counts[text]; !known && len(counts) >= MaxReasons {
		return OtherReasons
	}
	return text
}

func (s *RuleSet) player(spec string) *Player {
	p, ok := s.Players[spec]
	if !ok {
		p = &Player{Faults: map[string]int64{}}
		s.Players[spec] = p
		s.Order = append(s.Order, spec)
	}
	return p
}

// PairCounts counts game pairs, one opening played twice with sides swapped, by their results. Those that repeat an
// earlier one are left out.
type PairCounts struct {
	SouthTwice int64 // South won both
	NorthTwice int64
	OnePlayer  int64 // one player won on either side
	Draws      int64 // one game or both were drawn

	OneGame int64 // among all of these, those whose two games are one, move for move
}

func (c *PairCounts) add(first, second ratings.Result, one bool) {
	if one {
		c.OneGame++
	}
	switch {
	case first == ratings.Draw || second == ratings.Draw:
		c.Draws++
	case first != second:
		c.OnePlayer++
	case first == ratings.Win:
		c.SouthTwice++
	default:
		c.NorthTwice++
	}
}

// Pairs returns the number of pairs.
func (c *PairCounts) Pairs() int64 { return c.SouthTwice + c.NorthTwice + c.OnePlayer + c.Draws }

// Player is what was counted of one player's games and moves. Placements are no moves.
type Player struct {
	Results [2][3]int64 // won, drawn, lost, by side
	Plies   int64       // of its games
	Faults  map[string]int64

	Moves       int64
	Time        Distribution // of milliseconds a move
	Nodes       Distribution // of positions a move, where some were counted
	Depth       Distribution // of plies, where some were searched
	Calibration [2*MaxBin + 1]Bin

	Wins, Losses [2]int64 // claims of a proven win or loss: those that came true, and the others
}

// MaxBin is the last bin of the calibration, for scores of MaxBin points and more.
const MaxBin = 10

// Bin counts the moves of one score, rounded to whole points.
type Bin struct {
	Moves      int64
	HalfPoints int64 // of the games, for the mover
}

// addMove counts move i of a game in which the mover got that number of half points.
func (p *Player) addMove(g *record.Game, i, halfPoints int) {
	p.Moves++
	if len(g.Timing.MoveMS) > 0 {
		p.Time.add(g.Timing.MoveMS[i])
	}
	if len(g.Nodes) > 0 && g.Nodes[i] > 0 {
		p.Nodes.add(float64(g.Nodes[i]))
	}
	if len(g.Depths) > 0 && g.Depths[i] > 0 {
		p.Depth.add(float64(g.Depths[i]))
	}
	if len(g.Scores) > 0 && g.Scores[i] != record.NoScore {
		p.addScore(g.Scores[i], halfPoints)
	}
}

func (p *Player) addScore(s record.Score, halfPoints int) {
	plies, proven := agents.Score(s).Proven()
	claims, expected := &p.Wins, 2
	switch {
	case !proven:
		b := &p.Calibration[max(-MaxBin, min(int(math.Round(float64(s)/100)), MaxBin))+MaxBin]
		b.Moves++
		b.HalfPoints += int64(halfPoints)
		return
	case plies < 0:
		claims, expected = &p.Losses, 0
	}
	if halfPoints == expected {
		claims[0]++
	} else {
		claims[1]++
	}
}

// Distribution is that of positive numbers: their count, sum and maximum exact,
// quantiles to some 4 %.
type Distribution struct {
	N      int64
	Sum    float64
	Max    float64
	counts []int64 // by logarithm; made with the first number
}

// Classes of a distribution.
const (
	perOctave = 8
	minOctave = -10 // numbers up to 2^minOctave share the first class
	maxOctave = 44
)

func (d *Distribution) add(x float64) {
	const most = 1e15
	if !(x >= 0 && x <= most) { // a file may hold anything
		return
	}
	if d.counts == nil {
		d.counts = make([]int64, (maxOctave-minOctave)*perOctave+1)
	}
	d.N++
	d.Sum += x
	d.Max = max(d.Max, x)
	at := 0
	if x > 0 {
		at = int(math.Round((math.Log2(x) - minOctave) * perOctave))
	}
	d.counts[max(0, min(at, len(d.counts)-1))]++
}

// Mean returns the mean, 0 without numbers.
func (d *Distribution) Mean() float64 { return d.Sum / float64(max(d.N, 1)) }

// Quantile returns approximately the p-quantile.
func (d *Distribution) Quantile(p float64) float64 {
	left := int64(math.Ceil(p * float64(d.N)))
	for i, c := range d.counts {
		if left -= c; left <= 0 && c > 0 {
			return min(d.Max, math.Exp2(float64(i)/perOctave+minOctave))
		}
	}
	return 0
}
