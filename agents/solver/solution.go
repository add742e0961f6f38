package solver

import (
	"cmp"
	"context"
	"math"
	"time"

	"gyges/agents/eval"
	"gyges/agents/solver/proofnumber"
	"gyges/agents/solver/strategy"
	"gyges/rules"
	"gyges/rules/base/lists"
)

// Search says how positions are searched.
type Search struct {
	Depth     int           // plies within which a result is sought
	MoveTime  time.Duration // for a position; 0: no limit
	Nodes     int64         // of a search by proof numbers, for each side; 0: depth first
	Megabytes int           // size of its table; 0: one that suits Nodes
}

// Solution is the result of the search of a position.
type Solution struct {
	Result
	Game     *rules.Game
	Strategy *strategy.Strategy // found by proof numbers; nil: none
	Complete bool               // searched to the end, not stopped; by proof numbers, proven
	Seconds  float64            // the search took, in thousandths
}

// New returns a function that searches games, for one goroutine. When ctx ends, its solution is
// incomplete.
func (s Search) New(r *rules.Rules) (func(context.Context, *rules.Game) (Solution, error), error) {
	find := s.depthFirst()
	if s.Nodes > 0 {
		guide, err := eval.ForRules(r)
		if err != nil {
			return nil, err
		}
		find = s.byProofNumbers(guide)
	}
	return func(ctx context.Context, g *rules.Game) (Solution, error) {
		if s.MoveTime > 0 {
			limited, cancel := context.WithTimeout(ctx, s.MoveTime)
			defer cancel()
			ctx = limited
		}
		began := time.Now()
		solution := Solution{Game: g}
		err := find(ctx, &solution)
		if ctx.Err() != nil {
			err = nil
		}
		solution.Seconds = math.Round(1000*time.Since(began).Seconds()) / 1000
		return solution, err
	}, nil
}

// depthFirst returns a function that fills in the solution of its game by a [Solver].
func (s Search) depthFirst() func(context.Context, *Solution) error {
	solver := New(DefaultMegabytes)
	return func(ctx context.Context, solution *Solution) error {
		result, err := solver.Solve(ctx, solution.Game, s.Depth)
		solution.Result = result
		solution.Complete = err == nil
		return err
	}
}

// byProofNumbers returns a function that fills in the solution of its game by a
// [proofnumber.Prover].
func (s Search) byProofNumbers(guide *eval.Evaluator) func(context.Context, *Solution) error {
	prover := proofnumber.New(cmp.Or(s.Megabytes, proofnumber.DefaultMegabytes(s.Nodes)))
	return func(ctx context.Context, solution *Solution) error {
		win, nodes, err := prover.Prove(ctx, solution.Game, guide, s.Depth, s.Nodes)
		solution.Nodes = nodes
		if win == nil {
			return err
		}
		p := solution.Game.Position()
		solution.Strategy = win
		solution.Complete = true
		solution.Line = win.Line(p)
		solution.Plies = len(solution.Line)
		if win.Winner != p.Side() {
			solution.Plies = -solution.Plies
		}
		return err
	}
}

// List searches games of the same rules with some workers, and calls each with the solutions in
// order until an error.
func (s Search) List(
	ctx context.Context, r *rules.Rules, games []*rules.Game, workers int,
	each func(Solution) error,
) error {
	work := func(ctx context.Context, todo <-chan int, done func(int, Solution)) error {
		solve, err := s.New(r)
		if err != nil {
			return err
		}
		for i := range todo {
			solution, err := solve(ctx, games[i])
			if err != nil {
				return err
			}
			if ctx.Err() != nil { // the solution is incomplete
				return context.Cause(ctx)
			}
			done(i, solution)
		}
		return nil
	}
	return lists.InOrder(ctx, workers, len(games), work, each)
}
