package main

import (
	"slices"

	"gyges/rules"
)

type movesCmd struct {
	rulesFlags
	Long     bool     `help:"Print whole courses, crossed squares in parentheses."`
	Position []string `arg:"" optional:"" sep:"none" help:"Position: rows 1 to 6 from South's left, then who is to move."`
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
