package rules

// CountAfter returns the sum of [Rules.Count] over the positions that the moves
// of ms, legal in p, lead to. Most moves differ only in where one displaced
// piece is dropped, and most drops are of no concern to the opponent's courses:
// those are worked out once, with the piece in hand, and again only for sources
// whose courses could come by the drop square.
func (r *Rules) CountAfter(p Position, ms *MoveSet) uint64 {
	var n uint64
	if ms.pass || r.options.Kang || r.directed || r.settingUp(p) {
		for m := range ms.All() {
			n += uint64(r.Count(r.Apply(p, m)))
		}
		return n
	}
	var b bulk
	for gi := range ms.groups[:ms.n] {
		g := &ms.groups[gi]
		for ends := g.ends; ends != 0; ends &= ends - 1 {
			n += uint64(r.Count(r.Apply(p, newMove(g.from, ends.first(), NoSquare))))
		}
		for hits := g.hits; hits != 0; hits &= hits - 1 {
			if drops := *ms.dropsOf(g, hits.first()); drops != 0 {
				b.displace(r, p, g.from, hits.first())
				for ; drops != 0; drops &= drops - 1 {
					n += uint64(b.count(drops.first()))
				}
			}
		}
	}
	return n
}

// bulk counts the opponent's moves after a displacement for several drop squares.
type bulk struct {
	turn    turn
	base    Position // the displaced piece is in hand
	piece   Height   // its height
	row     SquareSet
	found   [Files]SquareSet // where the courses of each source can end in base
	touched [Files]SquareSet // squares that matter to them
}

// displace makes the move without the drop and works out the opponent's courses.
func (b *bulk) displace(r *Rules, p Position, from, hit Square) {
	h := p.At(from)
	b.base, b.piece = p, p.At(hit)
	b.base.lift(from)
	b.base.lift(hit)
	b.base.put(hit, h)
	b.base.lo = b.base.lo&^passMask ^ sideBit
	t := &b.turn
	t.begin(r, b.base, b.base.Side())
	t.exhausted, t.n = false, 0
	t.next()
	b.row = rowSet(t.sources[0].from.Row())
	for i := range t.n {
		src := t.sources[i]
		board := b.base
		board.lift(src.from)
		b.found[i] = t.courseEnds(board, src, t.aim)
		b.touched[i] = t.search.touched(1<<src.from, src.height)
		for h := Height(1); h <= 3; h++ {
			if group := t.search.reached & b.base.OfHeight(h); group != 0 {
				b.touched[i] |= t.search.touched(group, h)
			}
		}
	}
}

// touched returns the squares that legs of height h from these squares come by.
func (w *courseSearch) touched(from SquareSet, h Height) SquareSet {
	var set SquareSet
	for ; h > 0; h-- {
		set |= w.legEnds(from, h, doorSet{})
	}
	return set
}

// count returns how many moves the opponent has when the piece is dropped on s.
// A drop is never behind his nearest row, so it can only add a source to it.
func (b *bulk) count(s Square) int {
	t := &b.turn
	t.p = b.base
	t.p.put(s, b.piece)
	n := 0
	for i := range t.n {
		var l landings
		if b.touched[i].Has(s) {
			l = t.landingsOf(i)
		} else {
			l = t.landings(i, b.found[i])
		}
		n += t.count(&l)
	}
	if b.row.Has(s) {
		t.sources[t.n] = source{s, b.piece}
		l := t.landingsOf(t.n)
		n += t.count(&l)
	}
	if n == 0 {
		return t.r.Count(t.p)
	}
	return n
}
