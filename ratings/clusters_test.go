package ratings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// sharing is a round-robin in which each opening is played by all pairings. An opening is worth something to South, and
// something to each agent whichever side it has.
func sharing(players, openings int, span, worth, knack float64) world {
	w := world{
		name: fmt.Sprintf("%d players over %g, %d openings worth %g, to agents %g", players, span, openings, worth,
			knack),
		strength: spaced(players, span), advantage: 40, drawModel: halfPoints{0.3},
		opening: math.Hypot(worth, knack*math.Sqrt2),
	}
	w.rounds = func(rng *rand.Rand, _ *world, d *Data) {
		names := w.names()
		for o := range openings {
			south, own := worth*rng.NormFloat64(), map[string]float64{}
			for _, name := range names {
				own[name] = knack * rng.NormFloat64()
			}
			for i, a := range names {
				for _, b := range names[i+1:] {
					r, s := w.result(rng, a, b, south+own[a]-own[b]), w.result(rng, b, a, south+own[b]-own[a])
					d.AddPair(a, b, r, s)
					d.InOpening(uint64(o), a, b, r, s)
				}
			}
		}
	}
	return w
}

// likeAgents are games of rows of pieces, each of two openings of every two rows played by three agents that are alike:
// mostly all with the same result.
func likeAgents(rows int) world {
	w := world{strength: spaced(rows, 200), drawModel: halfPoints{}, opening: 0}
	w.rounds = func(rng *rand.Rand, _ *world, d *Data) {
		names, opening := w.names(), uint64(0)
		for i, a := range names {
			for _, b := range names[i+1:] {
				for range 6 {
					opening++
					common := w.result(rng, a, b, 0)
					for range 3 {
						r := common
						if rng.Float64() < 0.2 {
							r = w.result(rng, a, b, 0)
						}
						d.Add(a, b, r)
						d.InOpening(opening, a, b, r)
					}
				}
			}
		}
	}
	return w
}

// Where all pairings play the same openings, intervals by pairs take the advantage for much too certain, and where
// openings suit agents, ratings too. By openings they hold the truth, even with few. Shares of 100 have a standard
// error of 2.2 points, those of ratings of half as much.
func TestClustersHoldTheTruth(t *testing.T) {
	for _, w := range []world{
		sharing(6, 5, 200, 300, 100), sharing(6, 20, 200, 300, 100), sharing(6, 10, 200, 0, 0), sharing(4, 40, 1000, 100, 0),
	} {
		pairs := w.try(t, 100, 5)
		w.options.Intervals = ByOpening
		s := w.try(t, 100, 5)
		t.Logf("%s: ratings %.1f, differences %.1f, advantage %.1f; by pairs %.1f, %.1f, %.1f", w.name, s.rating.percent(),
			s.difference.percent(), s.advantage.percent(), pairs.rating.percent(), pairs.difference.percent(),
			pairs.advantage.percent())
		require.InDelta(t, 95.5, s.rating.percent(), 3.5, w.name)
		require.InDelta(t, 95.5, s.difference.percent(), 3.5, w.name)
		require.InDelta(t, 95, s.advantage.percent(), 5, w.name)
		if w.opening > 300 {
			require.Less(t, pairs.rating.percent(), 92.0, w.name)
			require.Less(t, pairs.advantage.percent(), 70.0, w.name)
		}
	}
}

// Three like agents on the same openings are found to have cycles by pairs, and not by openings.
func TestClustersOfLikeAgentsHaveNoCycles(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	w := likeAgents(8)
	var pairs, openings, fit share1
	for range 100 {
		d := w.play(rng)
		i, ok := mustFit(t, d, Options{}).Intransitivity()
		require.True(t, ok)
		pairs.count(i.P <= 0.05)
		r := mustFit(t, d, Options{Intervals: ByOpening})
		i, _ = r.Intransitivity()
		openings.count(i.P <= 0.05)
		fit.count(r.GoodnessOfFit().P <= 0.05)
	}
	t.Logf("p at most 0.05: cycles %.0f %% by pairs, %.0f %% by openings; goodness of fit %.0f %%", pairs.percent(),
		openings.percent(), fit.percent())
	require.Greater(t, pairs.percent(), 60.0)
	require.InDelta(t, 5, openings.percent(), 7)
	require.InDelta(t, 5, fit.percent(), 7)
}

// Openings that have one pair each change next to nothing, and the order of the results changes no bit.
func TestOpeningsOfOnePairAreIndependent(t *testing.T) {
	w := world{strength: spaced(5, 300), advantage: 40, drawModel: halfPoints{0.9}, opening: 200}
	var list [][2]int // results of a pair
	build := func(reverse bool) *Ratings {
		d := new(Data)
		for i := range list {
			if reverse {
				i = len(list) - 1 - i
			}
			a, b := w.names()[i%5], w.names()[(i+1+i/5%4)%5]
			r, s := Result(list[i][0]), Result(list[i][1])
			if reverse { // the game that the other began comes first
				a, b, r, s = b, a, s, r
			}
			d.AddPair(a, b, r, s)
			d.InOpening(uint64(i), a, b, r, s)
		}
		return mustFit(t, d.Renamed(nil), Options{Intervals: ByOpening})
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 400 {
		list = append(list, [2]int{rng.IntN(3) - 1, rng.IntN(3) - 1})
	}
	r, other := build(false), build(true)
	require.Equal(t, r.Players, other.Players)
	require.Equal(t, r.Advantage, other.Advantage)
	require.Equal(t, r.GoodnessOfFit(), other.GoodnessOfFit())
	pairs := mustFit(t, r.data.Renamed(nil), Options{})
	for i, p := range pairs.Players {
		require.InEpsilon(t, p.Error, r.Players[i].Error, 0.01)
	}
}

// BenchmarkClusters prints how often 95 % intervals hold the truth where all pairings play the same openings; the
// figures are in results/reference/ratings.md.
func BenchmarkClusters(b *testing.B) {
	for b.Loop() {
		for _, players := range []int{3, 6, 10} {
			for _, openings := range []int{5, 20, 50} {
				for _, s := range [][2]float64{{0, 0}, {300, 0}, {300, 100}} {
					w := sharing(players, openings, 200, s[0], s[1])
					fmt.Printf("%-60s", w.name)
					for _, w.options.Intervals = range []Intervals{ByPair, ByOpening} {
						t := w.try(b, 300, 5)
						fmt.Printf("  %-8s %5.1f %5.1f %5.1f", w.options.Intervals, t.rating.percent(), t.difference.percent(),
							t.advantage.percent())
					}
					fmt.Println()
				}
			}
		}
	}
}
