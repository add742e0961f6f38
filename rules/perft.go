package rules

import (
	"context"

	"gyges/rules/base/lists"
)

// Split is the part of a perft count that lies under one root move.
type Split struct {
	Move  Move
	Nodes uint64
}

// Perft counts the sequences of exactly depth plies from p, and how many of them begin with each
// root move, in the order of [MoveSet.All]. A game that ended earlier counts nothing, a forced pass
// is a ply, and there is one sequence of no plies. The repetition rule of r applies, counted from p
// on: for the usual perft use rules with repetition none. Length is no limit. The workers, one at
// least, share the work. The error is the error of ctx when it is cancelled.
func Perft(ctx context.Context, r *Rules, p Position, depth, workers int) (uint64, []Split, error) {
	if depth < 1 {
		return 1, nil, ctx.Err()
	}
	var ms MoveSet
	r.Moves(p, &ms)
	splits := make([]Split, 0, ms.Len())
	for m := range ms.All() {
		splits = append(splits, Split{Move: m})
	}
	lists.OnCores(workers, len(splits), func(i int) {
		c := perftCounter{ctx: ctx, rules: r, repetition: r.options.Repetition != NoRepetition}
		splits[i].Nodes = c.after(p, splits[i].Move, depth)
	})
	total := uint64(0)
	for _, s := range splits {
		total += s.Nodes
	}
	return total, splits, ctx.Err()
}

// perftCounter is the state of the count under one root move.
type perftCounter struct {
	ctx        context.Context
	rules      *Rules
	repetition bool       // a repetition rule applies
	path       []Position // keys from the root to the position before the present one
}

// after counts the sequences of depth plies that begin with m in p.
func (c *perftCounter) after(p Position, m Move, depth int) uint64 {
	c.path = append(c.path, p.Key())
	n := c.count(c.rules.Apply(p, m), depth-1)
	c.path = c.path[:len(c.path)-1]
	return n
}

func (c *perftCounter) count(p Position, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	if depth == 1 && !c.repetition {
		return uint64(c.rules.Count(p))
	}
	var ms MoveSet
	c.rules.MovesAfter(p, c.path, &ms)
	if depth == 1 {
		return uint64(ms.Len())
	}
	if c.ctx.Err() != nil {
		return 0
	}
	if depth == 2 && !c.repetition {
		return c.rules.countAfter(p, &ms)
	}
	var n uint64
	for m := range ms.All() {
		n += c.after(p, m, depth)
	}
	return n
}

// countAfter returns the sum of [Rules.Count] over the positions that the moves of ms, legal in p,
// lead to. Most moves differ only in where a displaced piece is dropped, mostly of no concern to
// the opponent's courses: those are worked out once, with the piece in hand, and again for sources
// whose courses could come by the drop square.
func (r *Rules) countAfter(p Position, ms *MoveSet) uint64 {
	var n uint64
	if ms.pass || r.SettingUp(p) || r.oneByOne(p) {
		for m := range ms.All() {
			n += uint64(r.Count(r.Apply(p, m)))
		}
		return n
	}
	var t turn
	for gi := range ms.groups[:ms.n] {
		g := &ms.groups[gi]
		for end := range g.ends.All() {
			m := newMove(g.from, end, NoSquare)
			n += uint64(r.Count(r.Apply(p, m)))
		}
		for hit := range g.hits.All() {
			m := newMove(g.from, hit, NoSquare)
			n += t.countDrops(r, p, m, *ms.dropsOf(g, hit))
		}
	}
	return n
}

// countDrops returns the sum of the opponent's moves after m, a displacement in p, over these
// drop squares. A drop is never behind his nearest row, so it can only add a source to it.
func (t *turn) countDrops(r *Rules, p Position, m Move, drops SquareSet) (n uint64) {
	if drops == 0 {
		return 0
	}
	piece := p.At(m.To())
	p.lift(m.To())
	p = r.Apply(p, m)
	t.begin(r, p, p.Side())
	t.next(false)
	sources := t.n
	row := rowSet(t.sources[0].from.Row())

	// Of each source of the row: where its courses end, and the squares on which a piece could
	// change that. A piece that is dropped on the row is one more source, all of whose courses are
	// still to be found.
	var ends, affects [Files + 1]SquareSet
	affects[sources] = boardSet
	for i, src := range t.sources[:sources] {
		found := t.courses(src, t.aim)
		ends[i] = found.ends
		affects[i] = t.affecting(src, found.bounced)
	}

	for s := range drops.All() {
		t.p = p
		t.n = sources
		t.p.put(s, piece)
		if row.Has(s) {
			t.add(s, piece)
		}
		moves := 0
		for i := range t.n {
			ends := ends[i]
			if affects[i].Has(s) {
				ends = t.courses(t.sources[i], t.aim).ends
			}
			var l landings
			t.landings(i, ends, &l)
			moves += t.count(&l)
		}
		if moves == 0 {
			moves = r.Count(t.p)
		}
		n += uint64(moves)
	}
	return n
}

// affecting returns the squares on which one more piece could change where the courses of src
// end: those that its first leg, and legs from pieces that it could bounce off, cross or end on.
func (t *turn) affecting(src source, bounced SquareSet) (squares SquareSet) {
	t.search.place(t.p, 1<<src.from)
	for h := Height(1); h <= 3; h++ {
		from := bounced & t.p.OfHeight(h)
		if h == src.height {
			from |= 1 << src.from
		}
		for steps := h; from != 0 && steps > 0; steps-- {
			squares |= t.search.legEnds(from, steps)
		}
	}
	return squares
}
