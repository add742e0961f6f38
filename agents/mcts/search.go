package mcts

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// search is the state of an agent's searches.
type search struct {
	rules   *rules.Rules
	eval    *eval.Evaluator
	rng     *rand.Rand
	c       float64
	playout int
	info    func(agents.Decision) // told after every doubling; nil: nobody listens

	tree     tree
	line     lookahead.Line
	maxDepth int // plies that the tree may be deep; 0: no bound
	deepest  int
	moves    rules.MoveSet
	list     []node   // children in the making
	path     []uint32 // nodes from the root to the present one
}

// Values and evaluations.
const (
	// scale is the score, in hundredths of a point, that stands for the value
	// tanh 1. A point, which is about what decides one game in two, gives 0.5.
	scale = 182
	// temperature is the difference of values that makes a prior e times as high.
	temperature = 0.1
)

// firstInfo is the number of iterations after which there is something to tell.
const firstInfo = 64

// squash turns a score into a value, from -1 to 1.
func squash(s agents.Score) float64 { return math.Tanh(float64(s) / scale) }

// unsquash is the reverse of squash. Values next to ±1 give about ±20 points.
func unsquash(v float64) agents.Score {
	const most = 1 - 1e-9
	return agents.Score(math.Round(scale * math.Atanh(min(max(v, -most), most))))
}

// choose grows the tree until a limit is reached or the root is proven.
func (s *search) choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	g.LegalMoves(&s.moves)
	if s.moves.Len() == 0 {
		return agents.Decision{}, rules.ErrOver
	}
	s.line.Begin(g)
	s.tree.reset()
	s.maxDepth, s.deepest = lim.Depth, 0
	p := g.Position()
	if m := s.line.WinningMove(p, &s.moves); m != rules.NoMove {
		return agents.Decision{Move: m, Scored: true, Score: agents.WinIn(1), Depth: 1, Nodes: 1, PV: []rules.Move{m}}, nil
	}
	deadline := time.Now().Add(lim.MoveTime)
	var n int64
	for stop := false; !stop && s.tree.nodes[0].proof == unproven; {
		s.iterate(p)
		n++
		if s.info != nil && n >= firstInfo && n&(n-1) == 0 {
			s.info(s.decision(n))
		}
		stop = n == lim.Nodes || ctx.Err() != nil || lim.MoveTime > 0 && !time.Now().Before(deadline)
	}
	return s.decision(n), nil
}

// iterate goes down the tree from the root, whose position is p, to a leaf, and
// carries its value back.
func (s *search) iterate(p rules.Position) {
	s.path = append(s.path[:0], 0)
	for i := uint32(0); ; {
		n := &s.tree.nodes[i]
		if n.proof != unproven || i != 0 && n.visits == 0 {
			break
		}
		if n.first == 0 {
			s.expand(i, p)
			n = &s.tree.nodes[i]
			if n.proof != unproven || n.first == 0 {
				break
			}
		}
		i = s.tree.pick(n, s.c)
		s.line.Push(p)
		p = s.rules.Apply(p, s.tree.nodes[i].move)
		s.path = append(s.path, i)
	}
	s.deepest = max(s.deepest, s.line.Len())
	v := s.leafValue(s.path[len(s.path)-1], p)
	s.line.Rewind()
	s.carryBack(v)
}

// leafValue returns the value of node i, where a descent ended on p.
func (s *search) leafValue(i uint32, p rules.Position) float64 {
	n := &s.tree.nodes[i]
	switch {
	case n.proof.won():
		return -1
	case n.proof.lost():
		return 1
	case n.proof == drawn:
		return 0
	case s.playout > 0 && n.visits == 0:
		return s.play(p)
	default:
		return float64(n.static)
	}
}

// carryBack adds a visit with the leaf's value to every node of the path, and
// proves what the leaf's proof decides.
func (s *search) carryBack(v float64) {
	proving := true
	for k := len(s.path) - 1; k >= 0; k-- {
		n := &s.tree.nodes[s.path[k]]
		if k < len(s.path)-1 && proving {
			s.tree.prove(s.path[k])
		}
		proving = proving && n.proof != unproven && n.proof != drawn
		switch { // a proof says more than what lies below it
		case n.proof.won():
			v = -1
		case n.proof.lost():
			v = 1
		}
		n.visits++
		n.sum += v
		v = -v
	}
}

// expand gives node i, whose position p is at the line's end, its children, or
// a proof. It stays as it is when the tree is full or deep enough.
func (s *search) expand(i uint32, p rules.Position) {
	n := &s.tree.nodes[i]
	root := i == 0
	if !root && s.line.WinsNow(p) {
		n.proof = winIn(1)
		return
	}
	if s.maxDepth > 0 && s.line.Len() >= s.maxDepth {
		return
	}
	s.line.Moves(p, &s.moves)
	if !root && !s.tree.fits(s.moves.Len()) {
		return
	}
	s.list = s.list[:0]
	s.line.Push(p)
	safe := 0
	for m := range s.moves.All() {
		child := s.judge(m, s.rules.Apply(p, m))
		if !child.proof.won() {
			safe++
		} else if !root {
			continue // a move that hands over a win
		}
		s.list = append(s.list, child)
	}
	s.line.Pop()
	if safe == 0 {
		n.proof = lossIn(2)
	}
	if len(s.list) == 0 {
		return
	}
	slices.SortStableFunc(s.list, func(a, b node) int {
		switch {
		case a.static > b.static:
			return -1
		case a.static < b.static:
			return 1
		default:
			return 0
		}
	})
	setPriors(s.list)
	s.tree.adopt(i, s.list)
}

// judge returns the child that move m leads to, the position next.
func (s *search) judge(m rules.Move, next rules.Position) node {
	n := node{move: m}
	switch s.line.Outcome(next) {
	case rules.Undecided:
		if s.line.WinsNow(next) {
			n.proof, n.static = winIn(1), -1
		} else {
			n.static = float32(-squash(s.eval.Score(next)))
		}
	case rules.Draw:
		n.proof = drawn
	default: // the move wins
		n.proof, n.static = lossIn(0), 1
	}
	return n
}

// setPriors shares the visits out by the evaluations.
func setPriors(list []node) {
	total := 0.0
	for k := range list {
		w := math.Exp(float64(list[k].static-list[0].static) / temperature)
		list[k].prior = float32(w)
		total += w
	}
	for k := range list {
		list[k].prior /= float32(total)
	}
}

// play plays random moves from p on, at most the number of plies configured,
// and returns the value of where they lead, for the side that moved to p.
func (s *search) play(p rules.Position) float64 {
	sign := -1.0 // for the side to move, turned to the side that moved to p
	for range s.playout {
		if s.line.Outcome(p) != rules.Undecided {
			break
		}
		if s.line.WinsNow(p) {
			return sign
		}
		s.line.Moves(p, &s.moves)
		s.line.Push(p)
		p = s.rules.Apply(p, s.moves.At(s.rng.IntN(s.moves.Len())))
		sign = -sign
	}
	switch s.line.Outcome(p) {
	case rules.Undecided:
		if s.line.WinsNow(p) {
			return sign
		}
		return sign * squash(s.eval.Score(p))
	case rules.Draw:
		return 0
	default: // the last move won
		return -sign
	}
}
