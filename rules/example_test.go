package rules_test

import (
	"fmt"

	"gyges/rules"
)

// Example plays a displacement and looks for the answers that hold.
func Example() {
	r, err := rules.Parse("standard") // the rule set; MustParse panics instead
	if err != nil {
		panic(err)
	}
	p, err := r.ParsePosition("113223/000000/000000/000000/000000/213132 s")
	if err != nil {
		panic(err)
	}
	g := rules.NewGame(r, p)
	m, err := r.ParseMove(p, "c1xd1@d4")
	if err != nil {
		panic(err)
	}
	if err := g.Play(m); err != nil { // checks that the move is legal
		panic(err)
	}
	fmt.Println(r.FormatPosition(g.Position()))

	moves, holding := 0, 0
	for m := range g.Legal().All() { // each legal move, and the position after it
		moves++
		if after := r.Apply(g.Position(), m); !r.CanReachGoal(after, rules.South) {
			holding++
		}
	}
	fmt.Println(moves, "answers,", holding, "of which stop South from winning")
	// Output:
	// 110323/000000/000000/000200/000000/213132 n
	// 642 answers, 304 of which stop South from winning
}
