package vector

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Every function by vectors, where there are any, computes to the bit what it does by single
// numbers.
func TestVectorsAreExact(t *testing.T) {
	has := AVX2
	defer func() { setAVX2(has) }()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		n := 32 * rapid.IntRange(1, 9).Draw(t, "width")
		setAVX2(has)
		by := compute(seed, n)
		setAVX2(false)
		for i, want := range compute(seed, n) {
			require.True(t, reflect.DeepEqual(want, by[i]), "result %d", i)
		}
	})
}

// compute returns what all functions compute for random numbers.
func compute(seed uint64, n int) (results []any) {
	const rows = 50
	rng := rand.New(rand.NewPCG(seed, 0))
	whole := func(n, most int) []int16 {
		list := make([]int16, n)
		for i := range list {
			list[i] = int16(rng.IntN(2*most+1) - most)
		}
		return list
	}
	floats := func(n int) []float32 {
		list := make([]float32, n)
		for i := range list {
			list[i] = float32(0.5 * rng.NormFloat64())
		}
		return list
	}
	list := make([]uint16, rng.IntN(52))
	for i := range list {
		list[i] = uint16(rng.IntN(rows))
	}
	table, x, outputs := whole(rows*n, 600), whole(n, 1500), make([]int32, 1+rng.IntN(rows))
	NewRows(table, n).Add(x, list)
	Outputs(outputs, x, table, whole(n, 2000), []int16{256, 32767}[rng.IntN(2)])
	results = append(results, x, outputs)

	y, s0, s1, weights, bias, gradient := floats(rows*n), floats(n), floats(n), floats(n), floats(n), floats(n)
	AddRows(s0, y, list)
	results = append(results, Output(s0, s1, weights))
	OutputGradient(s0, s1, weights, bias, gradient, 0.25)
	AddToRows(y, s1, list)
	adam := Adam{X: floats(n + 3), Mean: floats(n + 3), Square: make([]float32, n+3), Bound: make([]float32, n+3),
		Shrink: 0.01, Beta1: 0.1, Beta2: 0.001, Rate: 0.1, Correction: 2, Epsilon: 1e-8}
	for i := range adam.Bound {
		adam.Bound[i] = 0.5
	}
	for i := range adam.Gradients {
		adam.Gradients[i] = floats(n + 3)
	}
	adam.StepScaled([]float32{2})
	adam.Step(1, n+3)
	return append(results, s0, s1, bias, gradient, y, adam)
}
