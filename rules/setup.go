package rules

import (
	"math/rand/v2"
	"sort"
)

// setupSquares returns the squares on which side places its pieces.
func (r *Rules) setupSquares(side Side) SquareSet {
	last := 0
	if r.options.SetupZone == TwoRows {
		last = 1
	}
	return rowsTo(nearRow(side, last), side)
}

// nextToPlace returns who places the next piece during a set-up; South when all
// are placed, for South moves first.
func (r *Rules) nextToPlace(p Position) Side {
	south, north := p.held(South), p.held(North)
	if north > 0 && (south == 0 || r.options.SetupOrder == Alternate && north > south) {
		return North
	}
	return South
}

// held returns how many pieces side has in hand.
func (p Position) held(side Side) int {
	return p.Hand(side, 1) + p.Hand(side, 2) + p.Hand(side, 3)
}

// RandomSetup returns a set-up drawn uniformly from those the rules allow, two
// pieces of each height for each side, South to move. Under Kang, which has no
// set-up, it is the empty board.
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

// Setups are the set-ups that rules allow, those that mirror each other (file a
// for file f and so on) counted once. They are in order: South's rows first,
// read from a1 on like numbers, then North's.
type Setups struct {
	rows     [2][]Position // each side's arrangements, in order
	mirror   [2][]int      // the index of each one's mirror image
	first    []int         // South's arrangements that don't come after their images
	before   []int64       // the number of set-ups before those of each of first, and of all
	selfSame []int         // North's arrangements that don't come after their images
}

// Setups returns the set-ups. Under Kang there are none.
func (r *Rules) Setups() *Setups {
	s := &Setups{before: []int64{0}}
	if r.options.Kang {
		return s
	}
	for _, side := range []Side{South, North} {
		s.rows[side], s.mirror[side] = arrangements(r.setupSquares(side))
	}
	for i, image := range s.mirror[North] {
		if i <= image {
			s.selfSame = append(s.selfSame, i)
		}
	}
	n := int64(0)
	for i, image := range s.mirror[South] {
		switch {
		case i < image:
			n += int64(len(s.rows[North]))
		case i == image:
			n += int64(len(s.selfSame))
		default:
			continue
		}
		s.first = append(s.first, i)
		s.before = append(s.before, n)
	}
	return s
}

// Len returns how many there are.
func (s *Setups) Len() int64 { return s.before[len(s.before)-1] }

// At returns the k-th one, 0 <= k < Len, South to move.
func (s *Setups) At(k int64) Position {
	i := sort.Search(len(s.first), func(i int) bool { return s.before[i+1] > k })
	south, north := s.first[i], int(k-s.before[i])
	if s.mirror[South][south] == south {
		north = s.selfSame[north]
	}
	p := s.rows[South][south]
	for sq := range s.rows[North][north].Occupied().All() {
		p.put(sq, s.rows[North][north].At(sq))
	}
	return p
}

// arrangements returns the ways to place two pieces of each height on squares,
// in the order of their digits, and the index of each one's mirror image.
func arrangements(zone SquareSet) (list []Position, mirror []int) {
	left := [4]int{zone.Count() - NumPieces/2, 2, 2, 2}
	var place func(p Position, rest SquareSet)
	place = func(p Position, rest SquareSet) {
		if rest == 0 {
			list = append(list, p)
			return
		}
		s := rest.first()
		for h := range left {
			if left[h] == 0 {
				continue
			}
			left[h]--
			next := p
			if h > 0 {
				next.put(s, Height(h))
			}
			place(next, rest&^(1<<s))
			left[h]++
		}
	}
	place(Position{}, zone)
	index := make(map[Position]int, len(list))
	for i, p := range list {
		index[p] = i
	}
	for _, p := range list {
		var image Position
		for sq := range p.Occupied().All() {
			image.put(sq/Files*Files+Files-1-sq%Files, p.At(sq))
		}
		mirror = append(mirror, index[image])
	}
	return list, mirror
}
