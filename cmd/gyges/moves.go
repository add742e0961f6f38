package main

import (
	"slices"

	"gyges/rules"
)

// movesCmd lists the legal moves in a position.
type movesCmd struct {
	rulesFlags
	Long     bool     `help:"Print whole courses, crossed squares in parentheses."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position: rows 1 to 6 from South's left, then who is to move."`
}

func (movesCmd) Help() string {
	return "Prints one move a line, in byte order; nothing if the game is over. The position has no history, so the " +
		"repetition rule excludes no move."
}

// Run prints the moves.
func (c *movesCmd) Run(e *env) error {
	r, err := c.load()
	if err != nil {
		return err
	}
	p, err := parsePosition(r, c.Position)
	if err != nil {
		return err
	}
	var ms rules.MoveSet
	r.Moves(p, &ms)
	printSorted(e.out, slices.Collect(ms.All()), func(m rules.Move) string {
		if c.Long {
			return r.LongText(p, m)
		}
		return m.String()
	})
	return nil
}
