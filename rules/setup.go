package rules

import "math/rand/v2"

// setupSquares returns the squares on which side places its pieces.
func (r *Rules) setupSquares(side Side) SquareSet {
	rows := 1
	if r.options.SetupZone == TwoRows {
		rows = 2
	}
	if side == South {
		return 1<<(rows*Files) - 1
	}
	return boardSet &^ (1<<((Rows-rows)*Files) - 1)
}

// nextToPlace returns who places the next piece when so many are placed; South
// when all are, for South moves first.
func (r *Rules) nextToPlace(south, north int) Side {
	const each = NumPieces / 2
	switch {
	case south+north == NumPieces:
		return South
	case r.options.SetupOrder == SouthThenNorth && south == each,
		r.options.SetupOrder == Alternate && north < south:
		return North
	default:
		return South
	}
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
		return start()
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
