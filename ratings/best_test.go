package ratings

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
)

// Equal players are as likely the strongest; of two it is the likelihood of superiority, and
// players whose rating is given can be.
func TestBest(t *testing.T) {
	var d Data
	for _, p := range []string{"ab", "bc", "ca"} {
		play(&d, p[:1], p[1:], 2, 1, 2)
		play(&d, p[1:], p[:1], 2, 1, 2)
	}
	r := mustFit(t, &d, Options{})
	b := r.Best(0)
	require.InDelta(t, 1, floats.Sum(b.Chances), 1e-9)
	for _, c := range b.Chances {
		require.InDelta(t, 1.0/3, c, 0.01) // three standard errors
	}
	play(&d, "z", "a", 0, 1, 400)
	require.Zero(t, mustFit(t, &d, Options{}).Best(0).Chances[3])
	anchored := mustFit(t, &d, Options{Anchors: []Anchor{{Name: "a"}, {Name: "b", Elo: 500}}}).Best(0)
	require.Greater(t, anchored.Chances[0], 0.99)

	var two Data
	play(&two, "a", "b", 5, 0, 2)
	play(&two, "b", "a", 2, 0, 3)
	r = mustFit(t, &two, Options{})
	diff, err := r.Difference("a", "b")
	require.NoError(t, err)
	require.InDelta(t, diff.LOS, r.Best(0).Chances[0], 1e-9)
}

// strongest simulates round-robins of six players, 8 pairs for every two, whose strengths are
// drawn evenly over a span each time, and compares what the probabilities to be the strongest
// promise, sorted by size, with how often it is so.
func strongest(t testing.TB, runs int, span float64) []promise {
	var bins [5]promise
	rng := rand.New(rand.NewPCG(17, 2))
	w := world{advantage: 40, drawModel: halfPoints{0.9}, rounds: roundRobin(8), strength: spaced(6, 0)}
	for range runs {
		best, names := "a", w.names()
		for _, name := range names {
			w.strength[name] = span * rng.Float64()
			if w.strength[name] > w.strength[best] {
				best = name
			}
		}
		r, err := Fit(context.Background(), w.play(rng), Options{})
		require.NoError(t, err)
		for i, chance := range r.Best(0).Chances {
			bin := &bins[min(4, int(5*chance))]
			bin.sum += chance
			bin.kept.count(r.Players[i].Name == best)
		}
	}
	return bins[:]
}

// A share of some fifty has a standard error of 7 points; the limit is three.
func TestBestIsCalibrated(t *testing.T) {
	for _, c := range strongest(t, 120, 600) {
		n, p := float64(c.kept.of), c.promised()/100
		t.Logf("promised %.1f, true %.1f of %d", c.promised(), c.kept.percent(), c.kept.of)
		require.InDelta(t, c.promised(), c.kept.percent(), 300*math.Sqrt(p*(1-p)/n)+1)
	}
}

// The highest of many ratings is too high by what Bias says, on average; the less the more the
// players differ. The standard error of the mean of 20 is 4 Elo at most.
func TestBestBias(t *testing.T) {
	for _, c := range []struct {
		players int
		span    float64
	}{{16, 0}, {16, 150}, {16, 600}} {
		w := world{advantage: 40, drawModel: halfPoints{0.9}, rounds: roundRobin(2), strength: spaced(c.players, c.span)}
		rng := rand.New(rand.NewPCG(8, 1))
		excess, bias, half := 0.0, 0.0, 0.0
		const runs = 20
		for range runs {
			r := mustFit(t, w.play(rng), Options{})
			first := r.Players[0]
			excess += (first.Elo - w.strength[first.Name]) / runs
			bias += r.Best(0).Bias / runs
			half += first.Error / runs
		}
		t.Logf("%d players over %.0f: first too high by %.1f, said %.1f, error %.1f", c.players, c.span, excess, bias, half)
		require.InDelta(t, excess, bias, half/5)
	}
}
