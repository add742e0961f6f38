package ratings

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The share of draws meets both conditions it is defined by: chances are not
// negative and add up, and draws are as the geometric mean of wins and losses.
func TestDrawShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(0, 50).Draw(t, "share")
		e := rapid.Float64Range(0.001, 0.999).Draw(t, "score")
		d := drawShare(v).probability(e)
		w, l := e-d/2, 1-e-d/2
		require.GreaterOrEqual(t, w, -1e-12)
		require.GreaterOrEqual(t, l, -1e-12)
		require.InDelta(t, v*math.Sqrt(math.Max(0, w)*math.Max(0, l)), d, 1e-6*(1+v))
	})
	require.InDelta(t, 0.6, drawShare(math.Inf(1)).probability(0.3), 1e-12)
	require.InDelta(t, 0.8, drawShare(math.Inf(1)).probability(0.6), 1e-12)
	require.Zero(t, fitDrawShare([]float64{0.5}, []float64{10}, 0))
	v := fitDrawShare([]float64{0.5, 0.8}, []float64{40, 60}, 30)
	require.InDelta(t, 30*100./101, 40*v.probability(0.5)+60*v.probability(0.8), 1e-6)
	require.True(t, math.IsInf(float64(fitDrawShare([]float64{0.9}, []float64{10}, 9)), 1), "more draws than can be")
}

// The loss of a result that was almost certain is not lost to rounding.
func TestLossOfACertainResult(t *testing.T) {
	for _, z := range []float64{30, 40, 100, 700} {
		require.InEpsilon(t, math.Exp(-z), weights{2: 1}.loss(z).value, 1e-9, "z = %g", z)
		require.InEpsilon(t, math.Exp(-z), weights{1}.loss(-z).value, 1e-9, "z = %g", z)
	}
}

// The parabola with the majorant as its second derivative touches the loss at z, and lies nowhere
// below it.
func TestMajorant(t *testing.T) {
	n := weights{1, 2, 4}
	for _, z := range []float64{-5000, -30, -2, -1e-4, 0, 0.5, 8, 900} {
		at := n.loss(z)
		for _, d := range []float64{-9000, -40, -3, -0.1, 0.1, 2, 50, 7000} {
			parabola := at.value + at.dz*d + n.majorant(z)*d*d/2
			require.GreaterOrEqual(t, parabola, n.loss(z+d).value*(1-1e-9), "%g and %g", z, d)
		}
	}
}
