package gamestats

import (
	"fmt"

	"gyges/rules"
	"gyges/tournament/record"
)

// unit is what a game, or the games of a pair, add to the figures.
type unit []part // of the definitions

// add adds a case to a figure.
func (u unit) add(figure int, value float64) {
	u[figure].sum += value
	u[figure].cases++
}

func (u unit) addIf(figure int, holds bool) {
	value := 0.0
	if holds {
		value = 1
	}
	u.add(figure, value)
}

// addClass adds a case to a family of so many figures; it is one of the class with an index.
func (u unit) addClass(first, classes, index int) {
	for i := range classes {
		u.addIf(first+i, i == index)
	}
}

// replay is the replay of a game.
type replay struct {
	unit
	record *record.Game
	left   int // moves to come, the present one included
	legal  rules.MoveSet

	compare    *rules.Rules // nil: nothing
	other      *rules.Game  // the same turns under compare; nil before the first one
	otherError error        // why there is none
	illegal    bool         // a move was, under compare
}

// game replays a game and counts it in u. compared says why its moves could not be compared; all the rest is
// counted.
func (u unit) game(g *record.Game, compare *rules.Rules) (compared, err error) {
	r := replay{unit: u, record: g, left: len(g.Moves), compare: compare}
	if _, err := record.ReplayEach(g, r.move); err != nil {
		return nil, err
	}
	points := float64(record.HalfPoints(g.Result, rules.South)) / 2
	u.add(games, 1)
	u.add(southPoints, points)
	u.add(bandFigure(g.Plies), points)
	u.addIf(drawn, points == 0.5)
	u.addClass(reason, len(reasons), reasonIndex(g.Reason))
	u.add(plies, float64(g.Plies))
	if compare != nil && r.otherError == nil {
		u.addIf(illegalGames, r.illegal)
	}
	return r.otherError, nil
}

// move counts a move that is to be made.
func (r *replay) move(game *rules.Game, m rules.Move) {
	won := r.record.Reason == string(rules.ByGoal) && r.record.Fault == nil
	if !m.IsPlacement() {
		t := r.turn(game, m)
		switch {
		case won && r.left == 1:
			r.win(t)
		case won && r.left == 2:
			game.LegalMoves(&r.legal)
			r.addIf(missedDefence, game.Rules().HasEvasion(game.Position(), &r.legal))
		}
		if r.compare != nil && r.otherError == nil {
			r.compareMove(game, m)
		}
	}
	r.left--
}

// turn is a move as it is counted.
type turn struct {
	height  rules.Height // 0 for a pass
	bounces int
	row     int // on which the piece starts, from 1 at the mover's side; 0: the hand
}

// turn counts a turn and returns it.
func (u unit) turn(game *rules.Game, m rules.Move) turn {
	legal, reach := game.Legal(), false
	for range legal.Goals() {
		reach = true
	}
	u.add(legalMoves, float64(legal.Len()))
	u.addIf(inReach, reach)
	if reach {
		u.addIf(missedGoal, !m.IsGoal())
	}
	u.addIf(passes, m == rules.Pass)
	if m == rules.Pass {
		return turn{}
	}
	t := newTurn(game.Rules(), game.Position(), m)
	u.addClass(moveHeight, 3, int(t.height)-1)
	u.addIf(moveBounce, t.bounces > 0)
	u.add(moveBounces, float64(t.bounces))
	u.addIf(moveDisplace, m.Drop() != rules.NoSquare)
	return t
}

// newTurn describes a move of a piece. Of several courses it takes the one that the program prints, which has the
// fewest bounces.
func newTurn(r *rules.Rules, p rules.Position, m rules.Move) turn {
	t := turn{height: m.FromHand(), bounces: -1} // the last landing is the end
	if from := m.From(); from != rules.NoSquare {
		t.height, t.row, t.bounces = p.At(from), from.Row()+1, -2 // the start is in the course
		if p.Side() == rules.North {
			t.row = rules.Rows - from.Row()
		}
	}
	course, _ := r.Course(p, m)
	for _, step := range course {
		if !step.Crossed {
			t.bounces++
		}
	}
	return t
}

// win counts the winning move of a game.
func (u unit) win(t turn) {
	u.addClass(winHeight, 3, int(t.height)-1)
	u.addIf(winBounce, t.bounces > 0)
	u.addClass(winBounces, len(bounceNames), min(t.bounces, len(bounceNames)-1))
	u.addClass(winRow, rules.Rows+1, t.row)
}

// compareMove counts whether the legal moves are others under the rule set to compare with.
func (r *replay) compareMove(game *rules.Game, m rules.Move) {
	if r.other == nil {
		p, err := r.compare.ParsePosition(game.Rules().FormatPosition(game.Position()))
		if err != nil {
			r.otherError = fmt.Errorf("game %d: its first position is none under %v: %w", r.record.Game, r.compare, err)
			return
		}
		r.other = rules.NewGame(r.compare, p)
	}
	legal := r.other.Legal()
	allowed := legal.Contains(m)
	r.add(compared, 1)
	r.addIf(setsDiffer, !equal(game.Legal(), legal))
	r.addIf(illegalMoves, !allowed)
	r.illegal = r.illegal || !allowed
	r.other.PlayLegal(m)
}

// equal reports whether two sets hold the same moves.
func equal(a, b *rules.MoveSet) bool {
	if a.Len() != b.Len() {
		return false
	}
	for m := range a.All() {
		if !b.Contains(m) {
			return false
		}
	}
	return true
}
