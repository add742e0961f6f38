package review

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"gyges/tournament/record"
)

// Run reviews the games of a list that have no review yet, workers at a time, 0 for one for each core. Each
// review is stored in reviews and passed to added in the order of the list. Run returns the error of a review or of
// added, which ends it, or of ctx; then added has still received the reviews that were finished, in their order.
func Run(
	ctx context.Context, nodes int64, workers int, list []*record.Record, reviews []*Review, added func(*Review) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var todo []int // indexes of the games without a review
	var finished []chan *Review
	for i, g := range reviews {
		if g == nil {
			todo, finished = append(todo, i), append(finished, make(chan *Review, 1))
		}
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(cmp.Or(workers, runtime.GOMAXPROCS(0)), len(todo)) {
		group.Go(func() {
			r := New(nodes)
			for k := int(next.Add(1)) - 1; k < len(todo); k = int(next.Add(1)) - 1 {
				g, err := r.Game(ctx, list[todo[k]], nil)
				if err != nil {
					cancel(err)
					return
				}
				finished[k] <- g
			}
		})
	}
	for k, i := range todo {
		select {
		case reviews[i] = <-finished[k]:
		case <-ctx.Done():
			group.Wait()
			select {
			case reviews[i] = <-finished[k]:
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
