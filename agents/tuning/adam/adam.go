// Package adam fits weights that become whole numbers, as those of the networks do, by Adam with
// decoupled weight decay (AdamW: Loshchilov and Hutter, ICLR 2019): a step for every batch of
// examples, drawn at random, at a rate that falls linearly to 0. The gradient of a batch is the sum
// of [Parts] sums, whatever the number of cores: so the outcome is the same on all.
//
// A fit begins with [New] and makes passes over its examples by [Fit.Pass], which asks a [Loss] for
// the gradient at each of them. The arithmetic of a step is in package vector.
package adam

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gyges/agents/internal/vector"
	"gyges/rules/base/lists"
)

// Quantum says how a weight becomes a whole number.
type Quantum struct {
	Size  float64 // of 1, in units of the weight
	Bound float64 // of the size of the number
}

// Whole returns the whole number for the weight x.
func (q Quantum) Whole(x float32) int16 {
	n := math.Round(float64(x) / q.Size)
	return int16(min(max(n, -q.Bound), q.Bound))
}

// Weight returns the weight that is n as a whole number.
func (q Quantum) Weight(n int16) float32 { return float32(float64(n) * q.Size) }

// Settings are the settings of a fit.
type Settings struct {
	Epochs  int     // passes over all examples
	Batch   int     // examples of a step, at most those of the largest window
	Rate    float64 // learning rate of the first step
	Decay   float64 // each step takes this share, times the rate, from the weights
	Epsilon float32 // added to the root of a mean square, by which a step is divided
	// Units are, for the first weights, the sizes in which they are moved, 0 for those that stay;
	// they don't decay.
	Units    []float32
	Progress func(step, steps int) // called after each step; may be nil
}

// Loss is what is minimised: a sum over examples.
type Loss interface {
	// Begin prepares for a batch of examples, each by its number in the window.
	Begin(batch []uint32)
	// Add adds the gradient of an example's loss and returns the loss. It is called for several
	// parts at the same time.
	Add(part int, example uint32, gradient []float32) float64
}

// Parts is the number of partial sums of a gradient.
const Parts = vector.Parts

// Fit is a fit in progress.
type Fit struct {
	settings    Settings
	rng         *rand.Rand
	order       []uint32 // of the examples of a window
	step, steps int
	state       vector.Adam
}

// New returns a fit of x, the weights at the start, to examples, which come in windows of these
// sizes. quantum returns that of each weight, which is kept within its bound; rng draws the
// batches.
func New(x []float32, quantum func(i int) Quantum, windows []int, rng *rand.Rand, s Settings) *Fit {
	s.Batch = max(min(s.Batch, slices.Max(windows)), 1)
	f := &Fit{settings: s, rng: rng}
	for _, examples := range windows {
		f.steps += examples / s.Batch * s.Epochs
	}
	numbers := func() []float32 { return make([]float32, len(x)) }
	f.state = vector.Adam{
		X:       x,
		Mean:    numbers(),
		Square:  numbers(),
		Bound:   numbers(),
		Epsilon: s.Epsilon,
	}
	for part := range f.state.Gradients {
		f.state.Gradients[part] = numbers()
	}
	for i := range x {
		q := quantum(i)
		bound := float32(q.Size * q.Bound)
		f.state.Bound[i] = bound
		x[i] = min(max(x[i], -bound), bound)
	}
	return f
}

// Moved reports whether an example has had a gradient by weight i.
func (f *Fit) Moved(i int) bool { return f.state.Square[i] > 0 }

// Pass makes a pass over the examples of a window in random order and returns the sum of the
// losses; those that fill no batch are left out. The error is ctx's.
func (f *Fit) Pass(ctx context.Context, examples int, l Loss) (sum float64, err error) {
	if len(f.order) != examples {
		f.order = make([]uint32, examples)
		for i := range f.order {
			f.order[i] = uint32(i)
		}
	}
	f.rng.Shuffle(examples, func(i, j int) { f.order[i], f.order[j] = f.order[j], f.order[i] })
	size := f.settings.Batch
	for left := f.order; len(left) >= size; left = left[size:] {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		batch := left[:size]
		l.Begin(batch)
		var losses [Parts]float64
		InParts(size, func(part, i int) {
			losses[part] += l.Add(part, batch[i], f.state.Gradients[part])
		})
		for _, x := range losses {
			sum += x
		}
		f.update()
		if f.settings.Progress != nil {
			f.settings.Progress(f.step, f.steps)
		}
	}
	return sum, nil
}

// InParts calls do for each number below n, on all cores: the numbers of a part one after the
// other, in their order.
func InParts(n int, do func(part, i int)) {
	lists.OnAllCores(Parts, func(part int) {
		for i := part; i < n; i += Parts {
			do(part, i)
		}
	})
}

// update makes a step by the gradient of a batch.
func (f *Fit) update() {
	const beta1, beta2 = 0.9, 0.999 // shares of the earlier gradients in the running means
	rate := f.settings.Rate * (1 - float64(f.step)/float64(f.steps))
	f.step++
	// The means begin at 0, so after n steps a mean has the share 1 - beta^n of what it is to have.
	n := float64(f.step)
	share1 := 1 - math.Pow(beta1, n)
	share2 := 1 - math.Pow(beta2, n)
	s := f.state
	s.Beta1 = 1 - float32(beta1)
	s.Beta2 = 1 - float32(beta2)
	s.Rate = float32(rate / share1)
	s.Correction = float32(1 / share2)
	s.StepScaled(f.settings.Units)

	// The other weights decay.
	s.Shrink = float32(rate * f.settings.Decay)
	first := len(f.settings.Units)
	size := (len(s.X) - first + Parts - 1) / Parts
	lists.OnAllCores(Parts, func(part int) {
		from := min(first+part*size, len(s.X))
		to := min(from+size, len(s.X))
		s.Step(from, to)
	})
}
