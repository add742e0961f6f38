package rules

// Move is one turn, identified by where the piece starts, where it ends and
// where a displaced piece is dropped. The zero value is NoMove.
type Move uint32

// Moves that are not (start, end, drop).
const (
	NoMove Move = 0
	Pass   Move = 1 << 24
)

// kindBit marks real moves, so that none is the zero value.
const kindBit = 1 << 25

// newMove packs a move. drop is NoSquare where nothing is displaced.
func newMove(from, to, drop Square) Move {
	return Move(from) | Move(to)<<8 | Move(drop)<<16 | kindBit
}

// from returns the start, with the codes of hands.
func (m Move) from() Square { return Square(m & 0x3f) }

// From returns the square the piece starts on; NoSquare if it comes from a hand, and for a pass.
func (m Move) From() Square {
	if m&kindBit == 0 || m.from() >= NumSquares {
		return NoSquare
	}
	return m.from()
}

// To returns the square the piece ends on, a goal included; NoSquare for a pass.
func (m Move) To() Square {
	if m&kindBit == 0 {
		return NoSquare
	}
	return Square(m >> 8 & 0x3f)
}

// Drop returns the square a displaced piece is put on; NoSquare if there is none.
func (m Move) Drop() Square {
	if m&kindBit == 0 {
		return NoSquare
	}
	return Square(m >> 16 & 0x3f)
}

// WithoutDrop returns the start and the end of a move in a form that is only good for comparisons.
func (m Move) WithoutDrop() Move { return m &^ (0x3f << 16) }

// FromHand returns the height of the piece that enters (Kang) or is placed (set-up); 0 if it starts
// on the board.
func (m Move) FromHand() Height {
	switch f := m.from(); {
	case f > placeBase:
		return Height(f - placeBase)
	case f > handBase:
		return Height(f - handBase)
	default:
		return 0
	}
}

// IsPlacement reports whether the move places a piece during set-up.
func (m Move) IsPlacement() bool { return m.from() > placeBase }

// IsGoal reports whether the piece leaves over the far side.
func (m Move) IsGoal() bool { return m.To().IsGoal() }

// Rotate returns the move as the other player sees it, for use with [Position.Rotate].
func (m Move) Rotate() Move {
	if m&kindBit == 0 {
		return m
	}
	return newMove(m.from().rotate(), m.To().rotate(), m.Drop().rotate())
}

// Apply returns the position after a move, which must be legal in p.
func (r *Rules) Apply(p Position, m Move) Position {
	side := p.Side()
	h := m.FromHand()
	if h > 0 {
		p.addHand(side, h, -1)
	}
	if m.IsPlacement() {
		p.put(m.To(), h)
		p.lo = p.lo&^sideBit | uint64(r.nextToPlace(p))<<sideShift
		return p
	}
	p.lo ^= sideBit
	p.lo &^= 1 << coolAt(side)
	if m == Pass {
		p.lo += 1 << passShift
		return p
	}
	p.lo &^= passMask
	if h == 0 {
		h = p.At(m.from())
		p.lift(m.from())
	}
	to, drop := m.To(), m.Drop()
	if to >= NumSquares {
		p.hi += 1 << goalsAt(side)
		if r.options.Kang {
			p.addHand(side.Other(), h, 1)
			p.lo |= 1 << coolAt(side)
		}
		return p
	}
	if drop != NoSquare {
		displaced := p.At(to)
		p.lift(to)
		p.put(drop, displaced)
	}
	p.put(to, h)
	return p
}
