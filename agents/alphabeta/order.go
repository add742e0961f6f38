package alphabeta

import (
	"gyges/agents"
	"gyges/rules"
)

// scoredMove is a move in the low 32 bits below its ordering score, so that the
// higher number is the move to search first.
type scoredMove int64

func newScoredMove(m rules.Move, score int32) scoredMove {
	return scoredMove(score)<<32 | scoredMove(m)
}

func (m scoredMove) move() rules.Move { return rules.Move(uint32(m)) }

// moveHeap is a binary heap with the highest score on top. It orders only as many
// moves as are searched before a cutoff.
type moveHeap []scoredMove

// heapify establishes the heap's order, in linear time.
func (h moveHeap) heapify() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.siftDown(i)
	}
}

// pop removes the move with the highest score; it returns NoMove if there is none.
func (h *moveHeap) pop() rules.Move {
	l := *h
	if len(l) == 0 {
		return rules.NoMove
	}
	top := l[0]
	last := len(l) - 1
	l[0] = l[last]
	l = l[:last]
	l.siftDown(0)
	*h = l
	return top.move()
}

func (h moveHeap) siftDown(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1] > h[child] {
			child++
		}
		if h[i] >= h[child] {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// history is the history heuristic: bonuses of the moves that caused beta cutoffs.
// A move's score is the sum of a from-to and a drop history, as most moves of a
// position differ only by the square where the displaced piece is dropped.
type history struct {
	fromTo [2][64][64]int32 // side, start, end
	drop   [2][64][64]int32 // side, end, drop
}

// maxHistory bounds an entry; all are halved when one exceeds it.
const maxHistory = 1 << 20

func (h *history) score(side rules.Side, m rules.Move) int32 {
	return h.fromTo[side][startOf(m)][m.To()] + h.drop[side][m.To()][m.Drop()]
}

// startOf returns the start as an index: hands lie above the squares.
func startOf(m rules.Move) rules.Square {
	if h := m.FromHand(); h > 0 {
		return rules.NumSquares + rules.Square(h)
	}
	return m.From()
}

// add gives a move that caused a beta cutoff a bonus of the squared depth.
func (h *history) add(side rules.Side, m rules.Move, depth int) {
	fromTo, drop := &h.fromTo[side][startOf(m)][m.To()], &h.drop[side][m.To()][m.Drop()]
	*fromTo += int32(depth * depth)
	*drop += int32(depth * depth)
	if max(*fromTo, *drop) > maxHistory {
		h.halve()
	}
}

func (h *history) halve() {
	for s := range h.fromTo {
		for i := range h.fromTo[s] {
			for j := range h.fromTo[s][i] {
				h.fromTo[s][i][j] /= 2
				h.drop[s][i][j] /= 2
			}
		}
	}
}

// movePicker yields a node's moves in the order in which they are searched: the
// table's move, the killers, then the rest by score. The rest is scored only when
// it is reached, as the first moves often cause a cutoff.
type movePicker struct {
	stage int
	first [3]rules.Move // the table's move and two killers
}

// nextMove returns the next move, NoMove after the last. p is the node's position,
// at the line's end; depth the node's depth.
func (s *search) nextMove(k *movePicker, f *frame, p rules.Position, depth int) rules.Move {
	for ; k.stage < len(k.first); k.stage++ {
		if m := k.first[k.stage]; m != rules.NoMove && f.moves.Contains(m) {
			f.moves.Remove(m)
			k.stage++
			return m
		}
	}
	if k.stage == len(k.first) {
		k.stage++
		if s.line.Left() > 1 && s.line.Decisive(p, p.Side().Other()) {
			s.rules.Screen(p, &f.moves)
		}
		s.scoreMoves(f, p, depth)
		f.scored.heapify()
	}
	return f.scored.pop()
}

// scoreMoves fills the frame's scored moves: at depth 1, where scoring must cost
// less than evaluating, by history; else by the static evaluation after the move,
// which counts as a node.
func (s *search) scoreMoves(f *frame, p rules.Position, depth int) {
	f.scored = f.scored[:0]
	side := p.Side()
	s.line.Push(p)
	defer s.line.Pop()
	for m := range f.moves.All() {
		if depth == 1 {
			f.scored = append(f.scored, newScoredMove(m, s.history.score(side, m)))
			continue
		}
		if s.countNode() {
			return
		}
		f.scored = append(f.scored, newScoredMove(m, int32(s.evaluateMove(s.rules.Apply(p, m)))))
	}
}

// evaluateMove returns the static evaluation of the position after a move, for
// the side that made it.
func (s *search) evaluateMove(next rules.Position) agents.Score {
	if s.line.Outcome(next) != rules.Undecided {
		return 0
	}
	static := s.evaluate(next, next.Hash())
	if static.wins {
		return -agents.WinIn(2)
	}
	return -static.score
}
