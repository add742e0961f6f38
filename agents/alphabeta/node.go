package alphabeta

import (
	"gyges/agents"
	"gyges/rules"
)

// node returns the score of p, the position at the line's end, searched to
// depth: the true one if it lies between alpha and beta, else a bound. Wins and
// losses are counted from the root. It means nothing once the search is stopped.
func (s *search) node(p rules.Position, alpha, beta agents.Score, depth int) agents.Score {
	ply := s.line.Len()
	f := &s.stack[ply]
	f.pv = f.pv[:0]
	if s.visit() {
		return 0
	}
	switch s.line.Outcome(p) {
	case rules.Undecided:
	case rules.Draw:
		return 0
	default: // the last move won
		return -agents.WinIn(ply)
	}
	key := p.Hash()
	l := s.look(p, key)
	if l.wins {
		if m := s.winningMove(p, f); m != rules.NoMove {
			if beta-alpha > 1 {
				f.pv = append(f.pv, m)
			}
			return agents.WinIn(ply + 1)
		}
	}
	if depth == 0 {
		return s.leaf(p, l, f, beta-alpha > 1)
	}
	// There is no win at once here: the best is a win with the next move but
	// one, the worst a loss by the opponent's next.
	if top := agents.WinIn(ply + 3); alpha >= top {
		return top
	}
	if bottom := -agents.WinIn(ply + 2); beta <= bottom {
		return bottom
	}
	k := picker{first: [3]rules.Move{rules.NoMove, f.killers[0], f.killers[1]}}
	if e, ok := s.table.find(key); ok {
		k.first[0] = e.move
		if beta-alpha == 1 {
			if score, ok := e.usable(alpha, beta, depth, ply, s.line.Left(), s.plain); ok {
				return score
			}
		}
	}
	if ply == 0 {
		k.first[0] = s.rootMove
	}
	return s.expand(p, key, l, &k, alpha, beta, depth)
}

// winningMove returns a move that wins at once in p, a position that has one;
// NoMove where all of them are excluded at the root.
func (s *search) winningMove(p rules.Position, f *frame) rules.Move {
	if s.line.Len() > 0 || len(s.leaveOut) == 0 {
		return s.rules.GoalMove(p, p.Side())
	}
	s.generate(p, f)
	return s.line.WinningMove(p, &f.moves)
}

// generate fills the frame's moves with those of p that are to be searched: the
// legal ones, at the root without those excluded.
func (s *search) generate(p rules.Position, f *frame) {
	s.line.Moves(p, &f.moves)
	if s.line.Len() > 0 {
		return
	}
	for _, m := range s.leaveOut {
		f.moves.Remove(m)
	}
}

// leaf returns the score of a position that is not searched: the evaluation, but
// a loss where nothing keeps the opponent from winning.
func (s *search) leaf(p rules.Position, l look, f *frame, wide bool) agents.Score {
	if s.plain || !l.attacked || s.line.Parries(p, &f.moves) {
		return l.score
	}
	if wide {
		f.pv = append(f.pv, s.lose(p, f)...)
	}
	return -agents.WinIn(s.line.Len() + 2)
}

// expand searches the moves of p.
func (s *search) expand(p rules.Position, key uint64, l look, k *picker, alpha, beta agents.Score, depth int) agents.Score {
	ply := s.line.Len()
	f := &s.stack[ply]
	s.generate(p, f)
	best, bestMove, kind := -infinity, rules.NoMove, upper
	wide := beta-alpha > 1
	n := 0
	for m := s.pick(k, f, p, depth); m != rules.NoMove && !s.stopped; m = s.pick(k, f, p, depth) {
		if s.enough(depth, n, wide, best) {
			best = max(best, min(alpha, l.score))
			break
		}
		score := s.try(p, m, alpha, beta, depth, s.reduction(depth, n, wide, best), n == 0)
		n++
		if s.stopped {
			return 0
		}
		if score <= best {
			continue
		}
		best, bestMove = score, m
		if score <= alpha {
			continue
		}
		alpha, kind = score, exact
		if wide {
			f.pv = append(append(f.pv[:0], m), s.stack[ply+1].pv...)
		}
		if ply == 0 {
			s.rootScore = score
		}
		if score >= beta {
			kind = lower
			s.refuted(p, f, m, depth)
			break
		}
	}
	if s.stopped {
		return 0
	}
	if n == 0 { // every move hands over a win
		best, kind = -agents.WinIn(ply+2), exact
		if wide {
			f.pv = append(f.pv, s.lose(p, f)...)
		}
	}
	if s.line.Left() > depth && (ply > 0 || len(s.leaveOut) == 0) { // else the score may rest on the game's length
		s.table.store(entry{key: key, move: bestMove, score: toTable(best, ply), depth: uint8(depth)}, kind)
	}
	return best
}

// lose returns a move after which the opponent wins with his next, and that.
func (s *search) lose(p rules.Position, f *frame) []rules.Move {
	s.generate(p, f)
	m := f.moves.At(0)
	next := s.rules.Apply(p, m)
	return []rules.Move{m, s.rules.GoalMove(next, next.Side())}
}

// margins say how selective a search is.
type margins struct {
	plain       bool // not at all: every move is searched to the full depth
	triedLast   int  // moves tried before the last ply
	fullyTried  int  // moves searched to the full depth before any are reduced
	reducedMore int  // moves after which they are reduced by a ply more, and after four times as many by two
}

// enough tells whether a node that has tried n moves has tried enough of them:
// before the last ply the rest, by their history the least, is left out. A node
// that might be lost tries them all, so that losses are proven.
func (s *search) enough(depth, n int, wide bool, best agents.Score) bool {
	return !s.plain && depth == 1 && !wide && n >= s.triedLast && best > -agents.WinScore
}

// reduction returns by how many plies less a node's n-th move is searched at first.
func (s *search) reduction(depth, n int, wide bool, best agents.Score) int {
	if s.plain || depth < 2 || n < s.fullyTried || best <= -agents.WinScore {
		return 0
	}
	r := 1
	if n >= s.reducedMore {
		r++
	}
	if n >= 4*s.reducedMore {
		r++
	}
	if wide && r > 1 {
		r--
	}
	return min(r, depth-1)
}

// try searches the position after m. All moves but the first are expected to be
// no better than alpha, which is quicker to show than their true score, and
// quicker still with a reduced depth. Moves that attack are not reduced.
func (s *search) try(p rules.Position, m rules.Move, alpha, beta agents.Score, depth, reduction int, first bool) agents.Score {
	next := s.rules.Apply(p, m)
	s.line.Push(p)
	defer s.line.Pop()
	if !first {
		if reduction > 0 && s.line.Outcome(next) == rules.Undecided && s.look(next, next.Hash()).attacked {
			reduction = 0
		}
		score := -s.node(next, -alpha-1, -alpha, depth-1-reduction)
		if score > alpha && reduction > 0 && !s.stopped {
			score = -s.node(next, -alpha-1, -alpha, depth-1)
		}
		if score <= alpha || score >= beta {
			return score
		}
	}
	return -s.node(next, -beta, -alpha, depth-1)
}

// refuted notes that m was too good for the opponent to allow p.
func (s *search) refuted(p rules.Position, f *frame, m rules.Move, depth int) {
	s.history.reward(p.Side(), m, depth)
	if f.killers[0] != m {
		f.killers = [2]rules.Move{m, f.killers[0]}
	}
}
