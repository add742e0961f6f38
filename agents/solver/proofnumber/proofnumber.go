// Package proofnumber finds long wins by depth-first proof-number search, guided by the evaluation:
// strategies that are played through against every reply.
package proofnumber

import (
	"context"
	"errors"
	"math"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/internal/lookahead"
	"gyges/agents/solver/strategy"
	"gyges/rules"
)

// MaxDepth is the highest depth of a search, in plies.
const MaxDepth = 99

// The errors of games that aren't searched: pieces are still being placed, or a rule on repetition
// remembers moves.
var (
	ErrSetup   = errors.New("the pieces are still being placed")
	ErrHistory = errors.New("under a rule on repetition, expected a game without moves so far")
)

// Prover looks for proofs by depth-first proof-number search (A. Nagai, "Df-pn algorithm for
// searching AND/OR trees", 2002), without a bound on their length. A leaf begins with proof and
// disproof numbers by its static evaluation, and those of several children are combined by their
// maximum and count in place of their sum, which transpositions would count twice (T. Ueda et al.,
// "Weak proof-number search", 2008). A position that returns on the path counts as no win there;
// that can't make a proof wrong, as each position of a strategy is won by those proven before it.
// Of a rule on repetition the search knows nothing else; moves in which the check of a strategy
// finds superko in the way are avoided by a further search.
//
// It belongs to one goroutine; its memory is bounded by the table's size and by the number of nodes
// of a search.
type Prover struct {
	table    table
	rules    *rules.Rules
	superko  bool
	eval     *eval.Evaluator
	attacker rules.Side
	avoided  map[rules.Position][]rules.Move // moves of the attacker that superko might forbid
	maxPlies int                             // beyond them nothing counts as won
	ctx      context.Context
	maxNodes int64
	nodes    int64
	stopped  bool // there are no more nodes, or ctx is cancelled
	proven   map[rules.Position]rules.Move
	path     []rules.Position
	frames   [MaxDepth]frame
}

// numbers are estimates of how many positions must still be won to prove, or to
// disprove, that the attacker wins. At 0 that is done, and the other number is unprovable.
type numbers struct{ proof, disproof uint32 }

const unprovable = math.MaxUint32 / 4

var (
	provenWin   = numbers{0, unprovable}
	provenNoWin = numbers{unprovable, 0}
)

type frame struct {
	moves    rules.MoveSet
	reply    rules.MoveSet // a buffer
	children []child
}

type child struct {
	move     rules.Move
	position rules.Position
	numbers  numbers
	onPath   bool // no win on this path, whatever the table says
}

// DefaultMegabytes is a size of the table that holds twice as many positions as nodes, up to 512
// MB.
func DefaultMegabytes(nodes int64) int {
	return int(min(max(2*nodes*entryBytes>>20, 1), 512))
}

// New returns a prover with a table of megabytes MB, at least 1.
func New(megabytes int) *Prover {
	return &Prover{table: make(table, max(megabytes, 1)<<20/(bucketSize*entryBytes))}
}

// Prove looks for a proof that a side wins in the present position of g, a game under way: first
// for the side that the evaluation e favours, then for the other, for each within these nodes and
// plies, 1 to [MaxDepth]; transpositions can make a proof some plies longer. A proof is played
// through against every reply before it is returned, and is none, nil, if it takes longer than the
// game may last. evaluated is the number of positions evaluated for both sides, also with an error:
// that of ctx when it is cancelled.
func (s *Prover) Prove(
	ctx context.Context, g *rules.Game, e *eval.Evaluator, plies int, nodes int64,
) (win *strategy.Strategy, evaluated int64, err error) {
	r, p := g.Rules(), g.Position()
	if r.Options().Repetition != rules.NoRepetition && len(g.Moves()) > 0 {
		return nil, 0, ErrHistory
	}
	if r.SettingUp(p) {
		return nil, 0, ErrSetup
	}
	s.rules = r
	s.superko = r.Options().Repetition == rules.Superko
	s.eval = e
	s.ctx = ctx
	defer func() { s.ctx = nil }()
	left := r.Options().MaxPlies - g.Ply()
	first := p.Side()
	if e.Score(p) < 0 {
		first = first.Other()
	}
	for _, side := range []rules.Side{first, first.Other()} {
		win = s.prove(p, side, min(plies, MaxDepth), left, nodes)
		evaluated += s.nodes
		if ctx.Err() != nil {
			return nil, evaluated, ctx.Err()
		}
		if win != nil {
			break
		}
	}
	return win, evaluated, nil
}

// prove returns a strategy of a side that takes no more plies than there are left; nil if
// none is found. A proof in which superko is in the way is sought again without the moves
// concerned. If there is none then, or the game is too short for it, fewer plies are tried.
func (s *Prover) prove(
	p rules.Position, side rules.Side, plies, left int, nodes int64,
) *strategy.Strategy {
	s.maxNodes = nodes
	s.nodes = 0
	s.stopped = false
	s.avoided = map[rules.Position][]rules.Move{}
	s.maxPlies = min(plies, left)
	for s.maxPlies > 0 {
		if s.search(p, side) {
			win, unsafe, err := strategy.Play(s.rules, side, []rules.Position{p}, s.answer)
			holds := err == nil && len(unsafe) == 0
			if holds && win.Roots[0].Plies <= left {
				return win
			}
			if s.avoid(unsafe) {
				continue
			}
		} else if s.stopped || len(s.avoided) == 0 {
			return nil
		}
		clear(s.avoided)
		s.maxPlies -= 2
	}
	return nil
}

// answer returns the attacker's move in a position that it is proven to win.
func (s *Prover) answer(p rules.Position) (rules.Move, bool) {
	m, ok := s.proven[p.WithoutPasses()]
	if !ok {
		m, ok = s.proven[p]
	}
	return m, ok
}

// avoid keeps the attacker from the moves proven in positions, and reports whether it is to move in
// any of them.
func (s *Prover) avoid(positions []rules.Position) (any bool) {
	for _, p := range positions {
		m, ok := s.proven[p]
		if ok && p.Side() == s.attacker {
			s.avoided[p] = append(s.avoided[p], m)
			any = true
		}
	}
	return any
}

// search reports whether the attacker is proven to win in p.
func (s *Prover) search(p rules.Position, attacker rules.Side) bool {
	clear(s.table)
	s.attacker = attacker
	s.proven = map[rules.Position]rules.Move{}
	if s.rules.CanWin(p, p.Side()) {
		return p.Side() == attacker
	}
	s.path = s.path[:0]
	n, _ := s.expand(p, numbers{unprovable, unprovable})
	return n == provenWin
}

// expand searches p, in which the side to move can't win at once, until one of its numbers reaches
// that of limit, and returns them. onPath reports that there is no win on this path, but maybe on
// another one; that is not stored.
func (s *Prover) expand(p rules.Position, limit numbers) (n numbers, onPath bool) {
	ply := len(s.path)
	began := s.nodes
	f := &s.frames[ply]
	s.path = append(s.path, p)
	defer func() { s.path = s.path[:ply] }()
	s.generate(p, f)
	attacks := p.Side() == s.attacker
	for {
		for i := range f.children { // as searches since have changed the table
			c := &f.children[i]
			known, ok := s.table.find(c.position)
			if ok && !c.onPath {
				c.numbers = known
			}
		}
		c := choose(f.children, attacks)
		n = c.numbers
		if attacks && n == provenWin {
			// An earlier move leads to positions proven before it, so that no strategy goes round
			// in circles.
			if _, known := s.proven[p]; !known {
				s.proven[p] = f.children[c.best].move
			}
		}
		if n.proof >= limit.proof || n.disproof >= limit.disproof || s.stopped {
			onPath = n == provenNoWin && restsOnPath(f.children, attacks)
			if !onPath {
				s.table.store(p, n, s.nodes-began)
			}
			return n, onPath
		}
		best := &f.children[c.best]
		best.numbers, best.onPath = s.expand(best.position, c.limit(limit, attacks))
	}
}

// restsOnPath reports whether a node that is no win may be one on another path: for the attacker if
// one of the children that are no wins may be, for the defender if all may.
func restsOnPath(children []child, attacks bool) bool {
	for _, c := range children {
		decides := c.onPath == attacks
		if decides && c.numbers == provenNoWin {
			return attacks
		}
	}
	return !attacks
}

// choice is what the children of a node say.
type choice struct {
	numbers numbers // of the node
	best    int     // the child to search next
	second  uint32  // the next child's number by which that was chosen
	open    uint32  // children that are not decided
}

// choose returns the choice among the children of a node. The attacker searches the child
// with the least proof number, the defender the child with the least disproof number.
func choose(children []child, attacks bool) choice {
	c := choice{second: unprovable}
	least, most := uint32(unprovable), uint32(0)
	for i := range children {
		n := children[i].numbers.toMove(attacks)
		if i == 0 || n.proof < least {
			c.second = least
			least = n.proof
			c.best = i
		} else {
			c.second = min(c.second, n.proof)
		}
		if n.disproof != 0 {
			most = max(most, n.disproof)
			c.open++
		}
	}
	n := numbers{proof: least} // every child is decided, for the other side
	if least == 0 && len(children) > 0 {
		n.disproof = unprovable
	} else if c.open > 0 {
		n.disproof = min(most+c.open-1, unprovable)
	}
	c.numbers = n.toMove(attacks)
	return c
}

// toMove turns the numbers for the attacker into those for the side to move, and back: what proves
// the defender's success disproves the attacker's.
func (n numbers) toMove(attacks bool) numbers {
	if attacks {
		return n
	}
	return numbers{n.disproof, n.proof}
}

// limit returns the limit of the best child of a node with a limit: until another child seems
// better by a quarter, or the node is done.
func (c *choice) limit(node numbers, attacks bool) numbers {
	n := node.toMove(attacks)
	better := c.second + c.second/4
	n.proof = min(n.proof, better+1)
	others := c.open - 1
	n.disproof -= min(n.disproof-1, others)
	return n.toMove(attacks)
}

// generate fills f with the moves in p, the last position of the path, that don't let the
// opponent win at once; with one alone if it wins in three plies.
func (s *Prover) generate(p rules.Position, f *frame) {
	f.children = f.children[:0]
	s.rules.Moves(p, &f.moves)
	decisive := s.rules.GoalWins(p, p.Side().Other())
	if decisive {
		s.rules.Evasions(p, &f.moves)
	}
	for _, m := range s.avoided[p] {
		f.moves.Remove(m)
	}
	if m := s.winsInThree(p, f); m != rules.NoMove {
		won := child{move: m, position: s.rules.Apply(p, m), numbers: s.winFor(p.Side())}
		f.children = append(f.children, won)
		return
	}
	for m := range f.moves.All() {
		c := child{move: m, position: s.rules.Apply(p, m)}
		exits := decisive && m.IsGoal() // of Kang: a goal that does not win is no evasion
		if exits && s.rules.CanWin(c.position, c.position.Side()) {
			continue
		}
		c.onPath = len(s.path) == s.maxPlies || s.returns(c.position)
		known, ok := s.table.find(c.position)
		switch {
		case c.onPath:
			c.numbers = provenNoWin
		case ok:
			c.numbers = known
		default:
			c.numbers = s.leaf(c.position, &f.reply)
			s.table.store(c.position, c.numbers, 0)
		}
		f.children = append(f.children, c)
	}
}

// winFor returns the numbers of a position that a side wins.
func (s *Prover) winFor(side rules.Side) numbers {
	if side == s.attacker {
		return provenWin
	}
	return provenNoWin
}

// winsInThree returns a move of f, those in p, after which each reply lets the side to move in p
// win at once.
func (s *Prover) winsInThree(p rules.Position, f *frame) rules.Move {
	side := p.Side()
	if len(s.path)+2 > s.maxPlies || !s.rules.GoalWins(p, side) {
		return rules.NoMove
	}
	for m := range f.moves.All() {
		if m.IsGoal() {
			continue
		}
		next := s.rules.Apply(p, m)
		if !s.rules.CanReachGoal(next, side) || s.rules.CanWin(next, side.Other()) {
			continue
		}
		if s.helpless(next, &f.reply) {
			return m
		}
	}
	return rules.NoMove
}

// helpless reports whether every move in p lets the opponent win at once.
func (s *Prover) helpless(p rules.Position, buffer *rules.MoveSet) bool {
	s.rules.Moves(p, buffer)
	return !s.rules.HasEvasion(p, buffer)
}

// returns reports whether p stood before on the path, under superko with whichever side to move.
func (s *Prover) returns(p rules.Position) bool {
	for _, before := range s.path {
		if before == p {
			return true
		}
		if s.superko && before.Key() == p.Key() {
			return true
		}
	}
	return false
}

// leaf returns the first numbers of p, in which the side to move can't win at once.
func (s *Prover) leaf(p rules.Position, reply *rules.MoveSet) numbers {
	s.nodes++
	if s.nodes >= s.maxNodes {
		s.stopped = true
	} else if s.nodes%64 == 0 && s.ctx.Err() != nil {
		s.stopped = true
	}
	if s.rules.Outcome(p) != rules.Undecided {
		return provenNoWin
	}
	opponent := p.Side().Other()
	score, attacked := s.eval.Evaluate(p)
	if attacked && s.rules.GoalWins(p, opponent) && s.helpless(p, reply) {
		return s.winFor(opponent)
	}
	if opponent == s.attacker {
		score = -score
	}
	return numbers{firstNumber(-score), firstNumber(score)}
}

// firstNumber grows with the evaluation against what is to be proven.
func firstNumber(score agents.Score) uint32 {
	x := min(max(float64(score), -evalRange), evalRange)
	return uint32(math.Round(math.Exp2(firstExponent + x/evalScale)))
}

// Chosen, not measured.
const (
	evalRange     = 600 // hundredths of a point; evaluations beyond count as this
	evalScale     = 150 // hundredths of a point for which the number doubles
	firstExponent = 5   // of 2: the number of an even position
)

// table holds numbers by the positions' hashes: each position has a bucket of entries where it may
// be.
type table [][bucketSize]entry

func (t table) bucket(p rules.Position) *[bucketSize]entry {
	// All bits of the hash are to decide, so it is multiplied by 2^64 divided by the golden ratio.
	return lookahead.Place(t, p.Hash()*0x9e3779b97f4a7c15)
}

// entry is a position with its proof and disproof numbers for the attacker.
type entry struct {
	position rules.Position
	numbers  numbers
	work     uint32 // nodes below it
}

// bucketSize is how many entries of the table a position may have; entryBytes is the size of one.
const (
	bucketSize = 4
	entryBytes = 32
)

func (t table) find(p rules.Position) (n numbers, ok bool) {
	for _, e := range t.bucket(p) {
		if e.position == p {
			return e.numbers, true
		}
	}
	return n, false
}

// store keeps a position's numbers in place of those of the one with the least work.
func (t table) store(p rules.Position, n numbers, work int64) {
	bucket := t.bucket(p)
	least := &bucket[0]
	for i := range bucket {
		e := &bucket[i]
		if e.position == p {
			work += int64(e.work)
			least = e
			break
		}
		if e.work < least.work {
			least = e
		}
	}
	*least = entry{p, n, uint32(min(work, math.MaxUint32))}
}
