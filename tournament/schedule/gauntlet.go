package schedule

// gauntlet has the first player meet each other one.
type gauntlet struct{ noTables }

// About implements [Format].
func (gauntlet) About() Facts {
	return Facts{Name: "gauntlet", Doc: "the first every other", Challenger: true}
}

// Stages implements [Format].
func (gauntlet) Stages(players, _ int) []int { return []int{max(players-1, 0)} }

// Pairings implements [Format].
func (gauntlet) Pairings(players int, _ []Stage) (list [][2]int) {
	for i := 1; i < players; i++ {
		list = append(list, [2]int{0, i})
	}
	return list
}
