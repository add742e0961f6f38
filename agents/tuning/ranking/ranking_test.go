package ranking

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/policy"
	"gyges/rules"
	"gyges/rules/base/problems"
	"gyges/rules/base/settings"
)

// chosenBy returns choices that are drawn with the probabilities of a policy, in positions
// of random games.
func chosenBy(t testing.TB, r *rules.Rules, w *policy.Weights, n int, seed uint64) []Choice {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	var list []Choice
	var s policy.Scorer
	for len(list) < n {
		g := rules.NewGame(r, r.RandomSetup(rng))
		for range 20 {
			if o, _ := g.Outcome(); o != rules.Undecided {
				break
			}
			p := g.Position()
			ms := new(rules.MoveSet)
			r.Moves(p, ms)
			if r.CanWin(p, p.Side().Other()) {
				r.QuickEvasions(p, ms)
			}
			if ms.Len() > 0 && !r.CanReachGoal(p, p.Side()) {
				s.Begin(w, r, p, ms)
				best, highest := rules.NoMove, math.Inf(-1)
				for m := range ms.All() { // the highest sum of score and Gumbel noise
					if x := float64(s.Score(m))/policy.Unit - math.Log(-math.Log(rng.Float64())); x > highest {
						best, highest = m, x
					}
				}
				list = append(list, Choice{p, best})
			}
			g.PlayLegal(g.Legal().At(rng.IntN(g.Legal().Len())))
		}
	}
	return list[:n]
}

// preferring returns weights that prefer ends far ahead.
func preferring() *policy.Weights {
	w := new(policy.Weights)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range w {
		w[i] = int16(rng.IntN(301) - 150)
	}
	return w
}

func TestFitFindsAPolicy(t *testing.T) {
	r := rules.MustParse("simplified")
	w := preferring()
	train, test := chosenBy(t, r, w, 3000, 1), chosenBy(t, r, w, 500, 2)
	fitted, err := Fit(context.Background(), r, train, test, Settings{Epochs: 3, Seed: 1})
	require.NoError(t, err)
	truth := &fit{rules: r}
	for i, x := range w {
		truth.weights[i] = float64(x) / policy.Unit
	}
	ideal := truth.measure(test)
	require.Equal(t, 3000, fitted.Positions)
	require.Positive(t, fitted.Test.Positions)
	// Of the way from equal chances to the true policy, the fit goes more than half.
	require.Less(t, fitted.Test.Loss, (fitted.Parent.Loss+ideal.Loss)/2)
	require.Greater(t, fitted.Test.Among[1], fitted.Parent.Among[1])

	again, err := Fit(context.Background(), r, train, test, Settings{Epochs: 3, Seed: 1})
	require.NoError(t, err)
	require.Equal(t, fitted, again)
	next, err := Fit(context.Background(), r, train, test, Settings{Epochs: 1, Seed: 1, Parent: fitted.Weights})
	require.NoError(t, err)
	require.InDelta(t, fitted.Test.Loss, next.Parent.Loss, 1e-12)
}

func TestGradient(t *testing.T) {
	for _, name := range []string{"standard", "kang"} {
		r := rules.MustParse(name)
		f := &fit{rules: r}
		rng := rand.New(rand.NewPCG(3, 4))
		for i := range f.weights {
			f.weights[i] = rng.NormFloat64() / 4
		}
		for _, c := range chosenBy(t, r, preferring(), 5, 7) {
			if !f.position(c) {
				continue
			}
			before, features := f.weights, append([]uint16(nil), f.features...)
			for _, k := range features[:12] {
				const h = 1e-5
				f.weights[k] = before[k] + h
				f.position(c)
				up := f.loss
				f.weights[k] = before[k] - h
				f.position(c)
				want := (up - f.loss) / (2 * h)
				f.weights = before
				f.position(c)
				f.squares = [policy.NumWeights]float64{}
				f.step(1) // each weight by g/(|g|+epsilon)
				step := before[k] - f.weights[k]
				require.InDelta(t, want/(math.Abs(want)+1e-3), step, 1e-3)
				f.weights = before
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	_, err := Fit(context.Background(), rules.MustParse("standard"), nil, nil, Settings{Epochs: 1})
	require.ErrorContains(t, err, "expected positions with the moves played, found none")
	var p problems.List
	settings.Check(&p, &Settings{Epochs: 0, Rate: -1}, "policy.")
	require.EqualError(t, p.Err(), "policy.epochs: expected a number from 1 to 10000, found 0\n"+
		"policy.rate: expected a number from 0 (for 0.1) to 1, found -1")
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	r := rules.MustParse("simplified")
	_, err = Fit(stopped, r, chosenBy(t, r, new(policy.Weights), 1, 1), nil, Settings{Epochs: 1})
	require.ErrorIs(t, err, context.Canceled)
}
