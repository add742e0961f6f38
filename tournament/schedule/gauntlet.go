package schedule

var gauntlet = fixed{
	Facts{Name: "gauntlet", Doc: "the first every other", Challenger: true},
	func(players int) (list [][2]int) {
		for i := 1; i < players; i++ {
			list = append(list, [2]int{0, i})
		}
		return list
	},
}
