package solver

import (
	"cmp"
	"slices"

	"gyges/agents/internal/lookahead"
	"gyges/rules"
)

// pollEvery is the number of nodes between checks of the context: well below a
// millisecond.
const pollEvery = 64

// countNode counts a node and reports whether the search must stop.
func (s *Solver) countNode() bool {
	if s.nodes >= s.nextPoll && !s.stopped {
		s.nextPoll = s.nodes + pollEvery
		s.stopped = s.ctx.Err() != nil
	}
	s.nodes++
	return s.stopped
}

// attack reports whether the side to move in p, the position at the line's end,
// where the game goes on for n plies at least, can force the goal within n, an
// odd number. The result is invalid once the search is stopped.
func (s *Solver) attack(p rules.Position, n int) bool {
	if s.countNode() {
		return false
	}
	key := s.key(p)
	e := s.table.find(key)
	if won, known := e.attack(n); known && s.settles {
		return won
	}
	f := &s.frames[s.line.Len()]
	s.line.Moves(p, &f.moves)
	if s.line.WinningMove(p, &f.moves) != rules.NoMove {
		return true
	}
	if n == 1 || !s.evasions(p, f) {
		return false
	}
	m := s.winner(p, f, n, e.move)
	if s.stopped {
		return false
	}
	s.table.noteAttack(key, m, n)
	return m != rules.NoMove
}

// winner returns a move of f, the evasions of p, that wins within n plies, NoMove
// if there is none.
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
	decisive := s.line.Decisive(p, side)
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
			score = -s.countEvasions(next, f)
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

// descending sorts the move with the higher score first.
func descending(a, b lookahead.ScoredMove) int { return cmp.Compare(b, a) }

// wins reports whether the attacker's move to next, the position at the line's end,
// wins within n plies, that move counted.
func (s *Solver) wins(next rules.Position, n int) bool {
	return next.Passes() < 2 && s.defenceless(next, n-1)
}

// countEvasions returns how many moves in p, the position at the line's end, keep
// the opponent from winning with his next.
func (s *Solver) countEvasions(p rules.Position, f *frame) int {
	s.line.Moves(p, &f.after)
	s.rules.Evasions(p, &f.after)
	return f.after.Len()
}

// defenceless reports whether the side to move in p, the position at the line's
// end, where the game goes on for n plies at least, can't keep the opponent from
// the goal for more than n plies, an even number. The result is invalid
// once the search is stopped.
func (s *Solver) defenceless(p rules.Position, n int) bool {
	if s.countNode() {
		return false
	}
	f := &s.frames[s.line.Len()]
	if n == 2 {
		return s.helpless(p, f)
	}
	key := s.key(p)
	e := s.table.find(key)
	if lost, known := e.defence(n); known && s.settles {
		return lost
	}
	s.line.Moves(p, &f.moves)
	if s.line.WinningMove(p, &f.moves) != rules.NoMove {
		return false
	}
	if !s.evasions(p, f) {
		return true
	}
	m := s.defender(p, f, n, e.move)
	if s.stopped {
		return false
	}
	s.table.noteDefence(key, m, n)
	return m == rules.NoMove
}

// helpless reports whether every move in p lets the opponent win with his next.
func (s *Solver) helpless(p rules.Position, f *frame) bool {
	if !s.line.Decisive(p, p.Side().Other()) {
		return false
	}
	s.line.Moves(p, &f.moves)
	if s.line.WinningMove(p, &f.moves) != rules.NoMove || s.drawsByPass(p, f) {
		return false
	}
	if s.dropLosingExits(p, f) {
		return false
	}
	return !s.rules.HasEvasion(p, &f.moves)
}

// defender returns a move of f, the evasions of p, after which the opponent can't
// win within n-1 plies, NoMove if there is none.
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
	decisive := s.line.Decisive(p, side)
	f.scored = f.scored[:0]
	for m := range f.moves.All() {
		score := s.history.Score(side, m)
		if decisive && s.rules.CanReachGoal(s.rules.Apply(p, m), side) {
			score += 1 << 24 // the attacker must answer himself
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
	return next.Passes() == 2 || !s.attack(next, n-1) && !s.stopped
}

// evasions leaves in f the moves of p that don't let the opponent win with his
// next. It reports whether there are any.
func (s *Solver) evasions(p rules.Position, f *frame) bool {
	if s.line.Decisive(p, p.Side().Other()) && !s.drawsByPass(p, f) {
		s.dropLosingExits(p, f)
		s.rules.Evasions(p, &f.moves)
	}
	return f.moves.Len() > 0
}

// drawsByPass reports whether the only move is a pass that ends the game.
func (s *Solver) drawsByPass(p rules.Position, f *frame) bool {
	return p.Passes() == 1 && f.moves.Contains(rules.Pass)
}

// dropLosingExits removes exits that don't win and let the opponent win, which
// [rules.Rules.Evasions] ignores: only Kang has them. It reports whether
// any exit is left.
func (s *Solver) dropLosingExits(p rules.Position, f *frame) bool {
	if !s.kang {
		return false
	}
	var exits [rules.NumPieces]rules.Move
	n := 0
	for m := range f.moves.Goals() {
		exits[n] = m
		n++
	}
	left := false
	for _, m := range exits[:n] {
		if s.rules.CanReachGoal(s.rules.Apply(p, m), p.Side().Other()) {
			f.moves.Remove(m)
		} else {
			left = true
		}
	}
	return left
}
