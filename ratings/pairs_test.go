package ratings

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"gyges/ratings/sprt"
)

// Two players and many pairs: the variance of the difference is that of the mean of what a scored
// in a pair, over the slope of its expectation. Of the same games without pairs it is that of the
// mean of two such expectations, one for each side.
func TestPairVarianceClosedForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	w := world{strength: map[string]float64{"a": 40, "b": -40}, advantage: 30, draws: 0.9, opening: 300,
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
	diff, ok := r.Difference("a", "b")
	require.True(t, ok)
	require.InEpsilon(t, want, diff.Error, 0.002)

	var single Data
	variance = 0
	for _, p := range d.Pairings() {
		play(&single, p.South, p.North, p.Wins, p.Draws, p.Losses)
		e, games := p.Score(), float64(p.Games())
		slope := e * (1 - e) * math.Ln10 / 400
		variance += ((float64(p.Wins)+float64(p.Draws)/4)/games - e*e) / games / (slope * slope) / 4
	}
	diff, ok = mustFit(t, &single, Options{}).Difference("a", "b")
	require.True(t, ok)
	require.InEpsilon(t, 1.959964*math.Sqrt(variance), diff.Error, 0.002)
}

// The score covariance of pairs is one: no combination of scores has a variance below zero, however
// the games of a pair depend on each other.
func TestPairsCovarianceIsOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		z, share := 6*rng.Float64()-3, drawShare(50*rng.Float64())
		m := residual{pairing: new(pairing), scores: [2]gameScores{
			newGameScores(share, 0, z), newGameScores(share, 1, 2*rng.Float64()-1-z),
		}}
		m.pairs[rng.IntN(3)][rng.IntN(3)] = 1 + rng.Int32N(100)
		m.pairs[1][1] += 1 + rng.Int32N(100)
		m.correlation = 2*rng.Float64() - 1
		c := m.pairsCovariance()
		var e mat.EigenSym
		require.True(t, e.Factorize(mat.NewSymDense(2, []float64{c[0], c[1], 0, c[2]}), false))
		require.GreaterOrEqual(t, e.Values(nil)[0], -1e-12*(c[0]+c[2]))
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
		pairs.AddPairs(a, b, r, s, 1)
		games.AddGames(a, b, r, 1)
		games.AddGames(b, a, s, 1)
	}
	require.Equal(t, games.Pairings(), pairs.Pairings())
	require.Equal(t, 200, pairs.Pairs())
	require.Equal(t, 400, pairs.Games())
	require.InDelta(t, elo(t, mustFit(t, &games, Options{}), "a"), elo(t, mustFit(t, &pairs, Options{}), "a"), 1e-9)
	var merged Data
	merged.AddPairs("b", "a", Win, Draw, 1)
	merged.Merge(&pairs)
	merged.Merge(&games)
	require.Equal(t, 201, merged.Pairs())
	require.Equal(t, 802, merged.Games())
}

// At the fit every player's points are those expected, so the surpluses of its
// pairings add up to nothing; the worst comes first.
func TestHeadToHead(t *testing.T) {
	d := results("a b 9 0 1", "b a 1 0 9", "b c 9 0 1", "c b 1 0 9")
	play(d, "c", "a", 8, 0, 2) // and c beats a
	play(d, "a", "c", 2, 0, 8)
	r := mustFit(t, d, Options{})
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
	require.Less(t, r.GoodnessOfFit().P, 0.001)
}

// The pentanomials of two players are those of the one who is rated higher, whatever the order of their names.
func TestHeadToHeadHasPentanomials(t *testing.T) {
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} {
		strong, weak := names[0], names[1]
		var d Data
		d.AddPairs(strong, weak, Win, Loss, 5)  // 2 points
		d.AddPairs(weak, strong, Draw, Win, 3)  // 1½
		d.AddPairs(strong, weak, Win, Win, 4)   // 1
		d.AddPairs(weak, strong, Draw, Loss, 2) // ½
		d.AddPairs(weak, strong, Win, Loss, 1)  // 0
		d.AddGames(strong, weak, Win, 7)        // of no pair
		list := mustFit(t, &d, Options{}).HeadToHeads()
		require.Len(t, list, 1)
		require.Equal(t, strong, list[0].A)
		require.Equal(t, sprt.Pairs{1, 2, 4, 3, 5}, list[0].Pairs)
		require.Equal(t, list[0].Pairs, d.PairsOf(strong))
		require.Equal(t, sprt.Pairs{5, 3, 4, 2, 1}, d.PairsOf(weak))
	}
}

// The statistic is the sum of squares over the pairings; where all players met and meet expectation
// but for chance, it is about its degrees of freedom. Results in a circle are found.
func TestGoodnessOfFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	w := world{strength: spaced(6, 300), advantage: 40, draws: 0.9, rounds: roundRobin(20)}
	sum, small := 0.0, share1{}
	for range 200 {
		f := mustFit(t, w.play(rng), Options{}).GoodnessOfFit()
		require.Equal(t, 10, f.Degrees)
		require.InDelta(t, 1-distuv.ChiSquared{K: 10}.CDF(f.ChiSquare), f.P, 1e-9)
		sum += f.ChiSquare / 200
		small.count(f.P <= 0.05)
	}
	require.InDelta(t, 10, sum, 1) // three standard errors
	require.InDelta(t, 5, small.percent(), 5)
	w.rounds = roundRobin(1)
	require.Equal(t, GoodnessOfFit{P: 1}, mustFit(t, w.play(rng), Options{}).GoodnessOfFit(), "too few games to tell")

	var d Data
	for _, p := range [][2]string{{"rock", "scissors"}, {"scissors", "paper"}, {"paper", "rock"}} {
		play(&d, p[0], p[1], 16, 0, 4)
		play(&d, p[1], p[0], 4, 0, 16)
	}
	f := mustFit(t, &d, Options{}).GoodnessOfFit()
	require.Equal(t, 1, f.Degrees)
	require.Greater(t, f.ChiSquare, 30.0)
	require.Less(t, f.P, 1e-6)
}
