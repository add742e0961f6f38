package alphabeta

import (
	"gyges/agents"
	"gyges/rules"
)

// rated is a move below its rate, so that the higher number is the better move.
type rated int64

func newRated(m rules.Move, rate int32) rated { return rated(rate)<<32 | rated(m) }

func (r rated) move() rules.Move { return rules.Move(uint32(r)) }

// ratedHeap is a heap of moves, the best on top.
type ratedHeap []rated

// order makes a heap of it.
func (h ratedHeap) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sift(i)
	}
}

// pop takes the best move off, NoMove if there is none.
func (h *ratedHeap) pop() rules.Move {
	l := *h
	if len(l) == 0 {
		return rules.NoMove
	}
	best := l[0]
	last := len(l) - 1
	l[0] = l[last]
	l = l[:last]
	l.sift(0)
	*h = l
	return best.move()
}

func (h ratedHeap) sift(i int) {
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

// history counts how often moves have refuted others, apart for where a piece
// goes and for where a displaced piece is put: moves differ mostly by drops.
type history struct {
	ways  [2][64][64]int32 // side, start, end
	drops [2][64][64]int32 // side, end, drop
}

// maxHistory bounds a count; all are halved beyond it.
const maxHistory = 1 << 20

func (h *history) rate(side rules.Side, m rules.Move) int32 {
	return h.ways[side][startOf(m)][m.To()] + h.drops[side][m.To()][m.Drop()]
}

// startOf returns the start as an index: hands lie above the squares.
func startOf(m rules.Move) rules.Square {
	if h := m.FromHand(); h > 0 {
		return rules.NumSquares + rules.Square(h)
	}
	return m.From()
}

// reward counts a move that has refuted its position after a search of some depth.
func (h *history) reward(side rules.Side, m rules.Move, depth int) {
	way, drop := &h.ways[side][startOf(m)][m.To()], &h.drops[side][m.To()][m.Drop()]
	*way += int32(depth * depth)
	*drop += int32(depth * depth)
	if max(*way, *drop) > maxHistory {
		h.age()
	}
}

// age halves all counts.
func (h *history) age() {
	for s := range h.ways {
		for i := range h.ways[s] {
			for j := range h.ways[s][i] {
				h.ways[s][i][j] /= 2
				h.drops[s][i][j] /= 2
			}
		}
	}
}

// picker hands out the moves of a node, best first: the table's move, the
// killers, then the rest by a rating. The rest is rated only when it is needed:
// often the first moves refute the position.
type picker struct {
	stage int
	first [3]rules.Move // the table's move and two killers
}

// pick returns the next move, NoMove when there is none left. p is the node's
// position, at the line's end; depth how deep the node is searched.
func (s *search) pick(k *picker, f *frame, p rules.Position, depth int) rules.Move {
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
		s.rateMoves(f, p, depth)
		f.list.order()
	}
	return f.list.pop()
}

// rateMoves lists the frame's moves with their rates: by how often they refuted
// other positions if the node is at the frontier, where rating must cost less
// than evaluating; else by the evaluation of what they lead to, which counts as
// visiting it.
func (s *search) rateMoves(f *frame, p rules.Position, depth int) {
	f.list = f.list[:0]
	side := p.Side()
	s.line.Push(p)
	defer s.line.Pop()
	for m := range f.moves.All() {
		if depth == 1 {
			f.list = append(f.list, newRated(m, s.history.rate(side, m)))
			continue
		}
		if s.visit() {
			return
		}
		f.list = append(f.list, newRated(m, int32(s.glance(s.rules.Apply(p, m)))))
	}
}

// glance values the position after a move, for the side that made it.
func (s *search) glance(next rules.Position) agents.Score {
	if s.line.Outcome(next) != rules.Undecided {
		return 0
	}
	l := s.look(next, next.Hash())
	if l.wins {
		return -agents.WinIn(2)
	}
	return -l.score
}
