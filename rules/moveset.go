package rules

import "iter"

// Bounds of a move set's parts.
const (
	maxHits      = NumPieces - 1 // pieces that one source can land on
	maxDropLists = maxSources * maxHits
)

type group struct {
	from   Square
	height Height
	first  uint8     // index of the first hit's drops in MoveSet.drops
	ends   SquareSet // squares where the turn can end without displacing
	hits   SquareSet // pieces that can be displaced, in the order of their drops
	count  int       // moves of the group
}

// MoveSet is the set of legal moves in a position, kept factored: a few sources, the squares each
// can end on, the pieces it can displace and where those may be dropped. Filling it allocates
// nothing. The zero value is an empty set.
type MoveSet struct {
	extent
	groups [maxSources]group
	drops  [maxDropLists]SquareSet
}

// extent is how much of a set is filled.
type extent struct {
	n      int // groups in use
	nDrops int
	count  int  // moves
	pass   bool // the only move is a forced pass
}

// Len returns the number of moves, a forced pass included.
func (ms *MoveSet) Len() int { return ms.count }

func (ms *MoveSet) reset() { ms.extent = extent{} }

// add appends what one source can do, if anything. A turn is needed only where pieces can be
// displaced.
func (ms *MoveSet) add(t *turn, l *landings) {
	g := &ms.groups[ms.n]
	*g = group{from: l.from, height: l.height, first: uint8(ms.nDrops), ends: l.ends}
	g.count = l.ends.Count()
	if l.dropZone != 0 {
		g.hits = l.hits
		for hit := range l.hits.All() {
			drops := t.drops(l, hit)
			ms.drops[ms.nDrops] = drops
			ms.nDrops++
			g.count += drops.Count()
		}
	}
	if g.count > 0 {
		ms.n++
		ms.count += g.count
	}
}

// dropsOf returns where the piece on hit may be dropped.
func (ms *MoveSet) dropsOf(g *group, hit Square) *SquareSet {
	below := g.hits & (1<<hit - 1)
	return &ms.drops[int(g.first)+below.Count()]
}

// groupOf returns the group of a source, nil if it has no moves.
func (ms *MoveSet) groupOf(from Square) *group {
	for i := range ms.groups[:ms.n] {
		if ms.groups[i].from == from {
			return &ms.groups[i]
		}
	}
	return nil
}

// Contains reports whether m is in the set.
func (ms *MoveSet) Contains(m Move) bool {
	if m == Pass {
		return ms.pass
	}
	g := ms.groupOf(m.from())
	switch {
	case g == nil:
		return false
	case m.Drop() == NoSquare:
		return g.ends.Has(m.To())
	default:
		return g.hits.Has(m.To()) && ms.dropsOf(g, m.To()).Has(m.Drop())
	}
}

// Remove takes m out of the set, if it is there. A group left without moves stays and counts
// nothing.
func (ms *MoveSet) Remove(m Move) {
	if !ms.Contains(m) {
		return
	}
	ms.count--
	if m == Pass {
		ms.pass = false
		return
	}
	g := ms.groupOf(m.from())
	g.count--
	if m.Drop() == NoSquare {
		g.ends &^= 1 << m.To()
	} else {
		*ms.dropsOf(g, m.To()) &^= 1 << m.Drop()
	}
}

// At returns the i-th move, 0 <= i < Len(), in the order of All. A random index gives a move drawn
// uniformly.
func (ms *MoveSet) At(i int) Move {
	if ms.pass {
		return Pass
	}
	for _, g := range ms.groups[:ms.n] {
		if i >= g.count {
			i -= g.count
			continue
		}
		n := g.ends.Count()
		if i < n {
			return newMove(g.from, g.ends.nth(i), NoSquare)
		}
		i -= n
		for hit := range g.hits.All() {
			drops := ms.dropsOf(&g, hit)
			if i < drops.Count() {
				return newMove(g.from, hit, drops.nth(i))
			}
			i -= drops.Count()
		}
	}
	return NoMove
}

// All iterates over the moves: source by source, first those that displace
// nothing, then by displaced piece and drop square, each in ascending order.
func (ms *MoveSet) All() iter.Seq[Move] {
	return func(yield func(Move) bool) {
		if ms.pass {
			yield(Pass)
			return
		}
		for _, g := range ms.groups[:ms.n] {
			for end := range g.ends.All() {
				if !yield(newMove(g.from, end, NoSquare)) {
					return
				}
			}
			for hit := range g.hits.All() {
				for drop := range ms.dropsOf(&g, hit).All() {
					if !yield(newMove(g.from, hit, drop)) {
						return
					}
				}
			}
		}
	}
}

// Ends returns the squares and goals on which some move ends, and those on which moves of several
// pieces do.
func (ms *MoveSet) Ends() (some, several SquareSet) {
	for _, g := range ms.groups[:ms.n] {
		ends := g.ends
		for hit := range g.hits.All() {
			if *ms.dropsOf(&g, hit) != 0 {
				ends |= 1 << hit
			}
		}
		several |= some & ends
		some |= ends
	}
	return some, several
}

// Goals iterates over the moves that reach the goal, at most one per source.
func (ms *MoveSet) Goals() iter.Seq[Move] {
	return func(yield func(Move) bool) {
		for _, g := range ms.groups[:ms.n] {
			goal := g.ends & goalSet
			if goal != 0 && !yield(newMove(g.from, goal.first(), NoSquare)) {
				return
			}
		}
	}
}
