package rules

// Evasions removes from ms, legal moves of p, those after which the opponent
// could take a piece out with his next move: under all rules but Kang, the moves
// that lose at once. Moves that take a piece out themselves stay.
//
// A course of the opponent to the goal depends on a few squares: those it crosses
// are empty, the pieces it starts and bounces from stand. Every move that
// changes none of them is refuted by it, so one course decides most moves.
func (r *Rules) Evasions(p Position, ms *MoveSet) {
	a := evasions{r: r, p: p, ms: ms}
	a.all()
	if ms.pass && a.refuted(Pass) {
		ms.reset()
	}
}

// QuickEvasions is a quick filter for [Rules.Evasions]: what it removes loses at once,
// but some moves that do may stay, those that no course decides for several at a time.
func (r *Rules) QuickEvasions(p Position, ms *MoveSet) {
	if a := (evasions{r: r, p: p, ms: ms, coarse: true}); !a.plain() {
		a.all()
	}
}

// HasEvasion reports whether [Rules.Evasions] would leave any move. The content
// of ms is undefined afterwards.
func (r *Rules) HasEvasion(p Position, ms *MoveSet) bool {
	a := evasions{r: r, p: p, ms: ms, one: true}
	return a.all() || ms.pass && !a.refuted(Pass) || r.settingUp(p)
}

// all filters the groups; it reports whether it stopped at an evasion because one
// is enough.
func (a *evasions) all() bool {
	if a.r.settingUp(a.p) || a.ms.pass {
		return false
	}
	relied := a.dependencies()
	for gi := range a.ms.groups[:a.ms.n] {
		if a.group(&a.ms.groups[gi], relied) && a.one {
			return true
		}
	}
	return false
}

// plain reports whether moves must be tried one by one: courses don't decide
// several at a time where doors are directed or the opponent enters from his hand.
func (a *evasions) plain() bool { return a.r.directed || a.p.HoldsPieces(a.p.Side().Other()) }

// refuted reports whether the opponent could take a piece out after m.
func (a *evasions) refuted(m Move) bool {
	return a.r.CanReachGoal(a.r.Apply(a.p, m), a.p.Side().Other())
}

// dependencies returns the squares on one of which a move must change something, else
// the opponent's threat in p remains.
func (a *evasions) dependencies() SquareSet {
	if !a.plain() {
		if c := a.threat(a.p.afterPass()); c.there {
			return c.squares
		}
	}
	return boardSet
}

// evasions is the state of [Rules.Evasions].
type evasions struct {
	r      *Rules
	p      Position
	ms     *MoveSet
	one    bool // one evasion is enough
	coarse bool // try nothing move by move
	turn   turn
}

// threat is what the opponent could do on a board to which a piece is to be added.
type threat struct {
	there   bool      // he has a course to the goal
	squares SquareSet // if he has, a change on none of these can stop it; if not, a piece elsewhere gives him none
}

// afterPass returns p with the opponent to move.
func (p Position) afterPass() Position {
	p.lo ^= sideBit
	return p
}

// threat looks for a course to the goal of the side to move in q.
func (a *evasions) threat(q Position) threat {
	const anywhere = boardSet
	t := &a.turn
	side := q.Side()
	goal := goalOf(side)
	t.begin(a.r, q, side)
	t.exhausted, t.n = false, 0
	if !t.aim.Has(goal) {
		return threat{} // not with his next move, whatever is on the board
	}
	if !t.next() {
		return threat{squares: anywhere}
	}
	row := t.sources[0].from.Row()
	nearer := SquareSet(1)<<(row*Files) - 1
	if side == North {
		nearer = boardSet &^ (1<<((row+1)*Files) - 1)
	}
	if exitPossible(q, side) && t.mayExit() {
		for i := range t.n {
			if t.canExit(i, goal) {
				return threat{true, nearer | t.dependencies(i, goal)}
			}
		}
	}
	if a.coarse || !t.canMove() {
		return threat{squares: anywhere}
	}
	return threat{squares: nearer | rowSet(row) | t.affectingSquares()}
}

// dependencies returns the squares on which the course depends that canExit has just
// found for the i-th source.
func (t *turn) dependencies(i int, goal Square) SquareSet {
	src := t.sources[i]
	if crossed, ok := t.search.leg(src.from, src.height, goal, doorSet{}); ok {
		return 1<<src.from | crossed
	}
	if t.search.perLeg {
		return 1<<src.from | t.search.dependencies(goal)
	}
	return 1<<src.from | t.search.dependsOn
}

// affectingSquares returns the squares that could matter to what the sources of the present
// row reach: those where their courses could end ([turn.endsIgnoringDoors]), and those that
// their first legs cross.
func (t *turn) affectingSquares() SquareSet {
	squares, row := t.endsIgnoringDoors(0), t.row()
	squares |= t.search.legEnds(row&(t.p.OfHeight(2)|t.p.OfHeight(3)), 1, doorSet{})
	squares |= t.search.legEnds(row&t.p.OfHeight(3), 2, doorSet{})
	return squares & boardSet
}

// group removes the unsafe moves of one source. The opponent's threat in p, if
// he has one, depends on some squares. It reports whether any is left.
func (a *evasions) group(g *group, relied SquareSet) bool {
	base := a.p.afterPass()
	all := relied
	if g.from < NumSquares {
		base.lift(g.from)
		if relied.Has(g.from) {
			all = boardSet
		}
	}
	goals := g.ends & goalSet
	ends := a.safe(g, base, g.ends&all&boardSet, NoSquare)
	a.ms.count += ends.Count() - (g.ends &^ goalSet).Count()
	g.count += ends.Count() - (g.ends &^ goalSet).Count()
	g.ends = goals | ends
	if a.one && g.ends != 0 {
		return true
	}
	for hits := g.hits; hits != 0; hits &= hits - 1 {
		hit := hits.first()
		drops := a.ms.dropsOf(g, hit)
		left := *drops
		if !all.Has(hit) {
			left &= relied
		}
		moved := base
		if left != 0 && !a.plain() {
			moved.lift(hit)
			moved.put(hit, g.height)
		}
		left = a.safe(g, moved, left, hit)
		a.ms.count += left.Count() - drops.Count()
		g.count += left.Count() - drops.Count()
		*drops = left
		if a.one && left != 0 {
			return true
		}
	}
	return g.count > 0
}

// safe returns the squares, of those given, on which the piece that is missing in
// base does not let the opponent reach the goal: the one moved, or the one
// displaced on hit.
func (a *evasions) safe(g *group, base Position, squares SquareSet, hit Square) SquareSet {
	if squares == 0 {
		return 0
	}
	doubtful := squares
	if !a.plain() {
		c := a.threat(base)
		doubtful &= c.squares
		if c.there {
			squares = doubtful
		}
		if a.one && squares != doubtful {
			return squares &^ doubtful
		}
	}
	if a.coarse {
		return squares
	}
	for ; doubtful != 0; doubtful &= doubtful - 1 {
		m := newMove(g.from, doubtful.first(), NoSquare)
		if hit != NoSquare {
			m = newMove(g.from, hit, doubtful.first())
		}
		if a.refuted(m) {
			squares &^= doubtful & -doubtful
		} else if a.one {
			break
		}
	}
	return squares
}
