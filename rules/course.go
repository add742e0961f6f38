package rules

import "slices"

// Step is one square of a course.
type Step struct {
	Square  Square
	Crossed bool // passed on the way; otherwise the start, a landing or the end
}

// Course returns a course for m in p with the fewest legs: the squares from the start (none if the
// piece comes from a hand) to the end. ok is false if there is none; with one the move may still be
// illegal for other reasons.
func (r *Rules) Course(p Position, m Move) (course []Step, ok bool) {
	if m&kindBit == 0 || m.IsPlacement() {
		return nil, false
	}
	src := source{m.from(), m.FromHand()}
	if src.from.OnBoard() {
		src.height = p.At(src.from)
	}
	if src.height == 0 {
		return nil, false
	}
	var t turn
	t.begin(r, p, p.Side())
	t.aim |= 1 << goalOf(t.side)
	end := SquareSet(1) << m.To()
	if t.courses(src, end).ends&end == 0 {
		return nil, false
	}

	s := r.stepSearch(p, src, t.aim)
	s.wanted = end
	start := src.walk(t.side)
	for legs := 1; !s.search(start, s.occ, legs); legs++ {
	}
	if src.from.OnBoard() {
		s.course = append(s.course, Step{Square: src.from})
	}
	slices.Reverse(s.course)
	return s.course, true
}

// walk is where a piece stands in its course.
type walk struct {
	at   Square
	left int // steps left in the leg
	used usedDoors
}

// walk returns where the course of a source begins.
func (src source) walk(side Side) walk { return walk{at: src.start(side), left: int(src.height)} }

// step goes to a square next to the present one, after a bounce where a leg is over. board is
// without the moving piece. It reports whether the door was open.
func (w *walk) step(r *Rules, board Position, to Square) bool {
	if w.left == 0 {
		w.left = int(board.At(w.at))
		if r.perLeg {
			w.used = usedDoors{}
		}
	}
	isOpen := w.used.pass(w.at, to, r.directed)
	w.at = to
	w.left--
	return isOpen
}

// stepSearch follows the courses of one piece, which has been lifted from the board, step by step.
// It serves to write courses down, and where [courseSearch] doesn't know the rules; that is the
// fast way to the ends of courses.
type stepSearch struct {
	rules  *Rules
	board  Position // without the moving piece
	occ    SquareSet
	aim    SquareSet // the squares where a leg may end
	found  SquareSet // those where some leg has ended
	wanted SquareSet // the search ends when all of these are found
	course []Step    // the one that ended the search, backwards
}

func (r *Rules) stepSearch(p Position, src source, aim SquareSet) stepSearch {
	board := p.without(src)
	return stepSearch{rules: r, board: board, occ: board.Occupied(), aim: aim}
}

// search makes one more step from w with this many legs left in the course. Pieces that the
// course has already bounced off are not open: whatever a second bounce leads to, the first
// one did with fewer doors used. It reports whether everything wanted is found.
func (ss *stepSearch) search(w walk, open SquareSet, legs int) bool {
	for _, to := range adjacency[w.at] {
		next := w
		if !next.step(ss.rules, ss.board, to) {
			continue
		}
		bit := SquareSet(1) << to
		done := false
		if next.left > 0 {
			if (ss.occ|goalSet)&bit == 0 {
				done = ss.search(next, open, legs)
			}
		} else if ss.aim&bit != 0 {
			ss.found |= bit
			done = ss.wanted&^ss.found == 0
			canBounce := legs > 1 && open&bit != 0
			if !done && canBounce {
				done = ss.search(next, open&^bit, legs-1)
			}
		}
		if done {
			ss.course = append(ss.course, Step{to, next.left > 0})
			return true
		}
	}
	return false
}

// legEnds returns where a leg of height h from s can end if no door has been used.
func (ss *stepSearch) legEnds(s Square, h Height) SquareSet {
	ss.found = 0
	ss.wanted = boardSet | goalSet // more than there is
	ss.search(walk{at: s, left: int(h)}, 0, 1)
	return ss.found
}

// stepEnds returns where the courses of src can end, followed step by step. The search is over
// when all is found that could be if doors opened again for every leg.
func (t *turn) stepEnds(src source) SquareSet {
	ss := t.r.stepSearch(t.p, src, t.aim)
	start := src.walk(t.side)
	first := ss.legEnds(start.at, src.height)

	// What could be found if doors opened again for every leg.
	bound := first
	todo := first & ss.occ
	for done := SquareSet(0); todo != 0; todo = bound & ss.occ &^ done {
		piece := todo.first()
		done |= 1 << piece
		bound |= ss.legEnds(piece, ss.board.At(piece))
	}

	ss.found = first
	ss.wanted = bound
	if bound != first {
		ss.search(start, ss.occ, NumPieces)
	}
	return ss.found
}
