package rules

import "slices"

// Step is one square of a course.
type Step struct {
	Square  Square
	Crossed bool // passed on the way; otherwise the start, a landing or the end
}

// Course returns a course for m in p with the fewest legs: the squares from
// the start (none if the piece comes from a hand) to the end. ok is false if
// no course leads from the move's start to its end; the move may still be
// illegal for other reasons.
func (r *Rules) Course(p Position, m Move) (course []Step, ok bool) {
	src := source{m.from(), m.FromHand()}
	if m == Pass || m&kindBit == 0 || m.IsPlacement() {
		return nil, false
	}
	if src.from.OnBoard() {
		src.height = p.At(src.from)
	}
	var t turn
	t.begin(r, p, p.Side())
	t.aim |= 1 << goalOf(t.side)
	if src.height == 0 || !t.courseEnds(src, 1<<m.To()).Has(m.To()) {
		return nil, false
	}
	s := r.stepSearch(p, src, t.aim)
	s.wanted = 1 << m.To()
	for legs := 1; !s.search(src.start(t.side), int(src.height), usedDoors{}, s.occ, legs); legs++ {
	}
	if src.from.OnBoard() {
		s.course = append(s.course, Step{Square: src.from})
	}
	slices.Reverse(s.course)
	return s.course, true
}

// stepSearch follows the courses of one piece, which has been lifted from the board,
// step by step. It serves to write courses down, and where a door counts once in each
// direction; [courseSearch] is the fast way to the ends of courses.
type stepSearch struct {
	rules  *Rules
	board  Position // without the moving piece
	occ    SquareSet
	aim    SquareSet // the squares where a leg may end
	found  SquareSet // those where some leg has ended
	wanted SquareSet // the search ends when all of these are found
	course []Step    // the one that ended the search, backwards
}

// stepSearch prepares the search for the courses of src in p.
func (r *Rules) stepSearch(p Position, src source, aim SquareSet) stepSearch {
	board := p.without(src)
	return stepSearch{rules: r, board: board, occ: board.Occupied(), aim: aim}
}

// search makes one more step from s, with this many steps left in the leg and legs left in
// the course. Pieces that the course has already bounced off are not open: whatever a
// second bounce leads to, the first one did with fewer doors used. It reports whether
// everything wanted is found.
func (ss *stepSearch) search(s Square, steps int, doors usedDoors, open SquareSet, legs int) bool {
	for _, to := range adjacency[s] {
		used, bit := doors, SquareSet(1)<<to
		if !used.pass(s, to, ss.rules.directed) {
			continue
		}
		done := false
		switch {
		case steps > 1 && (ss.occ|goalSet)&bit == 0:
			done = ss.search(to, steps-1, used, open, legs)
		case steps == 1 && ss.aim&bit != 0:
			ss.found |= bit
			done = ss.wanted&^ss.found == 0
			if !done && legs > 1 && open&bit != 0 {
				if ss.rules.perLeg {
					used = usedDoors{}
				}
				done = ss.search(to, int(ss.board.At(to)), used, open&^bit, legs-1)
			}
		}
		if done {
			ss.course = append(ss.course, Step{to, steps > 1})
			return true
		}
	}
	return false
}

// legEnds returns where a leg of height h from s can end if no door has been used.
func (ss *stepSearch) legEnds(s Square, h Height) SquareSet {
	ss.found, ss.wanted = 0, boardSet|goalSet // more than there is
	ss.search(s, int(h), usedDoors{}, 0, 1)
	return ss.found
}

// directedEnds is courseEnds where doors are directed: first are the ends of the first leg.
// The search is over when all is found that could be if doors opened again for every leg.
func (t *turn) directedEnds(src source, first SquareSet) SquareSet {
	ss := t.r.stepSearch(t.p, src, t.aim)
	first &= t.aim
	bound := first
	for todo, done := first&ss.occ, SquareSet(0); todo != 0; todo = bound & ss.occ &^ done {
		piece := todo.first()
		done |= 1 << piece
		bound |= ss.legEnds(piece, ss.board.At(piece))
	}
	ss.found, ss.wanted = first, bound
	if bound != first {
		ss.search(src.start(t.side), int(src.height), usedDoors{}, ss.occ, NumPieces)
	}
	return ss.found
}
