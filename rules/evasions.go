package rules

// Evasions removes from ms, legal moves of p, those after which the opponent could take a piece out
// with his next move: under all rules but Kang, the moves that lose at once. Moves that take a
// piece out themselves stay.
//
// A course of the opponent to the goal depends on a few squares: those it crosses are empty, the
// pieces it starts and bounces from stand. Every move that changes none of them loses to it, so one
// course decides most moves.
func (r *Rules) Evasions(p Position, ms *MoveSet) {
	e := evasions{r: r, p: p, ms: ms}
	e.filter()
}

// QuickEvasions is a quick filter for [Rules.Evasions]: what it removes loses at once,
// but some moves that do may stay, those that no course decides for several at a time.
func (r *Rules) QuickEvasions(p Position, ms *MoveSet) {
	if r.oneByOne(p) {
		return
	}
	e := evasions{r: r, p: p, ms: ms, quick: true}
	e.filter()
}

// HasEvasion reports whether [Rules.Evasions] would leave any move. The content of ms is undefined
// afterwards.
func (r *Rules) HasEvasion(p Position, ms *MoveSet) bool {
	e := evasions{r: r, p: p, ms: ms, any: true}
	return e.filter()
}

type evasions struct {
	r     *Rules
	p     Position
	ms    *MoveSet
	any   bool // stop at the first evasion
	quick bool // try nothing move by move
	turn  turn
}

// filter removes the moves that are no evasions; it reports whether it stopped at one, or there was
// nothing to be tried.
func (e *evasions) filter() bool {
	if e.r.SettingUp(e.p) {
		return true
	}
	if e.ms.pass {
		if !e.quick && e.refuted(Pass) {
			e.ms.reset()
		}
		return e.ms.pass
	}
	blockers := boardSet // a move must change something on one of these
	if !e.r.oneByOne(e.p) {
		threat := e.threat(e.p.afterPass())
		if threat.exists {
			blockers = threat.squares
		}
	}
	for gi := range e.ms.groups[:e.ms.n] {
		if e.filterGroup(&e.ms.groups[gi], blockers) && e.any {
			return true
		}
	}
	return false
}

// oneByOne reports whether moves in p must be tried one by one: the opponent's courses don't
// decide several at a time where they are followed step by step or enter from his hand.
func (r *Rules) oneByOne(p Position) bool { return r.stepwise || p.HoldsPieces(p.Side().Other()) }

func (e *evasions) refuted(m Move) bool {
	return e.r.CanReachGoal(e.r.Apply(e.p, m), e.p.Side().Other())
}

// filterGroup filters the moves of a source, which must change one of the blockers, and reports
// whether any is left.
func (e *evasions) filterGroup(g *group, blockers SquareSet) bool {
	base := e.p.afterPass()
	left := blockers // where a piece may go to block
	if g.from.OnBoard() {
		base.lift(g.from)
		if blockers.Has(g.from) {
			left = boardSet
		}
	}
	safe := e.safe(g, base, g.ends&left&boardSet, NoSquare)
	e.keep(g, &g.ends, g.ends&goalSet|safe)
	if e.any && g.ends != 0 {
		return true
	}
	for hit := range g.hits.All() {
		drops := e.ms.dropsOf(g, hit)
		tried := *drops
		if !left.Has(hit) {
			tried &= blockers
		}
		after := base
		after.lift(hit)
		after.put(hit, g.height)
		e.keep(g, drops, e.safe(g, after, tried, hit))
		if e.any && *drops != 0 {
			return true
		}
	}
	return g.count > 0
}

// keep removes the squares of a group's set that aren't kept.
func (e *evasions) keep(g *group, set *SquareSet, kept SquareSet) {
	removed := set.Count() - kept.Count()
	e.ms.count -= removed
	g.count -= removed
	*set = kept
}

// safe returns the squares, of those given, on which the piece missing in base (moved, or displaced
// on hit) blocks.
func (e *evasions) safe(g *group, base Position, squares SquareSet, hit Square) SquareSet {
	if squares == 0 {
		return 0
	}
	undecided := squares
	if !e.r.oneByOne(e.p) {
		threat := e.threat(base)
		undecided &= threat.squares
		if threat.exists {
			squares = undecided
		}
		if e.any && squares != undecided {
			return squares &^ undecided
		}
	}
	if e.quick {
		return squares
	}
	for s := range undecided.All() {
		m := newMove(g.from, s, NoSquare)
		if hit != NoSquare {
			m = newMove(g.from, hit, s)
		}
		if e.refuted(m) {
			squares &^= 1 << s
		} else if e.any {
			break
		}
	}
	return squares
}

// threat is what the opponent could do on a board to which a piece is to be added.
type threat struct {
	exists bool // he has a course to the goal
	// If he has a course, a change on none of these squares can stop it; if not, a piece on another
	// square gives him none.
	squares SquareSet
}

func (p Position) afterPass() Position {
	p.lo ^= sideBit
	return p
}

// threat looks for a course to the goal of the side to move in q.
func (e *evasions) threat(q Position) threat {
	t := &e.turn
	side := q.Side()
	goal := goalOf(side)
	t.begin(e.r, q, side)
	if !t.aim.Has(goal) {
		return threat{} // not with his next move, whatever is on the board
	}
	t.next(false)
	row := t.sources[0].from.Row()
	toRow := rowsTo(row, side)
	if exitPossible(q, side) {
		i, found := t.findExit(goal)
		if i >= 0 {
			needs := t.needs(t.sources[i], found)
			return threat{true, toRow&^rowSet(row) | needs}
		}
	}
	if e.quick || !t.canMove() {
		return threat{squares: boardSet}
	}
	return threat{squares: toRow | t.affectingSquares()}
}

// needs returns the squares on which the course of src to the goal depends that has been found.
func (t *turn) needs(src source, found courses) SquareSet {
	t.search.place(t.p, 1<<src.from)
	legs := legsTo[src.height&3][src.from][goalOf(t.side)]
	needs, inOneLeg := t.search.crossedBy(legs, allDoors)
	if !inOneLeg {
		needs = found.needs
	}
	return needs | 1<<src.from
}

// affectingSquares returns the squares that could matter to where the courses of the present row
// end: those where they could end ([turn.endsIgnoringDoors]), and those that their first legs
// cross.
func (t *turn) affectingSquares() SquareSet {
	squares := t.endsIgnoringDoors(0)
	t.placeRow()
	twos := t.row & t.p.OfHeight(2)
	threes := t.row & t.p.OfHeight(3)
	squares |= t.search.legEnds(twos|threes, 1)
	squares |= t.search.legEnds(threes, 2)
	return squares & boardSet
}

// CanReachGoal reports whether side could take a piece over the far side if it
// were to move: under all rules but Kang, whether it could win at once.
func (r *Rules) CanReachGoal(p Position, side Side) bool { return r.GoalMove(p, side) != NoMove }

// CanWin reports whether side could win with its next move if it were to move.
func (r *Rules) CanWin(p Position, side Side) bool {
	return r.GoalWins(p, side) && r.CanReachGoal(p, side)
}

// GoalWins reports whether one more goal wins the game for side.
func (r *Rules) GoalWins(p Position, side Side) bool { return p.Goals(side)+1 >= r.goalsToWin }

// GoalMove returns a move with which side could take a piece over the far side
// if it were to move, NoMove if there is none. It generates no other moves.
func (r *Rules) GoalMove(p Position, side Side) Move {
	if r.SettingUp(p) || r.Outcome(p) != Undecided {
		return NoMove
	}
	goal := goalOf(side)
	var t turn
	t.begin(r, p, side)
	if !t.aim.Has(goal) || !exitPossible(p, side) {
		return NoMove
	}
	for moves := false; t.next(moves); moves = t.canMove() {
		i, _ := t.findExit(goal)
		if i >= 0 {
			return newMove(t.sources[i].from, goal, NoSquare)
		}
	}
	return NoMove
}

// exitPossible reports whether a piece stands near enough to the far side to be the last of a
// course to the goal.
func exitPossible(p Position, side Side) bool {
	for h := Height(1); h <= 3; h++ {
		near := rowsTo(nearRow(side, Rows-int(h)), side.Other())
		if p.OfHeight(h)&near != 0 {
			return true
		}
	}
	return false
}

// findExit returns the index and the courses of a source of the present row that can reach the
// goal; -1 if none can.
func (t *turn) findExit(goal Square) (i int, found courses) {
	bit := SquareSet(1) << goal
	hasBound := !t.r.stepwise && t.row != 0
	if hasBound && t.endsIgnoringDoors(bit)&bit == 0 {
		return -1, found
	}
	for i, src := range t.sources[:t.n] {
		found = t.courses(src, bit)
		if found.ends.Has(goal) {
			return i, found
		}
	}
	return -1, found
}

// endsIgnoringDoors returns where the courses of the present row could end if doors did
// not matter and the row's other pieces were there or not, whichever leads further: one
// bound for all sources at once. It may stop at the first of the squares in until.
func (t *turn) endsIgnoringDoors(until SquareSet) SquareSet {
	t.placeRow()
	s := &t.search
	var ends SquareSet
	fresh := t.row // pieces whose legs have not been made
	bounced := t.row
	for fresh != 0 && ends&until == 0 {
		_, more := s.bounce(anyWay(fresh), allDoors)
		ends |= more
		fresh = ends & s.occ &^ bounced
		bounced |= fresh
	}
	return ends
}

// placeRow sets the board on which the pieces of the present row are there and may be crossed too.
func (t *turn) placeRow() {
	t.search.place(t.p, 0)
	t.search.empty |= t.row
}

// canMove reports whether a source of the present row has a legal move, as mostly the first leg of
// the first shows.
func (t *turn) canMove() bool {
	for i, src := range t.sources[:t.n] {
		empty := boardSet &^ t.p.Occupied()
		if t.firstEnds(src)&empty != 0 {
			return true
		}
		var l landings
		t.landingsOf(i, &l)
		if t.count(&l) > 0 {
			return true
		}
	}
	return false
}
