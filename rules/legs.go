package rules

import "slices"

// leg is one way to make the exact number of steps that a height allows.
type leg struct {
	doors   doorSet
	crossed SquareSet // squares passed on the way, the end not included: all must be empty
}

// free reports whether the squares that the leg crosses are empty and its doors unused.
func (l *leg) free(occ SquareSet, used doorSet) bool {
	passed := l.doors.east&used.east | l.doors.north&used.north
	return passed|uint64(l.crossed&occ) == 0
}

// doorSet is a set of doors: bit s of east is the door between s and the square
// east of it, bit s of north that between s and the square north of it.
type doorSet struct{ east, north uint64 }

func (d doorSet) with(e doorSet) doorSet { return doorSet{d.east | e.east, d.north | e.north} }

// usedDoors are the doors that a course has passed. Where directions don't count all are in the
// first set.
type usedDoors struct {
	passed doorSet // by steps east or north
	back   doorSet // by steps west or south
}

// pass adds the door between two adjacent squares, if there is one, and reports whether it was
// unused.
func (u *usedDoors) pass(from, to Square, directed bool) bool {
	if !from.OnBoard() || !to.OnBoard() {
		return true
	}
	s := min(from, to)
	used := &u.passed
	if directed && s == to {
		used = &u.back
	}
	word := &used.east
	if from.File() == to.File() {
		word = &used.north
	}
	unused := *word>>s&1 == 0
	*word |= 1 << s
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

// legRange is a part of legTable.
type legRange struct{ first, end uint16 }

func (r legRange) legs() []leg { return legTable[r.first:r.end] }

type legsByEnd [NumSquares + 2]legRange

func makeLegs() (table []leg, to [4][NumSquares + 2]legsByEnd) {
	for h := range to {
		for s := range to[h] {
			var byEnd [NumSquares + 2][]leg
			if h > 0 {
				eachLeg(Square(s), h, usedDoors{}, 0, func(l leg, end Square) {
					byEnd[end] = append(byEnd[end], l)
				})
			}
			for end, list := range byEnd {
				first := len(table)
				table = append(table, list...)
				to[h][s][end] = legRange{uint16(first), uint16(len(table))}
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
