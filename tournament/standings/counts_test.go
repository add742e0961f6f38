package standings

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament/record"
)

// Numbers that make no sense don't count.
func TestMean(t *testing.T) {
	t.Parallel()
	var m mean
	require.Equal(t, "-", m.cell("%.1f").Text)
	for _, x := range []float64{1, -1, 1e300, math.NaN(), 0, 2} {
		m.add(x)
	}
	require.Equal(t, mean{3, 3, 2}, m)
	require.Equal(t, "1.0", m.cell("%.1f").Text)
}

func TestReasonsAreBounded(t *testing.T) {
	t.Parallel()
	s := newRuleSet("x")
	for i := range 1000 {
		s.add(&record.Record{Reason: fmt.Sprint(i), Result: "1-0"}, [2]string{"a", "b"})
	}
	require.Len(t, s.Reasons, maxReasons+1)
	require.EqualValues(t, 1000-maxReasons, s.Reasons[otherReasons][0])
}

// Kang's last field may end in an n where South is to move.
func TestMovesAreTheMovers(t *testing.T) {
	for opening, want := range map[string][2]int64{
		"303030/111222/000000/000000/000000/000000 s 111/000 0-1 n": {200, 10},
		"303030/111222/000000/000000/000000/000000 n 111/000 0-1 n": {10, 200},
		"303030/111222/000000/000000/000000/000000 n 111/000 1-0 s": {10, 200},
		"no position": {},
	} {
		s := New()
		s.Add(&record.Record{
			Rules: "kang", Opening: opening, South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"},
			Moves: []string{"m", "m", "m"}, Plies: 3, Nodes: []int64{100, 10, 100}, Result: "1-0",
		})
		require.Equal(t, want, [2]int64{int64(s.players["a"].nodes.sum), int64(s.players["b"].nodes.sum)}, opening)
	}
}
