package schedule

// selfPlay has every player meet itself and every other one.
type selfPlay struct{ noTables }

// About implements [Format].
func (selfPlay) About() Facts {
	return Facts{Name: string(SelfPlay), Doc: "every two, and each one itself", Alone: true}
}

// Stages implements [Format].
func (selfPlay) Stages(players, _ int) []int { return []int{players * (players + 1) / 2} }

// Pairings implements [Format].
func (selfPlay) Pairings(players int, _ []Stage) [][2]int { return everyTwo(players, 0) }
