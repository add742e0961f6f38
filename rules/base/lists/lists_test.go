package lists

import (
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
