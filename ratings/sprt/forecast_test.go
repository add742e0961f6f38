package sprt

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExitTime(t *testing.T) {
	require.InDelta(t, 6, exitTime(0, 0.5, 1, 3), 1e-9, "without drift: below·above/variance")
	require.InDelta(t, 6, exitTime(1e-5, 0.5, 1, 3), 1e-3, "continuous at drift 0")
	require.InDelta(t, 300, exitTime(0.01, 1e-6, 1, 3), 1e-6, "without variance: above/drift")
	require.InDelta(t, 100, exitTime(-0.01, 1e-6, 1, 3), 1e-6)
	rng := rand.New(rand.NewPCG(1, 2))
	const walks, drift, sd = 2000, 0.02, 0.1
	sum := 0.0
	for range walks {
		for x := 0.0; -1 < x && x < 2; x += drift + sd*rng.NormFloat64() {
			sum++
		}
	}
	require.InEpsilon(t, sum/walks, exitTime(drift, sd*sd, 1, 2), 0.08, "a walk in steps, which overshoots")
}

// Over simulated tests of players of many strengths, the mean of the forecasts is the mean of what
// the tests then took, early and late, within 25 % with a standard error of some 8 %.
func TestPairsLeft(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for _, test := range []Test{
		{Elo0: 0, Elo1: 40, Alpha: 0.05, Beta: 0.05, Model: Normalized},
		{Elo0: 0, Elo1: 30, Alpha: 0.1, Beta: 0.02, Model: Logistic},
	} {
		type sums struct{ n, forecast, took float64 }
		var early, late sums
		for range 300 {
			elo := (test.Elo0+test.Elo1)/2 + (test.Elo1-test.Elo0)*rng.NormFloat64()
			truth := test.likeliest(distribution{0.08, 0.2, 0.44, 0.2, 0.08}, elo)
			var p Pairs
			forecasts := map[int64]float64{}
			for limit := int64(40); test.Verdict(p) == Undecided; {
				advance(rng, test, truth, &p, limit)
				if p.N() < limit {
					continue
				}
				if left, known := test.PairsLeft(p); known && limit < math.MaxInt64 {
					forecasts[limit] = left
				}
				limit = map[int64]int64{40: 160, 160: math.MaxInt64}[limit]
			}
			for n, forecast := range forecasts {
				s := &early
				if n > 40 {
					s = &late
				}
				s.n++
				s.forecast += forecast
				s.took += float64(p.N() - n)
			}
		}
		for _, s := range []sums{early, late} {
			require.Greater(t, s.n, 50.0)
			t.Logf("%v: %v tests took %.0f more pairs, forecast %.0f", test, s.n, s.took/s.n, s.forecast/s.n)
			require.InEpsilon(t, s.took, s.forecast, 0.25, test.String())
		}
	}
}

func TestPairsLeftUnknown(t *testing.T) {
	test := Test{Elo0: -10, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: Normalized}
	for _, p := range []Pairs{{}, {1, 2, 3, 2, 1}, {10, 20, 30, 20, 10}} {
		_, known := test.PairsLeft(p)
		require.False(t, known, "%v", p)
	}
	left, known := test.PairsLeft(Pairs{0, 0, 0, 0, 100})
	require.True(t, known)
	require.Zero(t, left, "it is decided")
	narrow := Test{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: Normalized}
	left, _ = narrow.PairsLeft(Pairs{1, 0, 4, 0, 26})
	require.InDelta(t, 54, left, 10, "a one-sided match goes on at its rate, LLR 1.065 of 2.944 after 31 pairs")
	for _, p := range lopsided() {
		left, _ := test.PairsLeft(p)
		require.False(t, math.IsNaN(left) || math.IsInf(left, 0) || left < 0, "%v: %v", p, left)
	}
}
