package mcts

import "gyges/rules"

// movePrior predicts by how much a move changes the static value, from the moves
// evaluated so far in the game. A prediction is the sum of four terms that are
// learned online: the movement of the piece, its kind, the drop of a displaced
// piece, and the exact move, which learns the residual. The board is turned so that
// both sides share the terms. Predictions are values in units of 1/fixedPoint.
type movePrior struct {
	fromTo  [64][64]int32       // start (see startIndex), end
	pieceTo [4][4][64]int32     // height of the piece, of the displaced one (0: none), end
	drops   [4][64]int32        // height of the displaced piece, drop
	moves   [64 * 64 * 64]int32 // start, end, drop
}

const fixedPoint = 1 << 20

// terms returns the terms of a move of p.
func (g *movePrior) terms(p rules.Position, m rules.Move) [4]*int32 {
	side := p.Side()
	from, to, drop := relative(startIndex(m), side), relative(m.To(), side), relative(m.Drop(), side)
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

// startIndex returns the start as an index: hands lie above the squares.
func startIndex(m rules.Move) rules.Square {
	if h := m.FromHand(); h > 0 {
		return rules.NumSquares + rules.Square(h)
	}
	return m.From()
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
	*f[0] += residual >> uint(c.groupShift)
	*f[1] += residual >> uint(c.groupShift)
	*f[2] += residual >> uint(c.groupShift)
	*f[3] += residual >> uint(c.moveShift)
}

// order returns a heap of the moves of p, that with the highest prediction first.
func (g *movePrior) order(p rules.Position, ms *rules.MoveSet, q moveHeap) moveHeap {
	q = q[:0]
	for m := range ms.All() {
		q = append(q, uint64(g.predict(p, m)+1<<30)<<32|uint64(m))
	}
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.siftDown(i)
	}
	return q
}

// moveHeap is a binary max-heap: predictions in the upper half of each entry, moves
// in the lower.
type moveHeap []uint64

// pop removes and returns the first move.
func (q *moveHeap) pop() rules.Move {
	h := *q
	top, last := h[0], len(h)-1
	h[0] = h[last]
	*q = h[:last]
	if last > 0 {
		q.siftDown(0)
	}
	return rules.Move(uint32(top))
}

// siftDown restores the heap order below entry i.
func (q moveHeap) siftDown(i int) {
	x := q[i]
	for k := 2*i + 1; k < len(q); k = 2*i + 1 {
		if k+1 < len(q) && q[k+1] > q[k] {
			k++
		}
		if q[k] <= x {
			break
		}
		q[i], i = q[k], k
	}
	q[i] = x
}
