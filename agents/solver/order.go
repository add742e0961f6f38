package solver

import "gyges/rules"

// rated is a move below its rate, so that the higher number is the better move.
type rated int64

func newRated(m rules.Move, rate int32) rated { return rated(rate)<<32 | rated(m) }

func (r rated) move() rules.Move { return rules.Move(uint32(r)) }

// higher sorts the better move first. No two are equal.
func higher(a, b rated) int {
	if a > b {
		return -1
	}
	return 1
}

// history counts how often moves have saved the defender, by where a piece goes
// and where a displaced piece is put.
type history struct {
	ways  [2][64][64]int32 // side, start, end
	drops [2][64][64]int32 // side, end, drop
}

// maxHistory bounds a count.
const maxHistory = 1 << 20

func (h *history) rate(side rules.Side, m rules.Move) int32 {
	return h.ways[side][startOf(m)][m.To()] + h.drops[side][m.To()][m.Drop()]
}

func (h *history) reward(side rules.Side, m rules.Move) {
	way, drop := &h.ways[side][startOf(m)][m.To()], &h.drops[side][m.To()][m.Drop()]
	*way = min(*way+1, maxHistory)
	*drop = min(*drop+1, maxHistory)
}

// startOf returns the start as an index: hands lie above the squares.
func startOf(m rules.Move) rules.Square {
	if h := m.FromHand(); h > 0 {
		return rules.NumSquares + rules.Square(h)
	}
	return m.From()
}
