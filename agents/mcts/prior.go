package mcts

import (
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// movePrior predicts by how much a move changes the static value, from the moves
// evaluated so far in the game. A prediction is the sum of four terms that are
// learned online: the movement of the piece, its kind, the drop of a displaced
// piece, and the exact move, which learns the residual. The board is turned so that
// both sides share the terms. Predictions are values in units of 1/fixedPoint.
type movePrior struct {
	fromTo  [64][64]int32       // start (see [lookahead.StartIndex]), end
	pieceTo [4][4][64]int32     // height of the piece, of the displaced one (0: none), end
	drops   [4][64]int32        // height of the displaced piece, drop
	moves   [64 * 64 * 64]int32 // start, end, drop
}

const fixedPoint = 1 << 20

// terms returns the terms of a move of p.
func (g *movePrior) terms(p rules.Position, m rules.Move) [4]*int32 {
	side := p.Side()
	from, to, drop := relative(lookahead.StartIndex(m), side), relative(m.To(), side), relative(m.Drop(), side)
	piece, displaced := m.FromHand(), rules.Height(0)
	if m.From().OnBoard() {
		piece = p.At(m.From())
	}
	if m.Drop().OnBoard() {
		displaced = p.At(m.To())
	}
	return [4]*int32{
		&g.fromTo[from][to],
		&g.pieceTo[piece][displaced][to],
		&g.drops[displaced][drop],
		&g.moves[int(from)<<12|int(to)<<6|int(drop)],
	}
}

// relative returns a square as seen by side.
func relative(s rules.Square, side rules.Side) rules.Square {
	if side == rules.North && s.OnBoard() {
		return rules.NumSquares - 1 - s
	}
	return s
}

// predict returns the predicted gain of a move of p.
func (g *movePrior) predict(p rules.Position, m rules.Move) int32 {
	var sum int32
	for _, f := range g.terms(p, m) {
		sum += *f
	}
	return sum
}

// update adjusts the terms of a move of p to the gain it had.
func (g *movePrior) update(c *params, p rules.Position, m rules.Move, gain float32) {
	residual := int32(gain*fixedPoint) - g.predict(p, m)
	f := g.terms(p, m)
	*f[0] += residual >> c.GroupShift
	*f[1] += residual >> c.GroupShift
	*f[2] += residual >> c.GroupShift
	*f[3] += residual >> c.MoveShift
}

// order returns a heap of the moves of p, that with the highest prediction first.
func (g *movePrior) order(p rules.Position, ms *rules.MoveSet, h lookahead.MoveHeap) lookahead.MoveHeap {
	h = h[:0]
	for m := range ms.All() {
		h = append(h, lookahead.NewScoredMove(m, g.predict(p, m)))
	}
	h.Heapify()
	return h
}
