package texel

import (
	"math/rand/v2"
	"testing"

	"gyges/agents/eval/inputs"

	"github.com/stretchr/testify/require"
)

// A step by vectors is the same to the bit as one by single numbers. It isn't parallel, as it switches vectors off.
func TestVectorsAreExact(t *testing.T) {
	has := vectors
	defer func() { vectors = has }()
	rng := rand.New(rand.NewPCG(1, 2))
	const features = 3
	start := newModel(features)
	for i := range start.x {
		start.x[i] = float32(0.3 * rng.NormFloat64())
	}
	d := &Data{features: features}
	for range 200 {
		var on []uint16
		for _, i := range rng.Perm(inputs.Num)[:rng.IntN(46)] {
			on = append(on, uint16(i))
		}
		d.add(row{result: float32(rng.IntN(2)), count: 1}, []float64{1, rng.NormFloat64(), 0}, on)
	}
	step := func(with bool) *adam {
		vectors = with
		f := &fit{
			settings: Settings{Parent: make([]float64, features), Network: &Network{Epochs: 2, Batch: 64, Decay: 0.4}},
			scale:    0.01, free: []int{0, 1}, rms: []float64{1, 1, 1},
			train: &loss{data: d, targets: d.targets(1, 0.01)},
		}
		a := newAdam(f)
		copy(a.x, start.x)
		for range 2 {
			_, err := a.epoch(t.Context())
			require.NoError(t, err)
		}
		return a
	}
	slow, fast := step(false), step(has)
	require.NotEqual(t, start.x, slow.x)
	require.Equal(t, slow.x, fast.x)
	require.Equal(t, slow.square, fast.square)
}
