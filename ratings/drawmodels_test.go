package ratings

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// With two players, a fixed advantage of zero and a draw parameter there are as
// many parameters as shares of outcomes, so the fit meets those exactly.
func TestDavidsonClosedForm(t *testing.T) {
	var d Data
	play(&d, "a", "b", 30, 20, 10)
	play(&d, "b", "a", 15, 10, 15)
	wins, draws, losses := 45.0, 30.0, 25.0

	r := mustFit(t, &d, Options{Draws: Davidson, Advantage: ptr(0)})
	require.InDelta(t, 400*math.Log10(wins/losses), elo(t, r, "a")-elo(t, r, "b"), 1e-9)
	nu := draws / math.Sqrt(wins*losses)
	require.InEpsilon(t, nu, r.Draws.Parameter, 1e-9)
	require.InEpsilon(t, nu/(2+nu), r.Draws.Rate, 1e-9)

}

// The error of a draw rate in a single pairing of equals is that of a share.
func TestDrawRateErrorClosedForm(t *testing.T) {
	var d Data
	play(&d, "a", "b", 30, 40, 30)
	r := mustFit(t, &d, Options{Draws: Davidson, Advantage: ptr(0), Intervals: ByModel})
	require.InDelta(t, 0.4, r.Draws.Rate, 1e-9)
	require.InDelta(t, 1.959964*math.Sqrt(0.4*0.6/100), r.Draws.Error, 1e-6)
}

// Three players, a grid of ratings, advantage and draw parameter.
func TestDavidsonAgreesWithGrid(t *testing.T) {
	var d Data
	play(&d, "a", "b", 7, 5, 3)
	play(&d, "b", "a", 5, 4, 6)
	play(&d, "b", "c", 4, 4, 1)
	play(&d, "c", "b", 2, 3, 3)
	play(&d, "c", "a", 1, 3, 5)
	loss := func(x [4]float64) float64 { // x[3] is the logarithm of Davidson's parameter
		rating := map[string]float64{"a": x[0], "b": x[1], "c": -x[0] - x[1]}
		sum := 0.0
		for _, p := range d.Pairings() {
			z := rating[p.South] + x[2] - rating[p.North]
			w, l, k := math.Pow(10, z/800), math.Pow(10, -z/800), math.Exp(x[3])
			for o, n := range []int{p.Losses, p.Draws, p.Wins} {
				sum -= float64(n) * math.Log([]float64{l, k, w}[o]/(w+l+k))
			}
		}
		if math.IsNaN(sum) {
			return math.Inf(1)
		}
		return sum
	}
	best := [4]float64{0, 0, 0, 0.5}
	for mesh := 128.0; mesh > 0.0005; mesh /= 2 {
		for moved := true; moved; {
			around, least := best, loss(best)
			moved = false
			for k := range 81 {
				at := around
				for i, n := 0, k; i < 4; i, n = i+1, n/3 {
					scale := mesh
					if i == 3 {
						scale /= 100
					}
					at[i] += scale * float64(n%3-1)
				}
				if v := loss(at); v < least {
					least, best, moved = v, at, true
				}
			}
		}
	}
	r := mustFit(t, &d, Options{Draws: Davidson})
	require.InDelta(t, best[0], elo(t, r, "a"), 0.01)
	require.InDelta(t, best[1], elo(t, r, "b"), 0.01)
	require.InDelta(t, best[2], r.Advantage.Elo, 0.01)
	require.InDelta(t, math.Exp(best[3]), r.Draws.Parameter, 0.01)
}

func TestDrawParameterWithoutAFiniteEstimate(t *testing.T) {
	var d Data
	play(&d, "a", "b", 3, 0, 2)
	play(&d, "b", "a", 3, 0, 2)
	r := mustFit(t, &d, Options{Draws: Davidson})
	require.Nil(t, r.Draws)
	require.Contains(t, r.Notes, "no game was drawn, so there is no draw parameter to fit")
	d = Data{}
	play(&d, "a", "b", 0, 3, 0)
	play(&d, "b", "a", 0, 3, 0)
	r = mustFit(t, &d, Options{Draws: Davidson})
	require.Nil(t, r.Draws)
	require.Contains(t, r.Notes,
		"every game was drawn, so the draw parameter has no finite estimate; draws count as half points instead")
	// a beats b, who draws with c, who draws with a: the more draws are
	// expected, and the further apart the ratings, the better.
	d = Data{}
	play(&d, "a", "b", 4, 0, 0)
	play(&d, "b", "c", 0, 4, 0)
	play(&d, "c", "a", 0, 4, 0)
	r = mustFit(t, &d, Options{Draws: Davidson, Advantage: ptr(0)})
	require.Nil(t, r.Draws)
	require.Contains(t, r.Notes, "the draw parameter has no finite estimate; draws count as half points instead")
}

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
