// Package gamestats counts what happens in recorded games: lengths, kinds of moves, missed wins and defences.
//
// A [Counter] replays the games. The unit of all intervals is the pair of games from one opening: its games are not
// independent, nor are the moves of a game.
package gamestats

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/interval"
	"gyges/tournament/record"
)

// Figure is a number of the games of a rule set with its 95 % interval; what isn't known is NaN.
type Figure struct {
	definition
	Rules            string
	Value, Low, High float64
	N                int64 // games, moves or positions that the value is of
}

// definition is a figure: the sum counted under its key for each case, the sum counted under another.
type definition struct {
	key, cases string
	mean       bool // of numbers from 0; else a share
}

// definitions are in printing order; what each counts is in the manual, package record.
var definitions = func() (list []definition) {
	for _, group := range [][2]string{
		{"games", "south_points drawn plies_mean"},
		{"wins", "win_height_1 win_height_2 win_height_3 win_bounce"},
		{"wins", "win_bounces_0 win_bounces_1 win_bounces_2 win_bounces_3 win_bounces_4 win_bounces_5+"},
		{"wins", "win_row_hand win_row_1 win_row_2 win_row_3 win_row_4 win_row_5 win_row_6"},
		{"moves", "move_height_1 move_height_2 move_height_3 move_bounce move_bounces_mean move_displacement"},
		{"turns", "turn_pass turn_legal_moves_mean"},
		{"wins_with_defence", "missed_defence"}, {"turns", "goal_in_reach"}, {"goal_in_reach", "goal_missed"},
	} {
		for key := range strings.FieldsSeq(group[1]) {
			list = append(list, definition{key, group[0], strings.HasSuffix(key, "_mean")})
		}
	}
	return list
}()

// Columns are those of a table of figures.
var Columns = []grid.Column[Figure]{
	{Key: "rules", Title: "Rules", Left: true, Value: func(f Figure) any { return f.Rules }},
	{Key: "statistic", Title: "Statistic", Left: true, Value: func(f Figure) any { return f.key }},
	{Key: "value", Title: "Value", Value: func(f Figure) any { return f.cell(f.Value) }},
	{Title: "95 % interval", Value: func(f Figure) any {
		if math.IsNaN(f.Low) {
			return nil
		}
		return f.cell(f.Low).Text + " to " + f.cell(f.High).Text
	}},
	{Key: "low", Value: func(f Figure) any { return f.Low }},
	{Key: "high", Value: func(f Figure) any { return f.High }},
	{Key: "n", Title: "Of", Value: func(f Figure) any { return grid.Thousands(f.N) }},
}

func (f *Figure) cell(v float64) grid.Cell {
	switch {
	case math.IsNaN(v):
		return grid.Cell{Text: "-"}
	case f.mean:
		return grid.Fixed(v, 2)
	}
	return grid.Percent(v)
}

// Counter counts games. The zero value has none.
type Counter struct {
	sets   []*set // in the order of their first games
	file   string // of the last game
	last   *record.Record
	counts counts // of the last pair, or game alone
}

type set struct {
	rules   string
	moments []moments // of the definitions
}

// Add counts a game, or returns why it can't be replayed. Two in a row are a pair by their pair number, rules and file.
func (c *Counter) Add(file string, g *record.Record) error {
	counts, err := count(g)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if c.last == nil || c.counts["games"] == 2 || c.file != file || c.last.Pair != g.Pair || c.last.Rules != g.Rules {
		c.endPair()
	}
	for key, n := range counts {
		c.counts[key] += n
	}
	c.file, c.last = file, g
	return nil
}

func (c *Counter) endPair() {
	if c.last != nil {
		i := slices.IndexFunc(c.sets, func(s *set) bool { return s.rules == c.last.Rules })
		if i < 0 {
			i = len(c.sets)
			c.sets = append(c.sets, &set{c.last.Rules, make([]moments, len(definitions))})
		}
		for k, d := range definitions {
			c.sets[i].moments[k].add(c.counts[d.key], c.counts[d.cases])
		}
	}
	c.last, c.counts = nil, counts{}
}

// Figures returns the figures of all games, by rule set.
func (c *Counter) Figures() (list []Figure) {
	c.endPair()
	for _, s := range c.sets {
		for i, d := range definitions {
			m := &s.moments[i]
			low, high := m.shareInterval()
			if d.mean {
				half := interval.Z95 * math.Sqrt(m.variance())
				low, high = max(0, m.ratio()-half), m.ratio()+half
			}
			list = append(list, Figure{d, s.rules, m.ratio(), low, high, int64(m.cases)})
		}
	}
	return list
}

// moments are the sums of independent units and of their cases, and of their squares and products, from which the ratio
// of the totals and its error follow. They are whole numbers, or halves, so that their order doesn't matter.
type moments struct {
	units                  int64 // with any case
	sum, cases             float64
	sumSum, sumCase, case2 float64
}

func (m *moments) add(sum, cases float64) {
	if cases == 0 {
		return
	}
	m.units++
	m.sum += sum
	m.cases += cases
	m.sumSum += sum * sum
	m.sumCase += sum * cases
	m.case2 += cases * cases
}

// ratio returns the sum for each case, NaN without cases.
func (m *moments) ratio() float64 { return m.sum / m.cases }

// variance returns that of the ratio, linearised, by the residuals of the units; NaN for fewer than two units.
func (m *moments) variance() float64 {
	if m.units < 2 {
		return math.NaN()
	}
	r, n := m.ratio(), float64(m.units)
	squares := m.sumSum - 2*r*m.sumCase + r*r*m.case2
	if squares < 1e-12*(m.sumSum+r*r*m.case2) { // 0 but for rounding
		squares = 0
	}
	return squares / (m.cases * m.cases) * n / (n - 1)
}

// shareInterval returns Wilson's interval of a share, for the number of independent cases that has the share's
// variance; where all units gave the same, that is the number of units.
func (m *moments) shareInterval() (low, high float64) {
	r, v := m.ratio(), m.variance()
	n := r * (1 - r) / v
	if v == 0 {
		n = float64(m.units)
	}
	centre := (r + interval.Z95*interval.Z95/(2*n)) / (1 + interval.Z95*interval.Z95/n)
	half := interval.Z95 * math.Sqrt(r*(1-r)/n+interval.Z95*interval.Z95/(4*n*n)) / (1 + interval.Z95*interval.Z95/n)
	return max(0, centre-half), min(1, centre+half)
}

// counts are the sums of a game, or of a pair, by the keys of the definitions and of their cases.
type counts map[string]float64

func (c counts) addIf(key string, holds bool) {
	if holds {
		c[key]++
	}
}

func count(g *record.Record) (counts, error) {
	c, left := counts{}, len(g.Moves) // moves to come, the present one included
	won := g.Reason == string(rules.ByGoal) && g.Fault == nil
	var legal rules.MoveSet
	_, err := record.ReplayEach(g, func(game *rules.Game, m rules.Move) {
		if !m.IsPlacement() {
			c.turn(game, m, won && left == 1)
			if won && left == 2 {
				game.LegalMoves(&legal)
				c["wins_with_defence"]++
				c.addIf("missed_defence", game.Rules().HasEvasion(game.Position(), &legal))
			}
		}
		left--
	})
	points := float64(record.HalfPoints(g.Result, rules.South)) / 2
	c["games"]++
	c["south_points"] += points
	c.addIf("drawn", points == 0.5)
	c["plies_mean"] += float64(g.Plies)
	return c, err
}

func (c counts) turn(game *rules.Game, m rules.Move, wins bool) {
	legal, reach := game.Legal(), false
	for range legal.Goals() {
		reach = true
	}
	c["turns"]++
	c["turn_legal_moves_mean"] += float64(legal.Len())
	c.addIf("goal_in_reach", reach)
	c.addIf("goal_missed", reach && !m.IsGoal())
	c.addIf("turn_pass", m == rules.Pass)
	if m == rules.Pass {
		return
	}
	height, bounces, row := describe(game.Rules(), game.Position(), m)
	c["moves"]++
	c["move_height_"+strconv.Itoa(int(height))]++
	c.addIf("move_bounce", bounces > 0)
	c["move_bounces_mean"] += float64(bounces)
	c.addIf("move_displacement", m.Drop() != rules.NoSquare)
	if !wins {
		return
	}
	c["wins"]++
	c["win_height_"+strconv.Itoa(int(height))]++
	c.addIf("win_bounce", bounces > 0)
	c["win_bounces_"+[]string{"0", "1", "2", "3", "4", "5+"}[min(bounces, 5)]]++
	c["win_row_"+row]++
}

// describe returns the height of the piece that a move moves, the number of bounces by the course that the program
// prints, and the row on which the piece starts, "1" at the mover's side, or "hand".
func describe(r *rules.Rules, p rules.Position, m rules.Move) (height rules.Height, bounces int, row string) {
	height, bounces, row = m.FromHand(), -1, "hand" // the last landing is the end
	if from := m.From(); from != rules.NoSquare {
		height, bounces = p.At(from), -2 // the start is in the course
		if row = strconv.Itoa(from.Row() + 1); p.Side() == rules.North {
			row = strconv.Itoa(rules.Rows - from.Row())
		}
	}
	course, _ := r.Course(p, m)
	for _, step := range course {
		if !step.Crossed {
			bounces++
		}
	}
	return height, bounces, row
}
