package rules

// Moves fills ms with the legal moves of the side to move without regard to the repetition rule. It
// is empty when the game is over, and holds the pass alone when no piece can move.
func (r *Rules) Moves(p Position, ms *MoveSet) { r.MovesAfter(p, nil, ms) }

// MovesAfter fills ms like [Rules.Moves], less the moves that the repetition rule forbids after
// these earlier positions of the game, given by their keys in order. A row whose every move it
// forbids counts as blocked.
func (r *Rules) MovesAfter(p Position, past []Position, ms *MoveSet) {
	ms.reset()
	if r.Outcome(p) != Undecided {
		return
	}
	if r.SettingUp(p) {
		r.placements(p, ms)
		return
	}
	past = r.forbidden(past)
	var t turn
	var l landings
	t.begin(r, p, p.Side())
	var entries extent // the moves from the hand that are legal beside the moves of a row
	for moves := false; t.next(moves); {
		ms.extent = entries
		for i := range t.n {
			t.landingsOf(i, &l)
			ms.add(&t, &l)
		}
		ms.excludePast(r, p, past)
		moves = ms.count > entries.count
		if moves || t.optional {
			entries = ms.extent
		}
	}
	ms.extent = entries
	if ms.count == 0 {
		ms.count = 1
		ms.pass = true
	}
}

func (r *Rules) placements(p Position, ms *MoveSet) {
	side := p.Side()
	empty := r.setupSquares(side) &^ p.Occupied()
	for h := Height(1); h <= 3; h++ {
		if p.Hand(side, h) > 0 {
			ms.add(nil, &landings{source: source{placeBase + Square(h), h}, ends: empty})
		}
	}
}

// Count returns how many moves [Rules.Moves] would find, without building them.
func (r *Rules) Count(p Position) int {
	if r.Outcome(p) != Undecided {
		return 0
	}
	if r.SettingUp(p) {
		var ms MoveSet
		r.placements(p, &ms)
		return ms.count
	}
	return max(r.Control(p, p.Side()).Moves, 1)
}

// Control is what one side could do if it were to move, without regard to
// repetition: the input of evaluation. The zero value is a side that can do nothing.
type Control struct {
	// The pieces that may be moved, less those in hand.
	Active SquareSet
	// Where some turn can end without displacing: empty squares, under null_move: allow the start
	// too.
	Ends SquareSet
	// The pieces on which some course can land: to displace them, or without relocation to bounce.
	Pieces SquareSet
	// How many pieces, in hand or not, can reach the goal now.
	Winners int
	// How many moves there are, the forced pass not counted.
	Moves int
}

// Control returns what side could do in p, whoever is to move.
func (r *Rules) Control(p Position, side Side) Control {
	if r.SettingUp(p) {
		return Control{}
	}
	goal := SquareSet(1) << goalOf(side)
	var t turn
	var l landings
	t.begin(r, p, side)
	var entries Control
	for moves := false; t.next(moves); {
		c := entries
		for i := range t.n {
			t.landingsOf(i, &l)
			if l.from.OnBoard() {
				c.Active |= 1 << l.from
			}
			c.Ends |= l.ends &^ goal
			c.Pieces |= l.landedOn
			if l.ends&goal != 0 {
				c.Winners++
			}
			c.Moves += t.count(&l)
		}
		moves = c.Moves > entries.Moves
		if moves || t.optional {
			entries = c
		}
	}
	return entries
}
