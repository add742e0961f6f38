package ratings

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/rules/base/interval"
)

func ptr(v float64) *float64 { return &v }

func mustFit(t testing.TB, d *Data, o Options) *Ratings {
	t.Helper()
	r, err := Fit(context.Background(), d, o)
	require.NoError(t, err)
	return r
}

// takeLikelihood sets the errors to those of the likelihood alone, the inverse of its second
// derivatives: the sandwich has it on either side.
func (r *Ratings) takeLikelihood(t require.TestingT) {
	e := r.estimate
	about := e.at(e.x)
	curvature, err := about.curvature()
	require.NoError(t, err)
	inverse, err := curvature.inverse(context.Background())
	require.NoError(t, err)
	e.covariance, err = curvature.sandwich(context.Background(), inverse, about.terms)
	require.NoError(t, err)
	for player, place := range r.place {
		if place >= 0 {
			r.Players[place].Error = interval.Z95 * eloPerNat * e.sd(e.rating[player], -1)
		}
	}
	if e.advantage >= 0 {
		r.Advantage.Error = interval.Z95 * eloPerNat * e.sd(e.advantage, -1)
	}
}

func elo(t testing.TB, r *Ratings, name string) float64 {
	t.Helper()
	p, ok := r.Player(name)
	require.True(t, ok, "%s has no rating", name)
	return p.Elo
}

func TestTwoPlayersClosedForm(t *testing.T) {
	d := results("a b 30 10 10", "b a 20 5 25")
	r := mustFit(t, d, Options{Advantage: ptr(0)})
	r.takeLikelihood(t)
	score := (30 + 5 + 25 + 2.5) / 100
	want := -400 * math.Log10(1/score-1)
	diff, ok := r.Difference("a", "b")
	require.True(t, ok)
	require.InDelta(t, want, diff.Elo, 1e-9)
	require.InDelta(t, want/2, elo(t, r, "a"), 1e-9)
	sd := 400 / math.Ln10 / math.Sqrt(100*score*(1-score))
	require.InDelta(t, 1.959964*sd, diff.Error, 1e-4)
	// With two players at mean zero each rating is half the difference.
	p, _ := r.Player("a")
	require.InDelta(t, diff.Error/2, p.Error, 1e-9)
	require.Equal(t, Advantage{}, r.Advantage)

	even := results("a b 5 0 5")
	r = mustFit(t, even, Options{Advantage: ptr(80)})
	require.InDelta(t, -40, elo(t, r, "a"), 1e-9)
	require.Equal(t, Advantage{Elo: 80}, r.Advantage)
}

func TestAnchorMovesTheScaleOnly(t *testing.T) {
	d := results("a b 7 2 3", "b a 5 1 6", "b c 4 4 1", "c a 2 0 3")
	free := mustFit(t, d, Options{})
	held := mustFit(t, d, Options{Anchors: []Anchor{{Name: "b", Elo: 1500}}})
	p, _ := held.Player("b")
	require.Equal(t, 1500.0, p.Elo)
	require.Zero(t, p.Error)
	require.InDelta(t, free.Advantage.Elo, held.Advantage.Elo, 1e-9)
	require.InDelta(t, free.Advantage.Error, held.Advantage.Error, 1e-9)
	for _, name := range []string{"a", "c"} {
		diff, ok := free.Difference(name, "b")
		require.True(t, ok)
		require.InDelta(t, 1500+diff.Elo, elo(t, held, name), 1e-9)
		p, _ := held.Player(name)
		require.InDelta(t, diff.Error, p.Error, 1e-9, "an anchored rating is a difference to the anchor")
	}
	one, ok := free.Difference("a", "c")
	require.True(t, ok)
	two, ok := held.Difference("a", "c")
	require.True(t, ok)
	require.InDelta(t, one.Error, two.Error, 1e-9)
	require.InDelta(t, one.LOS, two.LOS, 1e-9)
}

// Players whose ratings are given are comparable, wherever they played.
func TestAnchorsJoinGroups(t *testing.T) {
	d := results("a b 3 1 2", "b a 3 0 3", "x y 1 1 1", "y z 0 2 0", "top a 4 0 0", "u v 1 1 1")
	anchors := []Anchor{{Name: "a", Elo: 100}, {Name: "y", Elo: -50}, {Name: "top", Elo: 900}}
	r := mustFit(t, d, Options{Prior: ptr(0), Anchors: anchors})
	require.Equal(t, 100.0, elo(t, r, "a"))
	require.Equal(t, -50.0, elo(t, r, "y"))
	require.Equal(t, 900.0, elo(t, r, "top"))
	require.Len(t, r.Groups, 2)
	require.Len(t, r.Groups[0].Anchors, 3)
	require.Equal(t, "top, a, b and 3 more", r.Groups[0].Name)
	require.InDelta(t, 0, elo(t, r, "u")+elo(t, r, "v"), 1e-9)
	difference, known := r.Difference("a", "y")
	require.True(t, known)
	require.Equal(t, Difference{150, 0, 1}, difference)

	r = mustFit(t, d, Options{Anchors: anchors})
	require.Len(t, r.Groups, 1)
	require.Equal(t, -50.0, elo(t, r, "y"))
	tied := mustFit(t, d, Options{Anchors: append(anchors, Anchor{Name: "u"})})
	require.Zero(t, tied.Prior, "the anchors alone give everybody a rating")
}

// Anchors at which a player scores other points than expected are named, those within chance are
// not.
func TestAnchorsThatGamesContradict(t *testing.T) {
	for elo, want := range map[float64]string{
		0: "", 20: "", -400: "the games contradict these anchors, by the points beyond those expected: b -66.9, c +66.9",
	} {
		var d Data
		for _, pairing := range []string{"ab", "bc", "ca"} {
			play(&d, pairing[:1], pairing[1:], 20, 10, 20)
			play(&d, pairing[1:], pairing[:1], 20, 10, 20)
		}
		r := mustFit(t, &d, Options{Anchors: []Anchor{{Name: "b"}, {Name: "c", Elo: elo}}})
		require.Equal(t, want, strings.Join(r.Notes, "; "), elo)
		r = mustFit(t, &d, Options{Anchors: []Anchor{{Name: "c", Elo: elo}}})
		require.Empty(t, r.Notes)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	d := results("a b 1 1 1")
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Advantage: ptr(math.NaN())}, "advantage: expected -2000 to 2000 Elo, found NaN"},
		{Options{Advantage: ptr(2001)}, "advantage: expected -2000 to 2000 Elo, found 2001"},
		{Options{Anchors: []Anchor{{Name: "nobody"}}}, `anchor "nobody": no such player`},
		{Options{Anchors: []Anchor{{Name: "a", Elo: math.Inf(1)}}}, `anchor "a": expected`},
		{Options{Anchors: []Anchor{{Name: "a"}, {Name: "a", Elo: 1}}}, `anchor "a": given twice`},
	} {
		r, err := Fit(context.Background(), d, c.o)
		require.ErrorContains(t, err, c.want)
		require.Nil(t, r)
	}
}

func TestDifferenceNeedsTwoComparablePlayers(t *testing.T) {
	d := results("a b 1 1 1", "x y 1 1 1", "top a 1 0 0")
	r := mustFit(t, d, strict())
	for _, c := range [][2]string{{"a", "nobody"}, {"top", "a"}, {"a", "a"}, {"a", "x"}} {
		_, known := r.Difference(c[0], c[1])
		require.False(t, known, "%v", c)
	}
}

func TestPlayersAreSortedByRatingThenName(t *testing.T) {
	d := results("b c 0 6 0", "c b 0 6 0", "a z 2 0 4", "z a 4 0 2", "z b 2 2 2", "b z 2 2 2")
	r := mustFit(t, d, Options{})
	require.Equal(t, []string{"b", "c", "z", "a"}, r.Names())
}

// The likelihood has no maximum here; the solver has to say so.
func TestSolverReportsThatItStopped(t *testing.T) {
	l := &likelihood{
		parameters: parameters{dim: 2, rating: []int{0, 1}, opponent: -1, advantage: -1}, elo: make([]float64, 2),
		pairings:    []pairing{{a: 0, b: 1, single: [2][outcomes]int32{{0, 0, 10}}}},
		constraints: []constraint{{[]int{0, 1}, []float64{1, 1}, 1}},
	}
	_, err := l.maximize(context.Background(), make([]float64, 2))
	require.ErrorIs(t, err, errStopped)
}

// Counts far beyond what is played still converge: a chain of players who win
// a million games for each lost, beside a pair with two games.
func TestLopsidedResults(t *testing.T) {
	var d Data
	for i := range 20 {
		s, n := fmt.Sprintf("p%02d", i), fmt.Sprintf("p%02d", i+1)
		d.AddGames(s, n, Draw, 1)
		d.met[len(d.met)-1].single = [2][outcomes]int32{{1, 0, 1e6}, {1e6, 0, 1}}
	}
	play(&d, "p00", "q", 1, 0, 1)
	r := mustFit(t, &d, Options{})
	require.InDelta(t, 0, r.Advantage.Elo, 1e-6)
	for i := range 20 {
		diff, ok := r.Difference(fmt.Sprintf("p%02d", i), fmt.Sprintf("p%02d", i+1))
		require.True(t, ok)
		require.InDelta(t, 2400, diff.Elo, 1e-6)
	}
	require.InDelta(t, elo(t, r, "p00"), elo(t, r, "q"), 1e-6)
}

func TestTooManyPlayersAreRefused(t *testing.T) {
	d := new(Data)
	for i := range maxParameters {
		d.AddPairs(fmt.Sprint(i), fmt.Sprint(i+1), Win, Win, 1)
	}
	_, err := Fit(t.Context(), d, Options{})
	require.ErrorContains(t, err, "ratings to fit: expected at most 100000")
}
