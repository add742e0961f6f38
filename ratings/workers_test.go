package ratings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// playWorkers simulates a round-robin of players 60 Elo apart under two rule sets: each worker plays pairs of every
// pairing, and with the last one player 0 is weaker by a number of Elo.
func playWorkers(rng *rand.Rand, workers, players, pairs int, weaker float64) *Workers {
	w := new(Workers)
	for i := range workers {
		for a := range players {
			for b := range a {
				for range pairs {
					elo := 60 * float64(a-b)
					if i == workers-1 && b == 0 {
						elo += weaker
					}
					game := func(elo float64) Result {
						const draws = 0.1
						switch u, p := rng.Float64(), 1/(1+math.Pow(10, -elo/400)); {
						case u < draws:
							return Draw
						case u < draws+(1-draws)*p:
							return Win
						}
						return Loss
					}
					const side = 40 // Elo of the first move
					rules := fmt.Sprint("rules", rng.IntN(2))
					w.AddPair(fmt.Sprint("worker", i), rules, fmt.Sprint(a), fmt.Sprint(b), game(elo+side), -game(elo-side))
				}
			}
		}
	}
	return w
}

// Workers that are alike are called outliers in 1 % of the runs at most; one whose player is weaker is found, and no
// other one with it.
func TestWorkersAgainstTruth(t *testing.T) {
	for _, c := range []struct {
		workers, players, pairs int
		weaker                  float64
		runs                    int
		least, most             float64 // shares of the runs in which the last worker is an outlier, or any if none is weaker
	}{
		{2, 2, 200, 0, 2000, 0, 0.015},
		{5, 2, 100, 0, 4000, 0, 0.015},
		{30, 2, 20, 0, 300, 0, 0.02},
		{8, 4, 15, 0, 200, 0, 0.02},
		{5, 2, 500, 100, 50, 0.95, 1},
		{8, 4, 100, 100, 50, 0.9, 1},
	} {
		rng := rand.New(rand.NewPCG(7, 1))
		found, wrong := 0, 0
		for range c.runs {
			table := playWorkers(rng, c.workers, c.players, c.pairs, c.weaker).Table()
			last := fmt.Sprint("worker", c.workers-1)
			any, other := false, false
			for _, x := range table {
				any = any || x.Outlier && (c.weaker == 0 || x.Name == last)
				other = other || x.Outlier && x.Name != last
			}
			if any {
				found++
			}
			if other {
				wrong++
			}
		}
		share := float64(found) / float64(c.runs)
		t.Logf("%d workers, %d players, %d pairs of a pairing each, %v Elo: %.4f; another one %d of %d", c.workers, c.players,
			c.pairs, c.weaker, share, wrong, c.runs)
		require.GreaterOrEqual(t, share, c.least, c)
		require.LessOrEqual(t, share, c.most, c)
		if c.weaker > 0 {
			require.LessOrEqual(t, float64(wrong)/float64(c.runs), 0.03, c)
		}
	}
}

// The figures are those of a computation by hand; what can't be compared has none.
func TestWorkerFigures(t *testing.T) {
	w := new(Workers)
	add := func(worker string, n int, first, second Result) {
		for range n {
			w.AddPair(worker, "r", "a", "b", first, second)
		}
	}
	add("x", 30, Win, Loss) // two points of a
	add("x", 10, Loss, Win)
	add("y", 10, Win, Loss)
	add("y", 30, Loss, Win)
	w.AddPair("z", "r", "b", "a", Win, Loss)
	w.AddPair("z", "other", "a", "c", Win, Loss)
	w.Add("x", true, true, true)
	w.Add("x", true, true, false)
	w.Add("x", true, false, false)
	w.Add("z", false, false, false)
	table := w.Table()
	require.Equal(t, []string{"x", "y", "z"}, []string{table[0].Name, table[1].Name, table[2].Name})
	x, z := table[0], table[2]
	require.Equal(t, [4]int{3, 2, 1, 1}, [4]int{x.Games, x.TimeLosses, x.HostLosses, x.Faults})
	require.Equal(t, 40, x.Pairs)
	require.Equal(t, 1, x.Degrees)
	// 30 of 40 against 10 of 41.
	require.InDelta(t, 81*(30*31-10*10)*(30*31-10*10)/(40.*41*40*41), x.ChiSquare, 1e-9)
	require.InDelta(t, math.Sqrt(x.ChiSquare*80/81), x.Z, 1e-9)
	require.Equal(t, "a", x.Player)
	require.InDelta(t, 6*math.Erfc(math.Sqrt(x.ChiSquare/2)), x.P, 1e-9)
	require.True(t, x.Outlier)
	require.True(t, math.IsNaN(z.Z) && math.IsNaN(z.P) && !z.Outlier && z.Degrees == 0)
	for i := range 1000 {
		w.Add(fmt.Sprint(i), false, false, false)
	}
	require.Len(t, w.Table(), maxWorkers)
	require.Empty(t, new(Workers).Table())
}
