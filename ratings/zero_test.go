package ratings

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// attached returns the names of players who join with so many games each among themselves, and play
// that many, one each, against players of the main group, whose names are a to d.
func attached(rng *rand.Rand, w *world, d *Data, players, among, links int) {
	name := func(i int) string { return fmt.Sprint("n", i) }
	for i := range players {
		for j := range players {
			for range among {
				if i != j {
					d.AddGames(name(i), name(j), w.result(rng, name(i), name(j), 0), 1)
				}
			}
		}
	}
	for k := range links {
		south, north := name(k%players), string(rune('a'+k%4))
		d.AddGames(south, north, w.result(rng, south, north, 0), 1)
	}
}

// Who is linked to the main group by a thread changes neither its ratings nor its intervals.
func TestMainGroupDoesNotDependOnWhoHangsByAThread(t *testing.T) {
	for _, c := range []struct {
		name                         string
		main, players, among, linked int
	}{
		{"newcomer with one game", 4, 1, 0, 1},
		{"newcomer in a table of two", 2, 1, 0, 1},
		{"twenty newcomers", 4, 20, 0, 20},
		{"group linked by one game", 6, 3, 60, 1},
		{"group that never met the main one", 6, 3, 60, 0},
	} {
		rng := rand.New(rand.NewPCG(7, 7))
		w := world{strength: spaced(c.main, 200), advantage: 30, draws: 0.9, rounds: roundRobin(100)}
		d := w.play(rng)
		alone := mustFit(t, d, Options{})
		attached(rng, &w, d, c.players, c.among, c.linked)
		together := mustFit(t, d, Options{})
		require.Len(t, together.Players, c.main+c.players, c.name)
		for _, p := range alone.Players {
			q, _ := together.Player(p.Name)
			require.InDelta(t, p.Elo, q.Elo, 1, c.name)
			require.InDelta(t, p.Error, q.Error, 0.3, c.name)
		}
		n, _ := together.Player("n0")
		require.Greater(t, n.Error, 200.0, c.name)
	}
}

// The intervals hold the truth relative to the same weighted mean of the true strengths, the
// newcomers' own, too.
func TestIntervalsHoldTheTruthBesideNewcomers(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	w := world{strength: spaced(4, 300), advantage: 40, draws: 0.9, rounds: roundRobin(30)}
	main := w.names()
	w.strength["n0"], w.strength["n1"] = 90, -40
	var inMain, newcomers share1
	for range 400 {
		d := &Data{}
		group := w
		group.strength = map[string]float64{}
		for _, name := range main {
			group.strength[name] = w.strength[name]
		}
		group.rounds(rng, &group, d)
		attached(rng, &w, d, 2, 0, 6)
		r := mustFit(t, d, Options{})
		zero, sum := 0.0, 0.0
		for i, name := range r.data.names {
			share := r.estimate.constraints[0].shares[r.estimate.rating[i]]
			zero, sum = zero+share*w.strength[name], sum+share
		}
		for name, strength := range w.strength {
			p, _ := r.Player(name)
			count := &inMain
			if name[0] == 'n' {
				count = &newcomers
			}
			count.count(math.Abs(p.Elo-strength+zero/sum) <= p.Error)
		}
	}
	t.Logf("main group %.1f, newcomers %.1f", inMain.percent(), newcomers.percent())
	require.InDelta(t, 95, inMain.percent(), 2.5)
	require.GreaterOrEqual(t, newcomers.percent(), 92.5)
}

// In tables as tournaments make them all players count alike, whatever the results.
func TestPlayersOfATournamentCountAlike(t *testing.T) {
	for name, rounds := range map[string]func(*rand.Rand, *world, *Data){
		"round-robin": roundRobin(2), "single games": roundRobinOfGames(1), "gauntlet": gauntlet(0, 3), "ladder": ladder(3),
		"Swiss": swiss(5, 1), "Swiss without manifest": withoutManifest(swiss(4, 2)), "knock-out": knockout(2),
	} {
		for _, players := range []int{2, 4, 6, 12} {
			for _, span := range []float64{0, 400, 3000} {
				w := world{strength: spaced(players, span), advantage: 40, draws: 0.9, rounds: rounds}
				r := mustFit(t, w.play(rand.New(rand.NewPCG(9, 9))), Options{})
				sum := 0.0
				for _, p := range r.Players {
					sum += p.Elo
				}
				require.InDelta(t, 0, sum, 1e-6, "%s of %d over %g", name, players, span)
			}
		}
	}
}
