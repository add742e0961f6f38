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
