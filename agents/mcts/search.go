package mcts

// The search for a move: the root, the limits, and the choice at the end.

import (
	"context"
	"math"
	"slices"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/lookahead"
	"gyges/agents/policy"
	"gyges/rules"
)

type search struct {
	params
	rules *rules.Rules
	eval  *eval.Evaluator

	start  rules.Position // of the game that the tree belongs to
	played []rules.Move   // in that game up to the root

	ctx      context.Context // of the move being chosen
	timer    agents.Timer
	maxDepth int // bound of the tree's depth in plies; 0: none

	tree       tree
	iterations int64 // begun
	deepest    int   // plies

	// Of the iteration under way.
	line    lookahead.Line
	history lookahead.History // orders the moves where the weights have no policy
	policy  policy.Scorer
	moves   rules.MoveSet
	replies rules.MoveSet // of a position that is evaluated
	heap    lookahead.MoveHeap
	list    []node   // children of the node that is expanded
	path    []uint32 // nodes from the root to the present one
}

// firstInfo is the number of iterations before the first progress report.
const firstInfo = 64

func (s *search) reset(r *rules.Rules, e *eval.Evaluator) {
	s.rules = r
	s.eval = e
	s.tree.reset(0)
	s.played = s.played[:0]
	s.history = lookahead.History{}
}

// choose searches g's position to a limit or until the root is proven. It calls info, unless nil,
// now and then.
func (s *search) choose(
	ctx context.Context, g *rules.Game, lim agents.Limits, info func(agents.Decision),
) agents.Decision {
	s.ctx = ctx
	s.timer = agents.NewTimer(time.Now(), g, lim)
	s.maxDepth = lim.Depth
	s.iterations = 0
	s.deepest = 0
	s.setRoot(g)
	s.line.Begin(g)
	next := int64(firstInfo)
	for finished := false; s.ensureFree() && !finished; {
		s.iterations++
		s.iterate(g.Position())
		if info != nil && s.iterations >= next {
			info(s.decision())
			next = 2 * s.iterations
		}
		proven := s.tree.nodes[s.tree.root].proof != unproven
		finished = proven || s.iterations == lim.Nodes || s.stopped()
	}
	return s.decision()
}

func (s *search) stopped() bool {
	return s.ctx.Err() != nil || s.timer.Expired()
}

// setRoot makes g's position the root. The tree of an earlier one is reused if it has the moves
// played since.
func (s *search) setRoot(g *rules.Game) {
	if !s.reuseTree(g) {
		score := s.eval.Score(g.Position())
		value := s.toValue(score)
		s.tree.reset(float32(-value))
	}
	s.start = g.Start()
	s.played = append(s.played[:0], g.Moves()...)
}

// reuseTree makes the node of g's position the root, and reports whether there is one that can be
// searched further.
func (s *search) reuseTree(g *rules.Game) bool {
	if s.maxDepth > 0 || g.Start() != s.start {
		return false
	}
	moves := g.Moves()
	n := len(s.played)
	if len(moves) < n || !slices.Equal(moves[:n], s.played) {
		return false
	}
	for _, m := range moves[n:] {
		child, ok := s.tree.child(s.tree.root, m)
		if !ok {
			return false
		}
		s.tree.root = child
	}
	root := &s.tree.nodes[s.tree.root]
	return root.proof == unproven && root.count > 0
}

// ensureFree prunes the subtrees with the fewest visits until half of the tree is
// free, if it is full. It reports false if the search was stopped before.
func (s *search) ensureFree() bool {
	if !s.tree.full() {
		return true
	}
	for least := uint32(1); !s.tree.prune(least, s.stopped); least *= 2 {
		if s.stopped() {
			return false
		}
	}
	return true
}

// width returns the number of children that node i should have: progressive widening (R. Coulom,
// "Computing Elo ratings of move patterns in the game of Go", 2007).
func (s *search) width(i uint32) int {
	visits := s.tree.nodes[i].visits
	w := s.WidthMin + int(s.WidthGrowth*math.Sqrt(float64(visits)))
	if i == s.tree.root {
		w *= s.WidthRoot
	}
	return w
}

func (s *search) decision() agents.Decision {
	best := s.choice(s.FinalShare, func(n *node) float64 { return float64(n.value) })
	score := s.tree.nodes[s.tree.root].result()
	if score == 0 {
		score = s.toScore(float64(best.value))
	}
	return agents.Decision{
		Move:   best.move,
		Scored: true,
		Score:  score,
		Depth:  s.deepest,
		Nodes:  s.iterations,
		PV:     s.pv(best),
	}
}

// choice returns the child of the root to play. Unless a result is proven, it is the child with the
// highest value among the children with a share of the visits of the best one.
func (s *search) choice(share float64, value func(*node) float64) *node {
	root := &s.tree.nodes[s.tree.root]
	best := s.tree.best(root)
	if best.result() != 0 {
		return best
	}
	least := max(uint32(share*float64(best.visits)), 1)
	highest := value(best)
	children := s.tree.children(root)
	for k := range children {
		c := &children[k]
		if c.result() != 0 || c.visits < least {
			continue
		}
		if x := value(c); x > highest {
			best, highest = c, x
		}
	}
	return best
}

// pv returns the expected line from a move at the root on as far as it has been visited.
func (s *search) pv(n *node) []rules.Move {
	line := []rules.Move{n.move}
	for n.visits > 0 && n.count > 0 {
		n = s.tree.best(n)
		line = append(line, n.move)
	}
	return line
}
