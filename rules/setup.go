package rules

import (
	"math/rand/v2"
	"slices"
	"sort"
)

func (r *Rules) setupSquares(side Side) SquareSet {
	last := 0
	if r.options.SetupZone == TwoRows {
		last = 1
	}
	return rowsTo(nearRow(side, last), side)
}

// nextToPlace returns who places the next piece during a set-up; South when all are placed, for
// South moves first.
func (r *Rules) nextToPlace(p Position) Side {
	south := p.held(South)
	north := p.held(North)
	isNorth := south == 0
	if r.options.SetupOrder == Alternate {
		isNorth = south < north // South has placed more
	}
	if isNorth && north > 0 {
		return North
	}
	return South
}

func (p Position) held(side Side) int { return p.Hand(side, 1) + p.Hand(side, 2) + p.Hand(side, 3) }

// RandomSetup returns a set-up drawn uniformly from those the rules allow, two pieces of each
// height for each side, South to move. Under Kang, which has no set-up, it is the empty board.
func (r *Rules) RandomSetup(rng *rand.Rand) Position {
	if r.options.Kang {
		return r.Start()
	}
	var p Position
	for _, side := range []Side{South, North} {
		zone := r.setupSquares(side)
		for i := range NumPieces / 2 {
			s := zone.nth(rng.IntN(zone.Count()))
			p.put(s, Height(i/2+1))
			zone &^= 1 << s
		}
	}
	return p
}

// Setups are the set-ups that rules allow, those that mirror each other (file a for file f and so
// on) counted once. They are in order: South's rows first, read from a1 on like numbers, then
// North's.
type Setups struct {
	blocks []setupBlock
	n      int64
}

// setupBlock has the set-ups in which South's pieces stand alike.
type setupBlock struct {
	south  Position
	norths []Position
	before int64 // the number of set-ups in earlier blocks
}

// Setups returns the set-ups. Under Kang there are none.
func (r *Rules) Setups() *Setups {
	s := &Setups{}
	if r.options.Kang {
		return s
	}
	all := arrangements(r.setupSquares(North))
	unmirrored := slices.DeleteFunc(slices.Clone(all), Position.afterMirror)
	for _, south := range arrangements(r.setupSquares(South)) {
		if south.afterMirror() {
			continue
		}
		norths := all
		if south == south.Mirror() {
			norths = unmirrored
		}
		s.blocks = append(s.blocks, setupBlock{south, norths, s.n})
		s.n += int64(len(norths))
	}
	return s
}

// Len returns how many there are.
func (s *Setups) Len() int64 { return s.n }

// At returns the k-th one, 0 <= k < Len, South to move.
func (s *Setups) At(k int64) Position {
	next := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].before > k })
	block := &s.blocks[next-1]
	north := block.norths[k-block.before]
	return Position{block.south.lo | north.lo, block.south.hi | north.hi}
}

// arrangements returns the ways to place two pieces of each height on squares, in the order of
// their digits.
func arrangements(zone SquareSet) []Position {
	left := [4]int{zone.Count() - NumPieces/2, 2, 2, 2}
	return arrange(nil, Position{}, zone, left)
}

// arrange adds to a list the ways to go on from p on these squares with the pieces of each height
// that are left; of height 0, squares that stay empty.
func arrange(list []Position, p Position, squares SquareSet, left [4]int) []Position {
	if squares == 0 {
		return append(list, p)
	}
	s := squares.first()
	for h, n := range left {
		if n == 0 {
			continue
		}
		next := p
		next.put(s, Height(h))
		rest := left
		rest[h]--
		list = arrange(list, next, squares&^(1<<s), rest)
	}
	return list
}

// afterMirror reports whether the mirror image's digits come before the position's own.
func (p Position) afterMirror() bool {
	image := p.Mirror()
	first := image.differing(p).first()
	return image.At(first) < p.At(first) // false where nothing differs, too
}
