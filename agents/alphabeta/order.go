package alphabeta

// The order in which the moves of a node are searched.

import (
	"gyges/agents"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// movePicker yields a node's moves in the order in which they are searched: the table's move, the
// killers, then the rest by score. The rest is scored only when it is reached, as the first moves
// often cause a cutoff.
type movePicker struct {
	stage int           // how many of first have been tried; one more: the rest is scored
	first [3]rules.Move // the table's move and two killers

	number   int            // of moves yielded or deferred
	deferred []deferredMove // the moves that another thread searches
	pruned   bool           // only deferred moves are left
}

// nextMove returns the next move, NoMove after the last; p and depth are the node's, p at the
// line's end.
func (s *search) nextMove(k *movePicker, f *frame, p rules.Position, depth int) rules.Move {
	for k.stage < len(k.first) {
		m := k.first[k.stage]
		k.stage++
		if m != rules.NoMove && f.moves.Contains(m) {
			f.moves.Remove(m)
			return m
		}
	}
	if k.stage == len(k.first) {
		k.stage++
		if s.line.Threatened(p) {
			s.rules.QuickEvasions(p, &f.moves)
		}
		s.scoreMoves(f, p, depth)
	}
	if len(f.evaluated) > 0 {
		return f.evaluated.Pop()
	}
	return f.scored.Pop()
}

// scoreMoves gives the frame's moves the scores by which they are ordered: history and policy, if
// the weights have one. Those with the highest scores, more at a higher depth, are then evaluated,
// each as a node, and come before the others. A full-width search has the history alone, and
// evaluates all moves at a depth above 1.
func (s *search) scoreMoves(f *frame, p rules.Position, depth int) {
	f.scored = f.scored[:0]
	f.evaluated = f.evaluated[:0]
	side := p.Side()
	weights := s.eval.Policy()
	usesPolicy := s.Selective != 0 && s.PolicyWeight > 0
	hasPolicy := usesPolicy && weights != nil
	if hasPolicy {
		s.policy.Begin(weights, s.rules, p, &f.moves)
	}
	for m := range f.moves.All() {
		score := s.history.Score(side, m) * historyWeight
		if hasPolicy {
			score += s.policy.Score(m) * int32(s.PolicyWeight)
		}
		f.scored = append(f.scored, lookahead.NewScoredMove(m, score))
	}
	evaluated := min(s.EvaluatedMoves*(depth-1), len(f.scored))
	if s.Selective == 0 && depth > 1 {
		evaluated = len(f.scored)
	}
	if evaluated < len(f.scored) {
		f.scored.Heapify()
	}
	s.line.Push(p)
	defer s.line.Pop()
	for range evaluated {
		if s.countNode() {
			return
		}
		m := f.scored.Pop()
		score := s.evaluateMove(s.rules.Apply(p, m))
		f.evaluated = append(f.evaluated, lookahead.NewScoredMove(m, int32(score)))
	}
	f.evaluated.Heapify()
}

// historyWeight is the weight of a unit of history against policy_weight, which was tuned to it.
const historyWeight = 100

// evaluateMove returns the static evaluation of the position after a move, for the side that made
// it.
func (s *search) evaluateMove(next rules.Position) agents.Score {
	if s.line.Outcome(next) != rules.Undecided {
		return 0
	}
	static := s.evaluate(next, next.Hash())
	if static.has(evalWins) {
		return -agents.WinIn(2)
	}
	return -static.score()
}
