// Package inputs extracts from a position the inputs of networks: of that of the evaluation and of that of the policy.
package inputs

import (
	"fmt"
	"math/bits"

	"gyges/rules"
)

// The inputs of a network, each on or off, are seen from the side to move, which plays from row 1. First come the
// squares by content (empty, or a piece of height 1 to 3) and control (by no side, own, opponent, both). Then come
// one-hot counts: moves in buckets of half a doubling, pieces that can reach the goal now, pieces that may be moved;
// and for Kang the pieces of each height in hand, the goals, and who took a piece out on its last turn.
const (
	inSquares = 0
	inMoves   = inSquares + 4*4*rules.NumSquares // own, then the opponent's
	inWinners = inMoves + 2*moveBuckets
	inActive  = inWinners + 2*maxWinners
	inHands   = inActive + 2*rules.Files
	inGoals   = inHands + 2*3*maxInHand
	inWaits   = inGoals + 2*maxGoals

	// Num is the number of inputs.
	Num = inWaits + 2
)

// Numbers of inputs of the counts for each side. Higher counts share the last.
const (
	moveBuckets = 24
	maxWinners  = 3
	maxInHand   = 4
	maxGoals    = 7
)

// MaxActive bounds the inputs that are on at once: one for each square, two for
// moves, winners, active pieces, goals and waits, and six for the hands.
const MaxActive = rules.NumSquares + 2*5 + 6

// List lists the inputs that are on.
type List struct {
	list [MaxActive]uint16
	n    int
}

// Active returns the inputs that are on, each once. The slice is valid until the inputs are filled again.
func (in *List) Active() []uint16 { return in.list[:in.n] }

func (in *List) add(i int) {
	in.list[in.n] = uint16(i)
	in.n++
}

// count switches on one of limit inputs, none for 0.
func (in *List) count(first, x, limit int) {
	if x > 0 {
		in.add(first + min(x, limit) - 1)
	}
}

// Extract lists the inputs of p, where co and cp are the control of the side to move and of the opponent.
func (in *List) Extract(p rules.Position, co, cp *rules.Control) {
	in.n = 0
	own, opp := p.Side(), p.Side().Other()
	empty := ^p.Occupied()
	in.squares(0, empty&co.Ends, empty&cp.Ends, empty, own)
	for h := 1; h <= 3; h++ {
		of := p.OfHeight(rules.Height(h))
		in.squares(h, of&co.Pieces, of&cp.Pieces, of, own)
	}
	for s, c := range [2]*rules.Control{co, cp} {
		side := own
		if s == 1 {
			side = opp
		}
		in.add(inMoves + s*moveBuckets + moveBucket(c.Moves))
		in.count(inWinners+s*maxWinners, c.Winners, maxWinners)
		in.count(inActive+s*rules.Files, c.Active.Count(), rules.Files)
		in.count(inGoals+s*maxGoals, p.Goals(side), maxGoals)
		if p.HoldsPieces(side) {
			for h := range 3 {
				in.count(inHands+(s*3+h)*maxInHand, p.Hand(side, rules.Height(h+1)), maxInHand)
			}
		}
		if p.TookOut(side) {
			in.add(inWaits + s)
		}
	}
}

// squares lists the squares of one content, by who controls them. Empty ones
// that no side controls are left out: they follow from the others.
func (in *List) squares(content int, own, opp, all rules.SquareSet, side rules.Side) {
	if content > 0 {
		in.set(squareInput(content, 0), all&^own&^opp, side)
	}
	in.set(squareInput(content, 1), own&^opp, side)
	in.set(squareInput(content, 2), opp&^own, side)
	in.set(squareInput(content, 3), own&opp, side)
}

// squareInput returns the first input of squares with a content, controlled by
// no side (0), own (1), the opponent (2) or both (3).
func squareInput(content, control int) int {
	return inSquares + (content*4+control)*rules.NumSquares
}

// set switches the inputs of a set of squares on, turned to side's view.
func (in *List) set(first int, s rules.SquareSet, side rules.Side) {
	n := in.n
	for w := uint64(s.SeenBy(side)); w != 0; w &= w - 1 {
		in.list[n] = uint16(first + bits.TrailingZeros64(w))
		n++
	}
	in.n = n
}

// moveBucket returns twice the binary logarithm of 1+n, rounded down.
func moveBucket(n int) int {
	x := uint(n + 1)
	log := bits.Len(x) - 1
	step := 2 * log
	if x*x >= 1<<(2*log+1) { // x is at least the square root of two times the power
		step++
	}
	return min(step, moveBuckets-1)
}

// Mirrored has for each input the one that corresponds to it in the mirror image of the position.
var Mirrored = func() (t [Num]uint16) {
	for i := range t {
		t[i] = uint16(i)
		if i < inMoves {
			s := i % rules.NumSquares
			t[i] = uint16(i - s + int(rules.Square(s).Mirror()))
		}
	}
	return t
}()

// Mirror turns the list to that of the mirror image of the position.
func (in *List) Mirror() {
	for i, input := range in.Active() {
		in.list[i] = Mirrored[input]
	}
}

// Names are the names of the inputs in weights files.
var Names = func() (t [Num]string) {
	for content, what := range [4]string{"empty", "1", "2", "3"} {
		for control, who := range [4]string{"none", "own", "opp", "both"} {
			for s := range rules.Square(rules.NumSquares) {
				t[squareInput(content, control)+int(s)] = fmt.Sprintf("%s %s %v", what, who, s)
			}
		}
	}
	for s, who := range [2]string{"own", "opp"} {
		counts := func(first, n, from int, what string) {
			for k := range n {
				t[first+k] = fmt.Sprintf("%s %s %d", what, who, k+from)
			}
		}
		counts(inMoves+s*moveBuckets, moveBuckets, 0, "moves")
		counts(inWinners+s*maxWinners, maxWinners, 1, "winners")
		counts(inActive+s*rules.Files, rules.Files, 1, "active")
		counts(inGoals+s*maxGoals, maxGoals, 1, "goals")
		for h := range 3 {
			counts(inHands+(s*3+h)*maxInHand, maxInHand, 1, fmt.Sprintf("hand%d", h+1))
		}
		t[inWaits+s] = "wait " + who
	}
	return t
}()
