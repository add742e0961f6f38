package mcts

import "gyges/rules"

// guess foretells how good moves are without looking at what they lead to: by
// how moves like them have fared in the game's searches. What the piece does and
// where a displaced piece is put are learned apart, for within a position a
// move's worth is nearly the sum of the two; what remains is learned move by
// move. The board is turned so that both sides share what is known. Gains are
// values in units of 1/gainUnit.
type guess struct {
	ways  [64][64]int32       // start (see startOf), end
	kinds [4][4][64]int32     // height of the piece, of the displaced one (0: none), end
	drops [4][64]int32        // height of the displaced piece, drop
	moves [64 * 64 * 64]int32 // start, end, drop
}

const gainUnit = 1 << 20

// features returns what a move of p is like.
func (g *guess) features(p rules.Position, m rules.Move) [4]*int32 {
	side := p.Side()
	from, to, drop := turned(startOf(m), side), turned(m.To(), side), turned(m.Drop(), side)
	piece, displaced := m.FromHand(), rules.Height(0)
	if m.From().OnBoard() {
		piece = p.At(m.From())
	}
	if m.Drop().OnBoard() {
		displaced = p.At(m.To())
	}
	return [4]*int32{
		&g.ways[from][to],
		&g.kinds[piece][displaced][to],
		&g.drops[displaced][drop],
		&g.moves[int(from)<<12|int(to)<<6|int(drop)],
	}
}

// startOf returns the start as an index: hands lie above the squares.
func startOf(m rules.Move) rules.Square {
	if h := m.FromHand(); h > 0 {
		return rules.NumSquares + rules.Square(h)
	}
	return m.From()
}

// turned returns a square as its side sees it.
func turned(s rules.Square, side rules.Side) rules.Square {
	if side == rules.North && s.OnBoard() {
		return rules.NumSquares - 1 - s
	}
	return s
}

// gain returns what a move of p is expected to gain.
func (g *guess) gain(p rules.Position, m rules.Move) int32 {
	var sum int32
	for _, f := range g.features(p, m) {
		sum += *f
	}
	return sum
}

// learn takes in what a move of p has gained.
func (g *guess) learn(p rules.Position, m rules.Move, gain float32) {
	missed := int32(gain*gainUnit) - g.gain(p, m)
	f := g.features(p, m)
	*f[0] += missed >> 5
	*f[1] += missed >> 5
	*f[2] += missed >> 5
	*f[3] += missed >> 2
}

// sort puts the moves of p into the queue, the one that promises most first.
func (g *guess) sort(p rules.Position, ms *rules.MoveSet, q queue) queue {
	q = q[:0]
	for m := range ms.All() {
		q = append(q, uint64(g.gain(p, m)+1<<30)<<32|uint64(m))
	}
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.sink(i)
	}
	return q
}

// queue is a binary heap of moves, in the lower half, by what they promise, in
// the upper.
type queue []uint64

// pop takes the first move out.
func (q *queue) pop() rules.Move {
	h := *q
	top, last := h[0], len(h)-1
	h[0] = h[last]
	*q = h[:last]
	if last > 0 {
		q.sink(0)
	}
	return rules.Move(uint32(top))
}

// sink lets entry i down to where it belongs.
func (q queue) sink(i int) {
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
