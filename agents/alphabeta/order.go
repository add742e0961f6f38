package alphabeta

import (
	"gyges/agents"
	"gyges/rules"
)

// rated is a move with its place in the order.
type rated struct {
	move rules.Move
	rate int32
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
	next  int           // of the frame's list
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
		s.rateMoves(f, p, depth)
	}
	if k.next == len(f.list) {
		return rules.NoMove
	}
	best := k.next
	for i := k.next + 1; i < len(f.list); i++ {
		if f.list[i].rate > f.list[best].rate {
			best = i
		}
	}
	f.list[k.next], f.list[best] = f.list[best], f.list[k.next]
	k.next++
	return f.list[k.next-1].move
}

// rateMoves lists the frame's moves with their rates: by how often they refuted
// other positions if the node is at the frontier, where rating must cost less
// than evaluating; else by the evaluation of what they lead to, which counts as
// visiting it.
func (s *search) rateMoves(f *frame, p rules.Position, depth int) {
	f.list = f.list[:0]
	side := p.Side()
	for m := range f.moves.All() {
		rate := s.history.rate(side, m)
		if depth > 1 {
			rate = int32(s.glance(s.rules.Apply(p, m)))
			s.nodes++
		}
		f.list = append(f.list, rated{m, rate})
	}
}

// glance values the position after a move, for the side that made it.
func (s *search) glance(next rules.Position) agents.Score {
	if s.line.WinsNow(next) {
		return -agents.WinIn(2)
	}
	return -s.static(next)
}
