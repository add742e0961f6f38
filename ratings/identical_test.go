package ratings

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// In a share of the pairs both players choose the same moves, so that one game is two, and the side
// wins. The rating stays that of the expected score, and 95 % of the intervals hold the truth. A
// share of 1,000 has a standard error of 0.7 points.
func TestPairsThatAreOneGame(t *testing.T) {
	const share, runs, stronger = 0.6, 1000, 200 // stronger by so many Elo where the games differ
	w := world{strength: map[string]float64{"a": stronger / 2, "b": -stronger / 2}, advantage: 60}
	chance := func(elo float64) float64 { return logistic((elo + w.advantage) / eloPerNat) }
	logit := func(south float64) float64 { // of a player that wins so often as South where the games differ
		p := share*chance(0) + (1-share)*south
		return math.Log(p/(1-p)) * eloPerNat
	}
	first, second := logit(chance(stronger)), logit(chance(-stronger))
	difference, advantage := (first-second)/2, (first+second)/2
	rng := rand.New(rand.NewPCG(3, 4))
	var heldDifference, heldAdvantage share1
	sum := 0.0
	for range runs {
		var d Data
		for range 200 {
			if rng.Float64() < share {
				r := Result(2*int(math.Round(rng.Float64()+chance(0)-0.5)) - 1)
				d.AddPairs("a", "b", r, r, 1)
				continue
			}
			d.AddPairs("a", "b", w.result(rng, "a", "b", 0), w.result(rng, "b", "a", 0), 1)
		}
		r := mustFit(t, &d, Options{})
		between, ok := r.Difference("a", "b")
		require.True(t, ok)
		sum += between.Elo / runs
		heldDifference.count(math.Abs(between.Elo-difference) < between.Error)
		heldAdvantage.count(math.Abs(r.Advantage.Elo-advantage) < r.Advantage.Error)
	}
	t.Logf("mean %.1f of %.1f Elo; held: difference %.1f, advantage %.1f", sum, difference, heldDifference.percent(),
		heldAdvantage.percent())
	require.InDelta(t, difference, sum, 2)
	require.GreaterOrEqual(t, heldDifference.percent(), 93.0)
	require.InDelta(t, 95, heldAdvantage.percent(), 2)
}
