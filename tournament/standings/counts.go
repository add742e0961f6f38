package standings

import (
	"fmt"
	"math"
	"slices"

	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/tournament/game"
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

	Faults map[string]map[string]int64 // games that players lost by faults, by spec and kind

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
		Faults:  map[string]map[string]int64{},
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

// add counts a game of two players, by side, that could be read whole, but for its result.
func (s *RuleSet) add(g *record.Record, players [2]string) {
	if !g.OnlyResult() {
		s.Lengths[g.Plies]++
	}
	reason := bounded(s.Reasons, g.Reason)
	if s.Reasons[reason] == nil {
		s.Reasons[reason] = new([3]int64)
	}
	s.Reasons[reason][record.HalfPoints(g.Result, rules.North)]++
	if f := g.Fault; f != nil {
		loser := players[f.Loser()]
		if s.Faults[loser] == nil {
			s.Faults[loser] = map[string]int64{}
		}
		s.Faults[loser][bounded(s.Faults[loser], string(f.Kind))]++
	}
}

// addPlayers counts what the players, by side, did in a game that could be read whole.
func (s *Standings) addPlayers(g *record.Record, specs [2]string) {
	var players [2]*player
	for side := range rules.Side(2) {
		spec := specs[side]
		p := s.players[spec]
		if p == nil {
			p = &player{left: math.Inf(1)}
			s.players[spec] = p
			s.order = append(s.order, spec)
		}
		players[side] = p
		p.results[side][record.HalfPoints(g.Result, side.Other())]++
		p.plies.add(float64(g.Plies))
		use := game.UseOfTime(g, side, spec)
		p.overruns += len(use.Overruns)
		if use.Used > 0 { // else it had no clock
			p.clock.add(100 * use.Used)
			p.left = min(p.left, use.Left.Seconds()*1000)
		}
	}
	if g.Fault != nil {
		p := players[g.Fault.Loser()]
		p.faults++
		if g.Fault.Kind == record.FaultTimeout {
			p.overruns++
		}
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

// player is what was counted of one player's games and moves. Placements are no moves.
type player struct {
	results  [2][3]int64 // won, drawn, lost, by side
	faults   int         // games lost by them
	overruns int         // moves that took longer than they might

	plies mean // of its games
	time  mean // milliseconds of a move
	nodes mean // positions of a move, where some were counted
	depth mean // plies, where some were searched
	clock mean // percent of the clock that were used in a game

	left float64 // milliseconds on the clock at the least
}

// mean is the mean of positive numbers.
type mean struct {
	n    int64
	sum  float64
	most float64 // of the numbers
}

func (m *mean) add(x float64) {
	const bound = 1e15
	if x >= 0 && x <= bound { // a file may hold anything
		m.n++
		m.sum += x
		m.most = max(m.most, x)
	}
}

// cell returns the mean in a format for people.
func (m *mean) cell(format string) grid.Cell { return m.cellOf(m.sum/float64(m.n), format) }

// cellOf returns one of the figures of the numbers, "-" if there are none.
func (m *mean) cellOf(x float64, format string) grid.Cell {
	if m.n == 0 {
		return grid.Cell{Text: "-"}
	}
	return grid.Cell{Text: fmt.Sprintf(format, x), Value: x}
}

// Players returns the players' specs, in the order of their first games that could be read whole.
func (s *Standings) Players() []string { return s.order }

// Count returns the results of a player on both sides, in the games that could be read whole.
func (s *Standings) Count(spec string) (c ratings.Count) {
	p := s.players[spec]
	if p == nil {
		return c
	}
	for _, results := range p.results {
		c.Wins += int(results[0])
		c.Draws += int(results[1])
		c.Losses += int(results[2])
	}
	return c
}

// PlayerTable returns the table of what was counted of the players. Of its last columns those are
// for programs alone that have nothing to say of anybody.
func (s *Standings) PlayerTable() *grid.Table {
	t := grid.New("", 1, "Player", "As South", "As North", "Plies a game", "Depth", "Nodes a move",
		"Time a move", "Longest", "Clock used", "Least left", "Overruns", "Faults")
	for i, key := range []string{
		"player", "", "", "plies", "depth", "nodes",
		"time_ms", "longest_ms", "clock_percent", "left_ms", "overruns", "faults",
	} {
		t.Columns[i].Key = key
	}
	names := s.Names()
	anyDraws := slices.ContainsFunc(s.RuleSets, func(set *RuleSet) bool {
		return set.Results[1] > 0
	})
	for _, spec := range s.order {
		p := s.players[spec]
		row := []any{names.Of(spec)}
		for _, results := range p.results {
			text := fmt.Sprintf("%d-%d", results[0], results[2])
			if anyDraws {
				text = fmt.Sprintf("%d-%d-%d", results[0], results[1], results[2])
			}
			row = append(row, text)
		}
		row = append(row, p.plies.cell("%.1f"), p.depth.cell("%.1f"), p.nodes.cell("%.0f"))
		row = append(row, p.time.cell("%.3fms"), p.time.cellOf(p.time.most, "%.1fms"))
		row = append(row, p.clock.cell("%.1f %%"), p.clock.cellOf(p.left, "%.0fms"))
		t.Add(append(row, p.overruns, p.faults)...)
	}
	for i := 8; i < len(t.Columns); i++ { // from the use of the clock on
		says := func(row []grid.Cell) bool {
			return row[i].Text != "-" && row[i].Text != "0"
		}
		if !slices.ContainsFunc(t.Rows, says) {
			t.Columns[i].Title = ""
		}
	}
	return t
}
