package solver

import (
	"cmp"
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"gyges/agents/eval"
	"gyges/agents/solver/proofnumber"
	"gyges/agents/solver/strategy"
	"gyges/rules"
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

// New returns a function that searches games, for one goroutine. When ctx ends, its solution is incomplete.
func (s Search) New(r *rules.Rules) (func(context.Context, *rules.Game) (Solution, error), error) {
	var find func(context.Context, *Solution) error // fills in the solution of a game
	if s.Nodes == 0 {
		solver := New(DefaultMegabytes)
		find = func(ctx context.Context, found *Solution) (err error) {
			found.Result, err = solver.Solve(ctx, found.Game, s.Depth)
			found.Complete = err == nil
			return err
		}
	} else {
		guide, err := eval.ForRules(r)
		if err != nil {
			return nil, err
		}
		prover := proofnumber.New(cmp.Or(s.Megabytes, proofnumber.DefaultMegabytes(s.Nodes)))
		find = func(ctx context.Context, found *Solution) (err error) {
			found.Strategy, found.Nodes, err = prover.Prove(ctx, found.Game, guide, s.Depth, s.Nodes)
			if w := found.Strategy; w != nil {
				p := found.Game.Position()
				found.Complete, found.Plies, found.Line = true, w.Roots[0].Plies, w.Line(p)
				if w.Winner != p.Side() {
					found.Plies = -found.Plies
				}
			}
			return err
		}
	}
	return func(ctx context.Context, g *rules.Game) (Solution, error) {
		if s.MoveTime > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, s.MoveTime)
			defer cancel()
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

// List searches games of the same rules with some workers, and calls each with the solutions in order until an error.
func (s Search) List(
	ctx context.Context, r *rules.Rules, games []*rules.Game, workers int, each func(Solution) error,
) error {
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	var lock sync.Mutex
	solved, wanted := map[int]Solution{}, 0 // those before the wanted one have been passed on
	for range min(workers, len(games)) {
		group.Go(func() error {
			solve, err := s.New(r)
			for i := int(next.Add(1)) - 1; err == nil && ctx.Err() == nil && i < len(games); i = int(next.Add(1)) - 1 {
				var solution Solution
				if solution, err = solve(ctx, games[i]); err != nil || ctx.Err() != nil {
					break
				}
				lock.Lock()
				solved[i] = solution
				for s, ok := solved[wanted]; ok && err == nil; s, ok = solved[wanted] {
					delete(solved, wanted)
					if err = each(s); err == nil {
						wanted++
					}
				}
				lock.Unlock()
			}
			return cmp.Or(err, context.Cause(ctx))
		})
	}
	return group.Wait()
}
