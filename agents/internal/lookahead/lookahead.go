// Package lookahead holds what the searches share: the line of moves from the game's position to a
// node, with the positions that the repetition rule forbids and the game's length ([Line]), move
// ordering ([MoveHeap], [History]), and the decisions that need no search ([Line.Prologue]).
package lookahead

import (
	"context"
	"math/rand/v2"

	"gyges/agents"
	"gyges/rules"
)

// Line is a line of play from a game's present position on. It holds the positions passed through;
// the caller holds the position at its end. Begin prepares the zero value for use.
type Line struct {
	rules   *rules.Rules
	past    []rules.Position // keys: of the game's forbidden positions, then of the line's
	history int              // how many of past the game gave
	left    int              // turns that the game may still last from the start of the line
}

// Begin starts an empty line at g's present position.
func (l *Line) Begin(g *rules.Game) {
	l.rules = g.Rules()
	longest := l.rules.Options().MaxPlies
	l.left = longest - g.Ply()
	forbidden := g.Forbidden()
	l.history = len(forbidden)
	l.past = append(l.past[:0], forbidden...)
}

// Len returns the length of the line in plies.
func (l *Line) Len() int { return len(l.past) - l.history }

// Left returns how many turns the game may still last from the line's end on.
// At 0 the game is drawn by its length, unless it is over already.
func (l *Line) Left() int { return l.left - l.Len() }

// Push lengthens the line by a move made in p, the position at its end.
func (l *Line) Push(p rules.Position) { l.past = append(l.past, p.Key()) }

// Pop undoes the last move.
func (l *Line) Pop() { l.past = l.past[:len(l.past)-1] }

// Rewind undoes all moves.
func (l *Line) Rewind() { l.past = l.past[:l.history] }

// Moves fills ms with the legal moves in p, the position at the line's end: the
// same as in a game of these moves. It ignores the game's length.
func (l *Line) Moves(p rules.Position, ms *rules.MoveSet) {
	l.rules.MovesAfter(p, l.past, ms)
}

// Outcome returns the outcome of the game in p, the position at the line's end.
func (l *Line) Outcome(p rules.Position) rules.Outcome {
	outcome := l.rules.Outcome(p)
	if outcome == rules.Undecided && l.Left() <= 0 {
		return rules.Draw
	}
	return outcome
}

// WinsNow reports whether the side to move can win with its next move in p, the position at the
// line's end, where the game is not over. It generates only moves to the goal, so it is fast. In
// one rare case it misses a win: where the repetition rule forbids every move from the nearest row.
func (l *Line) WinsNow(p rules.Position) bool {
	return l.rules.CanWin(p, p.Side())
}

// WinningMove returns a move that wins at once, NoMove if there is none in ms, the legal moves of
// p.
func (l *Line) WinningMove(p rules.Position, ms *rules.MoveSet) rules.Move {
	if l.rules.GoalWins(p, p.Side()) {
		for m := range ms.Goals() {
			return m
		}
	}
	return rules.NoMove
}

// Threatened reports whether the opponent would win in p, the position at the line's end, if it
// were to move, and the game lasts long enough for that.
func (l *Line) Threatened(p rules.Position) bool {
	return l.Left() > 1 && l.rules.GoalWins(p, p.Side().Other())
}

// HasEvasion reports whether some move in p, the position at the line's end, keeps the opponent,
// whose pieces could reach the goal now, from winning in one. ms is a buffer for the moves; its
// content is undefined afterwards.
func (l *Line) HasEvasion(p rules.Position, ms *rules.MoveSet) bool {
	if !l.Threatened(p) {
		return true
	}
	l.Moves(p, ms)
	return l.rules.HasEvasion(p, ms)
}

// Prologue makes the decisions of an agent that need no search: a random one during the set-up, and
// a move that wins at once. Otherwise decided is false, l is the empty line at g's position, and ms
// holds the legal moves but for the excluded ones. The error is the error of
// [agents.Request.Check], or ctx's, or [rules.ErrOver] where no move is left.
func (l *Line) Prologue(
	ctx context.Context, a agents.Agent, g *rules.Game, q *agents.Request,
	rng *rand.Rand, ms *rules.MoveSet,
) (d agents.Decision, decided bool, err error) {
	if err := q.Check(a.Capabilities()); err != nil {
		return d, false, err
	}
	if err := ctx.Err(); err != nil {
		return d, false, err
	}
	g.LegalMoves(ms)
	for _, m := range q.Exclude {
		ms.Remove(m)
	}
	if ms.Len() == 0 {
		return d, false, rules.ErrOver
	}
	p := g.Position()
	if g.Rules().SettingUp(p) {
		d.Move = ms.At(rng.IntN(ms.Len()))
		return d, true, nil
	}
	l.Begin(g)
	m := l.WinningMove(p, ms)
	if m == rules.NoMove {
		return d, false, nil
	}
	d = agents.Decision{Move: m, Scored: true, Score: agents.WinIn(1), Depth: 1, Nodes: 1}
	d.PV = []rules.Move{m}
	return d, true, nil
}
