package ugi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a program sends without end is kept as far as a bound.
func TestBoundsOfWhatIsKept(t *testing.T) {
	t.Parallel()
	var c client
	for range 2 * maxOptions {
		c.addOption("name x type spin")
	}
	require.Len(t, c.offered, maxOptions)
	for range 2 * maxPly {
		done, err := c.handleLine("info", "ply 1 bestmove 23|36 score 1")
		require.False(t, done)
		require.NoError(t, err)
	}
	require.Len(t, c.results, maxPly)
}
