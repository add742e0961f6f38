package lists

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each number is called for once, also if the number of cores is none, or there are more cores than
// numbers.
func TestOnCores(t *testing.T) {
	t.Parallel()
	for _, cores := range []int{-1, 0, 1, 3, 200} {
		var calls [100]atomic.Int32
		OnCores(cores, len(calls), func(i int) { calls[i].Add(1) })
		for i := range calls {
			require.EqualValues(t, 1, calls[i].Load(), "%d of %d cores", i, cores)
		}
		OnCores(cores, 0, func(int) { t.Error("there is nothing to call for") })
	}
}

// Results come in the order of their numbers, whoever is quicker, and an error ends all.
func TestInOrder(t *testing.T) {
	t.Parallel()
	const n = 200
	bad := errors.New("bad")
	squares := func(ctx context.Context, todo <-chan int, done func(i, result int)) error {
		for i := range todo {
			done(i, i*i)
		}
		return nil
	}
	for _, workers := range []int{1, 3, 2 * n} {
		var got []int
		err := InOrder(t.Context(), workers, n, squares, func(result int) error {
			got = append(got, result)
			return nil
		})
		require.NoError(t, err)
		require.Len(t, got, n)
		for i := range got {
			require.Equal(t, i*i, got[i])
		}

		seen := 0
		err = InOrder(t.Context(), workers, n, squares, func(int) error {
			seen++
			if seen == 7 {
				return bad
			}
			return nil
		})
		require.ErrorIs(t, err, bad)
		require.Equal(t, 7, seen)
		failing := func(context.Context, <-chan int, func(i, result int)) error { return bad }
		require.ErrorIs(t, InOrder(t.Context(), workers, n, failing, func(int) error { return nil }), bad)
	}
}

// Each element is in a sample as often as any other: each count of 20,000 samples of 3 of 10 is within
// five standard deviations (65) of its mean of 6,000, which fails by chance in less than one of 100,000.
func TestSampleIsFair(t *testing.T) {
	t.Parallel()
	const samples, all, size = 20_000, 10, 3
	rng := rand.New(rand.NewPCG(1, 2))
	var counts [all]int
	for range samples {
		s := Sample[int]{Size: size, Rand: rng}
		for x := range all {
			s.Add(x)
		}
		require.Len(t, s.List, size)
		for _, x := range s.List {
			counts[x]++
		}
	}
	for x, n := range counts {
		require.InDelta(t, samples*size/all, n, 5*65, "element %d", x)
	}
}
