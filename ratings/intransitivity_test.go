package ratings

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// beats plays a number of games a pairing and side, of which the first player wins the given number
// with either side.
func beats(d *Data, a, b string, games, wins int) {
	play(d, a, b, wins, 0, games-wins)
	play(d, b, a, games-wins, 0, wins)
}

// In rock, paper, scissors all variance is cyclic: by symmetry the ratings are equal.
func TestRockPaperScissors(t *testing.T) {
	var d Data
	beats(&d, "paper", "rock", 20, 16)
	beats(&d, "rock", "scissors", 20, 16)
	beats(&d, "scissors", "paper", 20, 16)
	i, ok := mustFit(t, &d, Options{}).Intransitivity()
	require.True(t, ok)
	require.Equal(t, 1.0, i.Share)
	require.InDelta(t, 1.0/201, i.P, 1e-12)
	require.InDelta(t, 1.0/201, i.CycleP, 1e-12)
	require.Equal(t, []string{"paper", "rock", "scissors"}, i.Cycle)
	// Each difference is that of 32.5 of 41 games.
	require.InDelta(t, 3*400*math.Log10(32.5/8.5), i.Elo, 1e-6)
}

// Without cycles there is nothing: here the results are just what the ratings expect.
func TestTransitiveResults(t *testing.T) {
	var d Data
	beats(&d, "a", "b", 110, 100) // odds of 10
	beats(&d, "b", "c", 110, 100)
	beats(&d, "a", "c", 101, 100)
	i, ok := mustFit(t, &d, Options{}).Intransitivity()
	require.True(t, ok)
	require.Zero(t, i.Share)
	require.Greater(t, i.P, 0.5)
	require.Nil(t, i.Cycle)
	require.Zero(t, i.CycleP)
}

func TestIntransitivityNeedsAllPairings(t *testing.T) {
	few, two, part, apart := new(Data), new(Data), new(Data), new(Data)
	for _, p := range []string{"ab", "bc", "ca"} {
		play(few, p[:1], p[1:], 2, 1, 2)
	}
	beats(two, "a", "b", 20, 10)
	beats(part, "a", "b", 20, 10)
	beats(part, "b", "c", 20, 10)
	beats(apart, "a", "b", 20, 10)
	beats(apart, "b", "c", 20, 20)
	beats(apart, "a", "c", 20, 20)
	for _, d := range []*Data{few, two, part, {}} {
		_, ok := mustFit(t, d, Options{}).Intransitivity()
		require.False(t, ok)
	}
	_, ok := mustFit(t, apart, strict()).Intransitivity()
	require.False(t, ok)
	_, ok = mustFit(t, apart, Options{}).Intransitivity()
	require.True(t, ok, "with the prior")
}

// The split agrees with descent on the sum of squares, one player's number after the
// other, and the strongest cycle with a search of all ordered triples.
func TestFlowAgreesWithSlowDescent(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{3, 4, 7} {
		w := world{strength: spaced(n, 300), drawModel: halfPoints{0.9}, rounds: roundRobin(5)}
		r := mustFit(t, w.play(rng), Options{})
		h, ok := newFlow(r)
		require.True(t, ok)
		differences := make([]float64, len(h.edges))
		for k := range differences {
			differences[k] = rng.NormFloat64()
		}
		s := make([]float64, n)
		for range 2000 {
			for i := range s {
				sum, of := 0.0, 0.0
				for k, p := range h.edges {
					switch i {
					case p.a:
						sum, of = sum+p.weight*(s[p.b]+differences[k]), of+p.weight
					case p.b:
						sum, of = sum+p.weight*(s[p.a]-differences[k]), of+p.weight
					}
				}
				s[i] = sum / of
			}
		}
		var gradient, cyclic float64
		matrix := square(n)
		for k, p := range h.edges {
			g := s[p.a] - s[p.b]
			gradient += p.weight * g * g
			cyclic += p.weight * (differences[k] - g) * (differences[k] - g)
			matrix[p.a][p.b], matrix[p.b][p.a] = differences[k], -differences[k]
		}
		gotGradient, gotCyclic := h.split(differences)
		require.InEpsilon(t, gradient, gotGradient, 1e-6)
		require.InEpsilon(t, cyclic, gotCyclic, 1e-6)

		best, worst := 0.0, [3]int{}
		weight := func(i, j int) float64 {
			k := slices.IndexFunc(h.edges, func(p edge) bool { return p.a == i && p.b == j || p.a == j && p.b == i })
			return h.edges[k].weight
		}
		for i := range n {
			for j := range n {
				for k := range n {
					if i == j || j == k || k == i || matrix[i][j] <= 0 || matrix[j][k] <= 0 || matrix[k][i] <= 0 {
						continue
					}
					v := 1/weight(i, j) + 1/weight(j, k) + 1/weight(k, i)
					if z := (matrix[i][j] + matrix[j][k] + matrix[k][i]) / math.Sqrt(v); z > best+1e-12 {
						best, worst = z, [3]int{i, j, k}
					}
				}
			}
		}
		cycle, _, strength := h.strongest(differences)
		require.InDelta(t, best, strength, 1e-12)
		if best > 0 {
			require.Contains(t, [][3]int{worst, {worst[1], worst[2], worst[0]}, {worst[2], worst[0], worst[1]}}, cycle)
		}
	}
}

// circular are results of players on a circle: each beats the next third by a number of
// Elo, beside their strength.
func circular(rng *rand.Rand, n, pairs int, span, elo float64) *Data {
	d := new(Data)
	w := world{strength: spaced(n, span), advantage: 40, drawModel: halfPoints{0.9}}
	names := w.names()
	for i, a := range names {
		for j, b := range names[i+1:] {
			v := world{advantage: 40, drawModel: w.drawModel, strength: map[string]float64{
				a: w.strength[a] + elo*math.Sin(2*math.Pi*float64(j+1)/float64(n)), b: w.strength[b],
			}}
			for range pairs {
				v.pair(rng, d, a, b)
			}
		}
	}
	return d
}

// In transitive tournaments the probabilities are below 5 % in 5 %; the share of 300 has
// a standard error of 1.3 points, and the limit is three of them. Circular ones are found,
// and the cyclic part has the share that the true differences give it.
func TestIntransitivityIsCalibrated(t *testing.T) {
	for _, c := range []struct {
		players, pairs int
		span           float64
		draws          drawModel
	}{{4, 5, 200, halfPoints{0.9}}, {6, 20, 400, halfPoints{0.5}}, {8, 5, 300, halfPoints{0}}} {
		rng := rand.New(rand.NewPCG(8, 8))
		w := world{strength: spaced(c.players, c.span), advantage: 40, drawModel: c.draws, opening: 60, rounds: roundRobin(c.pairs)}
		var p, cycle share1
		for range 300 {
			i, ok := mustFit(t, w.play(rng), Options{}).Intransitivity()
			require.True(t, ok)
			p.count(i.P <= 0.05)
			cycle.count(i.Cycle != nil && i.CycleP <= 0.05)
		}
		t.Logf("%d players, %d pairs: %.1f %% cyclic, %.1f %% a cycle", c.players, c.pairs, p.percent(), cycle.percent())
		require.InDelta(t, 5, p.percent(), 3.8)
		require.Less(t, cycle.percent(), 8.8)
	}
	rng := rand.New(rand.NewPCG(8, 9))
	var found, truth float64
	for range 40 {
		const span, elo = 200, 150
		r := mustFit(t, circular(rng, 5, 40, span, elo), Options{})
		i, ok := r.Intransitivity()
		require.True(t, ok)
		require.LessOrEqual(t, i.P, 0.05)
		require.LessOrEqual(t, i.CycleP, 0.05)
		found += i.Share / 40
		h, _ := newFlow(r)
		differences := make([]float64, len(h.edges))
		for k, p := range h.edges {
			a, b := int(r.Players[p.a].Name[0]-'a'), int(r.Players[p.b].Name[0]-'a')
			differences[k] = (span*float64(b-a)/4 + elo*math.Sin(2*math.Pi*float64(b-a)/5)) / eloPerNat
		}
		gradient, cyclic := h.split(differences)
		truth += cyclic / (cyclic + gradient) / 40
	}
	t.Logf("the cyclic share is %.3f, found %.3f on average", truth, found)
	require.InDelta(t, truth, found, 0.03)
}

// Players who are level are no cycle, whatever digits are lost.
func TestLevelPlayersAreNoCycle(t *testing.T) {
	for n := 4; n < 60; n++ {
		d := new(Data)
		for i, a := range []string{"a", "b", "c"} {
			for _, b := range []string{"a", "b", "c"}[i+1:] {
				play(d, a, b, n, 7, n/2)
				play(d, b, a, n, 7, n/2)
			}
			play(d, a, "z", n+i, 3, 1)
			play(d, "z", a, 1, n, 3+i)
		}
		i, ok := mustFit(t, d, Options{}).Intransitivity()
		require.True(t, ok)
		require.Nil(t, i.Cycle)
	}
}
