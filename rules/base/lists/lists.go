// Package lists has what package slices lacks.
package lists

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Map returns what f returns for each element of a list.
func Map[T, U any](list []T, f func(T) U) []U {
	made := make([]U, len(list))
	for i, x := range list {
		made[i] = f(x)
	}
	return made
}

// OnAllCores is [OnCores] with all cores that there are.
func OnAllCores(n int, do func(i int)) { OnCores(runtime.GOMAXPROCS(0), n, do) }

// OnCores calls do for each number from 0 to n-1, as many at a time as there are cores; with less
// than one core, one at a time.
func OnCores(cores, n int, do func(i int)) {
	// A goroutine for each core, not for each number: the stack of one that calls do again need not
	// grow.
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(min(cores, n), 1) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	group.Wait()
}

// InOrder divides the numbers from 0 to n-1 among some workers, and calls each with the results in
// the order of their numbers, as soon as those before are there. work is called for each worker: it
// takes numbers from todo and passes the result of each to done. The first error of work or each,
// or the end of ctx, ends all.
func InOrder[T any](
	ctx context.Context, workers, n int,
	work func(ctx context.Context, todo <-chan int, done func(i int, result T)) error,
	each func(result T) error,
) error {
	todo := make(chan int, n)
	results := make([]chan T, n)
	for i := range n {
		todo <- i
		results[i] = make(chan T, 1)
	}
	close(todo)
	group, ctx := errgroup.WithContext(ctx)
	done := func(i int, result T) { results[i] <- result }
	for range min(workers, n) {
		group.Go(func() error { return work(ctx, todo, done) })
	}
	group.Go(func() error {
		for _, result := range results {
			select {
			case r := <-result:
				if err := each(r); err != nil {
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

// Sample is a random sample of what is added to it (reservoir sampling: A. Waterman's algorithm R,
// in Knuth, The Art of Computer Programming 2, 3.4.2).
type Sample[T any] struct {
	Size int // at most
	Rand *rand.Rand
	List []T
	seen int
}

// Add adds x, which takes the place of another if the sample is full, or is left out.
func (s *Sample[T]) Add(x T) {
	s.seen++
	if len(s.List) < s.Size {
		s.List = append(s.List, x)
	} else if i := s.Rand.IntN(s.seen); i < s.Size {
		s.List[i] = x
	}
}
