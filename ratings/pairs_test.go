package ratings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Two players and many pairs: the variance of the difference is that of the
// mean of what a scored in a pair, over the slope of its expectation.
func TestPairVarianceClosedForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	w := world{strength: map[string]float64{"a": 40, "b": -40}, advantage: 30, drawModel: halfPoints{0.9}, opening: 300,
		rounds: roundRobin(20000)}
	d := w.play(rng)
	r := mustFit(t, d, Options{Advantage: ptr(0)})
	var n, sum, square float64 // of a's points in a pair
	m := d.sorted().met[0]
	for i, row := range m.pairs {
		for j, c := range row {
			points := float64(i)/2 + 1 - float64(j)/2
			n, sum, square = n+float64(c), sum+float64(c)*points, square+float64(c)*points*points
		}
	}
	mean := sum / n
	variance := (square/n - mean*mean) / n
	e := mean / 2
	slope := 2 * e * (1 - e) * math.Ln10 / 400
	want := 1.959964 * math.Sqrt(variance) / slope
	diff, err := r.Difference("a", "b")
	require.NoError(t, err)
	require.InEpsilon(t, want, diff.Error, 0.002)
	// Unbalanced openings make the games of a pair depend on each other: taken
	// one by one they would seem to tell less than they do.
	byGame := mustFit(t, d, Options{Advantage: ptr(0), Intervals: ByGame})
	other, err := byGame.Difference("a", "b")
	require.NoError(t, err)
	require.Greater(t, other.Error, 1.1*diff.Error)
}

// The score covariance of pairs is one: no combination of scores has a variance below zero, however the games of a pair
// depend on each other.
func TestPairsCovarianceIsOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		z, draw := 6*rng.Float64()-3, 8*rng.Float64()-2
		m := fittedPairing{scores: [2]gameScores{
			newGameScores(davidson{}, 0, z, draw), newGameScores(davidson{}, 1, 2*rng.Float64()-1-z, draw),
		}}
		m.pairs[rng.IntN(3)][rng.IntN(3)] = 1 + rng.IntN(100)
		m.pairs[1][1] += 1 + rng.IntN(100)
		c := m.pairsCovariance(correlations{points: 2*rng.Float64() - 1, draws: 2*rng.Float64() - 1})
		var e mat.EigenSym
		require.True(t, e.Factorize(mat.NewSymDense(3, []float64{c[0], c[1], c[2], 0, c[3], c[4], 0, 0, c[5]}), false))
		require.GreaterOrEqual(t, e.Values(nil)[0], -1e-12*(c[0]+c[3]+c[5]))
	}
}

// A pair's games are the same two games however they are added.
func TestPairsCountAsTheirGames(t *testing.T) {
	var pairs, games Data
	rng := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		r, s := Result(rng.IntN(3)-1), Result(rng.IntN(3)-1)
		a, b := "a", "b"
		if rng.IntN(2) == 0 {
			a, b = b, a
		}
		pairs.AddPair(a, b, r, s)
		games.Add(a, b, r)
		games.Add(b, a, s)
	}
	require.Equal(t, games.Pairings(), pairs.Pairings())
	require.Equal(t, 200, pairs.Pairs())
	require.Equal(t, 400, pairs.Games())
	p, g := mustFit(t, &pairs, Options{Intervals: ByGame}), mustFit(t, &games, Options{})
	require.Equal(t, g.Players, p.Players)
	var merged Data
	merged.AddPair("b", "a", Win, Draw)
	merged.Merge(&pairs)
	merged.Merge(&games)
	require.Equal(t, 201, merged.Pairs())
	require.Equal(t, 802, merged.Games())
}

// At the fit every player's points are those expected, so the surpluses of its
// pairings add up to nothing; the worst comes first.
func TestHeadToHead(t *testing.T) {
	var d Data
	play(&d, "a", "b", 9, 0, 1)
	play(&d, "b", "a", 1, 0, 9)
	play(&d, "b", "c", 9, 0, 1)
	play(&d, "c", "b", 1, 0, 9)
	play(&d, "c", "a", 8, 0, 2) // and c beats a
	play(&d, "a", "c", 2, 0, 8)
	r := mustFit(t, &d, Options{})
	surplus := make(map[string]float64)
	list := r.HeadToHeads()
	for i, h := range list {
		surplus[h.A] += h.Points() - h.Expected
		surplus[h.B] -= h.Points() - h.Expected
		if i > 0 {
			require.LessOrEqual(t, math.Abs(h.Z), math.Abs(list[i-1].Z)+1e-6)
		}
		require.Equal(t, 20, h.Games())
	}
	for name, s := range surplus {
		require.InDelta(t, 0, s, 1e-6, name)
	}
	require.Greater(t, math.Abs(list[0].Z), 3.0)
	require.Equal(t, 1, r.GoodnessOfFit().Degrees)
	require.InDelta(t, 0.001, r.GoodnessOfFit().P, 1e-9, "none of 999 simulations")
}

// fitWorlds are tournaments of the fitted model over wide and narrow fields, with few
// and many pairs.
func fitWorlds() []world {
	var list []world
	for _, span := range []float64{0, 500, 1000, 1500} {
		for _, s := range []struct {
			players, pairs int
			opening        float64
		}{{5, 4, 0}, {6, 40, 0}, {12, 4, 0}, {6, 10, 250}, {12, 4, 250}} {
			list = append(list, world{
				name:     fmt.Sprintf("%d players over %g Elo, %d pairs, openings %g", s.players, span, s.pairs, s.opening),
				strength: spaced(s.players, span), advantage: 40, drawModel: halfPoints{0.3}, opening: s.opening,
				rounds: roundRobin(s.pairs),
			})
		}
	}
	return append(list, world{name: "8 players, Davidson", strength: spaced(8, 300), advantage: 30, drawModel: davidson{},
		rounds: roundRobin(4), options: Options{Draws: Davidson}})
}

// fitProbabilities returns how often the probability of the goodness of fit is at most
// 0.01, 0.05 and 0.5, and how often that by the chi-square distribution is at most 0.01.
func (w world) fitProbabilities(t testing.TB, runs int) (p [4]share1) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range runs {
		f := mustFit(t, w.play(rng), w.options).GoodnessOfFit()
		require.Positive(t, f.Simulations)
		for i, most := range []float64{0.01, 0.05, 0.5} {
			p[i].count(f.P <= most)
		}
		p[3].count(distuv.ChiSquared{K: float64(f.Degrees)}.Survival(f.ChiSquare) <= 0.01)
	}
	return p
}

// A share of 150 has a standard error of 1.8 points at 5 % and 4 at 50 %.
func TestGoodnessOfFitIsCalibrated(t *testing.T) {
	all := fitWorlds()
	for _, w := range []world{all[3], all[7], all[11], all[16], all[20]} {
		p := w.fitProbabilities(t, 150)
		t.Logf("%s: at most 0.05: %.1f %%, 0.5: %.1f %%", w.name, p[1].percent(), p[2].percent())
		require.InDelta(t, 5, p[1].percent(), 5, w.name)
		require.InDelta(t, 50, p[2].percent(), 15, w.name)
	}
	w := world{strength: spaced(12, 300), drawModel: halfPoints{}, rounds: roundRobin(1)}
	require.Equal(t, GoodnessOfFit{P: 1}, mustFit(t, w.play(rand.New(rand.NewPCG(1, 1))), Options{}).GoodnessOfFit(),
		"too few games to tell")
}

// BenchmarkGoodnessOfFit prints how often the goodness of fit finds fault where there is
// none; the figures are in results/reference/ratings.md.
func BenchmarkGoodnessOfFit(b *testing.B) {
	fmt.Println("p at most 0.01, 0.05, 0.5 (%); by the chi-square distribution at most 0.01")
	for b.Loop() {
		for _, w := range fitWorlds() {
			p := w.fitProbabilities(b, 1000)
			fmt.Printf("%-60s %5.1f %5.1f %5.1f %5.1f\n", w.name, p[0].percent(), p[1].percent(), p[2].percent(), p[3].percent())
		}
	}
}

// Circular strength is found: with 40 pairs in 9 of 10 tournaments.
func TestGoodnessOfFitFindsMisfits(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	var p share1
	for range 40 {
		p.count(mustFit(t, circular(rng, 5, 40, 1000, 150), Options{}).GoodnessOfFit().P <= 0.05)
	}
	t.Logf("found in %.0f %%", p.percent())
	require.Greater(t, p.percent(), 90.0)
}

// The errors agree within 5 % with a long simulation of the same tournament at
// the fitted values: 4000 repeats leave the simulated ones an error of 1.1 %.
func TestErrorsAgreeWithSimulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	w := world{strength: spaced(5, 400), advantage: 45, drawModel: halfPoints{1.1}, rounds: roundRobinOfGames(30)}
	r := mustFit(t, w.play(rng), Options{})
	w.advantage = r.Advantage.Elo
	for _, p := range r.Players {
		w.strength[p.Name] = p.Elo
	}
	w.drawModel = r.estimate.model.chanceModel(r.estimate.x)
	const repeats = 4000
	sum := make(map[string]float64)
	for range repeats {
		s := mustFit(t, w.play(rng), Options{Intervals: ByModel})
		for _, p := range s.Players {
			sum[p.Name] += (p.Elo - w.strength[p.Name]) * (p.Elo - w.strength[p.Name])
		}
		sum[""] += (s.Advantage.Elo - w.advantage) * (s.Advantage.Elo - w.advantage)
	}
	for _, p := range r.Players {
		require.InEpsilon(t, 1.959964*math.Sqrt(sum[p.Name]/repeats), p.Error, 0.05, p.Name)
	}
	require.InEpsilon(t, 1.959964*math.Sqrt(sum[""]/repeats), r.Advantage.Error, 0.05)
}
