package solver

import (
	"cmp"
	"slices"

	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// pollEvery is the number of nodes between checks of the context: well below a millisecond.
const pollEvery = 64

// countNode counts a position, and reports whether the search is stopped.
func (s *Solver) countNode() bool {
	if s.nodes >= s.nextPoll && !s.stopped {
		s.nextPoll = s.nodes + pollEvery
		s.stopped = s.ctx.Err() != nil
	}
	s.nodes++
	return s.stopped
}

// result reports whether the side to move in p, at the line's end with n plies or more to come, can
// force the goal within n plies if n is odd, or can't prevent it if n is even. It is invalid once
// the search is stopped.
func (s *Solver) result(p rules.Position, n int) bool {
	if s.countNode() {
		return false
	}
	f := &s.frames[s.line.Len()]
	if n == 2 {
		return s.helpless(p, f)
	}
	key := p.Hash()
	e := s.table.find(key)
	yes, known := e.result(n)
	if known && s.useTable {
		return yes
	}
	attacks := wins(n)
	s.line.Moves(p, &f.moves)
	switch {
	case s.line.WinningMove(p, &f.moves) != rules.NoMove:
		return attacks
	case n == 1:
		return false
	case !s.evasions(p, f):
		return !attacks
	}
	if attacks {
		e.move = s.winner(p, f, n, e.move)
		yes = e.move != rules.NoMove
	} else {
		e.move = s.defender(p, f, n, e.move)
		yes = e.move == rules.NoMove
	}
	if s.stopped {
		return false
	}
	s.table.store(key, n, yes, e.move)
	return yes
}

// winner returns a move of f, the evasions of p, that wins within n plies, NoMove if there is none.
func (s *Solver) winner(p rules.Position, f *frame, n int, first rules.Move) rules.Move {
	s.line.Push(p)
	defer s.line.Pop()
	if first != rules.NoMove && f.moves.Contains(first) {
		f.moves.Remove(first)
		if s.forces(s.rules.Apply(p, first), n) {
			return first
		}
	}
	side := p.Side()
	decisive := s.rules.GoalWins(p, side)
	f.scored = f.scored[:0]
	for m := range f.moves.All() {
		next := s.rules.Apply(p, m)
		threat := decisive && s.rules.CanReachGoal(next, side)
		if threat && n == 3 { // its result is known without more moves
			if s.forces(next, n) {
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
	for _, scored := range f.scored {
		m := scored.Move()
		if s.forces(s.rules.Apply(p, m), n) {
			return m
		}
		if s.stopped {
			break
		}
	}
	return rules.NoMove
}

func descending(a, b lookahead.ScoredMove) int { return cmp.Compare(b, a) }

// forces reports whether the attacker's move to next, the position at the line's end, wins within n
// plies.
func (s *Solver) forces(next rules.Position, n int) bool {
	return next.Passes() < 2 && s.result(next, n-1)
}

// helpless reports whether the side to move in p can't keep the opponent from winning with the next
// move.
func (s *Solver) helpless(p rules.Position, f *frame) bool {
	if !s.rules.GoalWins(p, p.Side().Other()) {
		return false
	}
	s.line.Moves(p, &f.moves)
	if s.line.WinningMove(p, &f.moves) != rules.NoMove || s.drawsByPass(p, f) {
		return false
	}
	return !s.dropLosingExits(p, f) && !s.rules.HasEvasion(p, &f.moves)
}

// defender returns a move of f, the evasions of p, after which the opponent can't win within n-1
// plies, or NoMove.
func (s *Solver) defender(p rules.Position, f *frame, n int, first rules.Move) rules.Move {
	s.line.Push(p)
	defer s.line.Pop()
	for _, m := range [...]rules.Move{first, f.killers[0], f.killers[1]} {
		if m == rules.NoMove || !f.moves.Contains(m) {
			continue
		}
		f.moves.Remove(m)
		if s.saves(p, m, n) {
			return m
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
	for _, scored := range f.scored {
		if s.stopped {
			break
		}
		m := scored.Move()
		if !s.saves(p, m, n) {
			continue
		}
		s.history.Add(side, m, 1)
		if f.killers[0] != m {
			f.killers = [2]rules.Move{m, f.killers[0]}
		}
		return m
	}
	return rules.NoMove
}

// saves reports whether the opponent can't win within n-1 plies after m in p.
func (s *Solver) saves(p rules.Position, m rules.Move, n int) bool {
	next := s.rules.Apply(p, m)
	if next.Passes() == 2 {
		return true
	}
	return !s.result(next, n-1) && !s.stopped
}

// evasions leaves in f the moves of p that don't let the opponent win in one, and reports whether
// there are any.
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

// dropLosingExits removes exits of Kang that let the opponent win, which Evasions ignores. It
// reports if any is left.
func (s *Solver) dropLosingExits(p rules.Position, f *frame) (left bool) {
	if !s.kang {
		return false
	}
	for m := range f.moves.Goals() {
		if s.rules.CanReachGoal(s.rules.Apply(p, m), p.Side().Other()) {
			f.moves.Remove(m)
		} else {
			left = true
		}
	}
	return left
}

// table holds results by the positions' hashes. A new position replaces the old one.
type table []entry

// entry holds the results of a position, for the side to move there.
type entry struct {
	key       uint64
	move      rules.Move // won or saved here before
	win, loss bounds     // within odd numbers of plies, within even ones
}

const entryBytes = 16

// bounds are the lowest number of plies within which the result is yes, and the highest within
// which it is no; 0: none.
type bounds struct{ yes, no uint8 }

// bounds returns those of results n plies away.
func (e *entry) bounds(n int) *bounds {
	if wins(n) {
		return &e.win
	}
	return &e.loss
}

// result returns the result within n plies, if it is known.
func (e *entry) result(n int) (yes, known bool) {
	b := e.bounds(n)
	if b.yes != 0 && int(b.yes) <= n {
		return true, true
	}
	return false, int(b.no) >= n
}

// find returns the entry of a position, an empty one if there is none.
func (t table) find(key uint64) entry {
	e := lookahead.Place(t, key)
	if e.key != key {
		return entry{}
	}
	return *e
}

// store adds the result of a position within n plies, and the move that wins or saves, if there is
// one.
func (t table) store(key uint64, n int, yes bool, m rules.Move) {
	e := lookahead.Place(t, key)
	if e.key != key {
		*e = entry{key: key}
	}
	if m != rules.NoMove {
		e.move = m
	}
	b := e.bounds(n)
	if yes {
		b.yes = uint8(n)
	} else {
		b.no = max(b.no, uint8(n))
	}
}
