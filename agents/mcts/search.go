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
	awaited  struct { // where the tree goes on, if the opponent answers as it foresees
		ply      int // of the game at the next choice; 0: nowhere
		node     uint32
		position rules.Position
	}
	path []uint32 // nodes from the root to the present one
}

// Values and evaluations. Nothing here goes beyond the arithmetic that is exact
// by IEEE 754, and square roots, so that values are the same on every machine.
const (
	// scale is the score, in hundredths of a point, that stands for the value
	// 0.71. A point, which is about what decides one game in two, gives 0.5.
	scale = 173
	// temperature is the difference of values that makes a prior e times as high.
	temperature = 0.1
)

// firstInfo is the number of iterations after which there is something to tell.
const firstInfo = 64

// squash turns a score into a value, from -1 to 1.
func squash(s agents.Score) float64 {
	x := float64(s) / scale
	return x / math.Sqrt(1+float64(x*x)) // the conversion forbids a fused multiply-add
}

// unsquash is the reverse of squash. Values next to ±1 give about ±200 points.
func unsquash(v float64) agents.Score {
	v = min(max(v, -mostValue), mostValue)
	return agents.Score(math.Round(scale * (v / math.Sqrt(1-float64(v*v)))))
}

// mostValue is the value of the highest evaluation, and a little less than 1.
const mostValue = 0.99996

// falls holds by how much a prior is lower the further a value lies below the
// best, in steps of temperature/fallSteps: e to the power of -1/fallSteps for each.
var falls = func() (t [40 * fallSteps]float64) {
	const step = 0.969233234476344081 // e^(-1/32)
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * step
	}
	return t
}()

const fallSteps = 32

// choose grows the tree until a limit is reached or the root is proven.
func (s *search) choose(ctx context.Context, g *rules.Game, lim agents.Limits) (agents.Decision, error) {
	g.LegalMoves(&s.moves)
	if s.moves.Len() == 0 {
		return agents.Decision{}, rules.ErrOver
	}
	s.line.Begin(g)
	s.maxDepth, s.deepest = lim.Depth, 0
	p := g.Position()
	s.begin(g.Ply(), p)
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
	d := s.decision(n)
	s.expect(g.Ply(), p, d.Move)
	return d, nil
}

// begin keeps of the tree what lies below p, where the game has come to, if the
// last move and the answer to it are in the tree; else it starts anew.
func (s *search) begin(ply int, p rules.Position) {
	awaited := s.awaited
	s.awaited.ply = 0
	if awaited.ply == ply && ply > 0 && s.maxDepth == 0 {
		for k := range s.tree.children(&s.tree.nodes[awaited.node]) {
			i := s.tree.nodes[awaited.node].first + uint32(k)
			if n := &s.tree.nodes[i]; s.rules.Apply(awaited.position, n.move) == p && n.proof == unproven && n.first != 0 {
				s.tree.keep(i)
				return
			}
		}
	}
	s.tree.reset()
}

// expect remembers where the tree goes on after m and the opponent's answer.
func (s *search) expect(ply int, p rules.Position, m rules.Move) {
	s.awaited.ply = 0
	root := &s.tree.nodes[0]
	for k := range s.tree.children(root) {
		if i := root.first + uint32(k); s.tree.nodes[i].move == m && s.tree.nodes[i].first != 0 {
			s.awaited.ply, s.awaited.node, s.awaited.position = ply+2, i, s.rules.Apply(p, m)
		}
	}
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
	legal := s.moves.Len()
	if !root && s.line.Left() > 1 && s.line.Decisive(p, p.Side().Other()) {
		s.rules.Screen(p, &s.moves)
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
	if safe == 0 && legal > 0 {
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

// setPriors shares the visits out by the evaluations, the best of which comes first.
func setPriors(list []node) {
	total := 0.0
	for k := range list {
		below := float64(list[0].static-list[k].static) / temperature
		w := falls[min(int(below*fallSteps), len(falls)-1)]
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
