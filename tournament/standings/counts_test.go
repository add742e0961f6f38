package standings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/tournament/record"
)

// Quantiles are within the width of a class of the true ones.
func TestDistribution(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	var s Distribution
	var all []float64
	for range 10_000 {
		x := 5 * rng.ExpFloat64()
		all = append(all, x)
		s.add(x)
	}
	slices.Sort(all)
	for _, p := range []float64{0.05, 0.5, 0.95} {
		require.InEpsilon(t, all[int(p*10_000)-1], s.Quantile(p), 0.06)
	}
	require.Equal(t, all[9999], s.Max)
	require.LessOrEqual(t, s.Quantile(1), s.Max)
	for _, odd := range []float64{-1, 1e300, math.NaN(), 0} {
		s.add(odd)
	}
	require.EqualValues(t, 10_001, s.N, "only the last makes sense")
	require.Zero(t, new(Distribution).Quantile(0.5))
	require.Zero(t, new(Distribution).Mean())
}

func TestReasonsAreBounded(t *testing.T) {
	t.Parallel()
	s := newRuleSet("x")
	for i := range 1000 {
		s.add(&record.Game{Reason: fmt.Sprint(i), Result: "1-0"})
	}
	require.Len(t, s.Reasons, MaxReasons+1)
	require.EqualValues(t, 1000-MaxReasons, s.Reasons[OtherReasons][0])
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
		s.Add(&record.Game{
			Rules: "kang", Opening: opening, South: record.Player{Agent: "a"}, North: record.Player{Agent: "b"},
			Moves: []string{"m", "m", "m"}, Plies: 3, Nodes: []int64{100, 10, 100}, Result: "1-0",
		})
		require.Equal(t, want, [2]int64{int64(s.total("a").Nodes.Sum), int64(s.total("b").Nodes.Sum)}, opening)
	}
}
