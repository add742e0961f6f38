package tactics

import (
	"context"

	"gyges/agents/solver"
	"gyges/rules"
)

const minChoice = 5 // moves there must be where one alone saves

// Solve returns the class of the present position of g, and all moves that solve it: those that win within as few plies
// as possible, at most depth, or the only one that doesn't lose. "" is a position of no class with proven solutions.
func Solve(ctx context.Context, s *solver.Solver, g *rules.Game, depth int) (Class, []rules.Move, error) {
	r, err := s.Solve(ctx, g, depth)
	if err != nil {
		return "", nil, err
	}
	if c := winIn(r.Plies); c != "" {
		moves, err := s.Winning(ctx, g, r.Plies)
		return c, moves, err
	}
	if r.Plies != 0 || g.Legal().Len() < minChoice ||
		!g.Rules().CanWin(g.Position(), g.Position().Side().Other()) {
		return "", nil, nil
	}
	moves, err := s.Holding(ctx, g, 4)
	if err != nil || len(moves) != 1 {
		return "", nil, err
	}
	return OnlyMove, moves, nil
}
