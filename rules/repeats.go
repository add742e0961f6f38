package rules

// OnlyRepeats reports whether m is refused for what it brings back alone: it
// would be legal if null moves and repetitions were allowed. Engines that know
// no history choose such moves; see the tournament's policy for them.
func (g *Game) OnlyRepeats(m Move) bool {
	if o, _ := g.Outcome(); o != Undecided || g.rules.settingUp(g.pos) || g.Legal().Contains(m) {
		return false
	}
	o := g.rules.options
	o.NullMove, o.Repetition = AllowNull, NoRepetition
	loose, err := New(g.rules.name, o)
	if err != nil {
		return false // can't happen: the options have been checked
	}
	var ms MoveSet
	loose.Moves(g.pos, &ms)
	return ms.Contains(m)
}
