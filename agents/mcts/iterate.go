package mcts

// One iteration of the search: select, evaluate, expand, back up.

import (
	"cmp"
	"slices"

	"gyges/agents"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// iterate makes one iteration from the root, whose position is p: it selects a leaf, expands it,
// and backs up.
func (s *search) iterate(p rules.Position) {
	t := &s.tree
	s.path = append(s.path[:0], t.root)
	for t.nodes[s.last()].proof == unproven {
		leaf := t.nodes[s.last()].count == 0
		child, ok := s.selectChild(p)
		if leaf || !ok {
			break
		}
		s.path = append(s.path, child)
		s.line.Push(p)
		p = s.rules.Apply(p, t.nodes[child].move)
	}
	s.deepest = max(s.deepest, s.line.Len())
	s.line.Rewind()
	for _, i := range slices.Backward(s.path) {
		n := &t.nodes[i]
		n.visits++
		if n.proof == unproven && n.count > 0 {
			t.update(i)
		}
	}
}

func (s *search) last() uint32 { return s.path[len(s.path)-1] }

// selectChild returns the child of the node at the path's end, whose position is p, to
// visit next, after expanding the node if it is due. ok is false if there is none:
// the node is proven now, or the tree is full or has reached its maximum depth.
func (s *search) selectChild(p rules.Position) (child uint32, ok bool) {
	atMaxDepth := s.maxDepth > 0 && s.line.Len() >= s.maxDepth
	for {
		i := s.last()
		n := &s.tree.nodes[i]
		if n.proof != unproven {
			return 0, false
		}
		child, ok = s.tree.selectPUCT(n, s.CPUCT)
		wide := ok && int(n.count) >= s.width(i)
		if wide || n.complete || atMaxDepth || s.tree.free() < minFree {
			return child, ok
		}
		s.expand(p)
	}
}

// expand gives the node at the path's end, whose position is p, more children: the
// first moves by their order among those it lacks, at least as many as it has.
// A node whose every move lets the opponent win at once is proven lost instead.
func (s *search) expand(p rules.Position) {
	i := s.last()
	children := s.tree.children(&s.tree.nodes[i])
	s.list = append(s.list[:0], children...)
	s.line.Moves(p, &s.moves)
	anyMove := s.moves.At(0)
	for _, c := range s.list {
		s.moves.Remove(c.move)
	}
	width := max(s.width(i), 2*len(s.list))
	all := s.evaluateMoves(p, width)
	if len(s.list) == 0 { // the root needs a move nevertheless
		lost := node{
			move:   anyMove,
			value:  -1,
			static: -1,
			proof:  agents.WinIn(1),
		}
		s.list = append(s.list, lost)
	}
	if len(s.list) > s.tree.free() {
		return
	}
	byStatic := func(a, b node) int { return cmp.Compare(b.static, a.static) }
	slices.SortStableFunc(s.list, byStatic)
	s.setPriors(s.list)
	s.tree.setChildren(i, s.list, all)
	s.tree.update(i)
}

// evaluateMoves adds the moves of p to the list until it has width of them, and reports whether it
// has evaluated all. Moves that let the opponent win at once are not added; a move that wins ends
// it.
func (s *search) evaluateMoves(p rules.Position, width int) (all bool) {
	if s.line.Threatened(p) {
		s.rules.QuickEvasions(p, &s.moves)
	}
	s.order(p)
	best := node{static: -2} // of those added
	s.line.Push(p)
	for len(s.heap) > 0 && len(s.list) < width {
		m := s.heap.Pop()
		child := s.evaluate(m, s.rules.Apply(p, m))
		if child.proof >= agents.WinScore {
			continue
		}
		s.list = append(s.list, child)
		if child.static > best.static {
			best = child
		}
		if child.proof <= -agents.WinScore {
			break
		}
	}
	s.line.Pop()
	if s.eval.Policy() == nil && best.move != rules.NoMove {
		s.history.Add(p.Side(), best.move, 1)
	}
	return len(s.heap) == 0
}

// order fills the heap with the moves of p, the most promising on top: by the policy of the
// evaluation, or without one by the history of moves that were the best of those evaluated with
// them.
func (s *search) order(p rules.Position) {
	weights := s.eval.Policy()
	if weights != nil {
		s.policy.Begin(weights, s.rules, p, &s.moves)
	}
	s.heap = s.heap[:0]
	for m := range s.moves.All() {
		score := s.history.Score(p.Side(), m)
		if weights != nil {
			score = s.policy.Score(m)
		}
		s.heap = append(s.heap, lookahead.NewScoredMove(m, score))
	}
	s.heap.Heapify()
}

// evaluate returns the node of a move that leads to next, the position at the line's end.
func (s *search) evaluate(m rules.Move, next rules.Position) node {
	n := node{move: m}
	switch s.line.Outcome(next) {
	case rules.Undecided:
		n.proof, n.static = s.evaluateUndecided(next)
	case rules.Draw:
		n.proof = drawn
	default: // the move wins
		n.proof, n.static = -agents.WinTop, 1
	}
	n.value = n.static
	return n
}

// evaluateUndecided returns the proof of the side to move in next, and the value for the other.
func (s *search) evaluateUndecided(next rules.Position) (proof agents.Score, static float32) {
	if s.line.WinsNow(next) {
		return agents.WinIn(1), -1
	}
	score, attacked := s.eval.Evaluate(next)
	// Wins in three of the root are found at once. Deeper they take some visits, for a search
	// for evasions at each leaf would slow down the others.
	atRoot := s.line.Len() == 1
	if attacked && atRoot && !s.line.HasEvasion(next, &s.replies) {
		return -agents.WinIn(2), 1
	}
	return unproven, float32(-s.toValue(score))
}
