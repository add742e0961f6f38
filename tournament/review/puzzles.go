package review

import (
	"context"
	"fmt"
	"slices"

	"gyges/agents"
	"gyges/agents/eval"
	"gyges/agents/solver"
	"gyges/agents/tactics"
	"gyges/rules"
	"gyges/tournament/record"
)

// solveDepth is the depth to which puzzles are solved, in plies: five take seconds under standard rules.
const solveDepth = 3

// Solve returns the class of the present position of g and all moves that solve it, see [tactics.Solve].
func (r *Reviewer) Solve(ctx context.Context, g *rules.Game) (tactics.Class, []rules.Move, error) {
	if r.solver == nil {
		r.solver = solver.New(1)
	}
	return tactics.Solve(ctx, r.solver, g, solveDepth)
}

// Puzzles returns the positions of a reviewed game in which a side of a list made a mistake, and all moves but those
// that solve them are mistakes, too. What solves them is proven where it can be within [solveDepth].
func (r *Reviewer) Puzzles(ctx context.Context, rec *record.Game, g *Game, sides []string) ([]tactics.Puzzle, error) {
	game, err := replay(rec)
	if err != nil {
		return nil, err
	}
	var list []tactics.Puzzle
	for i, t := range rec.Turns(game) {
		m := &g.Moves[i]
		if m.Loss < Mistaken || len(m.Line) == 0 || !slices.Contains(sides, m.Side) {
			continue
		}
		best, err := game.Rules().ParseMove(t.Before, m.Line[0])
		if err != nil {
			return list, err
		}
		at := rules.NewGame(game.Rules(), t.Before)
		class, moves, err := r.clear(ctx, at, best, m.Before)
		if err != nil {
			return list, err
		}
		if len(moves) == 0 || slices.Contains(moves, t.Move) {
			continue
		}
		p := tactics.Puzzle{
			Rules: g.Rules, Class: class, Position: game.Rules().FormatPosition(t.Before), Played: t.Move.String(),
			From: fmt.Sprintf("game %d, ply %d", g.Game, m.Ply),
		}
		for _, move := range moves {
			p.Moves = append(p.Moves, move.String())
		}
		list = append(list, p)
	}
	return list, nil
}

// clear returns the moves that solve a position: the proven ones, or else the best one of the review, with the
// probability of winning after it. It returns none if another move is nearly as good.
func (r *Reviewer) clear(
	ctx context.Context, g *rules.Game, best rules.Move, before float64,
) (tactics.Class, []rules.Move, error) {
	class, moves, err := r.Solve(ctx, g)
	switch {
	case err != nil || class == tactics.OnlyMove:
		return class, moves, err
	case class == "":
		class, moves = tactics.BestMove, []rules.Move{best}
	case len(moves) == g.Legal().Len():
		return class, nil, nil
	default:
		before = 1
	}
	rest, err := r.search(ctx, g, agents.Limits{Nodes: r.nodes}, moves)
	if err != nil || before-eval.WinProbability(rest.score, g.Rules()) < Mistaken {
		return class, nil, err
	}
	return class, moves, nil
}

// Judge reviews a legal move in the present position of g, which is under way, as if the game went on with it. reply is
// what is expected then, in long notation.
func (r *Reviewer) Judge(ctx context.Context, g *rules.Game, m rules.Move) (judged Move, reply []string, err error) {
	r.policy = ""
	if r.eval, err = r.agent.Evaluator(g.Rules()); err != nil {
		return judged, nil, err
	}
	p := &pass{Reviewer: r, game: g}
	g.PlayLegal(m)
	err = p.end(ctx)
	reply = p.longLine(p.next.line)
	g.Undo()
	if err == nil {
		judged, err = p.move(ctx, record.Turn{Ply: 1, Decision: agents.Decision{Move: m}})
	}
	return judged, reply, err
}
