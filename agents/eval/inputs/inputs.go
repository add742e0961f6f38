// Package inputs extracts from a position the inputs of the networks of the evaluation and of the
// policy: [List.Extract].
package inputs

import (
	"fmt"
	"math/bits"

	"gyges/rules"
)

// The inputs of a network, each on or off, are seen from the side to move, which plays from row 1.
// First come the squares by content (empty, or a piece of height 1 to 3) and control (by no side,
// own, opponent, both). Then come one-hot counts: moves in buckets of half a doubling, pieces that
// can reach the goal now, pieces that may be moved; and for Kang the pieces of each height in hand,
// the goals, and who took a piece out on its last turn.
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

// Active returns the inputs that are on, each once. The slice is valid until the inputs are filled
// again.
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

// Extract lists the inputs of p, of which the side to move controls own and the opponent opp.
func (in *List) Extract(p rules.Position, own, opp *rules.Control) {
	in.n = 0
	side := p.Side()
	in.squares(p, side, own, opp)
	in.counts(0, p, side, own)
	other := side.Other()
	in.counts(1, p, other, opp)
}

// counts lists the inputs of the counts of a side, which has the number s: 0 for the side to move.
func (in *List) counts(s int, p rules.Position, side rules.Side, c *rules.Control) {
	in.add(inMoves + s*moveBuckets + moveBucket(c.Moves))
	in.count(inWinners+s*maxWinners, c.Winners, maxWinners)
	in.count(inActive+s*rules.Files, c.Active.Count(), rules.Files)
	in.count(inGoals+s*maxGoals, p.Goals(side), maxGoals)
	if p.HoldsPieces(side) {
		for h := range 3 {
			first := inHands + (s*3+h)*maxInHand
			in.count(first, p.Hand(side, rules.Height(h+1)), maxInHand)
		}
	}
	if p.TookOut(side) {
		in.add(inWaits + s)
	}
}

// squares lists the squares by their content and by who controls them. Empty ones that no side
// controls are left out: they follow from the others. One loop for all takes less time than one for
// each content and control, since the end of each loop is mispredicted.
func (in *List) squares(p rules.Position, side rules.Side, own, opp *rules.Control) {
	pieces := p.Occupied()
	odd := uint64((p.OfHeight(1) | p.OfHeight(3)).SeenBy(side))
	high := uint64((p.OfHeight(2) | p.OfHeight(3)).SeenBy(side))
	byOwn := uint64((own.Ends&^pieces | own.Pieces).SeenBy(side))
	byOpp := uint64((opp.Ends&^pieces | opp.Pieces).SeenBy(side))
	n := in.n
	// each step removes the lowest square of the rest
	for rest := odd | high | byOwn | byOpp; rest != 0; rest &= rest - 1 {
		s := bits.TrailingZeros64(rest)
		content := odd>>s&1 | high>>s&1<<1
		control := byOwn>>s&1 | byOpp>>s&1<<1
		in.list[n] = uint16(squareInput(int(content), int(control)) + s)
		n++
	}
	in.n = n
}

// squareInput returns the first input of squares with a content, controlled by
// no side (0), own (1), the opponent (2) or both (3).
func squareInput(content, control int) int {
	return inSquares + (content*4+control)*rules.NumSquares
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
		if i < inMoves { // an input of a square
			s := i % rules.NumSquares
			image := rules.Square(s).Mirror()
			t[i] = uint16(i - s + int(image))
		}
	}
	return t
}()

// Mirror replaces the inputs by the inputs of the mirror image of the position.
func (in *List) Mirror() {
	for i, input := range in.Active() {
		in.list[i] = Mirrored[input]
	}
}

// Names are the names of the inputs in weights files.
var Names = func() (t names) {
	for content, what := range []string{"empty", "1", "2", "3"} {
		for control, who := range []string{"none", "own", "opp", "both"} {
			first := squareInput(content, control)
			for s := range rules.Square(rules.NumSquares) {
				t[first+int(s)] = fmt.Sprintf("%s %s %v", what, who, s)
			}
		}
	}
	for s, who := range []string{"own", "opp"} {
		t.count(inMoves+s*moveBuckets, moveBuckets, "moves "+who, 0)
		t.count(inWinners+s*maxWinners, maxWinners, "winners "+who, 1)
		t.count(inActive+s*rules.Files, rules.Files, "active "+who, 1)
		t.count(inGoals+s*maxGoals, maxGoals, "goals "+who, 1)
		for h := range 3 {
			what := fmt.Sprintf("hand%d %s", h+1, who)
			t.count(inHands+(s*3+h)*maxInHand, maxInHand, what, 1)
		}
		t[inWaits+s] = "wait " + who
	}
	return t
}()

type names [Num]string

// count names the n inputs of a count, whose lowest number is from.
func (t *names) count(first, n int, what string, from int) {
	for k := range n {
		t[first+k] = fmt.Sprintf("%s %d", what, k+from)
	}
}
