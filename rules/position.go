package rules

import "math/bits"

// Position is the state of a game at one moment: the board, the hands, the goals, who took a piece
// out last (Kang), who is to move and whether the last turn was a pass. It is a value of two
// machine words; == compares everything.
//
// Heights are kept in two bit planes, height = lo + 2·hi, in the low 36 bits of the words. Above
// them stand, in lo: the hands (six counts of three bits, South's 1, 2, 3, then North's), the
// passes in a row (two bits), the side to move (one bit), the cooldown (two bits: South, North); in
// hi: the goals (South's, then North's, four bits each).
type Position struct{ lo, hi uint64 }

// Places of the fields above the planes.
const (
	planeMask = 1<<NumSquares - 1

	handShift   = NumSquares      // lo, 18 bits
	passShift   = handShift + 18  // lo, 2 bits
	sideShift   = passShift + 2   // lo, 1 bit
	coolShift   = sideShift + 1   // lo, 2 bits
	goalShift   = NumSquares      // hi, 8 bits
	handMask    = 1<<18 - 1       // all six counts
	oneHandMask = 1<<9 - 1        // one side's three counts
	goalMask    = 1<<4 - 1        // one side's goals
	sideBit     = 1 << sideShift  // lo
	passMask    = 3 << passShift  // lo
	fullHand    = 2 | 2<<3 | 2<<6 // two pieces of each height
)

// Side returns the side to move.
func (p Position) Side() Side { return Side(p.lo >> sideShift & 1) }

// At returns the height of the piece on a board square, 0 if it is empty.
func (p Position) At(s Square) Height { return Height(p.lo>>(s&63)&1 | p.hi>>(s&63)&1<<1) }

// Occupied returns the squares with a piece.
func (p Position) Occupied() SquareSet { return SquareSet((p.lo | p.hi) & planeMask) }

// OfHeight returns the squares with a piece of height h, 1 to 3.
func (p Position) OfHeight(h Height) SquareSet {
	lo, hi := p.lo, p.hi
	if h&1 == 0 {
		lo = ^lo
	}
	if h&2 == 0 {
		hi = ^hi
	}
	return SquareSet(lo & hi & planeMask)
}

// Hand returns how many pieces of height h side holds: in Kang the reserve, before play the pieces
// still to be placed.
func (p Position) Hand(side Side, h Height) int {
	return int(p.lo >> handAt(side, h) & 7)
}

// handAt returns the place of a count of a hand in lo.
func handAt(side Side, h Height) uint { return handShift + uint(side)*9 + uint(h-1)*3 }

// goalsAt returns the place of a side's goals in hi.
func goalsAt(side Side) uint { return goalShift + uint(side)*4 }

// coolAt returns the place of a side's cooldown in lo.
func coolAt(side Side) uint { return coolShift + uint(side) }

// HoldsPieces reports whether side has any piece in hand.
func (p Position) HoldsPieces(side Side) bool { return p.lo>>handAt(side, 1)&oneHandMask != 0 }

// Goals returns how many pieces side has brought over the far side.
func (p Position) Goals(side Side) int { return int(p.hi >> goalsAt(side) & goalMask) }

// TookOut reports whether side took a piece out on its previous turn (Kang): then it may not on its
// next.
func (p Position) TookOut(side Side) bool { return p.lo>>coolAt(side)&1 != 0 }

// Passes returns how many turns in a row have been passes just before, 0 to 2.
func (p Position) Passes() int { return int(p.lo >> passShift & 3) }

// WithoutPasses returns the position as it is where the last turn was no pass.
func (p Position) WithoutPasses() Position {
	p.lo &^= passMask
	return p
}

// Key returns what the repetition rule compares: the position without who is to move and whether
// the last turns were passes. Keys are comparable with ==.
func (p Position) Key() Position { return Position{p.lo &^ (sideBit | passMask), p.hi} }

// Hash mixes the two words of the position into one well-spread number, for
// hash tables. Equal positions have equal hashes on every machine.
func (p Position) Hash() uint64 {
	const m = 0x9e3779b97f4a7c15 // 2^64 / golden ratio
	h, l := bits.Mul64(p.lo^m, p.hi^0xd6e8feb86659fd93)
	x := (h ^ l ^ p.lo) * m
	return x ^ x>>29 ^ p.hi*0xff51afd7ed558ccd
}

// Rotate turns the board by 180° and swaps the sides: the same position as the other player sees
// it.
func (p Position) Rotate() Position {
	lo := uint64(SquareSet(p.lo).SeenBy(North))
	lo |= swapped(p.lo, handShift, 9)
	lo |= p.lo & passMask
	lo |= ^p.lo & sideBit
	lo |= swapped(p.lo, coolShift, 1)

	hi := uint64(SquareSet(p.hi).SeenBy(North))
	hi |= swapped(p.hi, goalShift, 4)
	return Position{lo, hi}
}

// swapped returns South's and North's field at a place of a word, of so many bits each, exchanged.
func swapped(word uint64, shift, bits int) uint64 {
	mask := uint64(1)<<bits - 1
	south := word >> shift & mask
	north := word >> (shift + bits) & mask
	return (south<<bits | north) << shift
}

// Mirror puts the files of the board in reverse: no rule tells left from right.
func (p Position) Mirror() Position { return Position{mirrorPlane(p.lo), mirrorPlane(p.hi)} }

// Canonical returns the position or its mirror image, the same for both.
func (p Position) Canonical() Position {
	if p.afterMirror() {
		return p.Mirror()
	}
	return p
}

// mirrorPlane reverses the six bits of each row, and leaves those above the board.
func mirrorPlane(x uint64) uint64 {
	image := x &^ planeMask
	for f := range Files {
		image |= x >> f & fileA << (Files - 1 - f)
	}
	return image
}

// differing returns the squares on which the boards of two positions differ.
func (p Position) differing(q Position) SquareSet {
	return SquareSet((p.lo^q.lo)|(p.hi^q.hi)) & boardSet
}

func (p *Position) put(s Square, h Height) {
	p.lo |= uint64(h&1) << s
	p.hi |= uint64(h>>1) << s
}

// lift removes the piece of a square, if any, from the board.
func (p *Position) lift(s Square) {
	p.lo &^= 1 << s
	p.hi &^= 1 << s
}

func (p *Position) addHand(side Side, h Height, n int) {
	p.lo += uint64(n) << handAt(side, h)
}

// Start returns the position in which a game begins: the empty board, with all pieces in hand.
// Under Kang they enter by moves; under the other rules they are placed, and play begins when the
// hands are empty.
func (r *Rules) Start() Position { return Position{lo: (fullHand | fullHand<<9) << handShift} }

// SettingUp reports whether the players are still placing their pieces in p.
func (r *Rules) SettingUp(p Position) bool {
	return !r.options.Kang && p.lo>>handShift&handMask != 0
}

// Outcome reports whether p ends the game, and who won; a game can end also by its length, see
// [Game].
func (r *Rules) Outcome(p Position) Outcome {
	switch {
	case p.Goals(South) >= r.goalsToWin:
		return SouthWins
	case p.Goals(North) >= r.goalsToWin:
		return NorthWins
	case p.Passes() >= 2:
		return Draw
	default:
		return Undecided
	}
}

// Outcome is the result of a game, or that it has none yet.
type Outcome uint8

// The outcomes.
const (
	Undecided Outcome = iota
	SouthWins
	NorthWins
	Draw
)

// WinFor returns the outcome in which side wins.
func WinFor(side Side) Outcome { return SouthWins + Outcome(side) }

// String returns the result as records write it, South's points first, or "*" for a game that goes
// on.
func (o Outcome) String() string { return [...]string{"*", "1-0", "0-1", "1/2-1/2"}[o&3] }
