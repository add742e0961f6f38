// Package lists has what package slices lacks.
package lists

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Map returns what f returns for each element of a list.
func Map[T, U any](list []T, f func(T) U) []U {
	made := make([]U, len(list))
	for i, x := range list {
		made[i] = f(x)
	}
	return made
}

// OnAllCores is [OnCores] with all that there are.
func OnAllCores(n int, do func(i int)) { OnCores(runtime.GOMAXPROCS(0), n, do) }

// OnCores calls do for each number from 0 to n-1, at most so many of them at a time.
func OnCores(cores, n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(cores, n) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
