package mcts

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// search is the state of an agent's searches within one game.
type search struct {
	params
	rules *rules.Rules
	eval  *eval.Evaluator
	info  func(agents.Decision) // reports progress; may be nil

	tree   tree
	start  rules.Position // of the game that the tree belongs to
	played []rules.Move   // in that game up to the root
	prior  movePrior

	ctx      context.Context // of the move being chosen
	deadline time.Time       // zero: none
	line     lookahead.Line
	maxDepth int // bound of the tree's depth in plies; 0: none
	deepest  int
	moves    rules.MoveSet
	replies  rules.MoveSet // of a position that is evaluated
	heap     lookahead.MoveHeap
	children []node   // new children of the node that is expanded
	path     []uint32 // nodes from the root to the present one
}

// firstInfo is the number of iterations before the first progress report.
const firstInfo = 64

// reset prepares for a new game.
func (s *search) reset(r *rules.Rules, e *eval.Evaluator, info func(agents.Decision)) {
	s.rules, s.eval, s.info = r, e, info
	s.tree.reset(0)
	s.played = s.played[:0]
	s.prior = movePrior{}
}

// choose searches g's position, at which the line begins, until a limit is reached
// or the root is proven.
func (s *search) choose(ctx context.Context, g *rules.Game, lim agents.Limits) agents.Decision {
	s.ctx, s.deadline = ctx, time.Time{}
	if soft, _ := lim.Times(g); soft > 0 {
		s.deadline = time.Now().Add(soft)
	}
	s.maxDepth, s.deepest = lim.Depth, 0
	p := g.Position()
	s.setRoot(g)
	var n int64
	for stop := false; !stop && s.ensureFree() && s.tree.nodes[s.tree.root].proof == unproven; {
		s.iterate(p)
		n++
		if s.info != nil && n >= firstInfo && n&(n-1) == 0 {
			s.info(s.decision(n))
		}
		stop = n == lim.Nodes || s.stopped()
	}
	return s.decision(n)
}

// stopped reports whether the time is up or the context cancelled.
func (s *search) stopped() bool {
	return s.ctx.Err() != nil || !s.deadline.IsZero() && !time.Now().Before(s.deadline)
}

// setRoot makes g's position the root. The tree of an earlier position of the same
// game is reused if it contains the moves played since.
func (s *search) setRoot(g *rules.Game) {
	if !s.reuseTree(g) {
		s.tree.reset(float32(-s.toValue(s.eval.Score(g.Position()))))
	}
	s.start, s.played = g.Start(), append(s.played[:0], g.Moves()...)
}

// reuseTree re-roots the tree at g's position and reports whether it could.
func (s *search) reuseTree(g *rules.Game) bool {
	n, moves := len(s.played), g.Moves()
	if s.maxDepth > 0 || g.Start() != s.start || len(moves) < n || !slices.Equal(moves[:n], s.played) {
		return false
	}
	for _, m := range moves[n:] {
		if !s.tree.reroot(m) {
			return false
		}
	}
	root := &s.tree.nodes[s.tree.root]
	return root.proof == unproven && root.size() > 0
}

// ensureFree prunes the subtrees with the fewest visits until half of the tree is
// free, if it is full. It reports false if the search was stopped before.
func (s *search) ensureFree() bool {
	if s.tree.free() >= 2*minFree {
		return true
	}
	for least := uint32(1); !s.tree.prune(least, s.stopped); least *= 2 {
		if s.stopped() {
			return false
		}
	}
	return true
}

// iterate makes one iteration from the root, whose position is p: it selects a path
// to a leaf, expands it, and backs up values and proofs.
func (s *search) iterate(p rules.Position) {
	i := s.tree.root
	s.path = append(s.path[:0], i)
	for s.tree.nodes[i].proof == unproven {
		leaf := s.tree.nodes[i].size() == 0
		child, ok := s.selectChild(i, p)
		if leaf || !ok {
			break
		}
		i = child
		s.line.Push(p)
		p = s.rules.Apply(p, s.tree.nodes[i].move)
		s.path = append(s.path, i)
	}
	s.deepest = max(s.deepest, s.line.Len())
	s.line.Rewind()
	for _, i := range slices.Backward(s.path) {
		s.tree.nodes[i].visits++
		if n := &s.tree.nodes[i]; n.proof == unproven && n.size() > 0 {
			s.tree.update(i)
		}
	}
}

// selectChild returns the child of node i, whose position p is at the line's end, to
// visit next, after expanding the node if it is due. ok is false if there is none:
// the node is proven now, or the tree is full or has reached its maximum depth.
func (s *search) selectChild(i uint32, p rules.Position) (child uint32, ok bool) {
	for {
		n := &s.tree.nodes[i]
		child, ok = s.tree.selectPUCT(n, s.CPUCT)
		if n.proof != unproven || n.complete() || ok && n.size() >= s.width(i) {
			return child, ok && n.proof == unproven
		}
		if s.tree.free() < minFree || s.maxDepth > 0 && s.line.Len() >= s.maxDepth {
			return child, ok
		}
		s.expand(i, p)
	}
}

// width returns the number of children that node i should have: progressive
// widening (R. Coulom, "Computing Elo ratings of move patterns in the game of Go",
// 2007).
func (s *search) width(i uint32) int {
	w := s.WidthMin + int(s.WidthGrowth*math.Sqrt(float64(s.tree.nodes[i].visits)))
	if i == s.tree.root {
		w *= s.WidthRoot
	}
	return w
}

// expand gives node i, whose position p is at the line's end, more children: the
// moves with the highest prior among those it lacks, at least as many as it has.
// A node whose every move lets the opponent win at once is proven lost instead.
func (s *search) expand(i uint32, p rules.Position) {
	n := &s.tree.nodes[i]
	s.line.Moves(p, &s.moves)
	anyMove := s.moves.At(0)
	if s.line.Left() > 1 && s.line.Decisive(p, p.Side().Other()) {
		s.rules.QuickEvasions(p, &s.moves)
	}
	s.children = append(s.children[:0], s.tree.children(n)...)
	for k := range s.children {
		s.moves.Remove(s.children[k].move)
	}
	width := max(s.width(i), 2*len(s.children))
	s.heap = s.prior.order(p, &s.moves, s.heap)
	s.line.Push(p)
	for won := false; len(s.heap) > 0 && len(s.children) < width && !won; {
		m := s.heap.Pop()
		child := s.evaluate(m, s.rules.Apply(p, m))
		s.prior.update(&s.params, p, m, child.static+n.static)
		if !child.proof.won() {
			s.children = append(s.children, child)
		}
		won = child.proof.lost()
	}
	s.line.Pop()
	if len(s.children) == 0 { // the root needs a move nevertheless
		s.children = append(s.children, node{move: anyMove, value: -1, static: -1, proof: winIn(1)})
	}
	slices.SortStableFunc(s.children, func(a, b node) int { return cmp.Compare(b.static, a.static) })
	s.setPriors(s.children)
	s.tree.appendChildren(i, s.children, len(s.heap) == 0)
	s.tree.update(i)
}

// evaluate returns the child that move m leads to, the position next.
func (s *search) evaluate(m rules.Move, next rules.Position) node {
	n := node{move: m}
	switch s.line.Outcome(next) {
	case rules.Undecided:
		s.staticEval(&n, next)
	case rules.Draw:
		n.proof = drawn
	default: // the move wins
		n.proof, n.static = lossIn(0), 1
	}
	n.value = n.static
	return n
}

// staticEval sets the proof or static value of n, whose position p is at the line's
// end and not over.
func (s *search) staticEval(n *node, p rules.Position) {
	if s.line.WinsNow(p) {
		n.proof, n.static = winIn(1), -1
		return
	}
	score, attacked := s.eval.Evaluate(p)
	if attacked && !s.line.HasEvasion(p, &s.replies) {
		n.proof, n.static = lossIn(2), 1
		return
	}
	n.static = float32(-s.toValue(score))
}

// decision returns the decision by the tree after so many iterations.
func (s *search) decision(iterations int64) agents.Decision {
	root := &s.tree.nodes[s.tree.root]
	best := s.tree.best(root)
	score := agents.Score(root.result())
	if score == 0 {
		score = s.toScore(float64(best.value))
	}
	return agents.Decision{
		Move: best.move, Scored: true, Score: score, Depth: s.deepest, Nodes: iterations, PV: s.pv(),
	}
}

// pv returns the expected line as far as it has been visited.
func (s *search) pv() []rules.Move {
	var line []rules.Move
	for n := &s.tree.nodes[s.tree.root]; n.size() > 0; {
		n = s.tree.best(n)
		line = append(line, n.move)
		if n.visits == 0 {
			break
		}
	}
	return line
}
