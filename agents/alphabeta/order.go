package alphabeta

import (
	"gyges/agents"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

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
			s.rules.QuickEvasions(p, &f.moves)
		}
		s.scoreMoves(f, p, depth)
		f.scored.Heapify()
	}
	return f.scored.Pop()
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
			f.scored = append(f.scored, lookahead.NewScoredMove(m, s.history.Score(side, m)))
			continue
		}
		if s.countNode() {
			return
		}
		f.scored = append(f.scored, lookahead.NewScoredMove(m, int32(s.evaluateMove(s.rules.Apply(p, m)))))
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
