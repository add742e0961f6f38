package ratings

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// unrated lists the unrated players with their causes, in order.
func unrated(r *Ratings) []string {
	var list []string
	for _, u := range r.Unrated {
		list = append(list, u.Name+" "+string(u.Cause))
	}
	return list
}

// strict are the options without the prior that is the default where not every player has a finite
// rating.
func strict() Options { return Options{Prior: ptr(0)} }

func TestPerfectPlayersAreListedApart(t *testing.T) {
	var d Data
	for _, name := range []string{"a", "b", "c", "d"} {
		play(&d, "top", name, 3, 0, 0)
		play(&d, name, "top", 0, 0, 3)
		play(&d, name, "zero", 2, 0, 0)
	}
	play(&d, "a", "b", 2, 1, 2)
	play(&d, "b", "a", 3, 0, 2)
	play(&d, "c", "b", 1, 1, 1)
	play(&d, "d", "c", 1, 1, 1)
	r := mustFit(t, &d, strict())
	require.Len(t, r.Players, 4)
	require.Equal(t, []Player{
		{Name: "top", Cause: WonAll, Reason: "won all 24 games against a, b, c and 1 more", Count: Count{Wins: 24}},
		{Name: "zero", Cause: LostAll, Reason: "lost all 8 games against a, b, c and 1 more", Count: Count{Losses: 8}},
	}, r.Unrated)
	require.Equal(t, 48, r.Games)
	require.Equal(t, 16, r.Used)
	require.Equal(t, []string{
		"left out of the fit: 32 of 48 games, as one side won every game between those players or groups",
		"few games link these to the others, so they count little in the mean that is 0: c, d",
	}, r.Notes)

	without := results("a b 2 1 2", "b a 3 0 2", "c b 1 1 1", "d c 1 1 1")
	w := mustFit(t, without, strict())
	for _, p := range w.Players {
		q, _ := r.Player(p.Name)
		require.Equal(t, p.Elo, q.Elo)
		require.Equal(t, p.Error, q.Error)
	}
}

// Taking the perfect player out leaves the next one perfect, and so on.
func TestChainOfPerfectPlayers(t *testing.T) {
	d := results("a b 1 0 0", "a c 2 0 0", "a d 1 0 0", "b c 1 0 0", "d b 0 0 2", "c d 1 0 0")
	r := mustFit(t, d, strict())
	require.Empty(t, r.Players)
	require.Equal(t, []string{"a won-all", "b one-sided", "c one-sided", "d lost-all"}, unrated(r))
	require.Equal(t, "won all 3 games against c, d; lost the only game against a", r.Unrated[1].Reason)
	require.Equal(t, []string{"no player can be rated"}, r.Notes)
}

func TestGroupsThatNeverMet(t *testing.T) {
	d := results("a b 3 1 2", "b c 2 2 2", "c a 4 0 1", "b a 1 0 3", "x y 3 0 3", "y x 2 0 2")
	r := mustFit(t, d, strict())
	require.Equal(t, []Group{
		{Name: "c, a, b", Players: 3, Games: 21},
		{Name: "y, x", Players: 2, Games: 10, Apart: "never met group 1, directly or through others"},
	}, r.Groups)
	require.InDelta(t, 0, elo(t, r, "a")+elo(t, r, "b")+elo(t, r, "c"), 1e-9)
	require.InDelta(t, 0, elo(t, r, "x")+elo(t, r, "y"), 1e-9)
	require.Contains(t, r.Notes, "ratings of different groups can't be compared")
}

func TestGroupsWithOneSidedResults(t *testing.T) {
	groups := []string{"a b 3 1 2", "b c 2 2 2", "x y 3 0 3"}
	for _, c := range []struct {
		between []string
		apart   string
		unrated []string
	}{
		{[]string{"x a 2 0 0", "c y 0 0 1"}, "won every game against group 1", nil},
		{[]string{"b y 2 0 0"}, "lost every game against group 1", nil},
		{[]string{"x m 2 0 0", "m b 2 0 0"},
			"met group 1 only through others, in results that all went one way", []string{"m one-sided"}},
	} {
		r := mustFit(t, results(slices.Concat(groups, c.between)...), strict())
		require.Equal(t, c.apart, r.Groups[1].Apart)
		require.Equal(t, c.unrated, unrated(r))
	}
}

func TestSelfGamesAreCountedAndLeftOut(t *testing.T) {
	d := results("a b 2 1 1", "b a 2 1 1")
	before := mustFit(t, d, strict())
	play(d, "a", "a", 5, 0, 0)
	play(d, "me", "me", 1, 1, 0)
	r := mustFit(t, d, strict())
	require.Equal(t, before.Players, r.Players)
	require.Equal(t, []Player{{Name: "me", Cause: NoGames, Reason: "played only against itself"}}, r.Unrated)
	require.Equal(t, 7, r.SelfGames)
	require.Equal(t, 8, r.Games)
	require.Contains(t, r.Notes, "left out: 7 games of a player against itself")
}

func TestAdvantageWithoutAFiniteEstimate(t *testing.T) {
	for _, c := range []struct {
		d    *Data
		note string
	}{
		{results("a b 0 1 0"), "the first-move advantage can't be separated from the players' strength, " +
			"as who moved first was determined by who met whom; it is taken to be 0"},
		{results("a b 5 0 0", "b a 5 0 0"), "the first-move advantage has no finite estimate, as no " +
			"result speaks against a larger one; it is 0"},
		{results("a b 0 0 5", "b a 0 0 5"), "the first-move advantage has no finite estimate, as no " +
			"result speaks against a smaller one; it is 0"},
		// North won a game, but only as the stronger player may.
		{results("a b 5 0 0", "b a 2 0 3"), "the first-move advantage has no finite estimate, as no " +
			"result speaks against a larger one; it is 0"},
	} {
		r := mustFit(t, c.d, strict())
		require.Equal(t, Advantage{}, r.Advantage)
		require.Contains(t, r.Notes, c.note)
		// A fixed advantage needs no estimate.
		r = mustFit(t, c.d, Options{Advantage: ptr(50), Prior: ptr(0)})
		require.Equal(t, Advantage{Elo: 50}, r.Advantage)
		require.Empty(t, r.Notes)
	}
}

// anyGames draws few games among few players, so that every kind of degenerate data comes up.
func anyGames(t *rapid.T) *Data {
	d := &Data{}
	player := rapid.IntRange(0, rapid.IntRange(0, 6).Draw(t, "last player"))
	for range rapid.IntRange(0, 25).Draw(t, "games") {
		d.AddGames(fmt.Sprint(player.Draw(t, "south")), fmt.Sprint(player.Draw(t, "north")), Result(rapid.IntRange(-1, 1).Draw(t, "result")), 1)
	}
	return d
}

// Two players are rated together exactly if each reaches the other along steps
// from a player to one it scored against, here by Warshall's closure.
func TestGroupsOfAnyGames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := anyGames(t)
		r, err := Fit(context.Background(), d, strict())
		require.NoError(t, err, "no number is infinite or NaN")
		names := d.Players()
		require.ElementsMatch(t, names, r.Names())
		used := 0
		for _, g := range r.Groups {
			used += g.Games
		}
		require.Equal(t, used, r.Used)
		reach := make(map[[2]string]bool)
		for _, p := range d.Pairings() {
			if p.Wins+p.Draws > 0 {
				reach[[2]string{p.South, p.North}] = true
			}
			if p.Losses+p.Draws > 0 {
				reach[[2]string{p.North, p.South}] = true
			}
		}
		for _, k := range names {
			for _, i := range names {
				for _, j := range names {
					if reach[[2]string{i, k}] && reach[[2]string{k, j}] {
						reach[[2]string{i, j}] = true
					}
				}
			}
		}
		for i, a := range names {
			for _, b := range names[i+1:] {
				p, okA := r.Player(a)
				q, okB := r.Player(b)
				together := okA && okB && p.Group == q.Group
				require.Equal(t, reach[[2]string{a, b}] && reach[[2]string{b, a}], together, "%s and %s", a, b)
			}
		}
	})
}

// The advantage can be fitted exactly if no whole ratings in a small range meet
// every result with an advantage of 1 or of -1; here all are tried.
func TestAdvantageUnboundedAgreesWithTrial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(t, "players")
		player := rapid.IntRange(0, n-1)
		d := &Data{}
		for i := range n {
			d.id(fmt.Sprint(i))
		}
		for range rapid.IntRange(1, 8).Draw(t, "pairings") {
			south, north := fmt.Sprint(player.Draw(t, "south")), fmt.Sprint(player.Draw(t, "north"))
			few := rapid.IntRange(0, 1)
			play(d, south, north, few.Draw(t, "wins"), few.Draw(t, "draws"), few.Draw(t, "losses"))
		}
		up, down := advantageUnbounded(n, d.sorted().met, nil)
		require.Equal(t, possible(n, d.Pairings(), 1), up)
		require.Equal(t, possible(n, d.Pairings(), -1), down)
	})
}

func possible(n int, pairs []Pairing, advantage int) bool {
	f := make([]int, n)
	var try func(i int) bool
	try = func(i int) bool {
		if i < n {
			for f[i] = -n; f[i] <= n; f[i]++ {
				if try(i + 1) {
					return true
				}
			}
			return false
		}
		for _, p := range pairs {
			edge := f[p.South[0]-'0'] + advantage - f[p.North[0]-'0']
			if (edge < 0 && p.Wins+p.Draws > 0) || (edge > 0 && p.Losses+p.Draws > 0) {
				return false
			}
		}
		return true
	}
	return try(0)
}
