package alphabeta

// The order in which the moves of a node are searched.

import (
	"math"

	"gyges/agents"
	"gyges/agents/internal/lookahead"
	"gyges/agents/policy"
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

	// Sums of likelihoods: of the rest, and of those of its moves that are neither evaluated nor
	// searched.
	all, left int64
	top       int32 // highest score of the rest
}

// improbable reports whether no evaluated move is left, and all others together have less than a
// share of the rest's probability, in thousandths at depth 1 and half as much at each further one.
func (k *movePicker) improbable(f *frame, share, depth int) bool {
	return len(f.evaluated) == 0 && k.left*1000 < k.all*int64(share)>>(depth-1)
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
		s.scoreMoves(k, f, p, depth)
	}
	if len(f.evaluated) > 0 {
		return f.evaluated.Pop()
	}
	return k.popScored(f)
}

// popScored removes the move with the highest score of those that are not evaluated.
func (k *movePicker) popScored(f *frame) rules.Move {
	if len(f.scored) > 0 {
		k.left -= likelihood(k.top - f.scored[0].Score())
	}
	return f.scored.Pop()
}

// nat is the difference of two scores that makes a move e times as probable as the other: one of
// the policy, with the policy_weight that it was tuned with.
const nat = policy.Unit * 30

// likelihood returns how probable a move is whose score is less than the highest one's: relative to
// that, in units of 2^-20.
func likelihood(less int32) int64 {
	return likelihoods[min(less/(nat/16), int32(len(likelihoods)-1))]
}

// likelihoods are by the difference of scores in sixteenths of nat.
var likelihoods = func() (t [16 * 16]int64) {
	for i := range t {
		t[i] = int64(math.Exp(-float64(i)/16) * (1 << 20))
	}
	return t
}()

// scoreMoves gives the frame's moves the scores by which they are ordered: history and policy, if
// the weights have one. Those with the highest scores, more at a higher depth, are then evaluated,
// each as a node, and come before the others. A full-width search has the history alone, and
// evaluates all moves at a depth above 1.
func (s *search) scoreMoves(k *movePicker, f *frame, p rules.Position, depth int) {
	f.scored = f.scored[:0]
	f.evaluated = f.evaluated[:0]
	side := p.Side()
	weights := s.eval.Policy()
	usesPolicy := s.Selective != 0 && s.PolicyWeight > 0
	hasPolicy := usesPolicy && weights != nil
	if hasPolicy {
		s.policy.Begin(weights, s.rules, p, &f.moves)
	}
	k.top = math.MinInt32
	for m := range f.moves.All() {
		score := s.history.Score(side, m) * historyWeight
		if hasPolicy {
			score += s.policy.Score(m) * int32(s.PolicyWeight)
		}
		k.top = max(k.top, score)
		f.scored = append(f.scored, lookahead.NewScoredMove(m, score))
	}
	for _, m := range f.scored {
		k.all += likelihood(k.top - m.Score())
	}
	k.left = k.all
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
		m := k.popScored(f)
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
