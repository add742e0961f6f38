package agents

import (
	"context"
	"time"

	"gyges/rules"
)

const maxMultiPVDepth = 64 // plies

// MultiPV searches the n best moves of g depth by depth, each with the better ones
// excluded, and calls report with the rank of each, from 1. It returns when a limit is
// reached, when all n results are proven, or with ctx's or the agent's error.
func MultiPV(
	ctx context.Context, a Analyst, g *rules.Game, n int, lim Limits, report func(rank int, d Decision),
) error {
	began, nodes := time.Now(), int64(0)
	last := Limits{Depth: maxMultiPVDepth}.Tighter(Limits{Depth: lim.Depth}).Depth
	for depth, unproven := 1, n; depth <= last && unproven > 0; depth++ {
		var better []rules.Move
		unproven = 0
		for rank := 1; rank <= n; rank++ {
			rest := Limits{Depth: depth, Nodes: lim.Nodes - nodes, MoveTime: lim.MoveTime - time.Since(began)}
			switch {
			case lim.Nodes == 0:
				rest.Nodes = 0
			case rest.Nodes <= 0:
				return nil
			}
			switch {
			case lim.MoveTime == 0:
				rest.MoveTime = 0
			case rest.MoveTime <= 0:
				return nil
			}
			d, err := a.ChooseWithout(ctx, g, rest, better)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				return err
			}
			_, proven := d.Score.Proven()
			if !proven {
				if unproven++; d.Depth < depth {
					return nil // stopped on the way
				}
			}
			nodes += d.Nodes
			report(rank, d)
			better = append(better, d.Move)
		}
	}
	return nil
}
