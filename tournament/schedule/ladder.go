package schedule

var ladder = fixed{
	Facts{Name: "ladder", Doc: "each the next one"},
	func(players int) (list [][2]int) {
		for i := 1; i < players; i++ {
			list = append(list, [2]int{i - 1, i})
		}
		return list
	},
}
