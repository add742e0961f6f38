package standings

import (
	"fmt"
	"slices"

	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/tournament/record"
)

// RuleSet is what was counted under one rule set: all games in Results and Pairs, else those that
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
	known bool          // the rules are Gygès's

	// sides are those of Gygès, or of all games under other rules; empty if these have several.
	sides ratings.Sides
}

// Reasons that are counted apart, as a file may hold any texts, and what the others are counted as.
const (
	maxReasons   = 40
	otherReasons = "other"
)

func newRuleSet(name string) *RuleSet {
	s := &RuleSet{
		Name:    name,
		Lengths: map[int]int64{},
		Reasons: map[string]*[3]int64{},
		Players: map[string]*Player{},
		data:    new(ratings.Data),
	}
	if _, err := rules.Parse(name); err == nil {
		s.known, s.sides = true, ratings.SouthNorth
	}
	return s
}

// noteSides notes the sides of a game before it is counted.
func (s *RuleSet) noteSides(sides ratings.Sides) {
	if s.Games() == 0 {
		s.sides = sides
	} else if s.sides != sides {
		s.sides = ratings.Sides{}
	}
}

// Games returns the number of games.
func (s *RuleSet) Games() int64 { return s.Results[0] + s.Results[1] + s.Results[2] }

// PairsOf counts the pairs of two players, but for those that repeat an earlier one, by the points
// of one of them.
func (s *RuleSet) PairsOf(spec string) sprt.Pairs { return s.data.PairsOf(spec) }

// add counts a game of two players that could be read whole, but for its result.
func (s *RuleSet) add(g *record.Record, south, north string) {
	if !g.OnlyResult() {
		s.Lengths[g.Plies]++
	}
	reason := bounded(s.Reasons, g.Reason)
	if s.Reasons[reason] == nil {
		s.Reasons[reason] = new([3]int64)
	}
	s.Reasons[reason][record.HalfPoints(g.Result, rules.North)]++
	players := [2]*Player{s.player(south), s.player(north)}
	for side, p := range players {
		p.Results[side][record.HalfPoints(g.Result, rules.Side(side).Other())]++
		p.plies += int64(g.Plies)
	}
	if f := g.Fault; f != nil {
		loser := players[f.Loser()]
		loser.Faults[bounded(loser.Faults, string(f.Kind))]++
	}
	for i, side := range g.Movers() {
		p := players[side]
		if len(g.Timing.MoveMS) > 0 {
			p.time.add(g.Timing.MoveMS[i])
		}
		if len(g.Nodes) > 0 && g.Nodes[i] > 0 {
			p.nodes.add(float64(g.Nodes[i]))
		}
		if len(g.Depths) > 0 && g.Depths[i] > 0 {
			p.depth.add(float64(g.Depths[i]))
		}
	}
}

// bounded returns the key under which a text is counted: itself or, if the map is full,
// otherReasons.
func bounded[V any](counts map[string]V, text string) string {
	if _, known := counts[text]; !known && len(counts) >= maxReasons {
		return otherReasons
	}
	return text
}

func (s *RuleSet) player(spec string) *Player {
	p, ok := s.Players[spec]
	if !ok {
		p = newPlayer()
		s.Players[spec] = p
		s.Order = append(s.Order, spec)
	}
	return p
}

// PairCounts counts game pairs by their results. Those that repeat an earlier one are left out.
type PairCounts struct {
	SouthTwice int64 // South won both
	NorthTwice int64
	OnePlayer  int64 // one player won on either side
	Draws      int64 // one game or both were drawn

	OneGame int64 // among all of these, those whose two games are one, move for move
}

// add counts n pairs with the same results.
func (c *PairCounts) add(first, second ratings.Result, one bool, n int64) {
	if one {
		c.OneGame += n
	}
	switch {
	case first == ratings.Draw, second == ratings.Draw:
		c.Draws += n
	case first != second:
		c.OnePlayer += n
	case first == ratings.Win:
		c.SouthTwice += n
	default:
		c.NorthTwice += n
	}
}

// Pairs returns the number of pairs.
func (c *PairCounts) Pairs() int64 { return c.SouthTwice + c.NorthTwice + c.OnePlayer + c.Draws }

// Player is what was counted of one player's games and moves. Placements are no moves.
type Player struct {
	Results [2][3]int64 // won, drawn, lost, by side
	Faults  map[string]int64

	plies int64 // of its games
	time  mean  // of milliseconds a move
	nodes mean  // of positions a move, where some were counted
	depth mean  // of plies, where some were searched
}

func newPlayer() *Player { return &Player{Faults: map[string]int64{}} }

// merge adds what was counted under another rule set.
func (p *Player) merge(o *Player) {
	for side := range o.Results {
		for i, n := range o.Results[side] {
			p.Results[side][i] += n
		}
	}
	for kind, n := range o.Faults {
		p.Faults[kind] += n
	}
	p.plies += o.plies
	p.time.merge(o.time)
	p.nodes.merge(o.nodes)
	p.depth.merge(o.depth)
}

// count returns the results on both sides.
func (p *Player) count() (c ratings.Count) {
	for _, results := range p.Results {
		c.Wins += int(results[0])
		c.Draws += int(results[1])
		c.Losses += int(results[2])
	}
	return c
}

// faults returns how many games were lost by faults.
func (p *Player) faults() (games int64) {
	for _, n := range p.Faults {
		games += n
	}
	return games
}

// mean is the mean of positive numbers.
type mean struct {
	n   int64
	sum float64
}

func (m *mean) add(x float64) {
	const most = 1e15
	if x >= 0 && x <= most { // a file may hold anything
		m.n++
		m.sum += x
	}
}

func (m *mean) merge(o mean) {
	m.n += o.n
	m.sum += o.sum
}

func (m mean) text(format string) string {
	if m.n == 0 {
		return "-"
	}
	return fmt.Sprintf(format, m.sum/float64(m.n))
}

// total returns what was counted of a player under all rule sets.
func (s *Standings) total(spec string) *Player {
	total := newPlayer()
	for _, set := range s.RuleSets {
		if p := set.Players[spec]; p != nil {
			total.merge(p)
		}
	}
	return total
}

// Count returns the results of a player on both sides, in the games that could be read whole.
func (s *Standings) Count(spec string) ratings.Count { return s.total(spec).count() }

// PlayerTable returns the table of what was counted of the players given. Faults are left out where
// there were none.
func (s *Standings) PlayerTable(specs []string) *grid.Table {
	t := grid.New("", 1, "Player", "As South", "As North", "Plies a game", "Depth", "Nodes a move",
		"Time a move", "Faults")
	names := s.Names()
	anyFaults := false
	anyDraws := slices.ContainsFunc(s.RuleSets, func(set *RuleSet) bool {
		return set.Results[1] > 0
	})
	for _, spec := range specs {
		p := s.total(spec)
		games := int64(p.count().Games())
		if games == 0 {
			continue
		}
		row := []any{names.Of(spec)}
		for _, results := range p.Results {
			text := fmt.Sprintf("%d-%d", results[0], results[2])
			if anyDraws {
				text = fmt.Sprintf("%d-%d-%d", results[0], results[1], results[2])
			}
			row = append(row, text)
		}
		plies := mean{games, float64(p.plies)}
		row = append(row, plies.text("%.1f"), p.depth.text("%.1f"), p.nodes.text("%.0f"),
			p.time.text("%.3fms"))
		t.Add(append(row, p.faults())...)
		if p.faults() > 0 {
			anyFaults = true
		}
	}
	if !anyFaults {
		t.Hide("Faults")
	}
	return t
}
