package solver

import (
	"cmp"
	"context"
	"math"
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

// New returns a function that searches games, for one goroutine. When ctx ends, its solution is
// incomplete.
func (s Search) New(r *rules.Rules) (func(context.Context, *rules.Game) (Solution, error), error) {
	w := worker{Search: s}
	if s.Nodes == 0 {
		w.solver = New(DefaultMegabytes)
		return w.solve, nil
	}
	var err error
	w.guide, err = eval.ForRules(r)
	megabytes := cmp.Or(s.Megabytes, proofnumber.DefaultMegabytes(s.Nodes))
	w.prover = proofnumber.New(megabytes)
	return w.solve, err
}

// worker searches one game after another, depth first or by proof numbers.
type worker struct {
	Search
	solver *Solver             // depth first
	prover *proofnumber.Prover // by proof numbers, with its evaluation
	guide  *eval.Evaluator
}

func (w *worker) solve(ctx context.Context, g *rules.Game) (s Solution, err error) {
	if w.MoveTime > 0 {
		limited, cancel := context.WithTimeout(ctx, w.MoveTime)
		defer cancel()
		ctx = limited
	}
	began := time.Now()
	s.Game = g
	if w.Nodes > 0 {
		err = w.prove(ctx, &s)
	} else {
		s.Result, err = w.solver.Solve(ctx, g, w.Depth)
		s.Complete = err == nil
	}
	if ctx.Err() != nil {
		err = nil
	}
	s.Seconds = math.Round(1000*time.Since(began).Seconds()) / 1000
	return s, err
}

// prove fills in the solution of its game by proof numbers.
func (w *worker) prove(ctx context.Context, s *Solution) error {
	win, nodes, err := w.prover.Prove(ctx, s.Game, w.guide, w.Depth, w.Nodes)
	s.Nodes = nodes
	if win == nil {
		return err
	}
	p := s.Game.Position()
	s.Strategy = win
	s.Complete = true
	s.Line = win.Line(p)
	s.Plies = len(s.Line)
	if win.Winner != p.Side() {
		s.Plies = -s.Plies
	}
	return err
}

// List searches games of the same rules with some workers, and calls each with the solutions in
// order until an error.
func (s Search) List(
	ctx context.Context, r *rules.Rules, games []*rules.Game, workers int,
	each func(Solution) error,
) error {
	solutions := make([]chan Solution, len(games))
	for i := range solutions {
		solutions[i] = make(chan Solution, 1)
	}
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(workers, len(games)) {
		group.Go(func() error {
			solve, err := s.New(r)
			if err != nil {
				return err
			}
			for {
				i := int(next.Add(1)) - 1
				if i >= len(games) {
					return nil
				}
				solution, err := solve(ctx, games[i])
				if err != nil {
					return err
				}
				if ctx.Err() != nil { // the solution is incomplete
					return context.Cause(ctx)
				}
				solutions[i] <- solution
			}
		})
	}
	group.Go(func() error {
		for _, solved := range solutions {
			select {
			case solution := <-solved:
				if err := each(solution); err != nil {
					return err
				}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	return group.Wait()
}
