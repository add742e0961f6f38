package rules

import (
	"context"
	"sync"
	"sync/atomic"
)

// Split is the part of a perft count that lies under one root move.
type Split struct {
	Move  Move
	Nodes uint64
}

// Perft counts the sequences of exactly depth plies from p, and those that begin with
// each root move, in the order of [MoveSet.All]. A game that ended earlier counts
// nothing, a forced pass is a ply, and there is one sequence of no plies. The
// repetition rule of r applies, counted from p on: for the usual perft use rules with
// repetition none. Length is no limit.
//
// The workers, one at least, share the work; the counts don't depend on their number. On
// cancellation it returns the context's error.
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
	var next, total atomic.Int64
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Go(func() {
			c := perftCounter{ctx: ctx, rules: r, repetition: r.options.Repetition != NoRepetition}
			for i := int(next.Add(1)) - 1; i < len(splits); i = int(next.Add(1)) - 1 {
				splits[i].Nodes = c.after(p, splits[i].Move, depth)
				total.Add(int64(splits[i].Nodes))
			}
		})
	}
	wg.Wait()
	return uint64(total.Load()), splits, ctx.Err()
}

// perftCounter is the state of one worker.
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

// count counts the sequences of depth plies from p.
func (c *perftCounter) count(p Position, depth int) uint64 {
	switch {
	case depth == 0:
		return 1
	case depth == 1 && !c.repetition:
		return uint64(c.rules.Count(p))
	}
	var ms MoveSet
	c.rules.MovesAfter(p, c.path, &ms)
	switch {
	case depth == 1:
		return uint64(ms.Len())
	case c.ctx.Err() != nil:
		return 0
	case depth == 2 && !c.repetition:
		return c.rules.countAfter(p, &ms)
	}
	var n uint64
	for m := range ms.All() {
		n += c.after(p, m, depth)
	}
	return n
}

// countAfter returns the sum of [Rules.Count] over the positions that the moves
// of ms, legal in p, lead to. Most moves differ only in where one displaced
// piece is dropped, and most drops are of no concern to the opponent's courses:
// those are worked out once, with the piece in hand, and again only for sources
// whose courses could come by the drop square.
func (r *Rules) countAfter(p Position, ms *MoveSet) uint64 {
	var n uint64
	if ms.pass || r.options.Kang || r.directed || r.SettingUp(p) {
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
	ends    [Files]SquareSet // of the courses of each source in base
	affects [Files]SquareSet // squares on which a piece could change them
}

// displace makes the move without the drop and finds the ends of the opponent's courses.
func (b *bulk) displace(r *Rules, p Position, from, hit Square) {
	h := p.At(from)
	b.base, b.piece = p, p.At(hit)
	b.base.lift(from)
	b.base.lift(hit)
	b.base.put(hit, h)
	b.base.lo = b.base.lo&^passMask ^ sideBit
	t := &b.turn
	t.begin(r, b.base, b.base.Side())
	t.next()
	b.row = rowSet(t.sources[0].from.Row())
	for i, src := range t.sources[:t.n] {
		b.ends[i] = t.courseEnds(src, t.aim)
		b.affects[i] = t.search.passed(1<<src.from, src.height)
		for h := Height(1); h <= 3; h++ {
			if group := t.search.bounced & b.base.OfHeight(h); group != 0 {
				b.affects[i] |= t.search.passed(group, h)
			}
		}
	}
}

// passed returns the squares that legs of height h from these squares cross or end on.
func (c *courseSearch) passed(from SquareSet, h Height) SquareSet {
	var set SquareSet
	for ; h > 0; h-- {
		set |= c.legEnds(from, h, doorSet{})
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
		ends := b.ends[i]
		if b.affects[i].Has(s) {
			ends = t.courseEnds(t.sources[i], t.aim)
		}
		l := t.landings(i, ends)
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
