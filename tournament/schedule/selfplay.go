package schedule

var selfPlay = fixed{
	Facts{Name: string(SelfPlay), Doc: "every two, and each one itself", Alone: true},
	func(players int) [][2]int { return everyTwo(players, 0) },
}
