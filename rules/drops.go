package rules

// drops returns where the piece on hit may go when it is displaced: to empty squares that aren't
// behind the opponent's first occupied row, or under drop_zone: playable_row not behind the row
// that he can play.
func (t *turn) drops(l *landings, hit Square) SquareSet {
	drops := l.dropZone
	if t.r.playable {
		// What stands once the mover has arrived, without the displaced piece.
		board := t.p.without(l.source)
		board.lift(hit)
		board.put(hit, l.height)
		row := t.r.playableRow(board, t.side.Other())
		drops = rowsTo(row, t.side) &^ board.Occupied()
	}
	// A piece of the same height that is dropped on the start leaves the board as it was.
	if !t.r.allowNull && t.p.At(hit) == l.height {
		drops &^= 1 << l.from
	}
	return drops
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
