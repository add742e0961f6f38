// Package policy ranks the moves of a position before anything is searched, by the sum of the
// weights of their features and the output of a network: see README.md. Each feature depends on the
// start and the end of the move, or on the drop of the displaced piece alone. So for hundreds of
// moves few sums are computed: one for each start and end, and one for each drop. The network's
// hidden layer sums the position and three rows by the move, without a position after it.
//
// Squares are seen by the side to move. A move and its mirror image in the mirrored position have
// the same features: those whose square is on the right half of the board are mirrored.
//
// Begin with [Scorer]: of the [Weights], packed as a [Policy], and a position, whose squares and
// moves a [View] turns to the side to move, it makes the score of each move.
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

// The first indices of the tables of features. A kind is the height of the piece moved with the
// height of the piece displaced, or none; threatened squares are those that the opponent controls.
const (
	// of the start and the end
	firstStartEnd = 0
	// of the start: height, start, threatened, pieces in the row
	firstStart = firstStartEnd + places*places

	// of the end: kind, end, threatened, several pieces can end there
	firstEnd = firstStart + 3*places*2*3
	// kind, row of the end, threatened, neighbours
	firstEndNear = firstEnd + kinds*places*2*2
	// kind, end, own first row
	firstEndOwn = firstEndNear + kinds*(rows+1)*2*16
	// kind, end, the opponent's first row
	firstEndOther = firstEndOwn + kinds*places*rows
	// height, pieces in the row, the row, the row of the end, the next row
	firstEndRow = firstEndOther + kinds*places*rows

	// of the drop: height, drop, threatened, pieces that can end there
	firstDrop = firstEndRow + 3*3*rows*(rows+1)*rows
	// height, row of the drop, threatened and pieces as before, neighbours
	firstDropNear = firstDrop + 3*rules.NumSquares*2*3
	// height, drop, own first row
	firstDropOwn = firstDropNear + 3*rows*2*3*16
	// height, drop, the opponent's first row
	firstDropOther = firstDropOwn + 3*rules.NumSquares*rows
	// height, pieces in the row, the row, the row of the drop, the next row
	firstDropRow = firstDropOther + 3*rules.NumSquares*rows

	// NumFeatures is the number of features.
	NumFeatures = firstDropRow + 3*3*rows*rows*rows
	// NumWeights is the number of all weights, of the features and of the network.
	NumWeights = NumFeatures + numRows*Units

	kinds = 3 * 4 // heights of the piece moved and of the one displaced, or none
	rows  = rules.Rows
)

// View is a position as the features see it: squares are turned to the side to move.
type View struct {
	position   rules.Position
	occupied   rules.SquareSet
	threatened rules.SquareSet // the opponent controls them
	reached    rules.SquareSet // a piece can end there
	contested  rules.SquareSet // two or more can
	row        int             // own first row, from 0
	count      int             // pieces in it less one, at most 2
	next       int             // empty rows behind it
	other      int             // the opponent's first row, from 0
}

// Begin sets the view to p, whose moves are in ms, and returns what the opponent controls.
func (v *View) Begin(r *rules.Rules, p rules.Position, ms *rules.MoveSet) (opponent rules.Control) {
	side := p.Side()
	opponent = r.Control(p, side.Other())
	threatened := opponent.Ends | opponent.Pieces
	reached, contested := ms.Ends()
	v.position = p
	v.occupied = p.Occupied().SeenBy(side)
	v.threatened = threatened.SeenBy(side)
	v.reached = reached.SeenBy(side)
	v.contested = contested.SeenBy(side)

	v.row = firstRow(v.occupied)
	fromRow := v.occupied >> (v.row * rules.Files)
	inRow := fromRow & (1<<rules.Files - 1)
	v.count = min(max(inRow.Count(), 1), 3) - 1
	v.next = firstRow(fromRow >> rules.Files)
	highest := bits.Len64(uint64(v.occupied|1)) - 1
	v.other = highest / rules.Files
	return opponent
}

// firstRow returns the lowest row that has a square of a set, the last one for an empty set.
func firstRow(set rules.SquareSet) int {
	return min(bits.TrailingZeros64(uint64(set))/rules.Files, rows-1)
}

// place returns a square turned to the side to move; hand or goal for what is no square.
func (v *View) place(s rules.Square) int {
	if !s.OnBoard() {
		return rules.NumSquares
	}
	return int(s.SeenBy(v.position.Side()))
}

// turnedMove is a move as the side to move sees it.
type turnedMove struct {
	height    int // of the piece moved
	displaced int // height of the piece displaced; 0: none
	start     int // places
	end       int
	drop      int
}

// kind returns the number of the pair of heights.
func (a turnedMove) kind() int { return (a.height-1)*4 + a.displaced }

// turned returns a move, not the pass, as the side to move sees it.
func (v *View) turned(m rules.Move) turnedMove {
	height := m.FromHand()
	if height == 0 {
		height = v.position.At(m.From())
	}
	a := turnedMove{
		height: int(height),
		start:  v.place(m.From()),
		end:    v.place(m.To()),
		drop:   v.place(m.Drop()),
	}
	if m.Drop().OnBoard() {
		a.displaced = int(v.position.At(m.To()))
	}
	return a
}

// bit returns 1 if a place is in a set, else 0; the goal and the hand are in none.
func bit(set rules.SquareSet, place int) int { return int(set >> place & 1) }

// mirrored returns a place mirrored, if it is on the right half of the board.
func mirrored(place int) (left int, mirror bool) {
	image := opposite(place)
	return min(place, image), image < place
}

// opposite returns a place in the mirror image of the board; hand and goal stay.
func opposite(place int) int { return int(rules.Square(place).Mirror()) }

// neighbours returns which of the squares beside a square are occupied, a bit for each.
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
	south := bit(v.occupied<<rules.Files, square)
	north := bit(v.occupied>>rules.Files, square)
	return west | east<<1 | south<<2 | north<<3
}

// startFeatures returns the features of a start and an end that are not of the end alone.
func (v *View) startFeatures(a turnedMove) [2]int {
	left, _ := mirrored(a.start)
	place := (a.height-1)*places + left
	control := bit(v.threatened, a.start)
	start, end := a.start, a.end
	pivot := end
	if end == goal {
		pivot = start
	}
	if _, mirror := mirrored(pivot); mirror {
		start, end = opposite(start), opposite(end)
	}
	return [2]int{
		firstStartEnd + start*places + end,
		firstStart + (place*2+control)*3 + v.count,
	}
}

func (v *View) endFeatures(a turnedMove) [5]int {
	left, mirror := mirrored(a.end)
	place := a.kind()*places + left
	row := a.end / rules.Files
	ofKind := a.kind()*(rows+1) + row
	ofHeight := v.ownRow(a.height)*(rows+1) + row
	threatened := bit(v.threatened, a.end)
	contested := bit(v.contested, a.end)
	near := 0
	if a.end != goal {
		near = v.neighbours(a.end, mirror)
	}
	return [5]int{
		firstEnd + (place*2+threatened)*2 + contested,
		firstEndNear + (ofKind*2+threatened)*16 + near,
		firstEndOwn + place*rows + v.row,
		firstEndOther + place*rows + v.other,
		firstEndRow + ofHeight*rows + v.next,
	}
}

// dropFeatures returns the features of the drop of a piece of a height.
func (v *View) dropFeatures(height, drop int) [5]int {
	left, mirror := mirrored(drop)
	place := (height-1)*rules.NumSquares + left
	row := drop / rules.Files
	inRow := (height-1)*rows + row
	control := bit(v.threatened, drop)*3 + bit(v.reached, drop) + bit(v.contested, drop)
	return [5]int{
		firstDrop + place*6 + control,
		firstDropNear + (inRow*6+control)*16 + v.neighbours(drop, mirror),
		firstDropOwn + place*rows + v.row,
		firstDropOther + place*rows + v.other,
		firstDropRow + (v.ownRow(height)*rows+row)*rows + v.next,
	}
}

// ownRow returns the number of a height, the pieces in the own first row, and that row.
func (v *View) ownRow(height int) int { return ((height-1)*3+v.count)*rows + v.row }

// Features appends the features of a move of the position, which are indices below NumFeatures. The
// pass has none.
func (v *View) Features(m rules.Move, list []uint16) []uint16 {
	if m == rules.Pass {
		return list
	}
	a := v.turned(m)
	for _, i := range v.startFeatures(a) {
		list = append(list, uint16(i))
	}
	for _, i := range v.endFeatures(a) {
		list = append(list, uint16(i))
	}
	if a.displaced > 0 {
		for _, i := range v.dropFeatures(a.displaced, a.drop) {
			list = append(list, uint16(i))
		}
	}
	return list
}
