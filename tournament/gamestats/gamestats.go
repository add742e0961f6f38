// Package gamestats counts what happens in recorded games: lengths, kinds of moves, missed wins and
// defences.
//
// A [Counter] replays the games, makes a tally of each, and adds the tallies of pairs up. Its
// [Figure] are the results under each rule set. The unit of all intervals is the pair of games from
// one opening: its games are not independent, nor are the moves of a game.
package gamestats

import (
	"fmt"
	"math"
	"slices"

	"gyges/rules"
	"gyges/rules/base/grid"
	"gyges/rules/base/interval"
	"gyges/tournament/record"
)

// stat is something that is counted.
type stat int

const (
	games stat = iota
	southPoints
	drawn
	plies

	wins // by a move to the goal
	winHeight1
	winHeight2
	winHeight3
	winBounce
	winBounces0
	winBounces1
	winBounces2
	winBounces3
	winBounces4
	winBounces5 // or more
	winHand
	winRow1 // of the mover
	winRow2
	winRow3
	winRow4
	winRow5
	winRow6

	moves // but passes
	moveHeight1
	moveHeight2
	moveHeight3
	moveBounce
	moveBounces
	moveDisplacement

	turns // moves and passes, but no placements
	turnPass
	turnLegalMoves
	goalInReach
	goalMissed

	winsWithDefence // wins after a turn of the other side
	missedDefence

	stats // how many there are
)

// definition says of which stats a figure is made.
type definition struct {
	key        string
	sum, cases stat // the figure is the one divided by the other
}

// isMean reports whether the figure is a mean of numbers from 0, and no share.
func (d definition) isMean() bool {
	switch d.sum {
	case plies, moveBounces, turnLegalMoves:
		return true
	}
	return false
}

// definitions are in printing order; what each counts is in the manual, package record.
var definitions = []definition{
	{"south_points", southPoints, games},
	{"drawn", drawn, games},
	{"plies_mean", plies, games},
	{"win_height_1", winHeight1, wins},
	{"win_height_2", winHeight2, wins},
	{"win_height_3", winHeight3, wins},
	{"win_bounce", winBounce, wins},
	{"win_bounces_0", winBounces0, wins},
	{"win_bounces_1", winBounces1, wins},
	{"win_bounces_2", winBounces2, wins},
	{"win_bounces_3", winBounces3, wins},
	{"win_bounces_4", winBounces4, wins},
	{"win_bounces_5+", winBounces5, wins},
	{"win_row_hand", winHand, wins},
	{"win_row_1", winRow1, wins},
	{"win_row_2", winRow2, wins},
	{"win_row_3", winRow3, wins},
	{"win_row_4", winRow4, wins},
	{"win_row_5", winRow5, wins},
	{"win_row_6", winRow6, wins},
	{"move_height_1", moveHeight1, moves},
	{"move_height_2", moveHeight2, moves},
	{"move_height_3", moveHeight3, moves},
	{"move_bounce", moveBounce, moves},
	{"move_bounces_mean", moveBounces, moves},
	{"move_displacement", moveDisplacement, moves},
	{"turn_pass", turnPass, turns},
	{"turn_legal_moves_mean", turnLegalMoves, turns},
	{"missed_defence", missedDefence, winsWithDefence},
	{"goal_in_reach", goalInReach, turns},
	{"goal_missed", goalMissed, goalInReach},
}

// Figure is a number of the games of a rule set with its 95 % interval; what isn't known is NaN.
type Figure struct {
	definition
	Rules            string
	Value, Low, High float64
	N                int64 // games, moves or positions that the value is of
}

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
	case f.isMean():
		return grid.Fixed(v, 2)
	}
	return grid.Percent(v)
}

// Counter counts games. The zero value has none.
type Counter struct {
	sets []*set // in the order of their first games
	file string // of the last game
	last *record.Record
	pair tally // of the last pair, or game alone
}

// set is what was counted under a rule set.
type set struct {
	rules   string
	moments []moments // of the definitions
}

// Add counts a game, or returns why it can't be replayed. Two in a row are a pair by their pair
// number, rules and file.
func (c *Counter) Add(file string, g *record.Record) error {
	t, err := tallyOf(g)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if !c.isPair(file, g) {
		c.endPair()
	}
	for i, n := range t {
		c.pair[i] += n
	}
	c.file = file
	c.last = g
	return nil
}

// isPair reports whether a game is the second one of the last pair.
func (c *Counter) isPair(file string, g *record.Record) bool {
	if c.last == nil || c.pair[games] == 2 {
		return false
	}
	if c.file != file || c.last.Pair != g.Pair {
		return false
	}
	return c.last.Rules == g.Rules
}

// endPair adds the last pair to what was counted under its rules.
func (c *Counter) endPair() {
	if c.last == nil {
		return
	}
	i := slices.IndexFunc(c.sets, func(s *set) bool { return s.rules == c.last.Rules })
	if i < 0 {
		i = len(c.sets)
		c.sets = append(c.sets, &set{c.last.Rules, make([]moments, len(definitions))})
	}
	for k, d := range definitions {
		c.sets[i].moments[k].add(c.pair[d.sum], c.pair[d.cases])
	}
	c.last = nil
	c.pair = tally{}
}

// Figures returns the figures of all games, by rule set.
func (c *Counter) Figures() (list []Figure) {
	c.endPair()
	for _, s := range c.sets {
		for i, d := range definitions {
			m := &s.moments[i]
			f := Figure{definition: d, Rules: s.rules, Value: m.ratio(), N: int64(m.cases)}
			if d.isMean() {
				half := interval.Z95 * math.Sqrt(m.variance())
				f.Low = max(0, f.Value-half)
				f.High = f.Value + half
			} else {
				f.Low, f.High = m.shareInterval()
			}
			list = append(list, f)
		}
	}
	return list
}

// moments are the sums of independent units and of their cases, and of their squares and products,
// from which the ratio of the totals and its error follow. They are whole numbers, or halves, so
// that their order doesn't matter.
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

// variance returns the variance of the ratio, linearised, by the residuals of the units; NaN for
// fewer than two units.
func (m *moments) variance() float64 {
	if m.units < 2 {
		return math.NaN()
	}
	r := m.ratio()
	expected := r * r * m.case2
	squares := m.sumSum - 2*r*m.sumCase + expected
	if squares < 1e-12*(m.sumSum+expected) { // 0 but for rounding
		squares = 0
	}
	n := float64(m.units)
	return squares / (m.cases * m.cases) * n / (n - 1)
}

// shareInterval returns Wilson's interval of a share, for the number of independent cases that has
// the share's variance; where all units gave the same, that is the number of units.
func (m *moments) shareInterval() (low, high float64) {
	const z2 = interval.Z95 * interval.Z95
	share := m.ratio()
	variance := m.variance()
	spread := share * (1 - share)
	n := spread / variance
	if variance == 0 {
		n = float64(m.units)
	}
	scale := 1 + z2/n
	centre := (share + z2/(2*n)) / scale
	half := interval.Z95 * math.Sqrt(spread/n+z2/(4*n*n)) / scale
	return max(0, centre-half), min(1, centre+half)
}

// tally is what was counted in a game, or in a pair.
type tally [stats]float64

// countIf counts a case if it holds.
func (t *tally) countIf(s stat, holds bool) {
	if holds {
		t[s]++
	}
}

// tallyOf counts what happens in a game.
func tallyOf(g *record.Record) (t tally, err error) {
	left := len(g.Moves) // moves to come, the present one included
	won := g.Reason == string(rules.ByGoal) && g.Fault == nil
	var legal rules.MoveSet
	_, err = record.ReplayEach(g, func(game *rules.Game, m rules.Move) {
		if !m.IsPlacement() {
			t.turn(game, m, won && left == 1)
			if won && left == 2 {
				game.LegalMoves(&legal)
				t[winsWithDefence]++
				t.countIf(missedDefence, game.Rules().HasEvasion(game.Position(), &legal))
			}
		}
		left--
	})
	points := float64(record.HalfPoints(g.Result, rules.South)) / 2
	t[games]++
	t[southPoints] += points
	t.countIf(drawn, points == 0.5)
	t[plies] += float64(g.Plies)
	return t, err
}

// turn counts a move or a pass before it is played.
func (t *tally) turn(game *rules.Game, m rules.Move, isWin bool) {
	legal := game.Legal()
	inReach := false
	for range legal.Goals() {
		inReach = true
	}
	t[turns]++
	t[turnLegalMoves] += float64(legal.Len())
	t.countIf(goalInReach, inReach)
	t.countIf(goalMissed, inReach && !m.IsGoal())
	if m == rules.Pass {
		t[turnPass]++
		return
	}

	height, row := piece(game.Position(), m)
	bounces := bounces(game.Rules(), game.Position(), m)
	t[moves]++
	t[moveHeight1+stat(height)-1]++
	t.countIf(moveBounce, bounces > 0)
	t[moveBounces] += float64(bounces)
	t.countIf(moveDisplacement, m.Drop() != rules.NoSquare)
	if isWin {
		t[wins]++
		t[winHeight1+stat(height)-1]++
		t.countIf(winBounce, bounces > 0)
		t[winBounces0+stat(min(bounces, 5))]++
		t[winHand+stat(row)]++
	}
}

// piece returns the height of the piece that a move moves, and the row on which it starts, 1 at the
// mover's side; 0 for the hand.
func piece(p rules.Position, m rules.Move) (height rules.Height, row int) {
	from := m.From()
	switch {
	case from == rules.NoSquare:
		return m.FromHand(), 0
	case p.Side() == rules.North:
		return p.At(from), rules.Rows - from.Row()
	}
	return p.At(from), from.Row() + 1
}

// bounces returns the number of bounces of a move by the course that the program prints.
func bounces(r *rules.Rules, p rules.Position, m rules.Move) int {
	landings := 0
	course, _ := r.Course(p, m)
	for _, step := range course {
		if !step.Crossed {
			landings++
		}
	}
	landings-- // the last one is the end
	if m.From() != rules.NoSquare {
		landings-- // the start is in the course, too
	}
	return landings
}
