package rules

import (
	"iter"
	"math/bits"
	"strings"
)

// Board dimensions.
const (
	Files      = 6             // files a–f, from South's left
	Rows       = 6             // rows 1–6, from South's home row
	NumSquares = Files * Rows  // squares on the board, goals not counted
	NumPieces  = 12            // pieces in the game, four of each height
	perHeight  = NumPieces / 3 // pieces of one height in the game
)

// Side is one of the two players. South plays from row 1 towards row 6.
type Side uint8

// The two sides.
const (
	South Side = iota
	North
)

// Other returns the opponent.
func (s Side) Other() Side { return s ^ 1 }

// String returns "South" or "North".
func (s Side) String() string { return [...]string{"South", "North"}[s] }

// Name returns the side's name in records, "south" or "north".
func (s Side) Name() string { return strings.ToLower(s.String()) }

// Letter returns the side's letter in position texts, 's' or 'n'.
func (s Side) Letter() byte { return "sn"[s] }

// Height is a piece's height, 1 to 3; 0 is an empty square.
type Height uint8

// Square is a board square, 0 (a1) to 35 (f6), counted along rows from South's left; 36 and 37 are
// the goals; the codes above them name pieces that come from a hand, and NoSquare means "none".
type Square uint8

// Squares off the board.
const (
	NorthGoal Square = NumSquares + iota // beyond row 6: South's aim
	SouthGoal                            // beyond row 1: North's aim

	handBase  Square = 39 // 40, 41, 42: a piece of height 1, 2, 3 enters (Kang)
	placeBase Square = 43 // 44, 45, 46: a piece of height 1, 2, 3 is placed (set-up)

	NoSquare Square = 63
)

// SquareAt returns the square on the given file (0 = a) and row (0 = row 1).
func SquareAt(file, row int) Square { return Square(row*Files + file) }

// File returns the file of a board square, 0 (a) to 5 (f).
func (s Square) File() int { return int(s) % Files }

// Row returns the row of a board square, 0 (row 1) to 5 (row 6).
func (s Square) Row() int { return int(s) / Files }

// OnBoard reports whether s is one of the 36 board squares.
func (s Square) OnBoard() bool { return s < NumSquares }

// IsGoal reports whether s is one of the two goals.
func (s Square) IsGoal() bool { return goalSet.Has(s) }

// String returns the square's name: "a1" to "f6", "goal", or "none".
func (s Square) String() string { return string(s.appendTo(nil)) }

func (s Square) appendTo(text []byte) []byte {
	switch {
	case s.OnBoard():
		return append(text, 'a'+byte(s.File()), '1'+byte(s.Row()))
	case s.IsGoal():
		return append(text, "goal"...)
	default:
		return append(text, "none"...)
	}
}

func (s Square) rotate() Square {
	switch {
	case s.OnBoard():
		return NumSquares - 1 - s
	case s.IsGoal():
		return NorthGoal + SouthGoal - s
	default:
		return s
	}
}

// Mirror returns the square in the mirror image of the board, file a for f and so on; squares off
// the board stay.
func (s Square) Mirror() Square {
	if !s.OnBoard() {
		return s
	}
	return SquareAt(Files-1-s.File(), s.Row())
}

// SeenBy returns the square that stands where s does once the board is turned so that side
// plays from row 1: under North another one, and the other goal.
func (s Square) SeenBy(side Side) Square {
	if side == North {
		return s.rotate()
	}
	return s
}

func goalOf(side Side) Square { return NorthGoal + Square(side) }

// SquareSet is a set of squares: bit i is square i. Goals are bits 36 and 37.
type SquareSet uint64

const (
	boardSet SquareSet = 1<<NumSquares - 1
	row1     SquareSet = 1<<Files - 1
	goalSet  SquareSet = 1<<NorthGoal | 1<<SouthGoal

	fileA = planeMask / (1<<Files - 1) // a bit for each row, as 0b1111 / 0b11 is 0b101
	fileF = fileA << (Files - 1)
)

// Has reports whether s is in the set.
func (ss SquareSet) Has(s Square) bool { return ss>>s&1 != 0 }

// Count returns the number of squares in the set.
func (ss SquareSet) Count() int { return bits.OnesCount64(uint64(ss)) }

// SeenBy returns the squares of the board in the set, each turned like [Square.SeenBy].
func (ss SquareSet) SeenBy(side Side) SquareSet {
	if side == North {
		return SquareSet(bits.Reverse64(uint64(ss)) >> (64 - NumSquares))
	}
	return ss & boardSet
}

// first returns the lowest square of a set that is not empty.
func (ss SquareSet) first() Square { return Square(bits.TrailingZeros64(uint64(ss))) }

// nth returns the i-th square of the set in ascending order, i < Count().
func (ss SquareSet) nth(i int) Square {
	for ; i > 0; i-- {
		ss &= ss - 1
	}
	return ss.first()
}

// All iterates over the squares of the set in ascending order.
func (ss SquareSet) All() iter.Seq[Square] {
	return func(yield func(Square) bool) {
		for ; ss != 0; ss &= ss - 1 {
			if !yield(ss.first()) {
				return
			}
		}
	}
}

// rowSet returns the six squares of a row, 0 (row 1) to 5 (row 6).
func rowSet(row int) SquareSet { return row1 << (row * Files) }

// firstRow returns the occupied row nearest to side, on a board that isn't empty.
func firstRow(occ SquareSet, side Side) int {
	if side == South {
		return occ.first().Row()
	}
	return (bits.Len64(uint64(occ)) - 1) / Files
}

// nearRow returns the i-th row as side sees it: its own first row is 0, the far one Rows-1.
func nearRow(side Side, i int) int {
	if side == South {
		return i
	}
	return Rows - 1 - i
}

// rowsTo returns the squares of the rows from side's own first row to the given one.
func rowsTo(row int, side Side) SquareSet {
	if side == South {
		return 1<<((row+1)*Files) - 1
	}
	return boardSet &^ (1<<(row*Files) - 1)
}
