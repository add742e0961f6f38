package ratings

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// simulate plays a round-robin in which each ordered pairing has the given
// number of games and this share of them, where the strengths allow it, is
// drawn.
func simulate(rng *rand.Rand, names []string, strength []float64, advantage float64, games int, draws float64) *Data {
	d := &Data{}
	for i, s := range names {
		for j, n := range names {
			if i == j {
				continue
			}
			e := 1 / (1 + math.Pow(10, -(strength[i]+advantage-strength[j])/400))
			// Half points must come out at e on average.
			drawn := math.Min(draws, 2*math.Min(e, 1-e))
			for range games {
				switch u := rng.Float64(); {
				case u < drawn:
					d.Add(s, n, Draw)
				case u < drawn+(e-drawn/2):
					d.Add(s, n, Win)
				default:
					d.Add(s, n, Loss)
				}
			}
		}
	}
	return d
}

// coverage is the share of 2000 simulated round-robins of five players in which
// the intervals of the ratings, differences and advantage hold the truth.
func coverage(t *testing.T, seed uint64, draws float64) (rating, difference, advantage float64) {
	const (
		runs  = 2000
		games = 20
		truth = 35.0
	)
	names := []string{"a", "b", "c", "d", "e"}
	strength := []float64{150, 60, 0, -70, -140} // mean zero
	rng := rand.New(rand.NewPCG(seed, 1))
	var ratings, differences, advantages int
	hit := func(n *int, estimate, truth, margin float64) {
		if math.Abs(estimate-truth) <= margin {
			*n++
		}
	}
	for range runs {
		r := mustFit(t, simulate(rng, names, strength, truth, games, draws), Options{})
		require.Len(t, r.Players, len(names))
		for i, name := range names {
			p, _ := r.Player(name)
			hit(&ratings, p.Elo, strength[i], p.Error)
			next := (i + 1) % len(names)
			diff, err := r.Difference(context.Background(), name, names[next])
			require.NoError(t, err)
			hit(&differences, diff.Elo, strength[i]-strength[next], diff.Error)
		}
		hit(&advantages, r.Advantage.Elo, truth, r.Advantage.Error)
	}
	n := float64(runs * len(names))
	return float64(ratings) / n, float64(differences) / n, float64(advantages) / runs
}

// With a coverage of 95 % the share of 10000 intervals has a standard error of
// 0.2 points (somewhat more, as those of one run are correlated), that of 2000
// advantages 0.5: the limits are at least three standard errors wide. The seed
// is fixed, so the test always gives the same answer.
func TestIntervalsHoldTheTruth(t *testing.T) {
	rating, difference, advantage := coverage(t, 11, 0)
	t.Logf("coverage of 95 %% intervals: ratings %.3f, differences %.3f, advantage %.3f", rating, difference, advantage)
	require.InDelta(t, 0.95, rating, 0.01)
	require.InDelta(t, 0.95, difference, 0.01)
	require.InDelta(t, 0.95, advantage, 0.015)
}

// Draws spread results less than decided games do, and the intervals know it.
func TestIntervalsHoldTheTruthWithDraws(t *testing.T) {
	rating, difference, advantage := coverage(t, 12, 0.4)
	t.Logf("coverage of 95 %% intervals with 40 %% draws: ratings %.3f, differences %.3f, advantage %.3f", rating, difference, advantage)
	require.InDelta(t, 0.95, rating, 0.01)
	require.InDelta(t, 0.95, difference, 0.01)
	require.InDelta(t, 0.95, advantage, 0.015)
}
