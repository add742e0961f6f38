package ratings

// meeting is all games between two players, by number: a is less than b. Results
// are South's.
type meeting struct {
	a, b int
	// single counts the games that belong to no complete pair: at 0 those in
	// which a had South, at 1 those in which b had it.
	single [2][outcomes]int
	// pairs counts the game pairs, one opening with sides swapped, by the result
	// of the game in which a had South and that of the other.
	pairs [outcomes][outcomes]int
	// faults counts those of these games that a fault decided: at 0 in which a had
	// South, at 1 in which b had it, each those that South lost and those it won.
	faults [2][2]int
}

// add adds the games of another meeting of the same two players.
func (m *meeting) add(o *meeting) {
	for i := range m.single {
		for j, c := range o.single[i] {
			m.single[i][j] += c
		}
	}
	for i := range m.pairs {
		for j, c := range o.pairs[i] {
			m.pairs[i][j] += c
		}
	}
	for i, row := range o.faults {
		for j, c := range row {
			m.faults[i][j] += c
		}
	}
}

// side adds up the games in which a (0) or b (1) had South, by their outcome.
func (m *meeting) side(side int) [outcomes]int {
	sum := m.single[side]
	for i, row := range m.pairs {
		for j, c := range row {
			if side == 0 {
				sum[i] += c
			} else {
				sum[j] += c
			}
		}
	}
	return sum
}

// count is the games in which a (0) or b (1) had South, as South saw them.
func (m *meeting) count(side int) Count {
	c := m.side(side)
	return Count{Wins: c[2], Draws: c[1], Losses: c[0]}
}

// total is all games as a saw them.
func (m *meeting) total() Count { return m.count(0).plus(m.count(1).flip()) }

func (m *meeting) games() int { return m.total().Games() }

func (m *meeting) pairCount() int {
	n := 0
	for _, row := range m.pairs {
		for _, c := range row {
			n += c
		}
	}
	return n
}

// unpaired returns the same games without pairs.
func (m meeting) unpaired() meeting {
	return meeting{a: m.a, b: m.b, single: [2][outcomes]int{m.side(0), m.side(1)}}
}

// swap returns the same games with a and b changed over.
func (m meeting) swap() meeting {
	s := meeting{a: m.b, b: m.a}
	s.single[0], s.single[1] = m.single[1], m.single[0]
	s.faults[0], s.faults[1] = m.faults[1], m.faults[0]
	for i, row := range m.pairs {
		for j, c := range row {
			s.pairs[j][i] = c
		}
	}
	return s
}
