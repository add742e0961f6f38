package ratings

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// precisionRun plays rounds until every interval is within ± goal, or fixed ones. It returns their
// number, and the difference of the first player from the last with half its interval.
func (w *world) precisionRun(t testing.TB, rng *rand.Rand, goal float64, fixed int64) (rounds int64, elo, half float64) {
	d, names, look := new(Data), w.names(), NextLook(0)
	for {
		rounds++
		w.rounds(rng, w, d)
		if fixed > 0 && rounds < fixed || fixed == 0 && rounds < look {
			continue
		}
		look = NextLook(rounds)
		p := MeasurePrecision(context.Background(), d, names)
		switch {
		case fixed == 0 && !p.Within(goal):
		case len(names) == 2:
			e := d.PairsOf(names[0]).Estimate().Elo
			return rounds, e.Value, e.Half()
		default:
			ends, ok := mustFit(t, d, Options{}).Difference(names[0], names[len(names)-1])
			require.True(t, ok)
			return rounds, ends.Elo, ends.Error
		}
	}
}

// precise plays a world a number of times and returns the mean number of rounds, the error of the
// mean difference, its standard error, and the coverage of the intervals in percent.
func (w *world) precise(t testing.TB, runs int, goal float64, fixed int64) (rounds, bias, se float64, held share1) {
	rng := rand.New(rand.NewPCG(17, uint64(fixed)))
	names := w.names()
	truth, square := w.strength[names[0]]-w.strength[names[len(names)-1]], 0.0
	for range runs {
		n, elo, half := w.precisionRun(t, rng, goal, fixed)
		rounds += float64(n) / float64(runs)
		bias += (elo - truth) / float64(runs)
		square += (elo - truth) * (elo - truth) / float64(runs)
		held.count(math.Abs(elo-truth) <= half)
	}
	return rounds, bias, math.Sqrt((square - bias*bias) / float64(runs)), held
}

// precisionWorlds are matches, a round-robin and a gauntlet.
func precisionWorlds() []world {
	return []world{
		{name: "2 equal players", strength: spaced(2, 0), draws: 0.9, rounds: roundRobin(1)},
		{name: "2 players, 300 Elo apart", strength: spaced(2, 300), draws: 0.9, rounds: roundRobin(1)},
		{name: "4 players over 300 Elo", strength: spaced(4, 300), draws: 0.9, rounds: roundRobin(1)},
		{name: "gauntlet, 4 opponents over 300 Elo", strength: spaced(5, 300), draws: 0.9, rounds: gauntlet(0, 1)},
	}
}

// A run that ends at an error is as unbiased as one of fixed length, and its intervals hold the
// truth as often. The seed is fixed. The limits are three standard errors, of the bias beside 1 %
// of the difference.
func TestUntilErrorIsUnbiased(t *testing.T) {
	t.Parallel()
	const goal = 50
	for _, w := range precisionWorlds() {
		runs := 1200 / len(w.strength) / len(w.strength)
		rounds, bias, se, held := w.precise(t, runs, goal, 0)
		t.Logf("%-36s rounds %.0f bias %.2f ± %.2f held %.1f %%", w.name, rounds, bias, se, held.percent())
		truth := w.strength["a"] - w.strength[w.names()[len(w.strength)-1]]
		require.InDelta(t, 0, bias, 0.01*truth+3*se, w.name)
		require.InDelta(t, 95, held.percent(), 300*math.Sqrt(0.95*0.05/float64(runs)), w.name)
	}
}

// BenchmarkUntilError prints the bias and the coverage of runs that end at an error, and of runs of
// their mean length. The figures are in results/reference/ratings.md.
func BenchmarkUntilError(b *testing.B) {
	fmt.Printf("%-36s %5s %8s | %14s %6s | fixed: %14s %6s\n", "run", "goal", "rounds", "bias", "held", "bias", "held")
	for b.Loop() {
		for _, w := range precisionWorlds() {
			for _, goal := range []float64{100, 50, 20, 10} {
				runs := 4000
				if len(w.strength) > 2 && goal < 50 {
					runs = 1000
				}
				rounds, bias, se, held := w.precise(b, runs, goal, 0)
				_, bias0, se0, held0 := w.precise(b, runs, goal, int64(math.Round(rounds)))
				fmt.Printf("%-36s %5g %8.0f | %6.2f ± %5.2f %6.1f | fixed: %6.2f ± %5.2f %6.1f\n", w.name, goal, rounds, bias,
					1.96*se, held.percent(), bias0, 1.96*se0, held0.percent())
			}
		}
	}
}

// Without a win and a loss on each side, or with the same result in every pair, there is no
// interval: such a run goes on to its last pair.
func TestPrecisionUnknown(t *testing.T) {
	alike, won, few := new(Data), new(Data), new(Data)
	for range 1000 {
		alike.AddPairs("a", "b", Win, Win, 1)
		won.AddPairs("b", "a", Loss, Win, 1)
		for _, pair := range [][2]string{{"a", "b"}, {"b", "c"}, {"a", "c"}} {
			few.AddPairs(pair[0], pair[1], Win, Loss, 1)
		}
	}
	few.AddPairs("b", "a", Win, Loss, 1) // a is level with b in one pair; c has lost everything
	for _, d := range []*Data{alike, won, few, new(Data)} {
		players := []string{"a", "b", "c"}[:max(2, len(d.names))]
		p := MeasurePrecision(t.Context(), d, players)
		require.False(t, p.Within(1000), "%v", d.names)
		require.True(t, math.IsInf(p.Growth(20), 1))
	}

	d := new(Data)
	for range 49 {
		d.AddPairs("a", "b", Win, Win, 1)
	}
	d.AddPairs("b", "a", Win, Loss, 1)
	p := MeasurePrecision(t.Context(), d, []string{"b", "a"})
	require.Equal(t, 50, p.Pairs)
	require.InDelta(t, 13.5, p.Error, 0.05)
	require.True(t, p.Within(20))
	require.InDelta(t, 1, p.Growth(20), 1e-9, "as many pairs as are needed at least")
	require.InDelta(t, p.Error*p.Error/25, p.Growth(5), 1e-9)
	require.Positive(t, d.PairsOf("b").Estimate().Elo.Value)
}

// Only the results between the players count, and they stay as they are: also those of players that
// never met.
func TestPrecisionLeavesTheResults(t *testing.T) {
	d, same := new(Data), new(Data)
	for range 60 {
		for _, to := range []*Data{d, same} {
			to.AddPairs("a", "b", Win, Draw, 1)
			to.AddPairs("b", "a", Win, Win, 1)
			to.AddPairs("b", "c", Win, Win, 1)
		}
	}
	require.True(t, math.IsInf(MeasurePrecision(t.Context(), d, []string{"a", "c"}).Error, 1))
	require.True(t, math.IsInf(MeasurePrecision(t.Context(), d, []string{"a", "nobody"}).Error, 1))
	require.True(t, MeasurePrecision(t.Context(), d, []string{"a", "b"}).Within(50))
	require.Equal(t, same, d)
}
