package ratings

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// solveFor finds where an increasing function is zero.
func solveFor(f func(float64) float64, low, high float64) float64 {
	for range 200 {
		if mid := (low + high) / 2; f(mid) < 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// One game between two players with n virtual draws each: at x and -x, around
// the imaginary opponent's 0, the winner's surplus in the game is what the draws
// take back.
func TestPriorClosedForm(t *testing.T) {
	for _, n := range []float64{0.5, 1, 2, 8} {
		var d Data
		d.Add("a", "b", Win)
		r := mustFit(t, &d, Options{Prior: n, Advantage: ptr(0)})
		x := solveFor(func(x float64) float64 { return n*(logistic(x)-0.5) - (1 - logistic(2*x)) }, 0, 20)
		require.InDelta(t, x*400/math.Ln10, elo(t, r, "a"), 1e-6)
		require.InDelta(t, -x*400/math.Ln10, elo(t, r, "b"), 1e-6)
		require.Empty(t, r.Unrated)
		for range 20 { // the order in which groups are found is not fixed
			require.Len(t, mustFit(t, &d, Options{Prior: n}).Notes, 2, "the advantage and the prior")
		}
	}
}

// A prior rates everybody, also players who never met.
func TestPriorRatesEverybody(t *testing.T) {
	var d Data
	play(&d, "top", "a", 5, 0, 0)
	play(&d, "a", "top", 0, 0, 5)
	play(&d, "x", "y", 1, 1, 1)
	play(&d, "me", "me", 3, 0, 0)
	r := mustFit(t, &d, Options{Prior: 1})
	require.Empty(t, r.Unrated)
	require.Len(t, r.Groups, 1)
	require.Greater(t, elo(t, r, "top"), elo(t, r, "a")+200)
	require.Contains(t, r.Notes,
		"prior: each player has 1 virtual draw against an imaginary opponent, which draw the ratings together")
	require.Contains(t, r.Notes, "some players never met, directly or through others; the prior alone compares them")
	sum := 0.0
	for _, p := range r.Players {
		sum += p.Elo
		require.Positive(t, p.Error)
	}
	require.InDelta(t, 0, sum, 1e-6)
}

// A loose anchor pulls as strongly as its rating is off, over its variance.
func TestLooseAnchorClosedForm(t *testing.T) {
	var d Data
	play(&d, "a", "b", 6, 0, 2)
	play(&d, "b", "a", 3, 0, 5)
	r := mustFit(t, &d, Options{Advantage: ptr(0), Anchors: []Anchor{{"a", 100, 50}, {"b", 80, 20}}})
	const unit = 400 / math.Ln10
	// 11 of 16 points; both anchors pull equally hard, one up and one down.
	f := func(pull float64) float64 {
		a, b := 100+pull*50*50/unit, 80-pull*20*20/unit
		return 16*logistic((a-b)/unit) - 11 + pull
	}
	pull := solveFor(f, -10, 10)
	require.InDelta(t, 100+pull*2500/unit, elo(t, r, "a"), 1e-6)
	require.InDelta(t, 80-pull*400/unit, elo(t, r, "b"), 1e-6)
	// A very loose anchor sets the scale and nothing else, a tight one is fast.
	free := mustFit(t, &d, Options{})
	loose := mustFit(t, &d, Options{Anchors: []Anchor{{"b", 500, 100}}})
	require.InDelta(t, 500, elo(t, loose, "b"), 1e-6)
	require.InDelta(t, elo(t, free, "a")-elo(t, free, "b"), elo(t, loose, "a")-500, 1e-6)
	b, _ := loose.Player("b")
	require.InDelta(t, 1.959964*100, b.Error, 1e-3)
}

// Several anchors: the others are where they score what is expected of them
// against the given ratings.
func TestSeveralAnchors(t *testing.T) {
	var d Data
	play(&d, "a", "x", 6, 2, 2)
	play(&d, "x", "b", 7, 1, 2)
	play(&d, "a", "b", 1, 0, 9) // says nothing new: both are given
	r := mustFit(t, &d, Options{Advantage: ptr(20), Anchors: []Anchor{{Name: "a", Elo: 50}, {Name: "b", Elo: -100}}})
	expected := func(z float64) float64 { return 1 / (1 + math.Pow(10, -z/400)) }
	x := solveFor(func(x float64) float64 { return 10*(1-expected(50+20-x)) + 10*expected(x+20+100) - 3 - 7.5 }, -1000,
		1000)
	require.InDelta(t, x, elo(t, r, "x"), 1e-6)
	for _, name := range []string{"a", "b"} {
		p, _ := r.Player(name)
		require.Zero(t, p.Error)
	}
	diff, err := r.Difference("a", "b")
	require.NoError(t, err)
	require.Equal(t, Difference{150, 0, 1}, diff)
	all := mustFit(t, &d, Options{Advantage: ptr(20), Anchors: []Anchor{{Name: "a", Elo: 50}, {Name: "b", Elo: -100},
		{Name: "x", Elo: 3}}})
	require.Equal(t, 3.0, elo(t, all, "x"))
}

// Players at a fixed distance are rated by their points together.
func TestOffsets(t *testing.T) {
	var d Data
	play(&d, "a", "x", 6, 2, 2)
	play(&d, "x", "b", 7, 1, 2)
	play(&d, "b", "c", 2, 0, 0)
	play(&d, "a", "b", 5, 0, 5) // between the two says nothing of others
	r := mustFit(t, &d, Options{Advantage: ptr(0), Offsets: []Offset{{"b", "a", 30}, {"c", "b", -10}}})
	expected := func(z float64) float64 { return 1 / (1 + math.Pow(10, -z/400)) }
	// a at 0: a and b score 7 + 2.5 of 20 against x.
	x := solveFor(func(x float64) float64 { return 7 + 2.5 - 10*expected(-x) - 10*expected(30-x) }, -1000, 1000)
	require.InDelta(t, x, elo(t, r, "x")-elo(t, r, "a"), 1e-6)
	require.InDelta(t, 30, elo(t, r, "b")-elo(t, r, "a"), 1e-9)
	require.InDelta(t, 20, elo(t, r, "c")-elo(t, r, "a"), 1e-9)
	require.InDelta(t, 0, elo(t, r, "a")+elo(t, r, "b")+elo(t, r, "c")+elo(t, r, "x"), 1e-9)
	diff, err := r.Difference("b", "a")
	require.NoError(t, err)
	require.InDelta(t, 30, diff.Elo, 1e-9)
	require.Zero(t, diff.Error)

	_, err = Fit(t.Context(), &d, Options{Offsets: []Offset{{"b", "a", 30}, {"c", "b", 1}, {"a", "c", 5}}})
	require.ErrorContains(t, err, `offset of "a" from "c" by 5: contradicts the other offsets`)
	_, err = Fit(t.Context(), &d, Options{Offsets: []Offset{{"b", "a", 30}},
		Anchors: []Anchor{{Name: "a"}, {Name: "b", Elo: 31}}})
	require.ErrorContains(t, err, `anchor "b" at 31: contradicts another anchor, by the offset between them`)
}
