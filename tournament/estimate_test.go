package tournament

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEstimateRun(t *testing.T) {
	c := testConfig(t, "random", "scored", "random:id=1")
	s, err := EstimateRun(t.Context(), c, testRegistry(nil), 50*time.Millisecond)
	require.NoError(t, err)
	require.Positive(t, s.Games)
	require.LessOrEqual(t, s.Games, c.Games())
	require.Equal(t, 2, s.Workers)
	require.Greater(t, s.Bytes, int64(200))
	require.Equal(t, 50*s.PerGame, s.Duration(100))
	files, err := os.ReadDir(c.Out)
	require.NoError(t, err)
	require.Empty(t, files, "nothing is recorded")

	c = testConfig(t, "block", "random")
	_, err = EstimateRun(t.Context(), c, testRegistry(nil), time.Millisecond)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	c.Pairs = 0
	_, err = EstimateRun(t.Context(), c, testRegistry(nil), time.Millisecond)
	require.ErrorContains(t, err, "pairs")
}

// The scattered order has each pair of the schedule once.
func TestScattered(t *testing.T) {
	for _, pairs := range []int{1, 2, 3, 4, 5, 17, 100} {
		c := testConfig(t, "random", "scored", "random:id=1")
		c.Pairs = pairs
		s := newSchedule(&c)
		seen := map[int64]bool{}
		for k := range s.len() {
			job, ok := s.scattered(k)
			require.True(t, ok)
			seen[job.Pair] = true
		}
		require.Len(t, seen, int(s.len()))
		_, ok := s.scattered(s.len())
		require.False(t, ok)
	}
}
