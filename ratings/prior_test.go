package ratings

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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

// One game between two players with n virtual draws each: at x and -x, around the imaginary
// opponent's 0, the winner's surplus in the game is what the draws take back.
func TestPriorClosedForm(t *testing.T) {
	for _, n := range []float64{0.5, 1, 2, 8} {
		var d Data
		d.AddGames("a", "b", Win, 1)
		r := mustFit(t, &d, Options{Prior: ptr(n), Advantage: ptr(0)})
		x := solveFor(func(x float64) float64 { return n*(logistic(x)-0.5) - (1 - logistic(2*x)) }, 0, 20)
		require.InDelta(t, x*400/math.Ln10, elo(t, r, "a"), 1e-6)
		require.InDelta(t, -x*400/math.Ln10, elo(t, r, "b"), 1e-6)
		require.Empty(t, r.Unrated)
		for range 20 { // the order in which groups are found is not fixed
			require.Len(t, mustFit(t, &d, Options{Prior: ptr(n)}).Notes, 2, "the advantage and the prior")
		}
	}
}

// A prior rates everybody, also players who never met.
func TestPriorRatesEverybody(t *testing.T) {
	d := results("top a 5 0 0", "a top 0 0 5", "x y 1 1 1", "me me 3 0 0")
	r := mustFit(t, d, Options{Prior: ptr(1)})
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

// Where the likelihood has no finite maximum for all, everybody is rated in one table
// with a wide normal prior, in the order of the ratings. A player that met nobody is no reason for
// a prior.
func TestPriorWhereTheResultsGiveNoFiniteRating(t *testing.T) {
	separated := map[string]func(*Data){
		"a perfect score": func(d *Data) { play(d, "top", "a", 3, 0, 0); play(d, "b", "top", 0, 0, 3) },
		"a score of zero": func(d *Data) { play(d, "b", "zero", 3, 0, 0) },
		"another group":   func(d *Data) { play(d, "x", "y", 1, 1, 1) },
		"a group above":   func(d *Data) { play(d, "x", "y", 1, 1, 1); play(d, "x", "a", 2, 0, 0) },
		"a chain":         func(d *Data) { play(d, "x", "a", 2, 0, 0); play(d, "w", "x", 0, 0, 1) },
	}
	for name, more := range separated {
		d := results("a b 2 1 2", "b a 3 0 2")
		play(d, "me", "me", 2, 1, 2)
		without := mustFit(t, d, Options{})
		require.Zero(t, without.Prior)
		require.Equal(t, []string{"me no-games"}, unrated(without))
		more(d)
		r := mustFit(t, d, Options{})
		require.Equal(t, Prior{Cause: PriorSeparated, SD: 1000}, r.Prior, name)
		require.Empty(t, r.Unrated, name)
		require.Len(t, r.Groups, 1, name)
		require.Len(t, r.Players, len(d.Players()), name)
		require.Equal(t, r.Games, r.Used, name)
		require.True(t, slices.IsSortedFunc(r.Players, func(p, q Player) int { return cmp.Compare(q.Elo, p.Elo) }), name)
		require.Contains(t, r.Notes, "prior: normal with a standard deviation of 1000 Elo, as the results alone don't rate everyone",
			name)
	}
}

// One who won all games of another is rated where the slope of a normal prior, of the
// difference of two ratings, is that of the likelihood.
func TestPriorOfAPerfectScore(t *testing.T) {
	d := results("a b 20 0 0", "b a 0 0 20")
	r := mustFit(t, d, Options{Advantage: ptr(0)})
	x := solveFor(func(x float64) float64 { return precision(1000)/2*x - 40*logistic(-x) }, 0, 20)
	require.InDelta(t, x*eloPerNat, elo(t, r, "a")-elo(t, r, "b"), 1e-6)
}

// Who met whom says where the default may not suit: a part of the others, as in Swiss
// tournaments, where nothing is known of the schedule; and a chain with a fitted prior.
func TestNotesOnWhoMetWhom(t *testing.T) {
	note := func(w world, unscheduled bool, o Options) string {
		d := w.play(rand.New(rand.NewPCG(1, 1)))
		d.Adaptive, d.Unscheduled = false, unscheduled
		for _, n := range mustFit(t, d, o).Notes {
			if strings.HasPrefix(n, "each player met only ") {
				return n
			}
		}
		return ""
	}
	w := world{strength: spaced(8, 100), draws: 0.9, rounds: swiss(3, 4)}
	require.Contains(t, note(w, true, Options{}), "without a fitted prior")
	require.Empty(t, note(w, false, Options{}))
	require.Empty(t, note(w, true, Options{FitPrior: true}))
	for _, rounds := range []func(*rand.Rand, *world, *Data){roundRobin(2), gauntlet(0, 2), ladder(2)} {
		w.rounds = rounds
		require.Empty(t, note(w, true, Options{}))
	}
	require.Contains(t, note(w, true, Options{FitPrior: true}), "in a ladder, a fitted prior pulls the ratings together")
}

// The standard deviation of the ratings is found where there are many players and games,
// and the ratings are then those of a normal prior with it.
func TestFittedPriorFindsTheStandardDeviation(t *testing.T) {
	for _, sd := range []float64{50, 400} {
		rng := rand.New(rand.NewPCG(3, uint64(sd)))
		w := world{advantage: 40, draws: 0.9, rounds: roundRobin(2), strength: spaced(40, 0)}
		sum, squares := 0.0, 0.0
		for _, name := range w.names() {
			v := sd * rng.NormFloat64()
			w.strength[name] = v
			sum, squares = sum+v, squares+v*v
		}
		drawn := math.Sqrt(squares/39 - sum*sum/39/40)
		r := mustFit(t, w.play(rng), Options{FitPrior: true})
		require.Equal(t, PriorGiven, r.Prior.Cause)
		require.InEpsilon(t, drawn, r.Prior.SD, 0.15) // an estimate from noisy ratings of 40 players
	}
}

// Data whose pairings followed the results have the fitted prior, unless the options
// say otherwise; merged data have it if a part of them has.
func TestPriorWherePairingsFollowTheResults(t *testing.T) {
	var d, other Data
	play(&d, "a", "b", 2, 1, 2)
	play(&d, "b", "a", 3, 0, 2)
	play(&other, "b", "c", 2, 1, 2)
	other.Adaptive = true
	d.Merge(&other)
	r := mustFit(t, &d, Options{})
	require.Equal(t, PriorAdaptive, r.Prior.Cause)
	require.Positive(t, r.Prior.SD)
	require.Contains(t, r.Notes, r.Prior.note())
	require.Zero(t, mustFit(t, &d, strict()).Prior)
	require.Equal(t, mustFit(t, &d, Options{FitPrior: true}).Players, r.Players)
	_, err := Fit(t.Context(), &d, Options{FitPrior: true, Prior: ptr(1)})
	require.ErrorContains(t, err, "prior: expected a number of draws or fit, found both")
	_, err = Fit(t.Context(), &d, Options{Prior: ptr(-1)})
	require.ErrorContains(t, err, "prior: expected 0 or 0.001 to 1000 draws, found -1")
	_, err = Fit(t.Context(), &d, Options{Prior: ptr(1e-20)})
	require.ErrorContains(t, err, "prior: expected 0 or 0.001 to 1000 draws, found 1e-20")
	require.NotEmpty(t, mustFit(t, &d, Options{Prior: ptr(leastPrior)}).Players)
}

// The fitted prior agrees with a slow integration over all ratings, two here, on a grid.
func TestFittedPriorAgreesWithAGrid(t *testing.T) {
	d := results("a b 20 0 10", "b a 10 0 20")
	r := mustFit(t, d, Options{FitPrior: true, Advantage: ptr(0)})
	// The difference of two ratings from a normal distribution has the variance 2 sd²; the
	// mean has no information. Without draws the dispersion is about one.
	evidence := func(sd float64) float64 {
		s, sum := sd*math.Sqrt2/eloPerNat, 0.0
		for z := -20.0; z <= 20; z += 0.05 {
			sum += math.Exp(40*math.Log(logistic(z))+20*math.Log(logistic(-z))-z*z/(2*s*s)) / s
		}
		return math.Log(sum) + math.Log(sd) - sd/likeliestSD
	}
	best := 5.0
	for sd := best; sd < 2000; sd *= 1.02 {
		if evidence(sd) > evidence(best) {
			best = sd
		}
	}
	require.InEpsilon(t, best, r.Prior.SD, 0.03)
}
