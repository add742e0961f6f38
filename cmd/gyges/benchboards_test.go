package main

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules"
)

// TestBenchBoardSets checks that the sets are what the help says, and the same
// as ever: figures on other boards can't be compared with older ones.
func TestBenchBoardSets(t *testing.T) {
	want := []struct {
		name, rules string
		boards      int
		hash        string // of the boards' texts, a line each
	}{
		{"start", yardstickRules, 1, "ebd470042137f108"},
		{"midgame", yardstickRules, 50, "1b9c04b79a1198fd"},
		{"crowded", yardstickRules, 1, "794af2a3a2dd55d6"},
		{"simplified", "simplified", 50, "bc95df324a730568"},
		{"kang", "kang", 50, "4fbe3234025477c4"},
	}
	sets, err := benchBoardSets()
	require.NoError(t, err)
	require.Len(t, sets, len(want))
	for i, s := range sets {
		w := want[i]
		require.Equal(t, w.name, s.name)
		require.Equal(t, rules.MustParse(w.rules).Options(), s.rules.Options())
		require.Len(t, s.boards, w.boards)
		text := ""
		for _, p := range s.boards {
			require.Equal(t, rules.Undecided, s.rules.Outcome(p))
			require.False(t, s.rules.SettingUp(p))
			text += s.rules.FormatPosition(p) + "\n"
		}
		require.Equal(t, w.hash, fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16], "%s:\n%s", s.name, text)
		again, err := benchBoardSets()
		require.NoError(t, err)
		require.True(t, slices.Equal(s.boards, again[i].boards), s.name)
	}
	require.Equal(t, startBoard, sets[0].rules.FormatPosition(sets[0].boards[0]))
	require.Equal(t, crowdedBoard, sets[2].rules.FormatPosition(sets[2].boards[0]))
}

// TestBenchPerftPositions reads the positions; testdata/script/bench.txtar
// checks their counts.
func TestBenchPerftPositions(t *testing.T) {
	r := rules.MustParse(yardstickRules)
	for _, c := range perftCounts() {
		p, err := r.ParsePosition(c.position)
		require.NoError(t, err)
		require.Equal(t, c.position, r.FormatPosition(p))
		require.Equal(t, 3, c.depth)
	}
}
