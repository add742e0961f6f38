package ugi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a program sends without end is kept as far as a bound.
func TestBoundsOfWhatIsKept(t *testing.T) {
	t.Parallel()
	var c client
	for range 2 {
		c.addOption("name x type spin")
		c.addOption("X")
		c.addOption(strings.Repeat("n", maxOptionName+1))
	}
	require.Len(t, c.offered, 1, "the first of a name, unless it is long")
	c.addOption("y type choice" + strings.Repeat(" var x", 1<<14))
	require.LessOrEqual(t, len(c.offered[1].param().Range()), maxOptionLine)
	for i := range 2 * maxOptions {
		c.addOption(fmt.Sprintf("name x%d type spin", i))
	}
	require.Len(t, c.offered, maxOptions)
	for range 2 * maxPly {
		done, err := c.handleLine("info", "ply 1 bestmove 23|36 score 1")
		require.False(t, done)
		require.NoError(t, err)
	}
	require.Len(t, c.results, maxPly)
}
