package ratings

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// anyAnchored draws games of up to seven players, in a chain or at random, with scores up to the
// extremes, and anchors and an advantage up to the largest that are permitted.
func anyAnchored(rng *rand.Rand) (*Data, Options) {
	d, o := new(Data), Options{}
	players := 2 + rng.IntN(6)
	name := func(i int) string { return fmt.Sprint("p", i) }
	chain, extreme := rng.IntN(3) == 0, rng.IntN(3) == 0
	for k := range players - 1 + rng.IntN(30) {
		a, b := rng.IntN(players), rng.IntN(players-1)
		if b >= a {
			b++
		}
		if chain || k < players-1 {
			a = k % (players - 1)
			b = a + 1
		}
		result := Result(rng.IntN(3) - 1)
		if extreme && rng.IntN(8) > 0 {
			result = Win
		}
		for range 1 + rng.IntN(5)*rng.IntN(5) {
			d.AddGames(name(a), name(b), result, 1)
		}
		if rng.IntN(2) == 0 {
			d.AddPairs(name(a), name(b), result, Result(rng.IntN(3)-1), 1)
		}
	}
	scale := []float64{100, 2000, 20_000, maxElo}[rng.IntN(4)]
	for i := range 1 + rng.IntN(min(3, players)) {
		elo := math.Round(scale * (2*rng.Float64() - 1))
		if rng.IntN(3) == 0 {
			elo = []float64{-scale, 0, scale}[rng.IntN(3)]
		}
		o.Anchors = append(o.Anchors, Anchor{Name: name(i * (players - 1) / 2), Elo: elo})
	}
	o.Anchors = slices.CompactFunc(o.Anchors, func(a, b Anchor) bool { return a.Name == b.Name })
	if rng.IntN(2) == 0 {
		o.Advantage = ptr(math.Round(maxAdvantage * (2*rng.Float64() - 1)))
	}
	switch rng.IntN(6) {
	case 0:
		o.Prior = ptr(0)
	case 1:
		o.Prior = ptr(2)
	case 2:
		o.FitPrior = true
	case 3:
		d.Adaptive = true
	}
	return d, o
}

// bisectedFit maximizes the likelihood of rated players and advantage without derivatives of the
// second order: each in turn by bisection of its score equation, until nothing changes. It reports
// whether it came so far.
func bisectedFit(d *Data, r *Ratings, o Options) (elo map[string]float64, advantage float64, ended bool) {
	elo = make(map[string]float64)
	given := make(map[string]bool)
	for _, p := range r.Players {
		elo[p.Name] = o.Anchors[0].Elo
	}
	for _, a := range o.Anchors {
		elo[a.Name], given[a.Name] = a.Elo, true
	}
	advantage = r.Advantage.Elo
	if r.Advantage.Fitted {
		advantage = 0
	}
	var inside []Pairing
	for _, p := range d.Pairings() {
		south, known := r.Player(p.South)
		north, other := r.Player(p.North)
		if known && other && south.Group == north.Group {
			inside = append(inside, p)
		}
	}
	surplus := func(of func(Pairing) float64) (sum float64) {
		for _, p := range inside {
			if sign := of(p); sign != 0 {
				expected := 1 / (1 + math.Pow(10, (elo[p.North]-elo[p.South]-advantage)/400))
				sum += sign * (p.Points() - float64(p.Games())*expected)
			}
		}
		return sum
	}
	bisect := func(at float64, set func(float64), of func(Pairing) float64) float64 {
		low, high := at-3*maxElo, at+3*maxElo
		for high-low > 1e-7 {
			middle := (low + high) / 2
			if set(middle); surplus(of) > 0 {
				low = middle
			} else {
				high = middle
			}
		}
		set((low + high) / 2)
		return math.Abs(at - low)
	}
	for range 4000 {
		change := 0.0
		for _, name := range r.Names() {
			if at, rated := elo[name]; rated && !given[name] {
				change = max(change, bisect(at, func(v float64) { elo[name] = v }, func(p Pairing) float64 {
					switch name {
					case p.South:
						return 1
					case p.North:
						return -1
					}
					return 0
				}))
			}
		}
		if r.Advantage.Fitted {
			one := func(Pairing) float64 { return 1 }
			change = max(change, bisect(advantage, func(v float64) { advantage = v }, one))
		}
		if change < 1e-6 {
			return elo, advantage, true
		}
	}
	return elo, advantage, false
}

// Anchors and advantages up to the largest give finite ratings, and where the results tell them,
// the right ones.
func TestAnchorsAnywhere(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 4))
	compared := 0
	for set := range 1000 {
		d, o := anyAnchored(rng)
		r, err := Fit(context.Background(), d, o)
		require.NoError(t, err, "set %d: %+v", set, o)
		told := r.Advantage.Error < 500 && r.Prior == (Prior{}) && len(r.Groups) == 1
		for _, p := range r.Players {
			require.LessOrEqual(t, math.Abs(p.Elo), 10.0*maxElo, "set %d: %s", set, p.Name)
			require.LessOrEqual(t, p.Error, 2.1*maxElo, "set %d: %s", set, p.Name)
			told = told && p.Error < 500
		}
		for _, h := range r.HeadToHeads() {
			require.Less(t, math.Abs(h.Z)+math.Abs(h.Expected), math.Inf(1), "set %d: %+v", set, h)
		}
		require.Less(t, r.GoodnessOfFit().ChiSquare, math.Inf(1), "set %d", set)
		for _, a := range o.Anchors {
			p, known := r.Player(a.Name)
			require.True(t, known)
			require.Equal(t, a.Elo, p.Elo)
		}
		if !told {
			continue
		}
		within := 0.001
		if _, spread := anchorScale(o.Anchors); spread > far {
			within = 0.5 // by the ridge
		}
		elo, advantage, ended := bisectedFit(d, r, o)
		if !ended {
			continue
		}
		compared++
		for _, p := range r.Players {
			require.InDelta(t, elo[p.Name], p.Elo, within, "set %d: %s of %+v", set, p.Name, o)
		}
		require.InDelta(t, advantage, r.Advantage.Elo, within, "set %d", set)
	}
	t.Logf("%d compared with the slow fit", compared)
	require.Greater(t, compared, 150)
}
