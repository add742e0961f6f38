package rules

// drops returns where the piece on hit may go when it is displaced.
func (t *turn) drops(l *landings, hit Square) SquareSet {
	drops := l.dropZone
	if t.r.playable {
		board := t.p.without(l.source)
		board.lift(hit)
		board.put(hit, l.height)
		drops = t.r.dropZone(board, t.side)
	}
	// A piece of the same height that is dropped on the start leaves the board as it was.
	isSameHeight := t.p.At(hit) == l.height
	if isSameHeight && !t.r.allowNull && l.from.OnBoard() {
		drops &^= 1 << l.from
	}
	return drops
}

// dropZone returns the squares where the mover may put a displaced piece: empty, and not
// behind the opponent's first occupied row, or under drop_zone: playable_row the row that he
// can play. board is what stands once the mover has arrived, without the displaced piece.
func (r *Rules) dropZone(board Position, mover Side) SquareSet {
	occ := board.Occupied()
	row := firstRow(occ, mover.Other())
	if r.playable {
		row = r.playableRow(board, mover.Other())
	}
	return rowsTo(row, mover) &^ occ
}

// playableRow returns the nearest row of side, 0 to 5, of which a piece could move, its first
// occupied row if there is none. The first leg decides: what it lands on may be displaced.
func (r *Rules) playableRow(board Position, side Side) int {
	var t turn
	t.begin(r, board, side)
	t.hand = false
	for t.next(false) {
		for _, src := range t.sources[:t.n] {
			ends := t.firstEnds(src) & t.aim
			if ends&^(1<<src.from) != 0 {
				return src.from.Row()
			}
		}
	}
	return firstRow(board.Occupied(), side)
}
