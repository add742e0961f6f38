package sprt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The distribution of exits is that of a walk in small steps, the two series agree where both
// converge, and the limits are those of a drift.
func TestExitBy(t *testing.T) {
	t.Parallel()
	const down, up, border = 1.1, 1.7, 0.3 * (1.1 + 1.7) * (1.1 + 1.7)
	for _, drift := range []float64{-30, -3, -0.4, 0, 1e-9, 0.7, 5, 40} {
		require.InDelta(t, exitBy(math.Nextafter(border, 0), drift, down, up), exitBy(border, drift, down, up), 1e-9)
		require.InDelta(t, exitsAbove(drift, down, up), exitBy(1e6, drift, down, up), 1e-12)
		require.InDelta(t, 0, exitBy(1e-3, drift, down, up), 1e-12)
	}
	require.InDelta(t, exitsAbove(-0.01, 100, 50), exitBy(1e7, -0.01, 100, 50), 1e-12)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, time := range []float64{1, 4} { // one for each series
		const walks, steps, drift = 4000, 400, 0.4
		above, step := 0.0, math.Sqrt(time/steps)
		for range walks {
			x := 0.0
			for i := 0; i < steps && -down < x && x < up; i++ {
				x += drift*time/steps + step*rng.NormFloat64()
			}
			if x >= up {
				above++
			}
		}
		exact := exitBy(time, drift, down+0.5826*step, up+0.5826*step)
		require.InDelta(t, exact, above/walks, 0.025, "at %v, 3 standard errors", time)
	}
}

// outcome is what simulated tests of one strength give, in percent.
type outcome struct{ covered, below, rawCovered, rawBelow, pairs, los, h1 float64 }

// stopped simulates tests of a strength.
func stopped(seed uint64, runs int, test Test, elo float64) (o outcome) {
	truth := test.likeliest(distribution{0.08, 0.2, 0.4, 0.22, 0.1}, elo)
	rng := rand.New(rand.NewPCG(seed, math.Float64bits(elo)))
	share := 100 / float64(runs)
	count := func(to *float64, is bool) {
		if is {
			*to += share
		}
	}
	for range runs {
		var p Pairs
		for test.Verdict(p) == Undecided {
			advance(rng, test, truth, &p, math.MaxInt64)
		}
		e, raw := test.Estimate(p), p.Estimate()
		i, r := e.Normalized, raw.Normalized
		if test.Model == Logistic {
			i, r = e.Elo, raw.Elo
		}
		count(&o.covered, i.Low <= elo && elo <= i.High)
		count(&o.below, i.Value < elo)
		count(&o.rawCovered, r.Low <= elo && elo <= r.High)
		count(&o.rawBelow, r.Value < elo)
		count(&o.los, e.LOS > 0.95)
		count(&o.h1, test.Verdict(p) == AcceptH1)
		o.pairs += float64(p.N()) / float64(runs)
	}
	return o
}

// The corrected interval holds the truth in 95 %, half of the estimates are too low, and at
// strength 0 LOS is above 95 % in 5 %; at elo0 H1 is accepted no more often than alpha, at elo1 H0
// no more often than beta, but in some runs. Each is within 3 standard errors of the runs, so one
// of these checks in 370 would fail with another seed. A strong player stops a test after a few
// pairs, where the correction is largest: the estimate that isn't corrected fails.
func TestStoppedTests(t *testing.T) {
	t.Parallel()
	const runs = 300
	within := func(share float64) float64 { return 3 * math.Sqrt(share*(100-share)/runs) }
	uncorrected := 0.0
	for test, elos := range map[Test][]float64{
		{0, 60, 0.05, 0.05, Normalized}: {0, 60, 200}, {0, 40, 0.1, 0.05, Logistic}: {0, 40},
	} {
		for _, elo := range elos {
			o := stopped(7, runs, test, elo)
			t.Logf("%v at %v: %+v", test, elo, o)
			require.InDelta(t, 95, o.covered, within(95))
			require.InDelta(t, 50, o.below, within(50))
			uncorrected = max(uncorrected, math.Abs(o.rawBelow-50))
			wrong, rate := o.h1, 100*test.Alpha
			switch elo {
			case 0:
				require.InDelta(t, 5, o.los, within(5))
			case test.Elo1:
				wrong, rate = 100-o.h1, 100*test.Beta
			default:
				continue
			}
			require.LessOrEqual(t, wrong, rate+within(rate))
			require.Positive(t, wrong, "the test is not that sure: something is off")
		}
	}
	require.Greater(t, uncorrected, 2*within(50))
}

// Only a decided test is corrected for, and counts that make trouble give an ordered interval
// around the estimate.
func TestEstimateOfOddCounts(t *testing.T) {
	t.Parallel()
	list := []Pairs{{50, 150, 350, 250, 60}, {5, 5, 10, 20, 29}, {0, 0, 0, 0, 103}} // it stops before, there, is one-sided
	for i, p := range list {
		require.Equal(t, i == 1, Test{-10, 10, 0.05, 0.05, Logistic}.Estimate(p).Corrected, "%v", p)
	}
	for _, test := range []Test{Default(), {-10, 10, 0.05, 0.05, Logistic}} {
		for _, p := range lopsided() {
			e := test.Estimate(p)
			if e.Corrected {
				require.Less(t, e.Elo.Low, e.Elo.Value, "%v %v", test, p)
				require.Less(t, e.Elo.Value, e.Elo.High, "%v %v", test, p)
				require.Equal(t, e.Elo.Low > 0, e.LOS > 0.975, "%v: %v", p, e)
				require.False(t, math.IsInf(e.Elo.High-e.Elo.Low, 0) || e.LOS < -1e-9 || e.LOS > 1+1e-9, "%v: %v", p, e)
			}
		}
	}
}

// BenchmarkStopped prints the table of results/reference/ratings.md.
func BenchmarkStopped(b *testing.B) {
	const runs = 1000
	for range b.N {
		fmt.Fprintln(os.Stderr, "| test | Elo | pairs | covered | too low | LOS > 95 % | uncorrected: covered | too low |")
		for _, test := range []Test{{0, 5, 0.05, 0.05, Normalized}, {0, 10, 0.05, 0.05, Normalized}, {0, 60, 0.05, 0.05, Normalized}, {0, 10, 0.05, 0.05, Logistic}} {
			for _, elo := range []float64{-10, -5, 0, 2.5, 5, 10, 20} {
				o := stopped(9, runs, test, elo)
				fmt.Fprintf(os.Stderr, "| %v to %v, %s | %v | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", test.Elo0, test.Elo1,
					test.Model, elo, o.pairs, o.covered, o.below, o.los, o.rawCovered, o.rawBelow)
			}
		}
	}
}
