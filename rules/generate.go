package rules

// Moves fills ms with the legal moves of the side to move, the repetition rule
// aside: a position alone doesn't know what has stood before. It is empty when
// the game is over, and holds the pass alone when no piece can move.
func (r *Rules) Moves(p Position, ms *MoveSet) { r.MovesAfter(p, nil, ms) }

// MovesAfter fills ms like [Rules.Moves], less the moves that would reproduce
// one of the past positions, given by their keys. Which positions those are is
// the caller's affair; [Game] and searches keep them by the repetition rule. A
// row whose every move is excluded counts as blocked.
func (r *Rules) MovesAfter(p Position, past []Position, ms *MoveSet) {
	ms.reset()
	if r.Outcome(p) != Undecided {
		return
	}
	if r.settingUp(p) {
		r.placements(p, ms)
		return
	}
	var entries extent // the moves from the hand that stand beside those of a row
	var t turn
	for t.begin(r, p, p.Side()); t.next(); {
		ms.truncate(entries)
		for i := range t.n {
			l := t.landingsOf(i)
			ms.add(&t, &l)
		}
		ms.excludePast(r, p, past)
		switch {
		case t.optional:
			entries = ms.extent()
		case ms.count > entries.count:
			return
		}
	}
	if ms.truncate(entries); ms.count == 0 {
		ms.addPass()
	}
}

// excludePast removes the moves that lead to one of the past positions.
func (ms *MoveSet) excludePast(r *Rules, p Position, past []Position) {
	for i := range past {
		q := &past[i]
		// A move changes three squares at most, so nearly all of the past is
		// excluded by the number of squares that differ.
		d := ((q.lo ^ p.lo) | (q.hi ^ p.hi)) & planeMask
		d &= d - 1
		d &= d - 1
		if d&(d-1) == 0 {
			ms.exclude(r, p, *q)
		}
	}
}

// placements fills ms with the ways to place the next piece of a set-up.
func (r *Rules) placements(p Position, ms *MoveSet) {
	side := p.Side()
	empty := r.setupSquares(side) &^ p.Occupied()
	for h := Height(1); h <= 3; h++ {
		if p.Hand(side, h) > 0 {
			ms.groups[ms.n] = group{from: placeBase + Square(h), height: h, ends: empty, count: empty.Count()}
			ms.count += empty.Count()
			ms.n++
		}
	}
}

// Count returns how many moves [Rules.Moves] would find, without building them.
func (r *Rules) Count(p Position) int {
	if r.Outcome(p) != Undecided {
		return 0
	}
	if r.settingUp(p) {
		var ms MoveSet
		r.placements(p, &ms)
		return ms.count
	}
	entries := 0
	var t turn
	for t.begin(r, p, p.Side()); t.next(); {
		n := 0
		for i := range t.n {
			l := t.landingsOf(i)
			n += t.count(&l)
		}
		switch {
		case t.optional:
			entries = n
		case n > 0:
			return entries + n
		}
	}
	return max(entries, 1)
}

// CanReachGoal reports whether side could take a piece over the far side if it
// were to move: under all rules but Kang, whether it could win at once.
func (r *Rules) CanReachGoal(p Position, side Side) bool {
	return r.GoalMove(p, side) != NoMove
}

// GoalMove returns a move with which side could take a piece over the far side
// if it were to move, NoMove if there is none. It looks at no other moves.
func (r *Rules) GoalMove(p Position, side Side) Move {
	if r.settingUp(p) || r.Outcome(p) != Undecided {
		return NoMove
	}
	goal := goalOf(side)
	var t turn
	t.begin(r, p, side)
	if !t.aim.Has(goal) || !exitPossible(p, side) {
		return NoMove
	}
	for t.next() {
		for i := range t.n {
			if i == 0 && !t.mayExit() {
				break
			}
			if t.canExit(i, goal) {
				return newMove(t.sources[i].from, goal, NoSquare)
			}
		}
		if !t.optional && t.canMove() {
			return NoMove
		}
	}
	return NoMove
}

// exitPossible reports whether any piece stands near enough to the far side to
// be the last one that a course to the goal starts or bounces from.
func exitPossible(p Position, side Side) bool {
	far := func(rows int) SquareSet {
		if side == South {
			return boardSet &^ (1<<((Rows-rows)*Files) - 1)
		}
		return 1<<(rows*Files) - 1
	}
	return p.OfHeight(1)&far(1)|p.OfHeight(2)&far(2)|p.OfHeight(3)&far(3) != 0
}

// canExit reports whether the i-th source has a course to the goal.
func (t *turn) canExit(i int, goal Square) bool {
	src := t.sources[i]
	board := t.p
	if src.from < NumSquares {
		board.lift(src.from)
	}
	return t.courseEnds(board, src, 1<<goal).Has(goal)
}

// mayExit reports whether any source of the present row could have a course to the
// goal if doors did not matter and the row's other pieces stood and did not
// stand in the way, as it suits: one bound for all sources at once, mostly enough
// to know that there is none.
func (t *turn) mayExit() bool {
	if t.r.directed || t.sources[0].from >= NumSquares {
		return true
	}
	goal := SquareSet(1) << goalOf(t.side)
	return t.endsIgnoringDoors(goal)&goal != 0
}

// endsIgnoringDoors returns where the courses of the present row could end if doors did
// not matter and the row's other pieces stood and did not stand in the way, as
// it suits. It need not go on when it has come to one of the squares in until.
func (t *turn) endsIgnoringDoors(until SquareSet) SquareSet {
	w := &t.search
	w.place(t.p, t.side)
	row := t.row()
	w.empty |= row
	var ends SquareSet
	for fresh, reached := row, row; fresh != 0 && ends&until == 0; reached |= fresh {
		for h := Height(1); h <= 3; h++ {
			if group := fresh & t.p.OfHeight(h); group != 0 {
				ends |= w.legEnds(group, h, doorSet{})
			}
		}
		fresh = ends & w.occ &^ reached
	}
	return ends
}

// row returns the sources of the present row, those in hand left out.
func (t *turn) row() SquareSet {
	var row SquareSet
	for _, src := range t.sources[:t.n] {
		if src.from < NumSquares {
			row |= 1 << src.from
		}
	}
	return row
}

// canMove reports whether any source of the present row has a legal move. Nearly
// always the first leg of the first one shows it.
func (t *turn) canMove() bool {
	for i := range t.n {
		if t.canStep(i) {
			return true
		}
	}
	for i := range t.n {
		l := t.landingsOf(i)
		if t.count(&l) > 0 {
			return true
		}
	}
	return false
}

// canStep reports whether the i-th source, on the board, can end its turn with its
// first leg on another empty square.
func (t *turn) canStep(i int) bool {
	src := t.sources[i]
	if src.from >= NumSquares {
		return false
	}
	board := t.p
	board.lift(src.from)
	t.search.place(board, t.side)
	ends := t.search.legEnds(1<<src.from, src.height, doorSet{})
	return ends&t.search.empty&^(1<<src.from) != 0
}
