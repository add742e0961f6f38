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
