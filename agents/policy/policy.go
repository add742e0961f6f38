// Package policy ranks the moves of a position before anything is searched, by the sum of the weights of their features
// and the output of a network: see README.md. Each feature depends on the start and the end of the move, or on the drop
// of the displaced piece alone. So for hundreds of moves few sums are computed: one for each start and end, and one for
// each drop. The network's hidden layer sums the position and three rows by the move, without a position after it.
//
// Squares are seen by the side to move. A move and its mirror image in the mirrored position have the same features:
// those whose square is on the right half of the board are mirrored.
package policy

import (
	"math/bits"

	"gyges/rules"
)

// Places of starts and ends: the squares, and one more.
const (
	hand   = rules.NumSquares // a start
	goal   = rules.NumSquares // an end
	places = rules.NumSquares + 1
)

// The first indices of the tables of features. A kind is the height of the piece moved with that of the one displaced,
// or none; threatened squares are those that the opponent controls.
const (
	firstStartEnd  = 0                                          // start and end
	firstStart     = firstStartEnd + places*places              // height, start, threatened, pieces in the row
	firstEnd       = firstStart + 3*places*2*3                  // kind, end, threatened, several pieces can end there
	firstEndNear   = firstEnd + kinds*places*2*2                // kind, row of the end, threatened, neighbours
	firstEndOwn    = firstEndNear + kinds*(rules.Rows+1)*2*16   // kind, end, own first row
	firstEndOther  = firstEndOwn + kinds*places*rules.Rows      // kind, end, the opponent's first row
	firstEndRow    = firstEndOther + kinds*places*rules.Rows    // height, pieces in the row, the row, the end's, the next
	firstDrop      = firstEndRow + 3*3*rows*(rules.Rows+1)*rows // height, drop, threatened, pieces that can end there
	firstDropNear  = firstDrop + 3*rules.NumSquares*2*3         // height, row of the drop, as before, neighbours
	firstDropOwn   = firstDropNear + 3*rules.Rows*2*3*16        // height, drop, own first row
	firstDropOther = firstDropOwn + 3*rules.NumSquares*rows     // height, drop, the opponent's first row
	firstDropRow   = firstDropOther + 3*rules.NumSquares*rows   // height, pieces in the row, the row, the drop's, the next
	NumFeatures    = firstDropRow + 3*3*rows*rules.Rows*rows    // number of features

	// NumWeights is the number of weights: those of the features and those of the network.
	NumWeights = NumFeatures + numRows*Units

	kinds = 3 * 4
	rows  = rules.Rows
)

// View is a position as the features see it: squares are turned to the side to move.
type View struct {
	position   rules.Position
	occupied   uint64
	threatened uint64 // the opponent controls them
	reached    uint64 // a piece can end there
	contested  uint64 // two or more can
	row        int    // own first row, from 0
	count      int    // pieces in it less one, at most 2
	next       int    // empty rows behind it
	other      int    // the opponent's first row, from 0
}

// Begin sets the view to p, whose moves are in ms, and returns what the opponent controls.
func (v *View) Begin(r *rules.Rules, p rules.Position, ms *rules.MoveSet) (opponent rules.Control) {
	opponent = r.Control(p, p.Side().Other())
	reached, contested := ms.Ends()
	turned := func(s rules.SquareSet) uint64 { return uint64(s.SeenBy(p.Side())) }
	v.position = p
	v.occupied, v.threatened = turned(p.Occupied()), turned(opponent.Ends|opponent.Pieces)
	v.reached, v.contested = turned(reached), turned(contested)
	v.row = min(bits.TrailingZeros64(v.occupied)/rules.Files, rows-1)
	rest := v.occupied >> (v.row * rules.Files)
	v.count = min(max(bits.OnesCount64(rest&(1<<rules.Files-1)), 1), 3) - 1
	v.next = min(bits.TrailingZeros64(rest>>rules.Files)/rules.Files, rows-1)
	v.other = (bits.Len64(v.occupied|1) - 1) / rules.Files
	return opponent
}

// place returns a square turned to the side to move; hand or goal for what is no square.
func (v *View) place(s rules.Square) int {
	if !s.OnBoard() {
		return rules.NumSquares
	}
	return int(s.SeenBy(v.position.Side()))
}

type turnedMove struct {
	height, displaced int // of the pieces; displaced is 0 if there is none
	start, end, drop  int
}

// turned returns a move, not the pass, as the side to move sees it.
func (v *View) turned(m rules.Move) turnedMove {
	a := turnedMove{height: int(m.FromHand()), start: v.place(m.From()), end: v.place(m.To()), drop: v.place(m.Drop())}
	if a.height == 0 {
		a.height = int(v.position.At(m.From()))
	}
	if m.Drop().OnBoard() {
		a.displaced = int(v.position.At(m.To()))
	}
	return a
}

func bit(set uint64, place int) int { return int(set >> place & 1) }

// mirrored returns a place mirrored, if it is on the right half of the board.
func mirrored(place int) (left int, mirror bool) {
	image := opposite(place)
	return min(place, image), image < place
}

// opposite returns a place in the mirror image of the board; hand and goal stay.
func opposite(place int) int { return int(rules.Square(place).Mirror()) }

func (v *View) neighbours(square int, mirror bool) int {
	file := square % rules.Files
	west, east := 0, 0
	if file > 0 {
		west = bit(v.occupied, square-1)
	}
	if file < rules.Files-1 {
		east = bit(v.occupied, square+1)
	}
	if mirror {
		west, east = east, west
	}
	return west | east<<1 | bit(v.occupied<<rules.Files, square)<<2 | bit(v.occupied>>rules.Files, square)<<3
}

// startFeatures returns the features of a start and an end that are not of the end alone.
func (v *View) startFeatures(height, start, end int) [2]int {
	left, _ := mirrored(start)
	single := firstStart + (((height-1)*places+left)*2+bit(v.threatened, start))*3 + v.count
	pivot := end
	if end == goal {
		pivot = start
	}
	if _, mirror := mirrored(pivot); mirror {
		start, end = opposite(start), opposite(end)
	}
	return [2]int{firstStartEnd + start*places + end, single}
}

func (v *View) endFeatures(height, displaced, end int) [5]int {
	kind := (height-1)*4 + displaced
	left, mirror := mirrored(end)
	threatened, contested := bit(v.threatened, end), bit(v.contested, end)
	row, near := end/rules.Files, 0
	if end != goal {
		near = v.neighbours(end, mirror)
	}
	return [5]int{
		firstEnd + ((kind*places+left)*2+threatened)*2 + contested,
		firstEndNear + ((kind*(rules.Rows+1)+row)*2+threatened)*16 + near,
		firstEndOwn + (kind*places+left)*rows + v.row,
		firstEndOther + (kind*places+left)*rows + v.other,
		firstEndRow + ((((height-1)*3+v.count)*rows+v.row)*(rules.Rows+1)+row)*rows + v.next,
	}
}

func (v *View) dropFeatures(height, drop int) [5]int {
	left, mirror := mirrored(drop)
	control := bit(v.threatened, drop)*3 + bit(v.reached, drop) + bit(v.contested, drop)
	row := drop / rules.Files
	return [5]int{
		firstDrop + ((height-1)*rules.NumSquares+left)*6 + control,
		firstDropNear + (((height-1)*rules.Rows+row)*6+control)*16 + v.neighbours(drop, mirror),
		firstDropOwn + ((height-1)*rules.NumSquares+left)*rows + v.row,
		firstDropOther + ((height-1)*rules.NumSquares+left)*rows + v.other,
		firstDropRow + ((((height-1)*3+v.count)*rows+v.row)*rules.Rows+row)*rows + v.next,
	}
}

// Features appends the features of a move of the position, which are indices below NumFeatures. The pass has none.
func (v *View) Features(m rules.Move, list []uint16) []uint16 {
	if m == rules.Pass {
		return list
	}
	add := func(features []int) {
		for _, i := range features {
			list = append(list, uint16(i))
		}
	}
	a := v.turned(m)
	start, end := v.startFeatures(a.height, a.start, a.end), v.endFeatures(a.height, a.displaced, a.end)
	add(start[:])
	add(end[:])
	if a.displaced > 0 {
		drop := v.dropFeatures(a.displaced, a.drop)
		add(drop[:])
	}
	return list
}
