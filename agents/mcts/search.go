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
	rules *rules.Rules
	eval  *eval.Evaluator
	c     float64
	info  func(agents.Decision) // nil: nobody listens

	tree   tree
	start  rules.Position // of the game whose tree this is
	played []rules.Move   // in it when the root's position was reached
	guess  guess

	ctx      context.Context // of the move being chosen
	deadline time.Time       // zero: none
	line     lookahead.Line
	maxDepth int // plies that the tree may be deep; 0: no bound
	deepest  int
	moves    rules.MoveSet
	replies  rules.MoveSet // of a position that is judged
	queue    queue
	list     []node   // children in the making
	path     []uint32 // nodes from the root to the present one
}

// firstInfo is the number of iterations after which there is something to tell.
const firstInfo = 64

// reset prepares for a game, forgetting all that earlier ones left.
func (s *search) reset(r *rules.Rules, e *eval.Evaluator, info func(agents.Decision)) {
	s.rules, s.eval, s.info = r, e, info
	s.tree.reset(0)
	s.played = s.played[:0]
	s.guess = guess{}
}

// choose grows the tree until a limit is reached or the root is proven.
func (s *search) choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	s.ctx, s.deadline = ctx, time.Time{}
	if lim.MoveTime > 0 {
		s.deadline = time.Now().Add(lim.MoveTime)
	}
	legal := g.Legal()
	if legal.Len() == 0 {
		return agents.Decision{}, rules.ErrOver
	}
	s.line.Begin(g)
	s.maxDepth, s.deepest = lim.Depth, 0
	p := g.Position()
	if m := s.line.WinningMove(p, legal); m != rules.NoMove {
		return agents.Decision{Move: m, Scored: true, Score: agents.WinIn(1), Depth: 1, Nodes: 1, PV: []rules.Move{m}}, nil
	}
	s.plant(g)
	var n int64
	for stop := false; !stop && s.makeRoom() && s.tree.nodes[s.tree.root].proof == unproven; {
		s.iterate(p)
		n++
		if s.info != nil && n >= firstInfo && n&(n-1) == 0 {
			s.info(s.decision(n))
		}
		stop = n == lim.Nodes || s.over()
	}
	s.ctx = nil
	return s.decision(n), nil
}

// over tells whether the time is up or the context cancelled.
func (s *search) over() bool {
	return s.ctx.Err() != nil || !s.deadline.IsZero() && !time.Now().Before(s.deadline)
}

// plant makes g's position the root. The tree of an earlier position of the same
// game is kept where it holds what has been played since.
func (s *search) plant(g *rules.Game) {
	if !s.transplant(g) {
		s.tree.reset(float32(-squash(s.eval.Score(g.Position()))))
	}
	s.start, s.played = g.Start(), append(s.played[:0], g.Moves()...)
}

func (s *search) transplant(g *rules.Game) bool {
	known, moves := len(s.played), g.Moves()
	if s.maxDepth > 0 || g.Start() != s.start || len(moves) < known || !slices.Equal(moves[:known], s.played) {
		return false
	}
	for _, m := range moves[known:] {
		if !s.tree.follow(m) {
			return false
		}
	}
	root := &s.tree.nodes[s.tree.root]
	return root.proof == unproven && root.size() > 0
}

// makeRoom sees to it that the tree can grow: when it is full, the subtrees with
// the fewest visits go until half of it is free. It reports false if the search
// is over before that is done.
func (s *search) makeRoom() bool {
	if s.tree.free() >= 2*room {
		return true
	}
	for least := uint32(1); !s.tree.compact(least, s.over); least *= 2 {
		if s.over() {
			return false
		}
	}
	return true
}

// iterate goes down the tree from the root, whose position is p, to a node that
// has no children yet, gives it some, and carries back what they tell.
func (s *search) iterate(p rules.Position) {
	i := s.tree.root
	s.path = append(s.path[:0], i)
	for s.tree.nodes[i].proof == unproven {
		leaf := s.tree.nodes[i].size() == 0
		child, ok := s.descend(i, p)
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

// descend returns the child of node i, whose position p is at the line's end, to
// visit next, after giving it the children it lacks. ok is false if there is none
// to visit: the node is proven now, or the tree is full or deep enough.
func (s *search) descend(i uint32, p rules.Position) (child uint32, ok bool) {
	for {
		n := &s.tree.nodes[i]
		child, ok = s.tree.pick(n, s.c)
		if n.proof != unproven || n.complete() || ok && n.size() >= s.width(i) {
			return child, ok && n.proof == unproven
		}
		if s.tree.free() < room || s.maxDepth > 0 && s.line.Len() >= s.maxDepth {
			return child, ok
		}
		s.widen(i, p)
	}
}

// width returns how many children node i should have: progressive widening
// (R. Coulom, "Computing Elo ratings of move patterns in the game of Go", 2007).
func (s *search) width(i uint32) int {
	w := 16 + int(4*math.Sqrt(float64(s.tree.nodes[i].visits)))
	if i == s.tree.root {
		w *= 4
	}
	return w
}

// widen gives node i, whose position p is at the line's end, more children: those
// that promise most of the moves it hasn't yet, twice as many as it has at least.
// A node all of whose moves hand over a win is proven instead.
func (s *search) widen(i uint32, p rules.Position) {
	n := &s.tree.nodes[i]
	s.line.Moves(p, &s.moves)
	any := s.moves.At(0)
	if s.line.Left() > 1 && s.line.Decisive(p, p.Side().Other()) {
		s.rules.Screen(p, &s.moves)
	}
	s.list = append(s.list[:0], s.tree.children(n)...)
	for k := range s.list {
		s.moves.Remove(s.list[k].move)
	}
	want := max(s.width(i), 2*len(s.list))
	s.queue = s.guess.sort(p, &s.moves, s.queue)
	s.line.Push(p)
	for won := false; len(s.queue) > 0 && len(s.list) < want && !won; {
		m := s.queue.pop()
		child := s.judge(m, s.rules.Apply(p, m))
		s.guess.learn(p, m, child.static+n.static)
		if !child.proof.won() {
			s.list = append(s.list, child)
		}
		won = child.proof.lost()
	}
	s.line.Pop()
	if len(s.list) == 0 { // the root needs a move all the same
		s.list = append(s.list, node{move: any, value: -1, static: -1, proof: winIn(1)})
	}
	slices.SortStableFunc(s.list, func(a, b node) int { return cmp.Compare(b.static, a.static) })
	setPriors(s.list)
	s.tree.adopt(i, s.list, len(s.queue) == 0)
	s.tree.update(i)
}

// judge returns the child that move m leads to, the position next.
func (s *search) judge(m rules.Move, next rules.Position) node {
	n := node{move: m}
	switch s.line.Outcome(next) {
	case rules.Undecided:
		s.look(&n, next)
	case rules.Draw:
		n.proof = drawn
	default: // the move wins
		n.proof, n.static = lossIn(0), 1
	}
	n.value = n.static
	return n
}

// look sets the proof and value of n, whose position p is at the line's end and
// not over.
func (s *search) look(n *node, p rules.Position) {
	if s.line.WinsNow(p) {
		n.proof, n.static = winIn(1), -1
		return
	}
	score, attacked := s.eval.Judge(p)
	if attacked && !s.line.HasEvasion(p, &s.replies) {
		n.proof, n.static = lossIn(2), 1
		return
	}
	n.static = float32(-squash(score))
}
