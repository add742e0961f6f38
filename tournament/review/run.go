package review

import (
	"cmp"
	"context"
	"runtime"
	"sync"

	"gyges/tournament/record"
)

// Run reviews the games of a list that have no review yet, workers at a time, 0 for one for each core. Each
// review is stored in reviews and passed to added in the order of the list. Run returns the error of a review or of
// added, which ends it, or of ctx; then added has still received the reviews that were finished, in their order.
func Run(
	ctx context.Context, nodes int64, workers int, list []*record.Game, reviews []*Game, added func(*Game) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	finished := make([]chan *Game, len(list)) // nil: there is a review
	todo := 0
	for i, g := range reviews {
		if g == nil {
			finished[i] = make(chan *Game, 1)
			todo++
		}
	}
	reviewers := make(chan *Reviewer, min(cmp.Or(workers, runtime.GOMAXPROCS(0)), todo))
	for range cap(reviewers) {
		r, err := New(nodes)
		if err != nil {
			return err
		}
		reviewers <- r
	}
	var group sync.WaitGroup
	group.Go(func() {
		for i := range list {
			if finished[i] == nil {
				continue
			}
			select {
			case r := <-reviewers:
				group.Go(func() {
					defer func() { reviewers <- r }()
					g, err := r.Game(ctx, list[i], nil)
					if err != nil {
						cancel(err)
						return
					}
					finished[i] <- g
				})
			case <-ctx.Done():
				return
			}
		}
	})
	for i := range list {
		if finished[i] == nil {
			continue
		}
		select {
		case reviews[i] = <-finished[i]:
		case <-ctx.Done():
			group.Wait()
			select {
			case reviews[i] = <-finished[i]:
			default:
				continue
			}
		}
		if err := added(reviews[i]); err != nil {
			cancel(err)
		}
	}
	return context.Cause(ctx)
}
