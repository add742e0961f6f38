package rules

// Control is what one side could do if it were to move, repetition aside: the
// material of evaluation. The zero value is a side that can do nothing.
type Control struct {
	Active  SquareSet // the pieces that may be moved, less those in hand
	Ends    SquareSet // empty squares where some turn can end
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
	var t turn
	for t.begin(r, p, side); t.next(); {
		c = Control{}
		for i := range t.n {
			l := t.reach(i)
			if l.from < NumSquares {
				c.Active |= 1 << l.from
			}
			c.Ends |= l.ends &^ goal
			c.Pieces |= l.struck
			if l.ends&goal != 0 {
				c.Winners++
			}
			c.Moves += t.count(&l)
		}
		if c.Moves > 0 {
			return c
		}
	}
	return c
}

// Far is the distance of what can't be reached.
const Far = 255

// Distances says for every square and the goals with how few bounces a side's
// courses can land there, [Far] if none does.
type Distances [NumSquares + 2]uint8

// Distances works out with how few bounces side could land on each square if it
// were to move, whoever is to move. It is the control of [Rules.Control] graded;
// pieces count whether they can be displaced or not, the start squares if some
// course leads back to them.
func (r *Rules) Distances(p Position, side Side, d *Distances) {
	for i := range d {
		d[i] = Far
	}
	if r.settingUp(p) {
		return
	}
	var t turn
	for t.begin(r, p, side); t.next(); {
		moves := 0
		for i := range t.n {
			l := t.reach(i)
			if n := t.count(&l); n > 0 {
				moves += n
				t.grade(i, d)
			}
		}
		if moves > 0 {
			return
		}
	}
}

// grade lowers d to the fewest bounces that the i-th source needs.
func (t *turn) grade(i int, d *Distances) {
	src := t.sources[i]
	board := t.p
	if src.from < NumSquares {
		board.lift(src.from)
	}
	tr := t.r.newTrail(board, src, t.side)
	tr.follow(tr.root, 0, 0, tr.occ)
	all := tr.found & t.aim
	for n := uint8(0); all != 0; n++ {
		tr.found = 0
		tr.within(tr.root, 0, 0, tr.occ, int(n))
		for now := tr.found & all; now != 0; now &= now - 1 {
			s := now.first()
			d[s] = min(d[s], n)
		}
		all &^= tr.found
	}
}
