package textfmt

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCuts(t *testing.T) {
	require.Equal(t, []string{"greedy"}, slices.Collect(Cuts("greedy", 6)))
	require.Equal(t, []string{"ab…gh", "abc…h", "a…fgh", "abcd…", "…efgh"}, slices.Collect(Cuts("abcdefgh", 5)))
	require.Equal(t, []string{"…"}, slices.Collect(Cuts("abc", 1)))
	for cut := range Cuts("日本語日本語", 6) { // two columns each
		require.LessOrEqual(t, Width(cut), 6)
	}
}
