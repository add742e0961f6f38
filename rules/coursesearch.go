package rules

// courseSearch finds every square on which a course of one piece can end, for doors without
// directions.
//
// The number of courses explodes on a crowded board, but their ends are few, so courses are never
// listed. The search stops after any of four stages that leaves no end to be found:
//
//  1. The ends of the first leg, exact as no door has been used.
//  2. The bound, a superset of the ends: the ends of the legs from every piece that
//     can be landed on, whichever doors are used.
//  3. Forward, bounce by bounce with the doors used so far, onto those pieces only
//     from which a missing end of the bound might still be found. This finds most
//     ends within a few bounces.
//  4. Backward, from each end still missing to the start. What blocks an end is
//     mostly near it, so the proof that no course leads there is short.
//
// No piece is bounced off twice: whatever the second bounce leads to, the first one did with fewer
// doors used.
type courseSearch struct {
	board   Position  // without the moving piece
	occ     SquareSet // squares with a piece
	empty   SquareSet
	far     SquareSet    // the row from which a step leads to the goal
	goal    SquareSet    // the goal, as a set
	perLeg  bool         // doors are closed within a leg alone: stage 2 is exact
	bounces int          // made in stage 3
	missing SquareSet    // ends of the bound that no course has been found to
	first   SquareSet    // ends of the first leg
	legs    *legsByEnd   // of the start
	ends    setsBySquare // of a leg from each piece that the bound bounces off, if no door is used
}

// courses is what a search has found of the courses of one piece.
type courses struct {
	ends    SquareSet // where one can end
	bounced SquareSet // pieces that one could bounce off if doors didn't matter
	needs   SquareSet // what the one found last crosses and bounces off, if it has two legs or more
}

// setsBySquare holds a set for each square, goals included.
type setsBySquare [NumSquares + 2]SquareSet

// flood is where legs stand after some steps: four sets of squares, by the direction of their last
// step. A step moves all of them at once.
type flood struct{ east, north, west, south uint64 }

// openDoors returns the squares from which a step leads on, by its direction: over a door that is
// not used.
func openDoors(used doorSet) flood {
	const lastRow = NumSquares - Files // its first square
	east := planeMask &^ (fileF | used.east)
	north := (1<<lastRow - 1) &^ used.north
	return flood{east: east, north: north, west: east << 1, south: north << Files}
}

// step makes a step on or to a side; never straight back, which is the only way in which a leg
// could use a door twice.
func (f flood) step(open flood) flood {
	eastWest := f.east | f.west
	northSouth := f.north | f.south
	return flood{
		east:  (f.east | northSouth) & open.east << 1,
		north: (f.north | eastWest) & open.north << Files,
		west:  (f.west | northSouth) & open.west >> 1,
		south: (f.south | eastWest) & open.south >> Files,
	}
}

// on leaves the legs that stand on some squares.
func (f flood) on(squares uint64) flood {
	return flood{f.east & squares, f.north & squares, f.west & squares, f.south & squares}
}

func (f flood) squares() uint64 { return f.east | f.north | f.west | f.south }

// legEnds returns where the legs of h steps from the squares in from can end: empty squares, pieces
// and the goal. The doors used are closed.
func (c *courseSearch) legEnds(from SquareSet, h Height, used doorSet) SquareSet {
	open := openDoors(used)
	last := uint64(from) // where legs stand before the last step
	f := flood{last, last, last, last}.step(open)
	for ; h > 1; h-- {
		f = f.on(uint64(c.empty))
		last = f.squares()
		f = f.step(open)
	}
	ends := SquareSet(f.squares())
	if SquareSet(last)&c.far != 0 {
		ends |= c.goal
	}
	return ends
}

// place sets the board: p without the moving piece.
func (c *courseSearch) place(p Position) {
	c.board = p
	c.occ = p.Occupied()
	c.empty = boardSet &^ c.occ
}

// search finds, as far as it is wanted, where courses can end that begin with one of these legs,
// which end in first.
func (c *courseSearch) search(first SquareSet, legs *legsByEnd, wanted SquareSet) courses {
	if first&c.occ == 0 {
		return courses{ends: first}
	}
	bound := first
	bounced := SquareSet(0)
	for todo := first & c.occ; todo != 0; todo = bound & c.occ &^ bounced {
		bit := todo & -todo
		s := todo.first()
		bounced |= bit
		c.ends[s] = c.legEnds(bit, c.board.At(s), doorSet{})
		bound |= c.ends[s]
	}
	found := courses{ends: bound, bounced: bounced}
	c.missing = bound &^ first & wanted
	isExact := c.perLeg && wanted != c.goal // of the goal it is also asked what its course needs
	if c.missing == 0 || isExact {
		return found
	}
	c.first = first
	c.legs = legs
	c.bounces = 0
	if !c.perLeg {
		found.needs, _ = c.forward(first, legs, doorSet{}, c.occ)
	}
	if c.perLeg || c.bounces > maxBounces {
		found.needs = c.backward(found.bounced)
	}
	found.ends &^= c.missing
	return found
}

// crossedBy returns what the first of some legs crosses that is free once these doors are used.
func (c *courseSearch) crossedBy(run legRange, used doorSet) (crossed SquareSet, ok bool) {
	for ; run.more(); run = run.next() {
		if l := run.leg(); l.free(c.occ, used) {
			return l.crossed, true
		}
	}
	return 0, false
}

// maxBounces is how many bounces stage 3 makes. It is mostly over by then.
const maxBounces = 24

// forward goes on from a piece whose legs end on ends now that these doors are used, onto the open
// pieces among them. It reports whether the stage is over: nothing is missing, and it returns what
// the last course that it found crosses and bounces off from here on; or too many bounces have been
// made.
func (c *courseSearch) forward(ends SquareSet, legs *legsByEnd, used doorSet, open SquareSet) (
	needs SquareSet, over bool) {
	c.bounces++
	if c.bounces > maxBounces {
		return 0, true
	}
	for hits := ends & open; hits != 0; hits &= hits - 1 {
		bit := hits & -hits
		s := hits.first()
		rest := open &^ bit
		leads := c.ends[s]&c.missing != 0 || connected(c.ends[s], c.missing, &c.ends, rest)
		if !leads {
			continue
		}
		h := c.board.At(s)
		for run := legs[s]; run.more(); run = run.next() {
			l := run.leg()
			if !l.free(c.occ, used) {
				continue
			}
			then := used.with(l.doors)
			found := c.legEnds(bit, h, then)
			if reached := c.missing & found; reached != 0 {
				c.missing &^= found
				if c.missing == 0 {
					crossed, _ := c.crossedBy(legsTo[h&3][s][reached.first()], then)
					return bit | l.crossed | crossed, true
				}
			}
			if found&rest != 0 {
				needs, over = c.forward(found, &legsTo[h&3][s], then, rest)
				if over {
					return needs | bit | l.crossed, true
				}
			}
		}
	}
	return 0, false
}

// backward decides for every missing square whether a course leads there, through the pieces
// of the bound. It returns what the last course that it found crosses and bounces off.
func (c *courseSearch) backward(bounced SquareSet) (needs SquareSet) {
	var before setsBySquare // the pieces from which a leg leads to a square
	for from := range bounced.All() {
		for to := range (c.ends[from] & (bounced | c.missing)).All() {
			before[to] |= 1 << from
		}
	}
	for s := range c.missing.All() {
		course, ok := c.leadsTo(s, &before, doorSet{}, bounced&^(1<<s))
		if ok {
			needs = course
			c.missing &^= 1 << s
		}
	}
	return needs
}

// leadsTo reports whether a course from the start ends on s that uses none of these doors and
// bounces off open pieces only, and what one crosses and bounces off.
func (c *courseSearch) leadsTo(s Square, before *setsBySquare, used doorSet, open SquareSet) (
	needs SquareSet, ok bool) {
	if c.first.Has(s) {
		needs, ok = c.crossedBy(c.legs[s], used)
		if ok {
			return needs, true
		}
	}
	for from := before[s] & open; from != 0; from &= from - 1 {
		b := from.first()
		rest := open &^ (from & -from)
		start := c.first & rest
		isBegun := c.first.Has(b) || before[b]&start != 0
		if !isBegun && !connected(before[b], start, before, rest) {
			continue
		}
		for run := legsTo[c.board.At(b)&3][b][s]; run.more(); run = run.next() {
			l := run.leg()
			if !l.free(c.occ, used) {
				continue
			}
			then := used.with(l.doors)
			if c.perLeg {
				then = doorSet{}
			}
			needs, ok = c.leadsTo(b, before, then, rest)
			if ok {
				return needs | l.crossed | from&-from, true
			}
		}
	}
	return 0, false
}

// connected reports whether legs lead from a square of from to one of target by way of
// open pieces, doors aside; next has the squares to which legs lead from a piece.
func connected(from, target SquareSet, next *setsBySquare, open SquareSet) bool {
	for todo := from & open; todo != 0; todo = from & open {
		open &^= todo & -todo
		from |= next[todo.first()]
		if from&target != 0 {
			return true
		}
	}
	return false
}
