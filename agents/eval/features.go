package eval

// The features of the linear part of the evaluation.

import (
	"math"
	"math/bits"
	"slices"

	"gyges/rules"
	"gyges/rules/base/lists"
)

// MaxFeatures bounds the number of features, the entries of [collector.fill].
const MaxFeatures = 32

// Vector has a number for each feature, in the order of [Names]; the rest are 0.
type Vector [MaxFeatures]float64

// Feature is what a feature is, for documents.
type Feature struct {
	Name string // in weights files
	Doc  string
}

// collector takes the features one after another.
type collector struct {
	values *Vector
	n      int        // features so far
	list   *[]Feature // nil: not wanted
}

func (v *collector) add(name, doc string, x float64) {
	v.values[v.n%MaxFeatures] = x // the remainder spares a check of bounds
	v.n++
	if v.list != nil {
		*v.list = append(*v.list, Feature{name, doc})
	}
}

// fill adds the features of p, of which the side to move controls own and the opponent opp. A new
// feature is an entry here; weights files that don't have it give it 0. Every one is seen from the
// side to move, the mover; a difference is its count minus its opponent's. A side controls what it
// could land on if it were to move ([rules.Control]).
func (v *collector) fill(p rules.Position, own, opp *rules.Control) {
	side := p.Side()
	other := side.Other()

	v.add("tempo", "1: the value of having the move", 1)

	// pieces by height, and by who controls them
	low, middle, high := p.OfHeight(1), p.OfHeight(2), p.OfHeight(3)
	onlyOwn := own.Pieces &^ opp.Pieces
	onlyOpp := opp.Pieces &^ own.Pieces
	both := own.Pieces & opp.Pieces
	v.add("only1", "difference of the pieces of height 1 that one side alone controls",
		diff(onlyOwn&low, onlyOpp&low))
	v.add("only2", "difference of the pieces of height 2 that one side alone controls",
		diff(onlyOwn&middle, onlyOpp&middle))
	v.add("only3", "difference of the pieces of height 3 that one side alone controls",
		diff(onlyOwn&high, onlyOpp&high))
	v.add("shared1", "pieces of height 1 that both control: the mover is first there",
		count(both&low))
	v.add("shared2", "pieces of height 2 that both control", count(both&middle))
	v.add("shared3", "pieces of height 3 that both control", count(both&high))

	// squares and moves
	v.add("squares", "difference of the empty squares that one side alone can end a move on",
		diff(own.Ends&^opp.Ends, opp.Ends&^own.Ends))
	v.add("shared_squares", "empty squares that both can end a move on", count(own.Ends&opp.Ends))
	v.add("mobility", "difference of log2(1 + number of moves)", mobility(own)-mobility(opp))
	v.add("moves", "difference of the number of moves", float64(own.Moves-opp.Moves))

	// ways to the goal
	front := advance(p, side) - advance(p, other)
	nearOwn := near(p, side) & (own.Pieces | own.Active)
	nearOpp := near(p, other) & (opp.Pieces | opp.Active)
	v.add("winners_own", "the mover's pieces that can reach the goal at once", float64(own.Winners))
	v.add("winners_opp", "the opponent's pieces that could if it were to move",
		float64(opp.Winners))
	v.add("front", "difference of the empty rows before a side's nearest piece", float64(front))
	v.add("active", "difference of the pieces that may be moved, those in hand not counted",
		diff(own.Active, opp.Active))
	v.add("near",
		"difference of the pieces moved or controlled from which one leg could reach the goal",
		diff(nearOwn, nearOpp))

	// Kang: goals, and pieces in hand
	goals := p.Goals(side) - p.Goals(other)
	v.add("goals", "difference of the pieces taken out (Kang)", float64(goals))
	v.add("hand1", "difference of the pieces of height 1 in hand (Kang)", inHand(p, 1))
	v.add("hand2", "difference of the pieces of height 2 in hand (Kang)", inHand(p, 2))
	v.add("hand3", "difference of the pieces of height 3 in hand (Kang)", inHand(p, 3))
	v.add("wait_own", "1 if the mover took a piece out on its last turn (Kang)", waits(p, side))
	v.add("wait_opp", "1 if the opponent took a piece out on its last turn (Kang)", waits(p, other))
}

var features = func() (list []Feature) {
	v := collector{values: new(Vector), list: &list}
	v.fill(rules.Position{}, &rules.Control{}, &rules.Control{})
	if v.n > MaxFeatures {
		panic("eval: MaxFeatures is too small")
	}
	return list
}()

// Features returns the features in the order of a vector.
func Features() []Feature { return slices.Clone(features) }

var names = lists.Map(features, func(f Feature) string { return f.Name })

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

func mobility(c *rules.Control) float64 { return logTable[min(c.Moves, len(logTable)-1)] }

func count(a rules.SquareSet) float64 { return float64(a.Count()) }

func diff(a, b rules.SquareSet) float64 { return float64(a.Count() - b.Count()) }

// inHand returns how many more pieces of a height the side to move has in hand than its opponent.
func inHand(p rules.Position, h rules.Height) float64 {
	side := p.Side()
	return float64(p.Hand(side, h) - p.Hand(side.Other(), h))
}

func waits(p rules.Position, side rules.Side) float64 {
	if p.TookOut(side) {
		return 1
	}
	return 0
}

// advance returns how many empty rows lie before side's nearest piece, 0 on an empty board.
func advance(p rules.Position, side rules.Side) int {
	occupied := p.Occupied().SeenBy(side)
	if occupied == 0 {
		return 0
	}
	return bits.TrailingZeros64(uint64(occupied)) / rules.Files
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
