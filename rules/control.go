package rules

// Control is what one side could do if it were to move, repetition aside: the
// material of evaluation. The zero value is a side that can do nothing.
type Control struct {
	Active  SquareSet // the pieces that may be moved, less those in hand
	Ends    SquareSet // where some turn can end without displacing: empty squares, under null_move: allow the start too
	Pieces  SquareSet // pieces on which some course can land: to displace them, or without relocation to bounce
	Winners int       // pieces, in hand or not, that can reach the goal now
	Moves   int       // number of moves, the forced pass not counted
}

// Control works out what side could do in p, whoever is to move.
func (r *Rules) Control(p Position, side Side) Control {
	var c Control
	if r.settingUp(p) {
		return c
	}
	goal := SquareSet(1) << goalOf(side)
	var entries Control
	var t turn
	for t.begin(r, p, side); t.next(); {
		c = entries
		for i := range t.n {
			l := t.landingsOf(i)
			if l.from < NumSquares {
				c.Active |= 1 << l.from
			}
			c.Ends |= l.ends &^ goal
			c.Pieces |= l.landedOn
			if l.ends&goal != 0 {
				c.Winners++
			}
			c.Moves += t.count(&l)
		}
		switch {
		case t.optional:
			entries = c
		case c.Moves > entries.Moves:
			return c
		}
	}
	return c
}
