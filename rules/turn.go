package rules

// maxSources is how many pieces a player can choose from at once: a full row,
// and under Kang one of each height in hand where entering is optional.
const maxSources = Files + 3

// source is a piece that may be moved.
type source struct {
	from   Square // a board square, or the code of a hand
	height Height
}

// turn walks through what one side may move: its hand (Kang), then its rows
// from the nearest on. Every generation mode is a loop over it that ends with
// the first row that gives a legal move.
type turn struct {
	r         *Rules
	p         Position
	side      Side
	aim       SquareSet // what may be landed on: the board, and the goal if it may be entered
	rows      int       // rows still to come
	hand      bool      // the hand is still to come
	sources   [maxSources]source
	n         int  // sources of the present row
	optional  bool // they are in hand and may stay there: the moves of a row are legal too
	exhausted bool
	search    courseSearch // room to work in
}

// begin prepares t, a zero turn, for side.
func (t *turn) begin(r *Rules, p Position, side Side) {
	t.r, t.p, t.side, t.rows, t.aim = r, p, side, Rows, boardSet
	t.hand = r.options.Kang && p.HoldsPieces(side)
	t.search.perLeg = r.perLeg
	if !r.cooldown || !p.TookOut(side) {
		t.aim |= 1 << goalOf(side)
	}
}

// next loads the sources of the hand, or of the next row that has any, and
// reports whether there are some. The caller stops as soon as a row, or a hand
// that is not optional, has given a legal move.
func (t *turn) next() bool {
	t.n, t.optional = 0, false
	if t.exhausted {
		return false
	}
	if t.hand {
		t.hand = false
		t.addHand()
		t.optional = t.r.options.KangEntry == Optional
		t.exhausted = !t.optional && !t.r.nextRow
		return true
	}
	t.exhausted = !t.r.nextRow
	for t.rows > 0 {
		row := nearRow(t.side, Rows-t.rows)
		t.rows--
		if squares := t.p.Occupied() & rowSet(row); squares != 0 {
			t.addRow(squares)
			break
		}
	}
	return t.n > 0
}

func (t *turn) addHand() {
	for h := Height(1); h <= 3; h++ {
		if t.p.Hand(t.side, h) > 0 {
			t.sources[t.n] = source{handBase + Square(h), h}
			t.n++
		}
	}
}

func (t *turn) addRow(squares SquareSet) {
	for ; squares != 0; squares &= squares - 1 {
		s := squares.first()
		t.sources[t.n] = source{s, t.p.At(s)}
		t.n++
	}
}

// landings is what one source can do: the squares its courses can end on.
type landings struct {
	source
	ends     SquareSet // empty squares and the goal, less the start under null_move: forbid
	landedOn SquareSet // pieces that courses can land on
	hits     SquareSet // those that can be displaced; none without relocation
	dropZone SquareSet // where a displaced piece may go; see [turn.drops]
}

// landingsOf finds the landings of the i-th source.
func (t *turn) landingsOf(i int) landings {
	src := t.sources[i]
	board := t.p
	if src.from < NumSquares {
		board.lift(src.from)
	}
	return t.landings(i, t.courseEnds(board, src, t.aim))
}

// landings sorts the squares where the courses of the i-th source can end.
func (t *turn) landings(i int, found SquareSet) landings {
	src := t.sources[i]
	occ := t.p.Occupied()
	if src.from < NumSquares {
		occ &^= 1 << src.from
	}
	l := landings{source: src, ends: found &^ occ, landedOn: found & occ}
	if l.landedOn != 0 && t.r.options.Relocation {
		l.hits, l.dropZone = l.landedOn, notBehind(firstRow(occ, t.side.Other()), t.side)&^occ
	}
	if src.from < NumSquares && !t.r.allowNull {
		l.ends &^= 1 << src.from
	}
	return l
}

// courseEnds returns the squares, of those wanted, on which a course of src can end.
// It has been lifted from the board. Some that are not wanted may be among them.
func (t *turn) courseEnds(board Position, src source, wanted SquareSet) SquareSet {
	if t.r.directed {
		tr := t.r.newPlainSearch(board, src, t.side)
		tr.visit(tr.root, 0, 0, tr.occ)
		return tr.found & t.aim
	}
	w := &t.search
	w.place(board, t.side)
	if src.from < NumSquares {
		first := w.legEnds(1<<src.from, src.height, doorSet{})
		return w.courseEnds(first, &boardLegs[src.height][src.from], wanted) & t.aim
	}
	first := rowSet(int(t.side) * (Rows - 1))
	if src.height > 1 {
		first = w.legEnds(first&w.empty, src.height-1, doorSet{})
	}
	return w.courseEnds(first, &entryLegs[t.side][src.height], wanted) & t.aim
}

// drops returns where the piece on hit may go when it is displaced.
func (t *turn) drops(l *landings, hit Square) SquareSet {
	drops := l.dropZone
	if t.r.playable {
		board := t.p
		if l.from < NumSquares {
			board.lift(l.from)
		}
		board.lift(hit)
		board.put(hit, l.height)
		drops = t.r.dropZone(board, t.side)
	}
	if !t.r.allowNull && l.from < NumSquares && t.p.At(hit) == l.height {
		drops &^= 1 << l.from
	}
	return drops
}

// count returns the number of moves of the landings.
func (t *turn) count(l *landings) int {
	n := l.ends.Count()
	switch {
	case l.hits == 0:
		return n
	case t.r.playable:
		for hits := l.hits; hits != 0; hits &= hits - 1 {
			n += t.drops(l, hits.first()).Count()
		}
		return n
	}
	n += l.hits.Count() * l.dropZone.Count()
	if !t.r.allowNull && l.from < NumSquares && l.dropZone.Has(l.from) {
		n -= (l.hits & t.p.OfHeight(l.height)).Count()
	}
	return n
}

// dropZone returns the squares where the mover may put a displaced piece:
// empty, and not behind the opponent's first occupied row, or under drop_zone:
// playable_row the row that he can play. board is what stands once the mover
// has arrived, without the displaced piece.
func (r *Rules) dropZone(board Position, mover Side) SquareSet {
	occ := board.Occupied()
	row := firstRow(occ, mover.Other())
	if r.playable {
		row = r.playableRow(board, mover.Other())
	}
	return notBehind(row, mover) &^ occ
}

// playableRow returns the nearest row of side, 0 to 5, of which a piece could
// move, its first occupied row if there is none. The first leg decides: what it
// lands on may be displaced.
func (r *Rules) playableRow(board Position, side Side) int {
	occ := board.Occupied()
	for i := range Rows {
		row := nearRow(side, i)
		for pieces := occ & rowSet(row); pieces != 0; pieces &= pieces - 1 {
			s := pieces.first()
			for _, l := range r.legs[side][board.At(s)-1][s] {
				if l.end != s && l.crossed&occ&^(1<<s) == 0 {
					return row
				}
			}
		}
	}
	return firstRow(occ, side)
}
