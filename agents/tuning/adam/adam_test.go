package adam

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawn has an example for each part, whose gradients by every fourth weight are drawn.
type drawn struct {
	rng      *rand.Rand
	gradient []float64
	batch    []uint32
}

func (d *drawn) Begin(batch []uint32) {
	d.batch = batch
	for j := range d.gradient {
		if j%3 > 0 { // the others are idle
			d.gradient[j] = 0.1 * d.rng.NormFloat64()
		}
	}
}

func (d *drawn) Add(part int, _ uint32, gradient []float32) float64 {
	for j := part; j < len(gradient); j += Parts {
		gradient[j] += float32(d.gradient[j])
	}
	return float64(part)
}

// Steps are those of a plain implementation of AdamW, in double precision. A weight without a gradient shrinks by its
// decay alone, so a unit that is idle keeps its inputs.
func TestAdamW(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	x := make([]float32, 1003)
	want := make([]float64, len(x))
	for j := range x {
		x[j] = float32(rng.NormFloat64())
		want[j] = min(max(float64(x[j]), -1.5), 1.5)
	}
	steps := 0
	s := Settings{Epochs: 100, Batch: Parts, Rate: 0.01, Decay: 2, Epsilon: 1e-8, Units: []float32{0, 1, 2, 5, 0.5, 3},
		Progress: func(step, all int) { steps++; require.Equal(t, []int{steps, 100}, []int{step, all}) }}
	f := New(x, func(int) Quantum { return Quantum{0.5, 3} }, []int{Parts}, rng, s)
	d := &drawn{rng: rng, gradient: make([]float64, len(x))}
	mean, square := make([]float64, len(want)), make([]float64, len(want))
	for step := range 5 {
		sum, err := f.Pass(t.Context(), Parts, d)
		require.NoError(t, err)
		require.EqualValues(t, 0+1+2+3, sum)
		require.ElementsMatch(t, []uint32{0, 1, 2, 3}, d.batch)
		rate := 0.01 * (1 - float64(step)/100)
		for j, g := range d.gradient {
			unit := 1.0
			if j < len(s.Units) {
				unit = float64(s.Units[j])
			} else {
				want[j] -= rate * 2 * want[j]
			}
			g *= unit
			mean[j], square[j] = 0.9*mean[j]+0.1*g, 0.999*square[j]+0.001*g*g
			n := float64(step + 1)
			want[j] -= rate * unit * mean[j] / (1 - math.Pow(0.9, n)) /
				(math.Sqrt(square[j]/(1-math.Pow(0.999, n))) + 1e-8)
			want[j] = min(max(want[j], -1.5), 1.5)
			require.InDelta(t, want[j], x[j], 1e-4*max(1, math.Abs(want[j])), "step %d, number %d", step, j)
			require.Equal(t, square[j] > 0, f.Moved(j))
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.Pass(stopped, Parts, d)
	require.ErrorIs(t, err, context.Canceled)
}

func TestQuantum(t *testing.T) {
	q := Quantum{Size: 0.25, Bound: 10}
	for x, n := range map[float32]int16{0.3: 1, -0.4: -2, 9: 10, -9: -10} {
		require.Equal(t, n, q.Whole(x))
	}
	require.EqualValues(t, -0.5, q.Weight(-2))
}
