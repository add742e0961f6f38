package solver

import (
	"cmp"
	"slices"

	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// pollEvery is the number of nodes between checks of the context: well below a millisecond.
const pollEvery = 64

func (s *Solver) countNode() bool {
	if s.nodes >= s.nextPoll && !s.stopped {
		s.nextPoll = s.nodes + pollEvery
		s.stopped = s.ctx.Err() != nil
	}
	s.nodes++
	return s.stopped
}

// result reports whether the side to move in p, at the line's end with n plies or more to come, can force the goal
// within n plies if n is odd, or can't prevent it if n is even. It is invalid once the search is stopped.
func (s *Solver) result(p rules.Position, n int) bool {
	if s.countNode() {
		return false
	}
	attacks := n%2 == 1
	f := &s.frames[s.line.Len()]
	if n == 2 {
		return s.helpless(p, f)
	}
	key := p.Hash()
	e := s.table.find(key)
	if yes, known := e.result(n); known && s.useTable {
		return yes
	}
	s.line.Moves(p, &f.moves)
	switch {
	case s.line.WinningMove(p, &f.moves) != rules.NoMove:
		return attacks
	case n == 1:
		return false
	case !s.evasions(p, f):
		return !attacks
	}
	var m rules.Move
	if attacks {
		m = s.winner(p, f, n, e.move)
	} else {
		m = s.defender(p, f, n, e.move)
	}
	if s.stopped {
		return false
	}
	yes := (m != rules.NoMove) == attacks
	s.table.store(key, n, yes, m)
	return yes
}

// winner returns a move of f, the evasions of p, that wins within n plies, NoMove if there is none.
func (s *Solver) winner(p rules.Position, f *frame, n int, first rules.Move) rules.Move {
	side := p.Side()
	s.line.Push(p)
	defer s.line.Pop()
	if first != rules.NoMove && f.moves.Contains(first) {
		if f.moves.Remove(first); s.wins(s.rules.Apply(p, first), n) {
			return first
		}
	}
	f.scored = f.scored[:0]
	decisive := s.rules.GoalWins(p, side)
	for m := range f.moves.All() {
		next := s.rules.Apply(p, m)
		threat := decisive && s.rules.CanReachGoal(next, side)
		if threat && n == 3 {
			if s.wins(next, n) {
				return m
			}
			continue
		}
		score := -1 << 20 // after all threats
		if threat {
			s.line.Moves(next, &f.after)
			s.rules.Evasions(next, &f.after)
			score = -f.after.Len() // the fewest evasions first
		}
		f.scored = append(f.scored, lookahead.NewScoredMove(m, int32(score)))
	}
	if n > 3 {
		slices.SortFunc(f.scored, descending)
	}
	for _, r := range f.scored {
		if s.wins(s.rules.Apply(p, r.Move()), n) {
			return r.Move()
		}
		if s.stopped {
			break
		}
	}
	return rules.NoMove
}

func descending(a, b lookahead.ScoredMove) int { return cmp.Compare(b, a) }

// wins reports whether the attacker's move to next, the position at the line's end, wins within n plies.
func (s *Solver) wins(next rules.Position, n int) bool {
	return next.Passes() < 2 && s.result(next, n-1)
}

func (s *Solver) helpless(p rules.Position, f *frame) bool {
	if !s.rules.GoalWins(p, p.Side().Other()) {
		return false
	}
	s.line.Moves(p, &f.moves)
	return s.line.WinningMove(p, &f.moves) == rules.NoMove && !s.drawsByPass(p, f) && !s.dropLosingExits(p, f) &&
		!s.rules.HasEvasion(p, &f.moves)
}

// defender returns a move of f, the evasions of p, after which the opponent can't win within n-1 plies, or NoMove.
func (s *Solver) defender(p rules.Position, f *frame, n int, first rules.Move) rules.Move {
	s.line.Push(p)
	defer s.line.Pop()
	for _, m := range [...]rules.Move{first, f.killers[0], f.killers[1]} {
		if m != rules.NoMove && f.moves.Contains(m) {
			if f.moves.Remove(m); s.saves(p, m, n) {
				return m
			}
		}
	}
	side := p.Side()
	decisive := s.rules.GoalWins(p, side)
	f.scored = f.scored[:0]
	for m := range f.moves.All() {
		score := s.history.Score(side, m)
		if decisive && s.rules.CanReachGoal(s.rules.Apply(p, m), side) {
			score += 1 << 24 // the attacker needs an evasion, too
		}
		f.scored = append(f.scored, lookahead.NewScoredMove(m, score))
	}
	slices.SortFunc(f.scored, descending)
	for _, r := range f.scored {
		if s.stopped {
			break
		}
		if m := r.Move(); s.saves(p, m, n) {
			s.history.Add(side, m, 1)
			if f.killers[0] != m {
				f.killers = [2]rules.Move{m, f.killers[0]}
			}
			return m
		}
	}
	return rules.NoMove
}

// saves reports whether the opponent can't win within n-1 plies after m in p.
func (s *Solver) saves(p rules.Position, m rules.Move, n int) bool {
	next := s.rules.Apply(p, m)
	return next.Passes() == 2 || !s.result(next, n-1) && !s.stopped
}

// evasions leaves in f the moves of p that don't let the opponent win in one, and reports whether there are any.
func (s *Solver) evasions(p rules.Position, f *frame) bool {
	if s.rules.GoalWins(p, p.Side().Other()) && !s.drawsByPass(p, f) {
		s.dropLosingExits(p, f)
		s.rules.Evasions(p, &f.moves)
	}
	return f.moves.Len() > 0
}

// drawsByPass reports whether the only move is a pass that ends the game.
func (s *Solver) drawsByPass(p rules.Position, f *frame) bool {
	return p.Passes() == 1 && f.moves.Contains(rules.Pass)
}

// dropLosingExits removes exits of Kang that let the opponent win, which Evasions ignores. It reports if any is left.
func (s *Solver) dropLosingExits(p rules.Position, f *frame) bool {
	if !s.kang {
		return false
	}
	left := false
	for m := range f.moves.Goals() {
		if s.rules.CanReachGoal(s.rules.Apply(p, m), p.Side().Other()) {
			f.moves.Remove(m)
		} else {
			left = true
		}
	}
	return left
}

// entry holds the results of a position, for the side to move there.
type entry struct {
	key     uint64
	move    rules.Move // won or saved here before
	results [2]bounds  // for even and odd numbers of plies
}

// bounds are the lowest number of plies within which the result is yes, and the highest within which it is no; 0: none.
type bounds struct{ yes, no uint8 }

const entryBytes = 16

func (e *entry) result(n int) (yes, known bool) {
	r := e.results[n%2]
	if r.yes != 0 && int(r.yes) <= n {
		return true, true
	}
	return false, int(r.no) >= n
}

// table holds results by the positions' hashes. A new position replaces the old one.
type table struct{ entries []entry }

// find returns the entry of a position, an empty one if there is none.
func (t *table) find(key uint64) entry {
	if e := lookahead.Place(t.entries, key); e.key == key {
		return *e
	}
	return entry{}
}

// store adds the result of a position within n plies, and the move that wins or saves, if there is one.
func (t *table) store(key uint64, n int, yes bool, m rules.Move) {
	e := lookahead.Place(t.entries, key)
	if e.key != key {
		*e = entry{key: key}
	}
	if m != rules.NoMove {
		e.move = m
	}
	if r := &e.results[n%2]; yes {
		r.yes = uint8(n)
	} else {
		r.no = max(r.no, uint8(n))
	}
}
