package rules

// leg is one way to make the exact number of steps that a height allows.
type leg struct {
	doors   uint64    // doors used, by number; under directed doors those passed eastward or northward
	back    uint64    // under directed doors those passed westward or southward; else 0
	crossed SquareSet // squares passed on the way, the end not included: all must be empty
	end     Square    // where the leg ends, the mover's goal included
	via     [2]Square // the squares passed, in order; NoSquare where there is none
}

// legTable lists the legs of one door rule: [side][height-1][square] for a leg
// from a square on the board.
type legTable [2][3][NumSquares][]leg

// entryTable lists the first legs of a piece that enters from the hand (Kang):
// [side][height-1]. Step 1 leads onto a square of the side's own first row.
type entryTable [2][3][]leg

// The tables are computed once at start-up and only read afterwards.
var (
	legs, entries                 = makeTables(false)
	directedLegs, directedEntries = makeTables(true)
)

// door returns the number, 0 to 59, of the door between two adjacent squares,
// and whether a step from a to b passes it westward or southward.
func door(a, b Square) (number uint, back bool) {
	back = b < a
	if back {
		a, b = b, a
	}
	if b == a+1 {
		return uint(a.Row()*(Files-1) + a.File()), back
	}
	return uint(Rows*(Files-1)) + uint(a), back
}

// neighbours lists the squares one step from s, the goal of side included.
func neighbours(s Square, side Side) []Square {
	var list []Square
	if s.File() > 0 {
		list = append(list, s-1)
	}
	if s.File() < Files-1 {
		list = append(list, s+1)
	}
	if s.Row() > 0 {
		list = append(list, s-Files)
	}
	if s.Row() < Rows-1 {
		list = append(list, s+Files)
	}
	if side == South && s.Row() == Rows-1 || side == North && s.Row() == 0 {
		list = append(list, goalOf(side))
	}
	return list
}

// extend appends to list every leg that goes on from s with n more steps.
func extend(list []leg, l leg, s Square, n int, side Side, directed bool) []leg {
	if n == 0 {
		l.end = s
		return append(list, l)
	}
	for _, next := range neighbours(s, side) {
		if next.IsGoal() {
			if n == 1 { // the goal is reached by the last step only
				goal := l
				goal.end = next
				list = append(list, goal)
			}
			continue
		}
		step := l
		number, back := door(s, next)
		if !directed {
			back = false
		}
		used := &step.doors
		if back {
			used = &step.back
		}
		if *used>>number&1 != 0 {
			continue
		}
		*used |= 1 << number
		if n > 1 {
			step.cross(next)
		}
		list = extend(list, step, next, n-1, side, directed)
	}
	return list
}

// cross adds a square to those passed on the way.
func (l *leg) cross(s Square) {
	l.crossed |= 1 << s
	if l.via[0] == NoSquare {
		l.via[0] = s
	} else {
		l.via[1] = s
	}
}

func makeTables(directed bool) (*legTable, *entryTable) {
	var lt legTable
	var et entryTable
	unmade := leg{via: [2]Square{NoSquare, NoSquare}}
	for _, side := range []Side{South, North} {
		for h := range 3 {
			for s := range Square(NumSquares) {
				lt[side][h][s] = extend(nil, unmade, s, h+1, side, directed)
			}
			for s := range rowSet(int(side) * (Rows - 1)).All() {
				l := unmade
				if h > 0 {
					l.cross(s)
				}
				et[side][h] = extend(et[side][h], l, s, h, side, directed)
			}
		}
	}
	return &lt, &et
}
