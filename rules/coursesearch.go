package rules

// courseSearch finds every square on which a course of one piece can end. The
// words of this package: a leg is one run of steps, a course the legs of a turn,
// and the ends of either are the squares where it can end. A bound is a superset
// of the ends of courses that costs less, for it ignores which doors are used.
//
// The number of courses explodes on a crowded board, but their ends are few, so
// courses are never listed. The search stops after any of four stages that
// leaves no end to be found:
//
//  1. The ends of the first leg, exact as no door has been used.
//  2. The bound: the ends of legs from every piece that can be landed on.
//  3. Forward, bounce by bounce with the doors used so far, onto those pieces only
//     from which an end of the bound might still be found. This finds most ends
//     within a few bounces.
//  4. Backward, from each end still missing to the start. What blocks an end is
//     mostly near it, so the proof that no course leads there is short.
//
// No piece is bounced off twice: whatever the second bounce leads to, the first
// one did with fewer doors used.
type courseSearch struct {
	lo, hi    uint64    // the heights' planes without the moving piece
	occ       SquareSet // squares with a piece
	empty     SquareSet
	far       SquareSet     // the row from which a step leads to the goal
	goal      SquareSet     // the goal, as a set
	missing   SquareSet     // squares that may be found yet
	perLeg    bool          // doors are closed within a leg alone: stage 2 is exact, and the last one
	bounces   int           // made in stage 3
	reached   SquareSet     // pieces that can be landed on if doors don't matter
	dependsOn SquareSet     // what the course last found crosses and bounces off
	first     SquareSet     // where the first leg can end
	legs      *[38]legRange // the legs of the start, by where they end
	ends      [NumSquares]SquareSet
}

// doorSet is a set of doors: bit s of east is the door between s and the square
// east of it, bit s of north that between s and the square north of it.
type doorSet struct{ east, north uint64 }

func (d doorSet) with(l *packedLeg) doorSet {
	return doorSet{d.east | l.doors.east, d.north | l.doors.north}
}

// Squares from which a step east or north stays on the board.
const (
	eastable  = planeMask &^ (1<<5 | 1<<11 | 1<<17 | 1<<23 | 1<<29 | 1<<35)
	northable = 1<<(NumSquares-Files) - 1
)

// legEnds returns where the legs of h steps from the one square in from can end:
// empty squares, pieces and the goal. The doors used are closed. Each step moves
// four sets at once, by the direction of the step; never straight back, which
// is the only way in which a leg could use a door twice.
func (w *courseSearch) legEnds(from SquareSet, h Height, used doorSet) SquareSet {
	empty := uint64(w.empty)
	okEast := eastable &^ used.east
	okWest := okEast << 1
	okNorth := northable &^ used.north
	okSouth := okNorth << Files
	last := uint64(from)
	e, s := last&okEast<<1, last&okSouth>>Files
	n, v := last&okNorth<<Files, last&okWest>>1
	if h > 1 {
		e, n, v, s = e&empty, n&empty, v&empty, s&empty
		last = e | n | v | s
		up, flat := n|s, e|v
		e, v, n, s = (e|up)&okEast<<1, (v|up)&okWest>>1, (n|flat)&okNorth<<Files, (s|flat)&okSouth>>Files
		if h > 2 {
			e, n, v, s = e&empty, n&empty, v&empty, s&empty
			last = e | n | v | s
			up, flat = n|s, e|v
			e, v, n, s = (e|up)&okEast<<1, (v|up)&okWest>>1, (n|flat)&okNorth<<Files, (s|flat)&okSouth>>Files
		}
	}
	ends := SquareSet(e | n | v | s)
	if SquareSet(last)&w.far != 0 {
		ends |= w.goal
	}
	return ends
}

// at returns the height of the piece on s.
func (w *courseSearch) at(s Square) Height { return Height(w.lo>>(s&63)&1 | w.hi>>(s&63)&1<<1) }

// place sets the board: p without the moving piece.
func (w *courseSearch) place(p Position, side Side) {
	w.lo, w.hi = p.lo, p.hi
	w.occ = p.Occupied()
	w.empty = boardSet &^ w.occ
	w.far, w.goal = rowSet(Rows-1), 1<<NorthGoal
	if side == North {
		w.far, w.goal = row1, 1<<SouthGoal
	}
}

// courseEnds returns where the courses that begin with one of these legs can
// end, so far as it is wanted. first is where those legs end.
func (w *courseSearch) courseEnds(first SquareSet, legs *[38]legRange, wanted SquareSet) SquareSet {
	w.reached = 0
	if first&w.occ == 0 {
		return first
	}
	limit := first
	for todo := first & w.occ; todo != 0; todo = limit & w.occ &^ w.reached {
		s := todo.first()
		w.reached |= todo & -todo
		ends := w.legEnds(todo&-todo, w.at(s), doorSet{})
		w.ends[s] = ends
		limit |= ends
	}
	w.first, w.legs = first, legs
	if w.perLeg {
		return limit
	}
	w.missing = limit &^ first & wanted
	if w.missing == 0 {
		return limit
	}
	w.dependsOn, w.bounces = 0, 0
	if w.forward(first, legs, doorSet{}, w.occ) == undecided {
		w.dependsOn = 0
		w.backward()
	}
	return limit &^ w.missing
}

// dependencies returns the squares that a course to s depends on, for doors that are
// closed within a leg alone: the pieces it bounces off and what it crosses. s is
// not among the ends of the first leg.
func (w *courseSearch) dependencies(s Square) (on SquareSet) {
	var layers [NumPieces]SquareSet // the pieces by how many bounces lead to them
	n, seen := 0, SquareSet(0)
	for layer := w.first & w.occ; ; n++ {
		layers[n] = layer
		seen |= layer
		var ends SquareSet
		for ; layer != 0; layer &= layer - 1 {
			ends |= w.ends[layer.first()]
		}
		if ends.Has(s) {
			break
		}
		layer = ends & w.occ &^ seen
	}
	for ; n >= 0; n-- {
		for pieces := layers[n]; ; pieces &= pieces - 1 {
			b := pieces.first()
			if w.ends[b].Has(s) {
				crossed, _ := w.leg(b, w.at(b), s, doorSet{})
				on |= 1<<b | crossed
				s = b
				break
			}
		}
	}
	for run := w.legs[s]; run.more(); run = run.next() {
		if l := run.leg(); l.free(w.occ, doorSet{}) {
			return on | l.crossed
		}
	}
	return on
}

// leg returns what a leg of height h from s to end crosses, by other doors than
// these.
func (w *courseSearch) leg(s Square, h Height, end Square, used doorSet) (crossed SquareSet, ok bool) {
	for run := boardLegs[h&3][s][end]; run.more(); run = run.next() {
		if l := run.leg(); l.free(w.occ, used) {
			return l.crossed, true
		}
	}
	return 0, false
}

// verdict is how far a search has come.
type verdict uint8

const (
	exhausted verdict = iota // there is nothing more
	complete                 // nothing is missing
	undecided                // it was given up
)

// maxBounces is how many bounces stage 3 makes. Most walks are over by then.
const maxBounces = 24

// forward goes on from a piece whose legs end on ends now that these
// doors are used, into the open pieces among them.
func (w *courseSearch) forward(ends SquareSet, legs *[38]legRange, used doorSet, open SquareSet) verdict {
	if w.bounces++; w.bounces > maxBounces {
		return undecided
	}
	for hits := ends & open; hits != 0; hits &= hits - 1 {
		bit := hits & -hits
		s := hits.first()
		rest := open &^ bit
		if w.missing&w.ends[s] == 0 && !w.canFindMissing(w.ends[s], rest) {
			continue
		}
		h := w.at(s)
		for run := legs[s]; run.more(); run = run.next() {
			l := run.leg()
			if !l.free(w.occ, used) {
				continue
			}
			then := used.with(l)
			found := w.legEnds(bit, h, then)
			if missing := w.missing; missing&found != 0 {
				if w.missing = missing &^ found; w.missing == 0 {
					crossed, _ := w.leg(s, h, (missing & found).first(), then)
					w.dependsOn |= bit | l.crossed | crossed
					return complete
				}
			}
			if found&rest == 0 {
				continue
			}
			if v := w.forward(found, &boardLegs[h&3][s], then, rest); v != exhausted {
				w.dependsOn |= bit | l.crossed
				return v
			}
		}
	}
	return exhausted
}

// canFindMissing reports whether, doors aside, something missing can be found from the
// pieces in ends on, through open pieces.
func (w *courseSearch) canFindMissing(ends, open SquareSet) bool {
	for todo := ends & open; todo != 0; todo = ends & open {
		open &^= todo & -todo
		ends |= w.ends[todo.first()]
		if ends&w.missing != 0 {
			return true
		}
	}
	return false
}

// backward decides for every missing square whether a course leads there,
// through the pieces reached in stage 2.
func (w *courseSearch) backward() {
	reached := w.reached
	var before [NumSquares + 2]SquareSet // the pieces from which a leg leads to a square
	for from := reached; from != 0; from &= from - 1 {
		for to := w.ends[from.first()] & (reached | w.missing); to != 0; to &= to - 1 {
			before[to.first()] |= from & -from
		}
	}
	for todo := w.missing; todo != 0; todo &= todo - 1 {
		if bit := todo & -todo; w.leadsTo(todo.first(), &before, doorSet{}, reached&^bit) {
			w.missing &^= bit
		}
	}
}

// leadsTo reports whether a course from the start ends on s that uses none of
// these doors and bounces off open pieces only.
func (w *courseSearch) leadsTo(s Square, before *[NumSquares + 2]SquareSet, used doorSet, open SquareSet) bool {
	if w.first.Has(s) {
		for run := w.legs[s]; run.more(); run = run.next() {
			if l := run.leg(); l.free(w.occ, used) {
				w.dependsOn |= l.crossed
				return true
			}
		}
	}
	for from := before[s] & open; from != 0; from &= from - 1 {
		b, rest := from.first(), open&^(from&-from)
		if !w.connected(b, before, rest) {
			continue
		}
		for run := boardLegs[w.at(b)&3][b][s]; run.more(); run = run.next() {
			l := run.leg()
			if l.free(w.occ, used) && w.leadsTo(b, before, used.with(l), rest) {
				w.dependsOn |= l.crossed | from&-from
				return true
			}
		}
	}
	return false
}

// connected reports whether, doors aside, a course could come from the start to b
// through open pieces.
func (w *courseSearch) connected(b Square, before *[NumSquares + 2]SquareSet, open SquareSet) bool {
	if w.first.Has(b) {
		return true
	}
	for todo := before[b] & open; todo != 0; todo &= open {
		if todo&w.first != 0 {
			return true
		}
		open &^= todo & -todo
		todo |= before[todo.first()]
	}
	return false
}

// packedLeg is a leg as courseSearch needs it.
type packedLeg struct {
	doors   doorSet
	crossed SquareSet
}

// free reports whether the squares that the leg crosses are empty and its doors unused.
func (l *packedLeg) free(occ SquareSet, used doorSet) bool {
	return uint64(l.crossed&occ)|l.doors.east&used.east|l.doors.north&used.north == 0
}

// legRange is a run of legs in the table: the place of the first above three bits
// that hold how many there are.
type legRange uint16

func (s legRange) more() bool      { return s&7 != 0 }
func (s legRange) next() legRange  { return s + 8 - 1 }
func (s legRange) leg() *packedLeg { return &packedLegs[s>>3&(maxPackedLegs-1)] }

// maxPackedLegs is the size of the table of legs, a power of two, with some to spare.
const maxPackedLegs = 2048
