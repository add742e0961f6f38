package eval

import (
	"math"
	"math/bits"

	"gyges/rules"
)

// The features, by their place in a vector. Every one is seen from the side to
// move ("own") and its opponent. A difference is own minus opponent's. A side
// controls what it could land on if it were to move ([rules.Control]).
const (
	Tempo         = iota // 1: the value of having the move
	Only1                // difference of the pieces of height 1 that one side alone controls
	Only2                // the same for height 2
	Only3                // the same for height 3
	Shared1              // pieces of height 1 that both control: the side to move is first there
	Shared2              // the same for height 2
	Shared3              // the same for height 3
	Squares              // difference of the empty squares that one side alone can end on
	SharedSquares        // empty squares that both can end on
	Mobility             // difference of log2(1 + moves)
	Moves                // difference of the number of moves
	WinnersOwn           // own pieces that can reach the goal now
	WinnersOpp           // opponent's pieces that could if it were to move
	Front                // difference of the rows that the nearest pieces stand ahead of the home row
	Active               // difference of the pieces that may be moved, hands not counted
	Near                 // difference of the pieces moved or controlled from which one leg could reach the goal
	Goals                // difference of the pieces taken out (Kang)
	Hand1                // difference of the pieces of height 1 in hand (Kang)
	Hand2                // the same for height 2
	Hand3                // the same for height 3
	WaitOwn              // 1 if the side to move took a piece out on its previous turn (Kang)
	WaitOpp              // 1 if the opponent did (Kang)

	NumFeatures // number of features
)

// names are the features' names in weights files, in the order of the vector.
var names = [NumFeatures]string{
	Tempo: "tempo",
	Only1: "only1", Only2: "only2", Only3: "only3",
	Shared1: "shared1", Shared2: "shared2", Shared3: "shared3",
	Squares: "squares", SharedSquares: "shared_squares",
	Mobility: "mobility", Moves: "moves",
	WinnersOwn: "winners_own", WinnersOpp: "winners_opp",
	Front: "front", Active: "active", Near: "near",
	Goals: "goals",
	Hand1: "hand1", Hand2: "hand2", Hand3: "hand3",
	WaitOwn: "wait_own", WaitOpp: "wait_opp",
}

// Names returns the names of the features in the order of the vector.
func Names() []string { return append([]string(nil), names[:]...) }

// logTable holds log2(1+n) in steps of 1/256, the same on every machine. Its length
// exceeds the number of moves of any row of six pieces.
var logTable = func() (t [2048]float64) {
	for n := range t {
		t[n] = math.Round(256*math.Log2(float64(1+n))) / 256
	}
	return t
}()

// extractFeatures fills f with the features of p, and returns what the side to move and
// the opponent control.
func extractFeatures(r *rules.Rules, p rules.Position, f *[NumFeatures]float64) (co, cp rules.Control) {
	own, opp := p.Side(), p.Side().Other()
	co, cp = r.Control(p, own), r.Control(p, opp)
	*f = [NumFeatures]float64{Tempo: 1}
	for h := rules.Height(1); h <= 3; h++ {
		of := p.OfHeight(h)
		f[Only1-1+int(h)] = diff(co.Pieces&^cp.Pieces&of, cp.Pieces&^co.Pieces&of)
		f[Shared1-1+int(h)] = float64((co.Pieces & cp.Pieces & of).Count())
		f[Hand1-1+int(h)] = float64(p.Hand(own, h) - p.Hand(opp, h))
	}
	f[Squares] = diff(co.Ends&^cp.Ends, cp.Ends&^co.Ends)
	f[SharedSquares] = float64((co.Ends & cp.Ends).Count())
	f[Mobility] = logTable[min(co.Moves, len(logTable)-1)] - logTable[min(cp.Moves, len(logTable)-1)]
	f[Moves] = float64(co.Moves - cp.Moves)
	f[WinnersOwn] = float64(co.Winners)
	f[WinnersOpp] = float64(cp.Winners)
	f[Active] = diff(co.Active, cp.Active)
	occ := p.Occupied()
	f[Front] = float64(advance(occ, own) - advance(occ, opp))
	f[Near] = diff(near(p, own)&(co.Pieces|co.Active), near(p, opp)&(cp.Pieces|cp.Active))
	f[Goals] = float64(p.Goals(own) - p.Goals(opp))
	f[WaitOwn], f[WaitOpp] = indicator(p.TookOut(own)), indicator(p.TookOut(opp))
	return co, cp
}

func diff(a, b rules.SquareSet) float64 { return float64(a.Count() - b.Count()) }

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// advance returns how many empty rows lie before side's nearest piece, 0 on an
// empty board.
func advance(occ rules.SquareSet, side rules.Side) int {
	switch {
	case occ == 0:
		return 0
	case side == rules.South:
		return bits.TrailingZeros64(uint64(occ)) / rules.Files
	default:
		return rules.Rows - 1 - (bits.Len64(uint64(occ))-1)/rules.Files
	}
}

// near returns the pieces no farther from side's goal, in rows, than they are
// high: those a winning course can start or bounce from last.
func near(p rules.Position, side rules.Side) rules.SquareSet {
	var set rules.SquareSet
	for h := 1; h <= 3; h++ {
		set |= p.OfHeight(rules.Height(h)) & farRows(h, side)
	}
	return set
}

const allSquares rules.SquareSet = 1<<rules.NumSquares - 1

// farRows returns the squares of the n rows nearest to side's goal.
func farRows(n int, side rules.Side) rules.SquareSet {
	if side == rules.South {
		return allSquares &^ (1<<((rules.Rows-n)*rules.Files) - 1)
	}
	return 1<<(n*rules.Files) - 1
}
