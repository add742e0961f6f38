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
	m := s.find(p, f, n, e.move)
	if s.stopped {
		return false
	}
	yes = (m != rules.NoMove) == attacks
	s.table.store(key, n, yes, m)
	return yes
}

// find returns a move of f, the evasions of p, by which the side to move succeeds: it wins within n
// plies if n is odd, or keeps the opponent from winning within n plies if n is even. It returns
// NoMove if there is none. first is tried first.
func (s *Solver) find(p rules.Position, f *frame, n int, first rules.Move) rules.Move {
	s.line.Push(p)
	defer s.line.Pop()
	attacks := wins(n)
	likely := [3]rules.Move{first}
	if !attacks {
		likely[1], likely[2] = f.killers[0], f.killers[1]
	}
	for _, m := range likely {
		if f.moves.Contains(m) {
			f.moves.Remove(m)
			if s.succeeds(s.rules.Apply(p, m), n) {
				return m
			}
		}
	}

	// The other moves are ordered: threats first, for the attacker by the fewest evasions.
	side := p.Side()
	decisive := s.rules.GoalWins(p, side)
	f.scored = f.scored[:0]
	for m := range f.moves.All() {
		next := s.rules.Apply(p, m)
		threat := decisive && s.rules.CanReachGoal(next, side)
		if threat && n == 3 { // that is answered quickly
			if s.succeeds(next, n) {
				return m
			}
			continue
		}
		var score int32
		switch {
		case !attacks:
			score = s.history.Score(side, m)
			if threat {
				score += threatBonus
			}
		case threat:
			s.line.Moves(next, &f.after)
			s.rules.Evasions(next, &f.after)
			score = -int32(f.after.Len())
		default:
			score = -threatBonus
		}
		f.scored = append(f.scored, lookahead.NewScoredMove(m, score))
	}
	if n > 3 {
		slices.SortFunc(f.scored, descending)
	}
	for _, scored := range f.scored {
		if s.stopped {
			break
		}
		m := scored.Move()
		if !s.succeeds(s.rules.Apply(p, m), n) {
			continue
		}
		if !attacks {
			s.history.Add(side, m, 1)
			if f.killers[0] != m {
				f.killers = [2]rules.Move{m, f.killers[0]}
			}
		}
		return m
	}
	return rules.NoMove
}

// threatBonus is above the scores of the history and above the number of evasions of any threat.
const threatBonus = 1 << 24

func descending(a, b lookahead.ScoredMove) int { return cmp.Compare(b, a) }

// succeeds reports whether a move to next, the position at the line's end, wins within n plies if n
// is odd, or keeps the opponent from winning within n plies if n is even.
func (s *Solver) succeeds(next rules.Position, n int) bool {
	if next.Passes() == 2 { // the game is drawn
		return !wins(n)
	}
	return s.result(next, n-1) == wins(n) && !s.stopped
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
	if s.dropLosingExits(p, f) {
		return false
	}
	return !s.rules.HasEvasion(p, &f.moves)
}

// evasions leaves in f the moves of p that don't let the opponent win in one, and reports whether
// there are any.
func (s *Solver) evasions(p rules.Position, f *frame) bool {
	opponent := p.Side().Other()
	if s.rules.GoalWins(p, opponent) && !s.drawsByPass(p, f) {
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
