// Package solver proves wins and losses: whether the side to move can force the goal within N
// plies, or can't keep the opponent from it. Wins and losses that it finds are proven by the rules
// alone. That there is none, or none quicker, rests on hashes of 64 bits: a table takes positions
// with the same hash for equal.
//
// Package proofnumber finds long wins, guided by the evaluation, and gives a strategy that is
// played through. [Solver] finds the shortest wins without any evaluation. [Search] is either, of
// one game or a list.
//
// The Solver is a depth-first search of the AND/OR tree, deepened ply by ply, so that the first
// proof is the shortest. An attacker's moves must be evasions of the opponent's own threat, and at
// the last plies moves are tested as sets and not one by one. No move is left out, as a winning
// move need not threaten anything: positions are common in which every move of the loser lets the
// opponent win. Threats are searched first.
//
// Under superko a result may rest on the way to a position. There the table gives only the move to
// try first (D. Breuker, "Memory versus search in games", 1998, on the graph-history interaction).
// Under other rules its results are used, but a proof is searched a second time without them.
package solver

import (
	"context"
	"fmt"

	"gyges/agents/internal/lookahead"
	"gyges/agents/solver/proofnumber"
	"gyges/rules"
)

// MaxDepth is the highest depth of a search, in plies.
const MaxDepth = 31

// DefaultMegabytes is a good size of the table.
const DefaultMegabytes = 16

// Result is a proven result of a position.
type Result struct {
	// Plies is the number of plies in which the side to move wins (positive) or loses (negative);
	// 0: nothing is forced.
	Plies int
	Depth int // plies up to which the result is complete: there is no quicker one
	// Line is a line of best play to the goal, the quickest win against the longest defence; empty
	// if nothing is forced.
	Line  []rules.Move
	Nodes int64 // positions visited
}

// Solver proves results. It belongs to one goroutine and allocates nothing per position.
type Solver struct {
	rules   *rules.Rules
	line    lookahead.Line
	frames  []frame
	table   table
	history lookahead.History
	// useTable reports whether results of the table are used: under superko they may rest on the
	// way.
	useTable bool
	kang     bool

	ctx      context.Context
	nodes    int64
	nextPoll int64
	stopped  bool
}

// frame is what the search has at a ply.
type frame struct {
	moves   rules.MoveSet
	after   rules.MoveSet // the opponent's, to count the evasions
	scored  []lookahead.ScoredMove
	killers [2]rules.Move // saved a position at this ply before
}

// New returns a solver with a table of megabytes MB, at least 1.
func New(megabytes int) *Solver {
	size := max(megabytes, 1) << 20
	return &Solver{
		frames: make([]frame, MaxDepth+1),
		table:  make(table, size/entryBytes),
	}
}

// Solve looks for a forced result within depth plies, 1 to [MaxDepth], of the present position of
// g, a game under way. When ctx is cancelled it returns at once with the result so far and the
// context's error.
//
// Wins and losses are exact. There is one rare case in which a result is found two plies too late:
// a win that exists only because the repetition rule forbids every move from the opponent's nearest
// row.
func (s *Solver) Solve(ctx context.Context, g *rules.Game, depth int) (Result, error) {
	if err := s.begin(ctx, g, depth); err != nil {
		return Result{}, err
	}
	defer func() { s.ctx = nil }()
	p := g.Position()
	most := min(depth, s.line.Left()) // beyond the game's length nothing is won
	var r Result
	for n := 1; n <= most; n++ {
		var line []rules.Move
		if s.forced(p, n) {
			line = s.best(p, n)
		}
		r.Nodes = s.nodes
		if s.stopped {
			return r, s.ctx.Err()
		}
		r.Depth = n
		if line == nil {
			continue
		}
		r.Line = line
		r.Plies = -n
		if wins(n) {
			r.Plies = n
		}
		return r, nil
	}
	r.Depth = depth
	return r, nil
}

// wins reports whether a result n plies away is a win of the side to move, which then makes the
// last move; else it is a loss.
func wins(n int) bool { return n%2 == 1 }

// winsWithin reports whether the side to move wins in p within some plies, an odd number.
func (s *Solver) winsWithin(p rules.Position, plies int) bool {
	for n := 1; n <= plies; n += 2 {
		if s.forced(p, n) {
			return true
		}
	}
	return false
}

// begin prepares for a search.
func (s *Solver) begin(ctx context.Context, g *rules.Game, depth int) error {
	if depth < 1 || depth > MaxDepth {
		return fmt.Errorf("depth: expected 1 to %d, found %d", MaxDepth, depth)
	}
	if g.Rules().SettingUp(g.Position()) {
		return proofnumber.ErrSetup
	}
	s.rules = g.Rules()
	s.line.Begin(g)
	o := s.rules.Options()
	s.kang = o.Kang
	s.useTable = o.Repetition != rules.Superko
	s.ctx = ctx
	s.nodes = 0
	s.nextPoll = 0
	s.stopped = false
	clear(s.table)
	s.history = lookahead.History{}
	for i := range s.frames {
		s.frames[i].killers = [2]rules.Move{}
	}
	return nil
}

// forced reports whether the side to move, in p at the line's end, can force the goal within n
// plies if n is odd, or can't keep the opponent from it within n if n is even. A positive result
// does not rest on results of the table.
func (s *Solver) forced(p rules.Position, n int) bool {
	if s.line.Outcome(p) != rules.Undecided {
		return false
	}
	found := s.result(p, n)
	if found && s.useTable {
		s.useTable = false
		found = s.result(p, n)
		s.useTable = true
	}
	return found && !s.stopped
}

// best returns a line of best play from p, which is won or lost in n plies.
func (s *Solver) best(p rules.Position, n int) []rules.Move {
	var line []rules.Move
	for ; n > 0 && !s.stopped; n-- {
		m := s.bestMove(p, n)
		if m == rules.NoMove {
			break // only if stopped
		}
		s.line.Push(p)
		p = s.rules.Apply(p, m)
		line = append(line, m)
	}
	s.line.Rewind()
	return line
}

// bestMove returns a move of p, where the result is n plies away, after which it is n-1 plies away.
func (s *Solver) bestMove(p rules.Position, n int) rules.Move {
	var ms rules.MoveSet
	s.line.Moves(p, &ms)
	if n == 1 {
		return s.line.WinningMove(p, &ms)
	}
	for m := range ms.All() {
		s.line.Push(p)
		next := s.rules.Apply(p, m)
		// The loser's move must not lose sooner. The winner's can't win sooner.
		sooner := !wins(n) && s.winsWithin(next, n-3)
		keeps := !sooner && s.forced(next, n-1)
		s.line.Pop()
		if keeps || s.stopped {
			return m
		}
	}
	return rules.NoMove
}
