package rules

// maxSources is how many pieces a player can choose from at once: a full row,
// and under Kang one of each height in hand where entering is optional.
const maxSources = Files + 3

// source is a piece that may be moved.
type source struct {
	from   Square // a board square, or the code of a hand
	height Height
}

// start returns the square from which the first leg leads: from a hand the goal behind side's own
// first row.
func (src source) start(side Side) Square {
	if src.from.OnBoard() {
		return src.from
	}
	return goalOf(side.Other())
}

// turn iterates, see [turn.next], over what one side may move: its hand (Kang), then its rows from
// the nearest on.
type turn struct {
	r        *Rules
	p        Position
	side     Side
	aim      SquareSet // what may be landed on: the board, and the goal if it may be entered
	rows     int       // rows still to come
	hand     bool      // the hand is still to come
	sources  [maxSources]source
	n        int          // sources of the present row, or of the hand
	row      SquareSet    // the pieces of the present row
	optional bool         // they are in hand and may stay there: the moves of a row are legal too
	search   courseSearch // working memory
}

func (t *turn) begin(r *Rules, p Position, side Side) {
	t.r = r
	t.p = p
	t.side = side
	t.rows = Rows
	t.n = 0
	t.aim = boardSet
	if !p.TookOut(side) {
		t.aim |= 1 << goalOf(side)
	}
	t.hand = p.HoldsPieces(side)
	t.search.perLeg = r.perLeg
	t.search.far = rowSet(nearRow(side, Rows-1))
	t.search.goal = 1 << goalOf(side)
}

// next loads the sources of the hand, or of the next row that has any, and reports whether there
// are some. moves says whether the sources before had a legal move: then there are no more, unless
// those sources were in a hand that may stay, beside whose moves the moves of a row are legal.
func (t *turn) next(moves bool) bool {
	if moves && !t.optional {
		return false
	}
	t.n = 0
	t.row = 0
	t.optional = false
	if t.hand {
		t.hand = false
		for h := Height(1); h <= 3; h++ {
			if t.p.Hand(t.side, h) > 0 {
				t.add(handBase+Square(h), h)
			}
		}
		t.optional = t.r.options.KangEntry == Optional
		return true
	}
	var row SquareSet
	for occ := t.p.Occupied(); t.rows > 0 && row == 0; t.rows-- {
		row = occ & rowSet(nearRow(t.side, Rows-t.rows))
	}
	for s := range row.All() {
		t.add(s, t.p.At(s))
	}
	t.row = row
	return row != 0
}

func (t *turn) add(from Square, h Height) {
	t.sources[t.n] = source{from, h}
	t.n++
}

// without returns the position without the moving piece, if that is on the board.
func (p Position) without(src source) Position {
	if src.from.OnBoard() {
		p.lift(src.from)
	}
	return p
}

// courses finds the squares, of those wanted, on which a course of src can end, and perhaps more.
func (t *turn) courses(src source, wanted SquareSet) courses {
	if t.r.stepwise {
		return courses{ends: t.stepEnds(src)}
	}
	legs := &legsTo[src.height&3][src.start(t.side)]
	arrived, first := t.firstLegs(src)
	found := t.search.search(arrived, first, legs, wanted)
	found.ends &= t.aim
	return found
}

// firstEnds returns where the first leg of src can end.
func (t *turn) firstEnds(src source) SquareSet {
	if t.r.stepwise {
		ss := t.r.stepSearch(t.p, src, t.aim)
		return ss.legEnds(src.start(t.side), src.height)
	}
	_, first := t.firstLegs(src)
	return first
}

// firstLegs sets the board of the search without src and returns where the first leg of src can
// end, as [courseSearch.bounce] does.
func (t *turn) firstLegs(src source) (ended flood, ends SquareSet) {
	c := &t.search
	start := SquareSet(1) << src.from & boardSet
	c.place(t.p, start)
	if start != 0 {
		return c.bounce(anyWay(start), allDoors)
	}
	first := rowSet(nearRow(t.side, 0))
	if src.height > 1 {
		first = c.legEnds(first&c.empty, src.height-1)
	}
	return anyWay(first), first
}

// landings is what one source can do: the squares its courses can end on.
type landings struct {
	source
	ends     SquareSet // empty squares and the goal, less the start under null_move: forbid
	landedOn SquareSet // pieces that courses can land on
	hits     SquareSet // those that can be displaced; none without relocation
	dropZone SquareSet // where a displaced piece may go; see [turn.drops]
}

// landingsOf sets l to the landings of the i-th source. It returns none, as copies of what has just
// been written are slow.
func (t *turn) landingsOf(i int, l *landings) {
	src := t.sources[i]
	wanted := t.aim
	if !t.r.allowNull {
		wanted &^= 1 << src.from
	}
	t.landings(i, t.courses(src, wanted).ends, l)
}

// landings sets l by the squares where the courses of the i-th source can end.
func (t *turn) landings(i int, ends SquareSet, l *landings) {
	src := t.sources[i]
	start := SquareSet(1) << src.from // nothing of the board, if the piece comes from a hand
	occ := t.p.Occupied() &^ start
	l.source = src
	l.ends = ends &^ occ
	if !t.r.allowNull {
		l.ends &^= start
	}
	l.landedOn = ends & occ
	l.hits = 0
	l.dropZone = 0
	if l.landedOn != 0 && t.r.options.Relocation {
		l.hits = l.landedOn
		l.dropZone = rowsTo(firstRow(occ, t.side.Other()), t.side) &^ occ
	}
}

// count returns how many moves a source has.
func (t *turn) count(l *landings) int {
	n := l.ends.Count()
	if l.hits == 0 {
		return n
	}
	if t.r.playable { // each drop has a zone of its own
		for hit := range l.hits.All() {
			n += t.drops(l, hit).Count()
		}
		return n
	}
	n += l.hits.Count() * l.dropZone.Count()
	if !t.r.allowNull && l.dropZone.Has(l.from) {
		n -= (l.hits & t.p.OfHeight(l.height)).Count()
	}
	return n
}
