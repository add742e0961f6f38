package mcts

import (
	"cmp"
	"slices"

	"gyges/agents"
	"gyges/agents/internal/lookahead"
	"gyges/agents/policy"
	"gyges/rules"
)

// worker is the state of one thread of a search.
type worker struct {
	*search
	line     lookahead.Line
	history  lookahead.History // orders the moves where the weights have no policy
	policy   policy.Scorer
	moves    rules.MoveSet
	replies  rules.MoveSet // of a position that is evaluated
	heap     lookahead.MoveHeap
	children []node   // new children of the node that is expanded
	list     []node   // all of its children
	path     []uint32 // nodes from the root to the present one
	moved    int      // count of the tree's moved blocks as of which the path is valid
}

// run makes iterations from the position of g, one at least, until the search is finished or
// the tree full, and reports progress to info unless it is nil.
func (w *worker) run(g *rules.Game, info func(agents.Decision)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.line.Begin(g)
	next := int64(firstInfo)
	for w.iterations == 0 || !w.tree.full() && !w.finished() {
		w.iterations++
		w.iterate(g.Position())
		if info != nil && w.iterations >= next {
			info(w.decision())
			next = 2 * w.iterations
		}
	}
}

// iterate makes one iteration from the root, whose position is p: it selects a path
// to a leaf, expands it, and backs up values and proofs.
func (w *worker) iterate(p rules.Position) {
	t := &w.tree
	w.path, w.moved = w.path[:0], t.moved
	w.enter(t.root)
	for t.nodes[w.last()].proof == unproven {
		leaf := t.nodes[w.last()].size() == 0
		child, ok := w.selectChild(p)
		if leaf || !ok {
			break
		}
		w.enter(child)
		w.line.Push(p)
		p = w.rules.Apply(p, t.nodes[child].move)
	}
	w.deepest = max(w.deepest, w.line.Len())
	w.line.Rewind()
	for _, i := range slices.Backward(w.path) {
		n := &t.nodes[i]
		n.visits++
		n.pending--
		if n.proof == unproven && n.size() > 0 {
			t.update(i)
		}
	}
}

// enter appends node i to the path.
func (w *worker) enter(i uint32) {
	w.tree.nodes[i].pending++
	w.path = append(w.path, i)
}

// last returns the node at the path's end.
func (w *worker) last() uint32 { return w.path[len(w.path)-1] }

// selectChild returns the child of the node at the path's end, whose position is p, to
// visit next, after expanding the node if it is due. ok is false if there is none:
// the node is proven now, or the tree is full or has reached its maximum depth.
func (w *worker) selectChild(p rules.Position) (child uint32, ok bool) {
	for {
		n := &w.tree.nodes[w.last()]
		child, ok = w.tree.selectPUCT(n, w.CPUCT)
		if n.proof != unproven || n.complete() || ok && n.size() >= w.width(w.last()) {
			return child, ok && n.proof == unproven
		}
		if w.tree.free() < minFree || w.maxDepth > 0 && w.line.Len() >= w.maxDepth {
			return child, ok
		}
		w.expand(p)
	}
}

// expand gives the node at the path's end, whose position is p, more children: the
// first moves by their order among those it lacks, at least as many as it has.
// A node whose every move lets the opponent win at once is proven lost instead.
func (w *worker) expand(p rules.Position) {
	n := w.tree.nodes[w.last()]
	w.list = append(w.list[:0], w.tree.children(&n)...)
	width := max(w.width(w.last()), 2*n.size()) - n.size()

	w.mu.Unlock()
	w.line.Moves(p, &w.moves)
	anyMove := w.moves.At(0)
	for _, c := range w.list {
		w.moves.Remove(c.move)
	}
	all := w.evaluateMoves(p, width)
	w.mu.Lock()

	w.locate()
	i := w.last()
	if now := &w.tree.nodes[i]; now.first != n.first || now.count != n.count {
		return // another thread has expanded it, perhaps without a new child
	}
	w.list = append(append(w.list[:0], w.tree.children(&n)...), w.children...)
	if len(w.list) == 0 { // the root needs a move nevertheless
		w.list = append(w.list, node{move: anyMove, value: -1, static: -1, proof: agents.WinIn(1)})
	}
	if len(w.list) > w.tree.free() {
		return
	}
	slices.SortStableFunc(w.list, func(a, b node) int { return cmp.Compare(b.static, a.static) })
	w.setPriors(w.list)
	w.tree.setChildren(i, w.list, all)
	w.tree.update(i)
}

// evaluateMoves makes children of at most width of the worker's moves of p and reports
// whether it has evaluated all. Moves that let the opponent win at once make no children; a
// move that wins ends it.
func (w *worker) evaluateMoves(p rules.Position, width int) (all bool) {
	if w.line.Left() > 1 && w.rules.GoalWins(p, p.Side().Other()) {
		w.rules.QuickEvasions(p, &w.moves)
	}
	w.order(p)
	w.children = w.children[:0]
	w.line.Push(p)
	for won := false; len(w.heap) > 0 && len(w.children) < width && !won; {
		m := w.heap.Pop()
		child := w.evaluate(m, w.rules.Apply(p, m))
		if child.proof < agents.WinScore {
			w.children = append(w.children, child)
		}
		won = child.proof <= -agents.WinScore
	}
	w.line.Pop()
	if w.eval.Policy() == nil && len(w.children) > 0 {
		best := slices.MaxFunc(w.children, func(a, b node) int { return cmp.Compare(a.static, b.static) })
		w.history.Add(p.Side(), best.move, 1)
	}
	return len(w.heap) == 0
}

// order makes the heap that of the worker's moves of p, the most promising first: by the
// policy of the evaluation, or without one by the history of moves that were the best of
// those evaluated with them.
func (w *worker) order(p rules.Position) {
	weights := w.eval.Policy()
	if weights != nil {
		w.policy.Begin(weights, w.rules, p, &w.moves)
	}
	w.heap = w.heap[:0]
	for m := range w.moves.All() {
		score := w.history.Score(p.Side(), m)
		if weights != nil {
			score = w.policy.Score(m)
		}
		w.heap = append(w.heap, lookahead.NewScoredMove(m, score))
	}
	w.heap.Heapify()
}

// locate finds the nodes of the path where other threads have moved them to.
func (w *worker) locate() {
	t := &w.tree
	if w.moved == t.moved {
		return
	}
	w.moved = t.moved
	for k := range w.path[1:] {
		w.path[k+1], _ = t.child(w.path[k], t.nodes[w.path[k+1]].move)
	}
}

// evaluate returns the child that move m leads to, the position next.
func (w *worker) evaluate(m rules.Move, next rules.Position) node {
	n := node{move: m}
	switch w.line.Outcome(next) {
	case rules.Undecided:
		w.staticEval(&n, next)
	case rules.Draw:
		n.proof = drawn
	default: // the move wins
		n.proof, n.static = -agents.WinTop, 1
	}
	n.value = n.static
	return n
}

// staticEval sets the proof or static value of n, whose position p is at the line's
// end and not over.
func (w *worker) staticEval(n *node, p rules.Position) {
	if w.line.WinsNow(p) {
		n.proof, n.static = agents.WinIn(1), -1
		return
	}
	score, attacked := w.eval.Evaluate(p)
	// Wins in three of the root are found at once. Deeper they take some visits, for a search
	// for evasions at each leaf would slow down the others.
	if attacked && w.line.Len() == 1 && !w.line.HasEvasion(p, &w.replies) {
		n.proof, n.static = -agents.WinIn(2), 1
		return
	}
	n.static = float32(-w.toValue(score))
}
