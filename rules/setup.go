package rules

import (
	"math/rand/v2"
	"sort"
)

func (r *Rules) setupSquares(side Side) SquareSet {
	last := 0
	if r.options.SetupZone == TwoRows {
		last = 1
	}
	return rowsTo(nearRow(side, last), side)
}

// nextToPlace returns who places the next piece during a set-up; South when all are placed, for South moves first.
func (r *Rules) nextToPlace(p Position) Side {
	south, north := p.held(South), p.held(North)
	if north > 0 && (south == 0 || r.options.SetupOrder == Alternate && north > south) {
		return North
	}
	return South
}

func (p Position) held(side Side) int { return p.Hand(side, 1) + p.Hand(side, 2) + p.Hand(side, 3) }

// RandomSetup returns a set-up drawn uniformly from those the rules allow, two pieces of each height for each side,
// South to move. Under Kang, which has no set-up, it is the empty board.
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

// Setups are the set-ups that rules allow, those that mirror each other (file a for file f and so on) counted once.
// They are in order: South's rows first, read from a1 on like numbers, then North's.
type Setups struct {
	blocks []setupBlock
	n      int64
}

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
	_, souths := arrangements(r.setupSquares(South))
	all, half := arrangements(r.setupSquares(North))
	for _, south := range souths {
		norths := all
		if south == south.Mirror() {
			norths = half
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
	i := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].before > k }) - 1
	south, north := s.blocks[i].south, s.blocks[i].norths[k-s.blocks[i].before]
	return Position{south.lo | north.lo, south.hi | north.hi}
}

// arrangements returns the ways to place two pieces of each height on squares, in the
// order of their digits, and those of them that don't come after their mirror images.
func arrangements(zone SquareSet) (all, half []Position) {
	left := [4]int{zone.Count() - NumPieces/2, 2, 2, 2}
	var place func(p Position, rest SquareSet)
	place = func(p Position, rest SquareSet) {
		if rest == 0 {
			all = append(all, p)
			if image := p.Mirror(); p == image || p.before(image) {
				half = append(half, p)
			}
			return
		}
		s := rest.first()
		for h := range left {
			if left[h] > 0 {
				left[h]--
				next := p
				next.put(s, Height(h))
				place(next, rest&^(1<<s))
				left[h]++
			}
		}
	}
	place(Position{}, zone)
	return all, half
}

// before reports whether the digits of a board come before those of another one.
func (p Position) before(q Position) bool {
	differ := SquareSet((p.lo ^ q.lo) | (p.hi ^ q.hi))
	return p.At(differ.first()) < q.At(differ.first())
}
