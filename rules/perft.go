package rules

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"
)

// PerftConfig says how [Perft] does its work. The counts don't depend on it.
type PerftConfig struct {
	// Workers share the work; none is one.
	Workers int
	// Table is how many counts each worker remembers, so that boards that
	// several sequences lead to are counted once. It is rounded down to a power
	// of two; each takes 32 bytes. With 0 every sequence is generated. It goes
	// unused where a repetition rule makes counts depend on what came before.
	Table int
}

// Split is the part of a perft count that lies under one root move.
type Split struct {
	Move  Move
	Nodes uint64
}

// Perft counts the sequences of exactly depth plies from p, split by root move
// in the order of [MoveSet.All]. A game that ended earlier counts nothing, and
// a forced pass is a ply. The repetition rule of r applies, counted from p on:
// for the usual perft use rules with repetition none. Length is no limit.
//
// On cancellation it returns the context's error.
func Perft(ctx context.Context, r *Rules, p Position, depth int, how PerftConfig) ([]Split, error) {
	var ms MoveSet
	r.Moves(p, &ms)
	splits := make([]Split, 0, ms.Len())
	for m := range ms.All() {
		splits = append(splits, Split{Move: m})
	}
	if depth < 1 {
		return nil, ctx.Err()
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range max(how.Workers, 1) {
		wg.Go(func() {
			c := perftCounter{ctx: ctx, rules: r}
			if r.options.Repetition == NoRepetition {
				c.table = newPerftTable(how.Table)
			}
			for i := next.Add(1) - 1; int(i) < len(splits); i = next.Add(1) - 1 {
				splits[i].Nodes = c.under(p, splits[i].Move, depth)
			}
		})
	}
	wg.Wait()
	return splits, ctx.Err()
}

// perftCounter is the state of one worker.
type perftCounter struct {
	ctx   context.Context
	rules *Rules
	path  []Position // keys from the root to the present position
	table perftTable
}

// under counts the sequences of depth plies that begin with m in p.
func (c *perftCounter) under(p Position, m Move, depth int) uint64 {
	next := c.rules.Apply(p, m)
	c.path = append(c.path[:0], p.Key(), next.Key())
	return c.count(next, depth-1)
}

func (c *perftCounter) count(p Position, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	if c.table == nil {
		return c.generate(p, depth)
	}
	e := c.table.entry(p, depth)
	if e.position != p || e.depth != depth {
		*e = perftEntry{p, depth, c.generate(p, depth)}
	}
	return e.nodes
}

// generate counts by generation, at least one ply deep.
func (c *perftCounter) generate(p Position, depth int) uint64 {
	tracked := c.rules.options.Repetition != NoRepetition
	if depth == 1 && !tracked {
		return uint64(c.rules.Count(p))
	}
	var ms MoveSet
	c.rules.MovesAfter(p, c.forbidden(), &ms)
	if depth == 1 {
		return uint64(ms.Len())
	}
	if c.ctx.Err() != nil {
		return 0
	}
	if depth == 2 && !tracked && c.table == nil {
		return c.rules.CountAfter(p, &ms)
	}
	var n uint64
	for m := range ms.All() {
		next := c.rules.Apply(p, m)
		if tracked {
			c.path = append(c.path, next.Key())
		}
		n += c.count(next, depth-1)
		if tracked {
			c.path = c.path[:len(c.path)-1]
		}
	}
	return n
}

// forbidden is [Game.Forbidden] along the path.
func (c *perftCounter) forbidden() []Position {
	n := len(c.path) - 1
	switch c.rules.options.Repetition {
	case Superko:
		return c.path[:n]
	case Previous:
		return c.path[max(n-1, 0):n]
	default:
		return nil
	}
}

// perftTable remembers counts; the latest replaces what was in its place.
type perftTable []perftEntry

type perftEntry struct {
	position Position
	depth    int
	nodes    uint64
}

func newPerftTable(entries int) perftTable {
	if entries < 1 {
		return nil
	}
	return make(perftTable, 1<<(bits.Len(uint(entries))-1))
}

// entry returns the place of a position counted to a depth.
func (t perftTable) entry(p Position, depth int) *perftEntry {
	return &t[(p.Hash()+uint64(depth)*0x9e3779b97f4a7c15)&uint64(len(t)-1)]
}

// CountAfter returns the sum of [Rules.Count] over the positions that the moves
// of ms, legal in p, lead to. Most moves differ only in where one displaced
// piece is dropped, and most drops are of no concern to the opponent's courses:
// those are worked out once, with the piece in hand, and again only for sources
// whose courses could come by the drop square.
func (r *Rules) CountAfter(p Position, ms *MoveSet) uint64 {
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
