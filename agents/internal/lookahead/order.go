package lookahead

// Move ordering: a heap of scored moves, and the history heuristic.

import "gyges/rules"

// ScoredMove is a move in the low 32 bits below its ordering score: the highest number is searched
// first.
type ScoredMove int64

// NewScoredMove joins a move and its score.
func NewScoredMove(m rules.Move, score int32) ScoredMove {
	return ScoredMove(score)<<32 | ScoredMove(m)
}

// Move returns the move without its score.
func (m ScoredMove) Move() rules.Move { return rules.Move(uint32(m)) }

// Score returns the score of the move.
func (m ScoredMove) Score() int32 { return int32(m >> 32) }

// MoveHeap is a binary heap, the highest score on top, since few moves are searched before a
// cutoff.
type MoveHeap []ScoredMove

// Heapify establishes the heap's order, in linear time.
func (h MoveHeap) Heapify() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.siftDown(i)
	}
}

// Pop removes the move with the highest score; it returns NoMove if there is none.
func (h *MoveHeap) Pop() rules.Move {
	list := *h
	if len(list) == 0 {
		return rules.NoMove
	}
	top := list[0]
	last := len(list) - 1
	list[0] = list[last]
	*h = list[:last]
	if last > 0 {
		h.siftDown(0)
	}
	return top.Move()
}

// siftDown moves the element at i down to where none below it is higher.
func (h MoveHeap) siftDown(i int) {
	x := h[i]
	for child := 2*i + 1; child < len(h); child = 2*i + 1 {
		// the higher one of two children
		if right := child + 1; right < len(h) && h[right] > h[child] {
			child = right
		}
		if h[child] <= x {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = x
}

// History is the history heuristic: bonuses of the moves that caused cutoffs. A move's score is the
// sum of a from-to and a drop history, as most moves of a position differ only by the square where
// the displaced piece is dropped.
type History struct {
	fromTo historyTable // by start and end
	drop   historyTable // by end and drop
}

// historyTable holds bonuses by the side to move and two squares.
type historyTable [2][64][64]int32

// maxHistory bounds an entry; all are halved when one exceeds it.
const maxHistory = 1 << 20

// Score returns the ordering score of a move of side.
func (h *History) Score(side rules.Side, m rules.Move) int32 {
	to := m.To()
	return h.fromTo[side][startIndex(m)][to] + h.drop[side][to][m.Drop()]
}

// startIndex returns the start as an index: the hand's three heights come after the squares.
func startIndex(m rules.Move) rules.Square {
	if height := m.FromHand(); height > 0 {
		return rules.NumSquares + rules.Square(height)
	}
	return m.From()
}

// Add adds a bonus, at most maxHistory, to a move that caused a cutoff.
func (h *History) Add(side rules.Side, m rules.Move, bonus int32) {
	to := m.To()
	fromTo := &h.fromTo[side][startIndex(m)][to]
	drop := &h.drop[side][to][m.Drop()]
	*fromTo += bonus
	*drop += bonus
	if max(*fromTo, *drop) > maxHistory {
		h.halve()
	}
}

func (h *History) halve() {
	for _, table := range []*historyTable{&h.fromTo, &h.drop} {
		for side := range table {
			for i := range table[side] {
				for j := range table[side][i] {
					table[side][i][j] /= 2
				}
			}
		}
	}
}
