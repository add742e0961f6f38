package rules

// courseSearch finds every square on which a course of one piece can end, for doors without
// directions.
//
// The number of courses explodes on a crowded board, but their ends are few, so courses are never
// listed. The search stops after any of four stages that leaves no end to be found:
//
//  1. The ends of the first leg, exact as no door has been used.
//  2. The bound, a superset of the ends: the ends of the legs from every piece that
//     can be landed on, whichever doors are used, but for the one just passed.
//  3. Forward, bounce by bounce with the doors used so far, onto those pieces only
//     from which a missing end of the bound might still be found. This finds most
//     ends within a few bounces.
//  4. Backward, from each end still missing to the start. What blocks an end is
//     mostly near it, so the proof that no course leads there is short.
//
// No piece is bounced off twice: whatever the second bounce leads to, the first one did with fewer
// doors used.
type courseSearch struct {
	board   Position     // with the moving piece
	low     uint64       // its pieces of height 1
	middle  uint64       // of height 2
	high    uint64       // of height 3
	occ     SquareSet    // squares with a piece, without the moving one
	empty   SquareSet    // squares that may be crossed
	far     SquareSet    // the row from which a step leads to the goal
	goal    SquareSet    // the goal, as a set
	perLeg  bool         // doors are closed within a leg alone: stage 2 is exact
	bounces int          // made in stage 3
	missing SquareSet    // ends of the bound that no course has been found to
	first   SquareSet    // ends of the first leg
	legs    *legsByEnd   // of the start
	ends    setsBySquare // in the bound, of a leg from each piece that it bounces off
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

// flood returns the squares from which a step leads over one of these doors, by its direction.
func (d doorSet) flood() flood {
	const notLastFile = planeMask &^ fileF
	east := uint64(d) & notLastFile
	last := d >> lastDoorBit & 1 << lastNorth
	north := uint64(d>>firstNorthBit | last)
	west := east << 1
	south := north << Files
	return flood{east: east, north: north, west: west, south: south}
}

// step makes a step on or to a side; never straight back, which is the only way in which a leg
// could use a door twice.
func (f flood) step(doors flood) flood {
	eastWest := f.east | f.west
	northSouth := f.north | f.south
	return flood{
		east:  (f.east | northSouth) & doors.east << 1,
		north: (f.north | eastWest) & doors.north << Files,
		west:  (f.west | northSouth) & doors.west >> 1,
		south: (f.south | eastWest) & doors.south >> Files,
	}
}

// on leaves the legs that stand on some squares.
func (f flood) on(squares uint64) flood {
	return flood{f.east & squares, f.north & squares, f.west & squares, f.south & squares}
}

func (f flood) squares() uint64 { return f.east | f.north | f.west | f.south }

// several returns the squares on which legs stand by steps in more than one direction.
func (f flood) several() SquareSet {
	eastNorth := f.east & f.north
	westSouth := f.west & f.south
	ascending := f.east | f.north
	descending := f.west | f.south
	both := ascending & descending
	return SquareSet(eastNorth | westSouth | both)
}

// with adds legs.
func (f flood) with(g flood) flood {
	return flood{f.east | g.east, f.north | g.north, f.west | g.west, f.south | g.south}
}

// anyWay returns legs that stand on some squares and may go on in every direction.
func anyWay(squares SquareSet) flood {
	s := uint64(squares)
	return flood{s, s, s, s}
}

// bounce makes the legs that pieces give to the courses in f, which stand on them after a step in
// some direction, over unused doors. It returns where these legs end: squares with a piece or none,
// by the direction of the last step, and all squares with the goal.
//
// All legs make their last step at the same time: the higher a piece is, the earlier its legs
// begin. So there are no branches by height, which take longer than the steps.
func (c *courseSearch) bounce(f flood, unused doorSet) (ended flood, ends SquareSet) {
	doors := unused.flood()
	empty := uint64(c.empty)
	legs := f.on(c.high).step(doors).on(empty)
	legs = legs.with(f.on(c.middle)).step(doors).on(empty)
	legs = legs.with(f.on(c.low))
	last := legs.squares()
	legs = legs.step(doors)
	return legs, c.endsOf(legs, last)
}

// endsOf returns the squares on which legs end, with the goal if their last step could begin on the
// far row; last is where it began.
func (c *courseSearch) endsOf(legs flood, last uint64) SquareSet {
	goal := c.goal
	if SquareSet(last)&c.far == 0 {
		goal = 0
	}
	return SquareSet(legs.squares()) | goal
}

// legEnds returns where the legs of h steps from some squares can end if no door is used: empty
// squares, pieces and the goal.
func (c *courseSearch) legEnds(from SquareSet, h Height) SquareSet {
	doors := allDoors.flood()
	last := uint64(from) // where legs stand before the last step
	f := anyWay(from).step(doors)
	for ; h > 1; h-- {
		f = f.on(uint64(c.empty))
		last = f.squares()
		f = f.step(doors)
	}
	return c.endsOf(f, last)
}

// place sets the board and lifts the moving piece, if it is on the board.
func (c *courseSearch) place(p Position, moving SquareSet) {
	c.board = p
	c.low = uint64(p.OfHeight(1))
	c.middle = uint64(p.OfHeight(2))
	c.high = uint64(p.OfHeight(3))
	all := p.Occupied()
	c.occ = all &^ moving
	c.empty = boardSet &^ c.occ
}

// search finds, as far as it is wanted, where courses can end that begin with one of these legs,
// which end in first, by the direction of the last step in arrived.
func (c *courseSearch) search(
	arrived flood, first SquareSet, legs *legsByEnd, wanted SquareSet,
) courses {
	if first&c.occ == 0 {
		return courses{ends: first}
	}
	bound := first
	bounced := SquareSet(0)
	// Pieces that had been landed on from one side alone when their legs were made: those don't
	// lead straight back. They are made again once the piece is landed on from another side.
	once := SquareSet(0)
	several := arrived.several()
	for todo := first & c.occ; todo != 0; todo = c.occ & (bound&^bounced | once&several) {
		bit := todo & -todo
		bounced |= bit
		once = once&^bit | bit&^several
		from := arrived.on(uint64(bit))
		if c.perLeg {
			from = anyWay(bit)
		}
		ended, ends := c.bounce(from, allDoors)
		c.ends[todo.first()] = ends
		bound |= ends
		arrived = arrived.with(ended)
		several = arrived.several()
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
		found.needs, _ = c.forward(first, legs, allDoors, c.occ)
	}
	if c.perLeg || c.bounces > maxBounces {
		found.needs = c.backward(found.bounced)
	}
	found.ends &^= c.missing
	return found
}

// crossedBy returns what the first of some legs crosses that is free while these doors are unused.
func (c *courseSearch) crossedBy(run legRange, unused doorSet) (crossed SquareSet, ok bool) {
	for ; run.more(); run = run.next() {
		if l := run.leg(); l.free(c.occ, unused) {
			return l.crossed, true
		}
	}
	return 0, false
}

// maxBounces is how many bounces stage 3 makes. It is mostly over by then.
const maxBounces = 24

// forward goes on from a piece whose legs end on ends while these doors are unused, onto the open
// pieces among them. It reports whether the stage is over: nothing is missing, and it returns what
// the last course that it found crosses and bounces off from here on; or too many bounces have been
// made.
func (c *courseSearch) forward(ends SquareSet, legs *legsByEnd, unused doorSet, open SquareSet) (
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
			if !l.free(c.occ, unused) {
				continue
			}
			then := unused &^ l.doors
			_, found := c.bounce(anyWay(bit), then)
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
		course, ok := c.leadsTo(s, &before, allDoors, bounced&^(1<<s))
		if ok {
			needs = course
			c.missing &^= 1 << s
		}
	}
	return needs
}

// leadsTo reports whether a course from the start ends on s that uses these doors only and bounces
// off open pieces only, and what one crosses and bounces off.
func (c *courseSearch) leadsTo(s Square, before *setsBySquare, unused doorSet, open SquareSet) (
	needs SquareSet, ok bool) {
	if c.first.Has(s) {
		needs, ok = c.crossedBy(c.legs[s], unused)
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
			if !l.free(c.occ, unused) {
				continue
			}
			then := unused &^ l.doors
			if c.perLeg {
				then = allDoors
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
