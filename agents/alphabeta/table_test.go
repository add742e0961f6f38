package alphabeta

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gyges/agents"
)

func TestScoresGoThroughTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ply := rapid.IntRange(0, maxDepth).Draw(t, "ply")
		score := agents.Score(rapid.IntRange(-int(agents.MaxEval), int(agents.MaxEval)).Draw(t, "score"))
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 1:
			score = agents.WinIn(ply + rapid.IntRange(1, 100).Draw(t, "plies"))
		case 2:
			score = -agents.WinIn(ply + rapid.IntRange(0, 100).Draw(t, "plies"))
		}
		require.Equal(t, score, fromTable(toTable(score, ply), ply))
	})
}

func TestTableKeepsWhatIsWorthMost(t *testing.T) {
	var tab table
	tab.reset(1)
	require.Len(t, tab.buckets, 1<<20/64)
	// Keys below 2^48 all lie in the first bucket.
	for depth := range uint8(6) {
		tab.store(entry{key: uint64(depth) + 1, depth: depth}, exactScore)
	}
	kept := func() (keys []int) {
		for key := range 20 {
			if _, ok := tab.find(uint64(key)); ok {
				keys = append(keys, key)
			}
		}
		return keys
	}
	require.Equal(t, []int{4, 5, 6}, kept()[1:], "the deepest stay")
	tab.newSearch()
	tab.store(entry{key: 10, depth: 0}, lowerBound)
	tab.store(entry{key: 11, depth: 0}, lowerBound)
	tab.store(entry{key: 12, depth: 0}, lowerBound)
	require.Equal(t, []int{6, 10, 11, 12}, kept(), "those of an earlier search go first")
	tab.store(entry{key: 11, depth: 3}, upperBound)
	e, _ := tab.find(11)
	require.Equal(t, uint8(3), e.depth)
	require.Equal(t, upperBound, e.bound())
	require.Len(t, kept(), 4)
	tab.reset(1)
	require.Empty(t, kept())
}

func TestUsable(t *testing.T) {
	make := func(s agents.Score, depth uint8, b boundKind) entry {
		return entry{score: int16(s), depth: depth, tag: uint8(b) | 8}
	}
	win, loss := agents.WinIn(3), -agents.WinIn(4)
	for _, c := range []struct {
		name        string
		e           entry
		alpha, beta agents.Score
		left        int
		want        bool
	}{
		{"exact, same depth", make(50, 4, exactScore), 0, 1, 99, true},
		{"other depth", make(50, 5, exactScore), 0, 1, 99, false},
		{"lower bound that fails high", make(50, 4, lowerBound), 0, 50, 99, true},
		{"lower bound that doesn't", make(50, 4, lowerBound), 50, 51, 99, false},
		{"upper bound that fails low", make(50, 4, upperBound), 50, 51, 99, true},
		{"upper bound that doesn't", make(50, 4, upperBound), 49, 50, 99, false},
		{"the game may end first", make(50, 4, exactScore), 0, 1, 4, false},
		{"a win of another depth", make(win, 2, exactScore), 0, 1, 99, true},
		{"the window is above the win", make(win, 2, exactScore), win, win + 1, 99, false},
		{"an upper bound proves no win", make(win, 2, upperBound), win, win + 1, 99, false},
		{"a loss of another depth", make(loss, 2, upperBound), 0, 1, 99, true},
		{"a lower bound proves no loss", make(loss, 2, lowerBound), loss - 1, loss, 99, false},
		{"a win too late", make(win, 2, exactScore), 0, 1, 2, false},
	} {
		score, ok := c.e.usable(c.alpha, c.beta, 4, 0, c.left, true)
		require.Equal(t, c.want, ok, c.name)
		if ok {
			require.EqualValues(t, c.e.score, score, c.name)
		}
	}
}
