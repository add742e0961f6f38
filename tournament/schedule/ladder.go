package schedule

// ladder has each player meet the next one listed.
type ladder struct{ noTables }

// About implements [Format].
func (ladder) About() Facts { return Facts{Name: "ladder", Doc: "each the next one"} }

// Stages implements [Format].
func (ladder) Stages(players, _ int) []int { return []int{max(players-1, 0)} }

// Pairings implements [Format].
func (ladder) Pairings(players int, _ []Stage) (list [][2]int) {
	for i := 1; i < players; i++ {
		list = append(list, [2]int{i - 1, i})
	}
	return list
}
