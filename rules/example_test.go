package rules_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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

// The manual shows the example's code.
func TestManualExample(t *testing.T) {
	t.Parallel()
	manual, err := rules.Manuals.ReadFile("README.md")
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(manual), "```go\n")
	block, _, _ = strings.Cut(block, "```\n")
	require.NotEmpty(t, block)
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	code := strings.ReplaceAll("\n"+string(source), "\n\t", "\n")
	require.Contains(t, code, block)
}
