package ratings

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// play adds games with South's wins, draws and losses.
func play(d *Data, south, north string, wins, draws, losses int) {
	for range wins {
		d.AddGames(south, north, Win, 1)
	}
	for range draws {
		d.AddGames(south, north, Draw, 1)
	}
	for range losses {
		d.AddGames(south, north, Loss, 1)
	}
}

// results returns what lines say: "a b 3 1 2" is 3 wins, 1 draw and 2 losses of a with South against b.
func results(lines ...string) *Data {
	d := new(Data)
	for _, line := range lines {
		var south, north string
		var wins, draws, losses int
		if _, err := fmt.Sscan(line, &south, &north, &wins, &draws, &losses); err != nil {
			panic(err)
		}
		play(d, south, north, wins, draws, losses)
	}
	return d
}

func TestDataCountsEachOrderedPairing(t *testing.T) {
	var d Data
	require.Empty(t, d.Pairings())
	play(&d, "b", "a", 3, 2, 1)
	play(&d, "a", "b", 1, 0, 4)
	play(&d, "a", "c", 0, 1, 0)
	play(&d, "c", "c", 2, 1, 1)
	require.Equal(t, []string{"a", "b", "c"}, d.Players())
	require.Equal(t, 12, d.Games())
	require.Equal(t, 4, d.SelfGames())
	require.Equal(t, []Pairing{
		{"a", "b", Count{1, 0, 4}},
		{"a", "c", Count{0, 1, 0}},
		{"b", "a", Count{3, 2, 1}},
	}, d.Pairings())
	counts := d.sorted().counts()
	require.Equal(t, []Count{{2, 3, 7}, {7, 2, 2}, {0, 1, 0}}, counts)
	require.Equal(t, 3.5, counts[0].Points())
	require.Equal(t, 3.5/12, counts[0].Score())
	require.Equal(t, 3./12, counts[0].DrawShare())
	require.Zero(t, Count{}.Score())

	d = Data{} // every result has a meaning
	d.AddGames("a", "b", Result(100), 1)
	d.AddGames("a", "b", Result(-7), 1)
	d.AddGames("a", "b", Result(0), 1)
	require.Equal(t, []Pairing{{"a", "b", Count{1, 1, 1}}}, d.Pairings())
}

// Records arrive in an order that depends on the workers; the table must not.
func TestOrderOfGamesDoesNotMatter(t *testing.T) {
	type game struct {
		south, north string
		result       Result
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "games")
		player := rapid.IntRange(0, 5)
		games := make([]game, n)
		for i := range games {
			games[i] = game{
				fmt.Sprint("p", player.Draw(t, "south")),
				fmt.Sprint("p", player.Draw(t, "north")),
				Result(rapid.IntRange(-1, 1).Draw(t, "result")),
			}
		}
		fitAll := func() *Ratings {
			var d Data
			for _, g := range games {
				d.AddGames(g.south, g.north, g.result, 1)
			}
			r, err := Fit(context.Background(), &d, Options{})
			require.NoError(t, err)
			return r
		}
		first := fitAll()
		rng := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		rng.Shuffle(n, func(i, j int) { games[i], games[j] = games[j], games[i] })
		require.Equal(t, first, fitAll())
	})
}
