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
