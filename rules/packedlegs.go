package rules

// The legs by where they lead: boardLegs[h][s][t] are the legs of height h from
// square s that end on t, as a run in packedLegs; those of heights 1 to 3 from the
// board, for both sides. entryLegs[side][h][t] are the first legs of an
// entering piece (Kang). Computed once at start-up and only read afterwards.
var packedLegs, boardLegs, entryLegs = packLegs()

func packLegs() (table [maxPackedLegs]packedLeg, fromBoard [4][NumSquares][38]legRange, fromHand [2][4][38]legRange) {
	n := 0
	add := func(lists ...[]leg) (to [38]legRange) {
		for t := range to {
			start := n
			for _, list := range lists {
				for i := range list {
					if list[i].end == Square(t) {
						table[n] = list[i].pack()
						n++
					}
				}
			}
			to[t] = legRange(start<<3 | (n - start))
		}
		return to
	}
	for h := range 3 {
		for s := range NumSquares {
			north := legs[North][h][s]
			var goals []leg // what North has and South hasn't
			for _, l := range north {
				if l.end == SouthGoal {
					goals = append(goals, l)
				}
			}
			fromBoard[h+1][s] = add(legs[South][h][s], goals)
		}
		for side := range 2 {
			fromHand[side][h+1] = add(entries[side][h])
		}
	}
	return table, fromBoard, fromHand
}

// pack returns the leg in the form that courseSearch uses.
func (l *leg) pack() packedLeg {
	h := packedLeg{crossed: l.crossed}
	for s := range Square(NumSquares) {
		if s.File() < Files-1 {
			number, _ := door(s, s+1)
			h.doors.east |= l.doors >> number & 1 << s
		}
		if s.Row() < Rows-1 {
			number, _ := door(s, s+Files)
			h.doors.north |= l.doors >> number & 1 << s
		}
	}
	return h
}
