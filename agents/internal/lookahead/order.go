package lookahead

import "gyges/rules"

// ScoredMove is a move in the low 32 bits below its ordering score: the highest number is searched first.
type ScoredMove int64

// NewScoredMove joins a move and its score.
func NewScoredMove(m rules.Move, score int32) ScoredMove {
	return ScoredMove(score)<<32 | ScoredMove(m)
}

// Move returns the move without its score.
func (m ScoredMove) Move() rules.Move { return rules.Move(uint32(m)) }

// MoveHeap is a binary heap, the highest score on top, since few moves are searched before a cutoff.
type MoveHeap []ScoredMove

// Heapify establishes the heap's order, in linear time.
func (h MoveHeap) Heapify() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.siftDown(i)
	}
}

// Pop removes the move with the highest score; it returns NoMove if there is none.
func (h *MoveHeap) Pop() rules.Move {
	l := *h
	if len(l) == 0 {
		return rules.NoMove
	}
	top, last := l[0], len(l)-1
	l[0] = l[last]
	if *h = l[:last]; last > 0 {
		h.siftDown(0)
	}
	return top.Move()
}

func (h MoveHeap) siftDown(i int) {
	x := h[i]
	for k := 2*i + 1; k < len(h); k = 2*i + 1 {
		if k+1 < len(h) && h[k+1] > h[k] {
			k++
		}
		if h[k] <= x {
			break
		}
		h[i], i = h[k], k
	}
	h[i] = x
}

// History is the history heuristic: bonuses of the moves that caused cutoffs. A move's score is the sum of a from-to
// and a drop history, as most moves of a position differ only by the square where the displaced piece is dropped.
type History struct {
	fromTo [2][64][64]int32 // side, start, end
	drop   [2][64][64]int32 // side, end, drop
}

// maxHistory bounds an entry; all are halved when one exceeds it.
const maxHistory = 1 << 20

// Score returns the ordering score of a move of side.
func (h *History) Score(side rules.Side, m rules.Move) int32 {
	return h.fromTo[side][startIndex(m)][m.To()] + h.drop[side][m.To()][m.Drop()]
}

// startIndex returns the start as an index: hands lie above the squares.
func startIndex(m rules.Move) rules.Square {
	if h := m.FromHand(); h > 0 {
		return rules.NumSquares + rules.Square(h)
	}
	return m.From()
}

// Add adds a bonus, at most maxHistory, to a move that caused a cutoff.
func (h *History) Add(side rules.Side, m rules.Move, bonus int32) {
	fromTo, drop := &h.fromTo[side][startIndex(m)][m.To()], &h.drop[side][m.To()][m.Drop()]
	*fromTo += bonus
	*drop += bonus
	if max(*fromTo, *drop) > maxHistory {
		h.halve()
	}
}

func (h *History) halve() {
	for s := range h.fromTo {
		for i := range h.fromTo[s] {
			for j := range h.fromTo[s][i] {
				h.fromTo[s][i][j] /= 2
				h.drop[s][i][j] /= 2
			}
		}
	}
}
