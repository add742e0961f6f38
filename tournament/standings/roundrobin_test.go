package standings

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
)

// Two players with as many points: the one that scored against the stronger opponent comes first.
func TestRoundRobinBySonnebornBerger(t *testing.T) {
	s := newSchedule(&tournament.ManifestConfig{Agents: []string{"a", "b", "c", "d"}, Pairs: 1, Rules: []string{"x", "y"}})
	for i, g := range []struct{ south, north, result string }{
		{"a", "b", "1-0"}, {"a", "c", "1-0"}, {"a", "d", "0-1"}, {"b", "c", "1-0"}, {"b", "d", "1-0"}, {"c", "d", "1-0"},
	} {
		s.add(int64(i), g.south, g.north, g.result)
	}
	table := s.roundRobin(nil)
	require.Equal(t, "Round-robin, 6 of 24 games played, 2 rule sets together", table.Title)
	require.Equal(t, "a leads the round-robin with 2.0 points, by Sonneborn-Berger (3.00 to 2.00).", table.Result)
	var order []any
	for _, row := range table.Rows {
		order = append(order, row[1].Value)
	}
	require.Equal(t, []any{"a", "b", "d", "c"}, order)
	s.add(7, "a", "stranger", "1-0")
	require.Empty(t, s.sheets(nil), "a game of somebody else")
}
