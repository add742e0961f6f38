package lookahead

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents/internal/agenttest"
	"gyges/rules"
)

// The heap yields the moves by falling score, and NoMove after the last.
func TestMoveHeapSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOf(rapid.Int32()).Draw(t, "scores")
		var h MoveHeap
		for i, score := range scores {
			h = append(h, NewScoredMove(rules.Move(i+1), score))
		}
		want := slices.Sorted(slices.Values(h))
		h.Heapify()
		for _, m := range slices.Backward(want) {
			require.Equal(t, m.Move(), h.Pop())
		}
		require.Equal(t, rules.NoMove, h.Pop())
	})
}

func TestHistoryPutsCutoffMovesFirst(t *testing.T) {
	g := agenttest.Game(t, rules.MustParse("standard"), "321123/000000/000000/000000/000000/321123 s")
	var ms rules.MoveSet
	g.LegalMoves(&ms)
	var h History
	good := ms.At(ms.Len() - 1)
	h.Add(rules.South, good, 9)
	for m := range ms.All() {
		if m != good {
			require.Less(t, h.Score(rules.South, m), h.Score(rules.South, good))
		}
		require.Zero(t, h.Score(rules.North, m))
	}
	for range 1 << 12 {
		h.Add(rules.South, good, 3600)
	}
	require.Greater(t, h.Score(rules.South, good), int32(0), "counts stay within bounds")
	require.LessOrEqual(t, h.Score(rules.South, good), int32(2*maxHistory))
}
