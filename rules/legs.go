package rules

import "slices"

// leg is one way to make the exact number of steps that a height allows.
type leg struct {
	doors   doorSet
	crossed SquareSet // squares passed on the way, the end not included: all must be empty
}

// free reports whether the squares that the leg crosses are empty and its doors unused.
func (l *leg) free(occ SquareSet, unused doorSet) bool {
	return uint64(l.doors&^unused)|uint64(l.crossed&occ) == 0
}

// doorSet is a set of doors in one word, which takes fewer registers than two. The door between a
// square and the one east of it has the bit of the square. Those between a square and the one north
// of it follow, from the last square of the board on, which has no door to the east. The last one
// of them would be bit 64, and has the bit of another square without a door to the east.
type doorSet uint64

const (
	allDoors      doorSet = 1<<64 - 1
	firstNorthBit         = NumSquares - 1
	lastNorth             = NumSquares - Files - 1 // the last square with a door to the north
	lastDoorBit           = Files - 1
)

// doorBetween returns the door between two adjacent squares, the lower one first.
func doorBetween(s, to Square) doorSet {
	switch {
	case to == s+1:
		return 1 << s
	case s == lastNorth:
		return 1 << lastDoorBit
	default:
		return 1 << (firstNorthBit + s)
	}
}

// usedDoors are the doors that a course has passed. Where directions don't count all are in the
// first set.
type usedDoors struct {
	passed doorSet // by steps east or north
	back   doorSet // by steps west or south
}

// pass adds the door between two adjacent squares, if there is one, and reports whether it was
// unused.
func (u *usedDoors) pass(from, to Square, directed bool) bool {
	if !max(from, to).OnBoard() {
		return true
	}
	s := min(from, to)
	used := &u.passed
	if directed && s == to {
		used = &u.back
	}
	door := doorBetween(s, max(from, to))
	unused := *used&door == 0
	*used |= door
	return unused
}

// adjacency lists the squares one step from each. A piece that enters (Kang) comes from the goal
// behind its first row.
var adjacency = makeAdjacency()

// The order of the lists decides which of several courses of as many legs is shown.
func makeAdjacency() (lists [NumSquares + 2][]Square) {
	for s := range Square(NumSquares) {
		steps := []struct {
			isPossible bool
			to         Square
		}{
			{s.File() > 0, s - 1},
			{s.File() < Files-1, s + 1},
			{s.Row() > 0, s - Files},
			{s.Row() < Rows-1, s + Files},
			{s.Row() == 0, SouthGoal},
			{s.Row() == Rows-1, NorthGoal},
		}
		for _, step := range steps {
			if step.isPossible {
				lists[s] = append(lists[s], step.to)
			}
		}
	}
	lists[SouthGoal] = slices.Collect(rowSet(0).All())
	lists[NorthGoal] = slices.Collect(rowSet(Rows - 1).All())
	return lists
}

// The legs under undirected doors: legsTo[h][s][t] are the legs of height h from s that end on t, a
// range in legTable. Both s and t may be a goal: pieces enter from behind their own side.
var legTable, legsTo = makeLegs()

// legRange is a part of legTable: the index of its first leg above three bits that hold how many
// there are.
type legRange uint16

func (r legRange) more() bool     { return r&7 != 0 }
func (r legRange) next() legRange { return r + 8 - 1 }
func (r legRange) leg() *leg      { return &legTable[r>>3&(maxLegs-1)] }

// maxLegs is a power of two above the number of legs, 1440.
const maxLegs = 2048

type legsByEnd [NumSquares + 2]legRange

func makeLegs() (table [maxLegs]leg, to [4][NumSquares + 2]legsByEnd) {
	n := 0
	for h := 1; h <= 3; h++ {
		for s := range to[h] {
			var byEnd [NumSquares + 2][]leg
			eachLeg(Square(s), h, usedDoors{}, 0, func(l leg, end Square) {
				byEnd[end] = append(byEnd[end], l)
			})
			for end, list := range byEnd {
				to[h][s][end] = legRange(n<<3 | len(list))
				n += copy(table[n:], list)
			}
		}
	}
	return table, to
}

// eachLeg calls yield with the legs, and their ends, that go on from s so many steps after some
// doors and squares.
func eachLeg(s Square, steps int, doors usedDoors, crossed SquareSet, yield func(leg, Square)) {
	for _, to := range adjacency[s] {
		used := doors
		switch {
		case !used.pass(s, to, false):
		case steps == 1:
			yield(leg{used.passed, crossed}, to)
		case to.OnBoard():
			eachLeg(to, steps-1, used, crossed|1<<to, yield)
		}
	}
}
