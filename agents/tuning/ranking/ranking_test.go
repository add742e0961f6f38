package ranking

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/eval"
	"gyges/agents/policy"
	"gyges/rules"
)

// chosenBy returns choices that are drawn with the probabilities of a policy, in positions of random games.
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
				s.Begin(w.Pack(), r, p, ms)
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

func inOrder(list []Choice) Choices {
	return func(yield func(Choice, error) bool) {
		for _, c := range list {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// Every choice is as likely to be drawn, whatever its place: of 120 draws of 20 from 99, each third of the list has 800 expected.
func TestDrawIsFair(t *testing.T) {
	t.Parallel()
	f := &fit{rng: rand.New(rand.NewPCG(3, 3))}
	list := make([]Choice, 99)
	for i := range list {
		list[i].Move = rules.Move(i)
	}
	var thirds [3]int
	const draws, most = 120, 20
	for range draws {
		drawn, err := f.draw(inOrder(list), most)
		require.NoError(t, err)
		require.Len(t, drawn, most)
		seen := map[rules.Move]bool{}
		for _, c := range drawn {
			thirds[int(c.Move)/33]++
			seen[c.Move] = true
		}
		require.Len(t, seen, most)
	}
	for _, n := range thirds {
		require.InDelta(t, draws*most/3, n, 80, "four standard deviations: %v", thirds)
	}
	all, err := f.draw(inOrder(list), 99)
	require.NoError(t, err)
	require.Equal(t, list, all)
}

// randomPolicy returns weights of which those of the network count as much as those of the features.
func randomPolicy() *policy.Weights {
	w := new(policy.Weights)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range w {
		w[i] = int16(rng.IntN(301) - 150)
		if i >= policy.NumFeatures && i < policy.Row(policy.OutRow) {
			w[i] /= 8
		}
	}
	return w
}

func fitOf(r *rules.Rules, w *policy.Weights) *fit {
	f := newFit(r, Settings{})
	f.set(w)
	return f
}

func TestFitFindsAPolicy(t *testing.T) {
	r := rules.MustParse("simplified")
	w := randomPolicy()
	train, test := chosenBy(t, r, w, 3000, 1), chosenBy(t, r, w, 500, 2)
	s := Settings{Epochs: 10, Seed: 1}
	fitted, err := Fit(context.Background(), r, inOrder(train), inOrder(test), s)
	require.NoError(t, err)
	ideal := fitOf(r, w).measure(test)
	require.Greater(t, fitted.Positions, 2000)
	require.Positive(t, fitted.Test.Positions)
	// Of the way from equal chances to the true policy, the fit goes more than half.
	require.Less(t, fitted.Test.Loss, (fitted.Parent.Loss+ideal.Loss)/2)
	require.Greater(t, fitted.Test.Among[1], fitted.Parent.Among[1])
	require.True(t, fitted.Weights.HasNetwork())
	require.NoError(t, fitted.Weights.Check())

	again, err := Fit(context.Background(), r, inOrder(train), inOrder(test), s)
	require.NoError(t, err)
	require.Equal(t, fitted, again)
	next, err := Fit(context.Background(), r, inOrder(train), inOrder(test), Settings{Epochs: 1, Seed: 1, Parent: fitted.Weights})
	require.NoError(t, err)
	require.InDelta(t, fitted.Test.Loss, next.Parent.Loss, 1e-12)
}

// The scores of a fit are those of the policy in whole numbers, but for what quantisation rounds off.
func TestScoresAreThoseOfThePolicy(t *testing.T) {
	w := randomPolicy()
	for _, name := range []string{"standard", "simplified", "kang"} {
		r := rules.MustParse(name)
		p := fitOf(r, w).parts[0]
		var s policy.Scorer
		for _, c := range chosenBy(t, r, w, 20, 9) {
			if !p.begin(c) {
				continue
			}
			p.forward()
			s.Begin(w.Pack(), r, c.Position, &p.moves)
			for i, m := range p.list {
				require.InDelta(t, float64(s.Score(m.move))/policy.Unit, p.scores[i], 1.01/policy.Unit)
			}
		}
	}
}

// The gradient is that of the loss, by differences.
func TestGradient(t *testing.T) {
	w := randomPolicy()
	for _, name := range []string{"standard", "kang"} {
		r := rules.MustParse(name)
		e, err := eval.New(eval.Default(name), r)
		require.NoError(t, err)
		p := fitOf(r, w).parts[0]
		rng := rand.New(rand.NewPCG(3, 4))
		for i := range p.x { // no unit is where its activation begins
			p.x[i] += float32(0.003 * rng.NormFloat64())
		}
		for i, c := range chosenBy(t, r, w, 6, 7) {
			if !p.begin(c) {
				continue
			}
			target := target{Choice: c}
			if i%2 == 0 {
				target.evaluations = p.evaluate(e)
			}
			const temperature = 40
			gradient := make([]float32, len(p.x))
			p.forward()
			p.probabilities()
			p.setTarget(&target, temperature)
			p.backward(gradient, 1)
			loss := func() (loss float64) {
				p.forward()
				p.probabilities()
				sum := 0.0
				for i, x := range p.target {
					loss -= float64(x) * math.Log(float64(p.scores[i]))
					sum += float64(x)
				}
				require.InDelta(t, 1, sum, 1e-5)
				return loss
			}
			list := []int{int(p.features[0]), int(p.features[5]), policy.Row(policy.BiasRow) + 3, policy.Row(policy.OutRow) + 4}
			for _, row := range []int{int(p.inputs[0].Active()[2]), p.list[p.chosen].rows.Start, p.list[p.chosen].rows.End} {
				list = append(list, policy.Row(row)+rng.IntN(policy.Units))
			}
			for _, k := range list {
				const h = 1.0 / 2048
				before := p.x[k]
				p.x[k] = before + h
				up := loss()
				p.x[k] = before - h
				require.InDelta(t, (up-loss())/(2*h), gradient[k], 0.01+0.02*math.Abs(float64(gradient[k])), k)
				p.x[k] = before
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	_, err := Fit(context.Background(), rules.MustParse("standard"), inOrder(nil), inOrder(nil), Settings{Epochs: 1})
	require.ErrorContains(t, err, "expected positions with the moves played, found none")
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	r := rules.MustParse("simplified")
	_, err = Fit(stopped, r, inOrder(chosenBy(t, r, new(policy.Weights), 1, 1)), inOrder(nil), Settings{Epochs: 1})
	require.ErrorIs(t, err, context.Canceled)
}
