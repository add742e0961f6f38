package review

import (
	"cmp"
	"context"
	"runtime"
	"sync"

	"gyges/tournament/record"
)

// Outcome is the review of one game of several, or why there is none.
type Outcome struct {
	Index  int // of the record in the list
	Review *Game
	Err    error
}

// Run reviews games, so many at a time, 0 for one for each core, and passes each outcome to take in the order
// of the list. It returns the error of take, which ends it, or of ctx; then take has still received the
// reviews that were finished, in their order.
func Run(ctx context.Context, o Options, workers int, list []*record.Game, take func(Outcome) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next, done := make(chan int), make(chan Outcome)
	var group sync.WaitGroup
	for range min(cmp.Or(workers, runtime.GOMAXPROCS(0)), max(len(list), 1)) {
		r, err := New(o)
		if err != nil {
			cancel(err)
			break
		}
		group.Go(func() {
			for i := range next {
				g, err := r.Game(ctx, list[i], nil)
				done <- Outcome{i, g, err}
			}
		})
	}
	go func() {
		defer func() {
			close(next)
			group.Wait()
			close(done)
		}()
		for i := range list {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	inOrder(ctx, done, func(x Outcome) {
		if err := take(x); err != nil {
			cancel(err)
		}
	})
	return context.Cause(ctx)
}

// inOrder passes outcomes on in their order; once ctx has ended, those without an error that wait for others.
func inOrder(ctx context.Context, done <-chan Outcome, take func(Outcome)) {
	waiting, first, last := map[int]Outcome{}, 0, -1
	for x := range done {
		waiting[x.Index], last = x, max(last, x.Index)
		for y, ok := waiting[first]; ok && (ctx.Err() == nil || y.Err == nil); y, ok = waiting[first] {
			delete(waiting, first)
			first++
			take(y)
		}
	}
	for i := first; i <= last; i++ {
		if x, ok := waiting[i]; ok && x.Err == nil {
			take(x)
		}
	}
}
