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
// from the nearest on. Every generation mode is a loop over it.
type turn struct {
	r         *Rules
	p         Position
	side      Side
	aim       SquareSet // what may be landed on: the board, and the goal if it may be entered
	rows      int       // rows still to come
	hand      bool      // the hand is still to come
	sources   [maxSources]source
	n         int // sources of the present row
	exhausted bool
	walk      walk // room to work in
}

// begin prepares t, a zero turn, for side.
func (t *turn) begin(r *Rules, p Position, side Side) {
	t.r, t.p, t.side, t.rows, t.aim = r, p, side, Rows, boardSet
	t.hand = r.options.Kang && p.HoldsPieces(side)
	if !r.cooldown || !p.TookOut(side) {
		t.aim |= 1 << goalOf(side)
	}
}

// next loads the sources of the next row that has any and tells whether there
// is one. The caller stops as soon as a row has given a legal move.
func (t *turn) next() bool {
	t.n = 0
	if t.exhausted {
		return false
	}
	t.exhausted = !t.r.nextRow
	if t.hand {
		t.hand = false
		t.addHand()
		if t.r.options.KangEntry == Mandatory {
			return true
		}
	}
	for t.rows > 0 {
		row := Rows - t.rows
		if t.side == North {
			row = t.rows - 1
		}
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
	ends   SquareSet // empty squares and the goal, less the start under null_move: forbid
	struck SquareSet // pieces that courses can land on
	hits   SquareSet // those that can be displaced; none without relocation
	drops  SquareSet // where a displaced piece may go
}

// reach finds the landings of the i-th source.
func (t *turn) reach(i int) landings {
	src := t.sources[i]
	board := t.p
	if src.from < NumSquares {
		board.lift(src.from)
	}
	return t.landings(i, t.find(board, src, t.aim))
}

// landings sorts the squares where the courses of the i-th source can end.
func (t *turn) landings(i int, found SquareSet) landings {
	src := t.sources[i]
	occ := t.p.Occupied()
	if src.from < NumSquares {
		occ &^= 1 << src.from
	}
	l := landings{source: src, ends: found &^ occ, struck: found & occ}
	if l.struck != 0 && t.r.options.Relocation {
		l.hits, l.drops = l.struck, dropZone(occ, t.side)
	}
	if src.from < NumSquares && !t.r.allowNull {
		l.ends &^= 1 << src.from
	}
	return l
}

// find returns the squares, of those wanted, on which a course of src can end.
// It has been lifted from the board. Some that are not wanted may be among them.
func (t *turn) find(board Position, src source, wanted SquareSet) SquareSet {
	if t.r.directed {
		tr := t.r.newTrail(board, src, t.side)
		tr.follow(tr.root, 0, 0, tr.occ)
		return tr.found & t.aim
	}
	w := &t.walk
	w.place(board, t.side)
	if src.from < NumSquares {
		first := w.flood(1<<src.from, src.height, doorSet{})
		return w.reach(first, &hopSpans[src.height][src.from], wanted) & t.aim
	}
	first := rowSet(int(t.side) * (Rows - 1))
	if src.height > 1 {
		first = w.flood(first&w.empty, src.height-1, doorSet{})
	}
	return w.reach(first, &entrySpans[t.side][src.height], wanted) & t.aim
}

// nullDrop tells whether dropping the piece on hit back on the start square
// would leave the board as it was, and may not.
func (t *turn) nullDrop(l *landings, hit Square) bool {
	return !t.r.allowNull && l.from < NumSquares && t.p.At(hit) == l.height
}

// count returns the number of moves of the landings.
func (t *turn) count(l *landings) int {
	n := l.ends.Count()
	if l.hits == 0 {
		return n
	}
	n += l.hits.Count() * l.drops.Count()
	if !t.r.allowNull && l.from < NumSquares && l.drops.Has(l.from) {
		n -= (l.hits & t.p.OfHeight(l.height)).Count()
	}
	return n
}
