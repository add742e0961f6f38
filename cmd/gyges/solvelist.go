package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"

	"gyges/rules"
	"gyges/rules/base/csvfile"
	"gyges/tournament"
)

// runList solves the positions of a list, and prints their solutions in its order as soon
// as they are there. What is stopped has printed those before.
func (c *solveCmd) runList(ctx context.Context, e *env, r *rules.Rules) error {
	games, err := c.readList(ctx, e, r)
	if err != nil {
		return err
	}
	c.Workers = cmp.Or(c.Workers, runtime.GOMAXPROCS(0))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	solutions, wait, err := c.solveAll(ctx, cancel, r, games)
	if err != nil {
		return err
	}
	defer wait()
	defer cancel(nil)
	list := solutionList{out: e.out, format: c.Format}
	progress := newMeter(e.err, int64(len(games)))
	defer progress.end()
	for i, s := range solutions {
		select {
		case solved := <-s:
			if err := list.add(solved); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if done := int64(i) + 1; progress.due() {
			progress.report(done, progress.total, fmt.Sprintf("%d of %d positions solved, %d with a result, %s",
				done, progress.total, list.results, progress.left(done, progress.total-done)))
		}
	}
	return nil
}

// readList reads the positions of the list.
func (c *solveCmd) readList(ctx context.Context, e *env, r *rules.Rules) ([]*rules.Game, error) {
	list, err := readInput(ctx, e, c.List, tournament.ReadOpenings)
	if err != nil {
		return nil, err
	}
	games := make([]*rules.Game, len(list.Positions))
	for i := range games {
		p, err := list.Opening(r, 0, int64(i))
		if err == nil && r.SettingUp(p) {
			err = fmt.Errorf("%s: position %d: expected one in which all pieces are placed", list.File, i+1)
		}
		if err != nil {
			return nil, err
		}
		games[i] = rules.NewGame(r, p)
	}
	return games, nil
}

// solveAll solves the games with all workers. Each solution comes on the channel of its
// game; an error ends all and is the cause of ctx. wait returns when the workers have
// ended, after the end of ctx at the latest.
func (c *solveCmd) solveAll(
	ctx context.Context, cancel context.CancelCauseFunc, r *rules.Rules, games []*rules.Game,
) (solutions []chan *solution, wait func(), err error) {
	solutions = make([]chan *solution, len(games))
	next := make(chan int, len(games))
	for i := range games {
		solutions[i] = make(chan *solution, 1)
		next <- i
	}
	close(next)
	guide, err := c.evaluator(r)
	if err != nil {
		return nil, nil, err
	}
	var workers sync.WaitGroup
	for range min(c.Workers, len(games)) {
		solve := c.newSolve(guide)
		workers.Go(func() {
			for i := range next {
				s, err := solve(ctx, games[i])
				if err != nil {
					cancel(err)
				}
				if ctx.Err() != nil {
					return
				}
				solutions[i] <- s
			}
		})
	}
	return solutions, workers.Wait, nil
}

// solutionList prints solutions one after the other.
type solutionList struct {
	out     *output
	format  string
	begun   bool
	results int // wins and losses
}

func (l *solutionList) add(s *solution) error {
	if s.result.Plies != 0 {
		l.results++
	}
	first := !l.begun
	l.begun = true
	switch l.format {
	case "json":
		return writeJSONLine(l.out, s.json())
	case "csv":
		rows := [][]string{solutionHeader, s.row()}
		if !first {
			rows = rows[1:]
		}
		return asFailure(csvfile.NewWriter(l.out).WriteAll(rows))
	}
	l.out.printf("%s: ", s.game.Rules().FormatPosition(s.game.Position()))
	s.text(l.out)
	return nil
}
