package tdleaf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

const dim = 5

// states are the features of each state, seen by either side.
var states = func() map[bool]*[dim][dim]float64 {
	var south, north [dim][dim]float64
	for i := range dim {
		south[i][i], north[i][i] = 1, -1
	}
	return map[bool]*[dim][dim]float64{true: &south, false: &north}
}()

// walk plays Sutton's random walk: from the middle of five states a step left or
// right with equal chances, lost beyond the left end, won beyond the right. From
// the i-th state, i = 1 … 5, the chance to win is i/6. A leaf is the state, seen
// by either side.
func walk(rng *rand.Rand) Game {
	var g Game
	for at := dim / 2; ; at += 2*rng.IntN(2) - 1 {
		if at < 0 || at == dim {
			g.Result = float64((at + 1) / (dim + 1))
			return g
		}
		south := rng.IntN(2) == 0
		g.Leaves = append(g.Leaves, Leaf{Features: states[south][at][:], South: south})
	}
}

func settings(lambda float64) Settings { return Settings{Lambda: lambda, Rate: 40, Scale: 0.01} }

// learn makes steps of games and returns the final state.
func learn(t *testing.T, s Settings, start []float64, steps, games int, game func(step, i int) Game) State {
	t.Helper()
	state := Start(start)
	for step := range steps {
		list := make([]Game, games)
		for i := range list {
			list[i] = game(step, i)
		}
		var err error
		state, err = s.Step(state, list)
		require.NoError(t, err)
	}
	return state
}

// The chances of the walk are learned. After 2,000 steps of 20 games the weights
// still move by what the last games said, some 0.03 from seed to seed; the mean of
// 6 seeds lies within 0.05, four standard deviations, of the truth.
func TestTheValuesOfARandomWalkAreLearned(t *testing.T) {
	t.Parallel()
	const seeds = 6
	for _, lambda := range []float64{0, 0.7, 1} {
		t.Run(fmt.Sprint(lambda), func(t *testing.T) {
			t.Parallel()
			s := settings(lambda)
			mean := make([]float64, dim)
			for seed := range uint64(seeds) {
				rng := rand.New(rand.NewPCG(seed, 1))
				state := learn(t, s, make([]float64, dim), 2000, 20, func(int, int) Game { return walk(rng) })
				for i, w := range state.Weights {
					mean[i] += 1 / (1 + math.Exp(-s.Scale*w)) / seeds
				}
			}
			for i, v := range mean {
				require.InDelta(t, float64(i+1)/(dim+1), v, 0.05, "state %d", i)
			}
		})
	}
}

// random draws a game of any sort.
func random(rng *rand.Rand) Game {
	g := Game{Result: float64(rng.IntN(3)) / 2}
	for range 1 + rng.IntN(9) {
		l := Leaf{South: rng.IntN(2) == 0, Features: make([]float64, dim), Base: rng.NormFloat64()}
		for j := range l.Features {
			l.Features[j] = rng.NormFloat64()
		}
		if rng.IntN(5) == 0 {
			l = Leaf{Proven: true, Value: float64(rng.IntN(2))}
		}
		g.Leaves = append(g.Leaves, l)
	}
	return g
}

// values returns what the leaves are worth, written down once more.
func values(g Game, w []float64, scale float64) []float64 {
	var list []float64
	for _, l := range g.Leaves {
		x := l.Base
		for j := range l.Features {
			x += w[j] * l.Features[j]
		}
		if !l.South {
			x = -x
		}
		v := 1 / (1 + math.Exp(-scale*x))
		if l.Proven {
			v = l.Value
		}
		list = append(list, v)
	}
	return append(list, g.Result)
}

// The gradient is the sum over all later differences, as the paper writes it,
// with slopes by finite differences.
func TestGradientAgreesWithTheDoubleSum(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		g := random(rng)
		s := settings(rng.Float64())
		w := make([]float64, dim)
		for j := range w {
			w[j] = 100 * rng.NormFloat64()
		}
		want := make([]float64, dim)
		v := values(g, w, s.Scale)
		for j := range w {
			const h = 1e-3
			up, down := append([]float64(nil), w...), append([]float64(nil), w...)
			up[j] += h
			down[j] -= h
			vUp, vDown := values(g, up, s.Scale), values(g, down, s.Scale)
			for i := range g.Leaves {
				sum := 0.0
				for k := i; k < len(g.Leaves); k++ {
					sum += math.Pow(s.Lambda, float64(k-i)) * (v[k+1] - v[k])
				}
				want[j] += (vUp[i] - vDown[i]) / (2 * h) * sum
			}
		}
		got, squares := make([]float64, dim), make([]float64, dim)
		_, _, err := s.accumulate(&g, w, got, squares)
		require.NoError(t, err)
		require.InDeltaSlice(t, want, got, 1e-7)
	}
}

// Weights go along the gradient as AdaGrad says, in units of their features'
// share over all steps so far.
func TestStepsAreAdaGrads(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	s := settings(0.4)
	w := make([]float64, dim)
	gradients, features, leaves := make([]float64, dim), make([]float64, dim), 0.0
	state := Start(w)
	for range 4 {
		games := make([]Game, 5)
		for i := range games {
			games[i] = random(rng)
		}
		got, err := s.Step(state, games)
		require.NoError(t, err)
		sum := make([]float64, dim)
		loss, n := 0.0, 0.0
		for _, g := range games {
			_, _, err := s.accumulate(&g, w, sum, make([]float64, dim))
			require.NoError(t, err)
			v := values(g, w, s.Scale)
			for i, l := range g.Leaves {
				if l.Proven {
					continue
				}
				n++
				loss -= g.Result*math.Log(v[i]) + (1-g.Result)*math.Log(1-v[i])
				for j, f := range l.Features {
					features[j] += f * f
				}
			}
		}
		leaves += n
		for j := range w {
			gradients[j] += sum[j] * sum[j]
			w[j] += s.Rate * sum[j] / math.Sqrt(gradients[j]) / math.Sqrt(features[j]/leaves)
		}
		require.InDeltaSlice(t, w, got.Weights, 1e-9)
		require.InDelta(t, loss/n, got.Loss, 1e-9)
		state = got
	}
}

func TestFrozenWeightsStay(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	s := settings(0.7)
	s.Frozen = []bool{true, false, false, false, true}
	start := []float64{1, 2, 3, 4, 5}
	state := learn(t, s, start, 5, 10, func(int, int) Game { return walk(rng) })
	for j := range start {
		require.Equal(t, s.Frozen[j], state.Weights[j] == start[j])
	}
	require.Equal(t, []float64{1, 2, 3, 4, 5}, start)
}

func TestBadGamesAreRefused(t *testing.T) {
	t.Parallel()
	for want, g := range map[string]Game{
		"game 0: expected a result from 0 to 1, found NaN": {Result: math.NaN()},
		"game 0: decision 0: expected 5 features, found 1": {Leaves: []Leaf{{Features: []float64{1}}}},
		"game 0: decision 0: expected a finite base, found NaN": {Leaves: []Leaf{{Features: []float64{1, 1, 1,
			0, 0}, Base: math.NaN()}}},
		"game 0: decision 0: feature 2: expected a finite number, found +Inf": {Leaves: []Leaf{{Features: []float64{1, 1,
			math.Inf(1), 0, 0}}}},
		"game 0: decision 1: expected a value from 0 to 1, found 2": {Leaves: []Leaf{{Proven: true},
			{Proven: true, Value: 2}}},
		"game 0: decision 0: feature 0: expected a finite number, found NaN": {Leaves: []Leaf{{Features: []float64{math.NaN(), 1, 0, 0, 0}}}},
		"game 0: decision 0: expected a value from 0 to 1, found NaN": {Leaves: []Leaf{{Proven: true,
			Value: math.NaN()}}},
		"game 0: expected a result from 0 to 1, found -1":  {Result: -1},
		"game 0: decision 0: expected 5 features, found 0": {Leaves: []Leaf{{}}},
		"game 0: decision 0: feature 4: expected a finite number, found -Inf": {Leaves: []Leaf{{Features: []float64{0, 0, 0,
			0, math.Inf(-1)}}}},
	} {
		s := settings(0.5)
		_, err := s.Step(Start(make([]float64, dim)), []Game{g})
		require.EqualError(t, err, want)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	s := Settings{Lambda: 2, Rate: math.NaN()}
	for _, want := range []string{
		"lambda: expected a number from 0 to 1, found 2", "rate: expected a number above 0, at most 1000, found NaN",
		"scale: expected a number above 0, at most 2, found 0",
	} {
		require.ErrorContains(t, s.Check(), want)
	}
}
