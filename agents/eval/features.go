package eval

import (
	"math"
	"math/bits"
	"slices"

	"gyges/rules"
)

// MaxFeatures bounds the number of features, the entries of [collector.fill].
const MaxFeatures = 32

// Vector has a number for each feature, in the order of [Names]; the rest are 0.
type Vector [MaxFeatures]float64

// collector takes features one after another.
type collector struct {
	values *Vector
	n      int
	names  *[]string // of the features; nil: not wanted
}

func (v *collector) add(name string, x float64) {
	v.values[v.n%MaxFeatures] = x
	v.n++
	if v.names != nil {
		*v.names = append(*v.names, name)
	}
}

// fill adds the features of p, of which the side to move controls own and the opponent opp.
// A new feature is an entry here; weights files that don't have it give it 0. Every one is
// seen from the side to move ("own") and its opponent; a difference is own minus opponent's.
// A side controls what it could land on if it were to move ([rules.Control]).
func (v *collector) fill(p rules.Position, own, opp *rules.Control) {
	side, other, occupied := p.Side(), p.Side().Other(), p.Occupied()
	only, both, onlyOpp := own.Pieces&^opp.Pieces, own.Pieces&opp.Pieces, opp.Pieces&^own.Pieces
	low, middle, high := p.OfHeight(1), p.OfHeight(2), p.OfHeight(3)

	// the value of having the move
	v.add("tempo", 1)
	// differences of the pieces of a height that one side alone controls
	v.add("only1", diff(only&low, onlyOpp&low))
	v.add("only2", diff(only&middle, onlyOpp&middle))
	v.add("only3", diff(only&high, onlyOpp&high))
	// pieces of a height that both control: the side to move is first there
	v.add("shared1", float64((both & low).Count()))
	v.add("shared2", float64((both & middle).Count()))
	v.add("shared3", float64((both & high).Count()))
	// difference of the empty squares that one side alone can end on, and those that both can
	v.add("squares", diff(own.Ends&^opp.Ends, opp.Ends&^own.Ends))
	v.add("shared_squares", float64((own.Ends & opp.Ends).Count()))
	// differences of log2(1 + moves), and of the number of moves
	v.add("mobility", logTable[min(own.Moves, len(logTable)-1)]-logTable[min(opp.Moves, len(logTable)-1)])
	v.add("moves", float64(own.Moves-opp.Moves))
	// own pieces that can reach the goal now, and the opponent's that could if it were to move
	v.add("winners_own", float64(own.Winners))
	v.add("winners_opp", float64(opp.Winners))
	// difference of the rows that the nearest pieces stand ahead of the home row
	v.add("front", float64(advance(occupied, side)-advance(occupied, other)))
	// difference of the pieces that may be moved, hands not counted
	v.add("active", diff(own.Active, opp.Active))
	// difference of the pieces moved or controlled from which one leg could reach the goal
	v.add("near", diff(near(p, side)&(own.Pieces|own.Active), near(p, other)&(opp.Pieces|opp.Active)))
	// Kang: differences of the pieces taken out, and of those of a height in hand
	v.add("goals", float64(p.Goals(side)-p.Goals(other)))
	v.add("hand1", float64(p.Hand(side, 1)-p.Hand(other, 1)))
	v.add("hand2", float64(p.Hand(side, 2)-p.Hand(other, 2)))
	v.add("hand3", float64(p.Hand(side, 3)-p.Hand(other, 3)))
	// Kang: 1 if the side to move took a piece out on its previous turn, and if the opponent did
	v.add("wait_own", indicator(p.TookOut(side)))
	v.add("wait_opp", indicator(p.TookOut(other)))
}

// names are the features' names in weights files, in the order of a vector.
var names = func() (list []string) {
	v := collector{values: new(Vector), names: &list}
	v.fill(rules.Position{}, &rules.Control{}, &rules.Control{})
	return list
}()

// Names returns the names of the features in the order of the vector.
func Names() []string { return slices.Clone(names) }

// logTable holds log2(1+n) in steps of 1/256, the same on every machine. Its length
// exceeds the number of moves of any row of six pieces.
var logTable = func() (t [2048]float64) {
	for n := range t {
		t[n] = math.Round(256*math.Log2(float64(1+n))) / 256
	}
	return t
}()

func diff(a, b rules.SquareSet) float64 { return float64(a.Count() - b.Count()) }

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// advance returns how many empty rows lie before side's nearest piece, 0 on an
// empty board.
func advance(occupied rules.SquareSet, side rules.Side) int {
	if occupied == 0 {
		return 0
	}
	return bits.TrailingZeros64(uint64(occupied.SeenBy(side))) / rules.Files
}

// near returns the pieces no farther from side's goal, in rows, than they are
// high: those a winning course can start or bounce from last.
func near(p rules.Position, side rules.Side) (set rules.SquareSet) {
	for h := rules.Height(1); h <= 3; h++ {
		set |= p.OfHeight(h) & lastRows[side][h]
	}
	return set
}

// lastRows are, by side and number, the rows nearest to a side's goal.
var lastRows = func() (t [2][4]rules.SquareSet) {
	for n := range 4 {
		t[rules.South][n] = allSquares &^ (1<<((rules.Rows-n)*rules.Files) - 1)
		t[rules.North][n] = 1<<(n*rules.Files) - 1
	}
	return t
}()

const allSquares rules.SquareSet = 1<<rules.NumSquares - 1
