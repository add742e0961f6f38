// Package ranking fits the weights of a policy to the moves that searches chose and to the evaluations of the
// positions after all moves, by multinomial logistic regression.
//
// A move of a position is expected to be chosen with a probability in proportion to exp(score), where the score is the
// policy's. The weights minimise the mean cross-entropy of these probabilities with a target: the move chosen has a
// share of it, and the rest goes to all moves in proportion to exp(evaluation/temperature). They are found by Adam with
// decoupled weight decay, a step for each batch of positions, at a rate that falls linearly to 0.
package ranking

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gyges/agents/eval"
	"gyges/agents/policy"
	"gyges/rules"
)

// Choice is a position with the move that was chosen.
type Choice struct {
	Position rules.Position
	Move     rules.Move
}

// Settings are the settings of a fit.
type Settings struct {
	Epochs    int             `json:"epochs" check:"1..10000" help:"Passes over all positions."`
	Positions int             `json:"positions" check:"0..10000000" zero:"for 600000" help:"Positions at most, drawn at random."`
	Rate      float64         `json:"rate" check:"0..1" zero:"for 0.005" help:"Learning rate of the first step."`
	Seed      uint64          `json:"seed,string" default:"1" help:"Seed of the order of positions, and of a new network."`
	Parent    *policy.Weights `json:"-"` // to start from; nil: zero

	// Evaluator evaluates the positions after the moves; nil: the move chosen is the whole target. Temperature is in
	// hundredths of a point.
	Evaluator   *eval.Evaluator `json:"-"`
	Temperature float64         `json:"-"`

	Progress func(done, all int) `json:"-"` // called after each step; may be nil
}

// Constants of the fit. The shares and the rate were compared by how often the first moves held that of a search.
const (
	defaultRate = 0.005
	decay       = 0.1
	batchSize   = 128
	batchParts  = 4   // partial sums of a batch's gradient: independent of the number of cores
	chosenShare = 0.3 // of the target, if the rest is by evaluations

	// A position takes some 2 bytes for each move while it is fitted to.
	defaultPositions, maxTest = 600_000, 20_000
)

// Measure is how well a policy predicts choices.
type Measure struct {
	Positions int                  `json:"positions"`
	Loss      float64              `json:"loss"`  // mean of -ln p of the moves chosen
	Among     [len(Firsts)]float64 `json:"among"` // share of positions whose move is among the first ones: see Firsts
}

// Firsts are the numbers of first moves that a [Measure] counts.
var Firsts = [4]int{1, 4, 8, 16}

// Result is the result of a fit.
type Result struct {
	Positions int             `json:"positions"` // fitted to
	Parent    Measure         `json:"parent"`    // on the test positions
	Test      Measure         `json:"test"`      // on the same, after the fit
	Weights   *policy.Weights `json:"-"`
}

// Fit fits a policy to choices of games under r and measures it on others. Of very many positions it takes a random
// part. The error is ctx's, or that there are no choices.
func Fit(ctx context.Context, r *rules.Rules, train, test []Choice, s Settings) (*Result, error) {
	if len(train) == 0 {
		return nil, errors.New("expected positions with the moves played, found none")
	}
	f := &fit{settings: s, rng: rand.New(rand.NewPCG(s.Seed, 0)), x: make([]float32, policy.NumWeights)}
	f.settings.Rate = cmp.Or(s.Rate, defaultRate)
	for k := range f.parts {
		f.parts[k] = newPart(r, f.x)
	}
	if s.Parent != nil {
		f.set(s.Parent)
	}
	test = f.draw(test, maxTest)
	result := &Result{Parent: f.measure(test)}
	if s.Parent == nil || !s.Parent.HasNetwork() {
		f.newNetwork()
	}
	targets, err := f.targets(ctx, f.draw(train, cmp.Or(s.Positions, defaultPositions)))
	if err != nil {
		return nil, err
	}
	if err := f.run(ctx, targets); err != nil {
		return nil, err
	}
	result.Weights = f.quantise()
	result.Positions, result.Test = len(targets), f.measure(test)
	return result, nil
}

// fit is the state of a fit.
type fit struct {
	settings Settings
	rng      *rand.Rand
	x        []float32 // the weights, in units of the logit
	mean     []float32 // running mean of the gradient
	square   []float32 // and of its square
	parts    [batchParts]*part
}

// set sets the weights.
func (f *fit) set(w *policy.Weights) {
	for i, x := range w {
		f.x[i] = float32(float64(x) * quantum(i))
	}
}

// quantum is the size of 1 of a weight in units of the logit.
func quantum(i int) float64 {
	if i >= policy.NumFeatures {
		return 1.0 / policy.NetworkUnit
	}
	return 1.0 / policy.Unit
}

// newNetwork sets the network to small random weights.
func (f *fit) newNetwork() {
	const rowDeviation = 0.1
	for i := policy.NumFeatures; i < policy.NumWeights; i++ {
		deviation := rowDeviation
		if i >= policy.Row(policy.OutRow) {
			deviation = 1 / math.Sqrt(policy.Units)
		}
		f.x[i] = float32(deviation * f.rng.NormFloat64())
	}
}

// draw returns the choices, or a random part of so many of them.
func (f *fit) draw(choices []Choice, most int) []Choice {
	if len(choices) <= most {
		return choices
	}
	choices = slices.Clone(choices)
	f.rng.Shuffle(len(choices), func(i, j int) { choices[i], choices[j] = choices[j], choices[i] })
	return choices[:most]
}

// inParts calls do for each part, at the same time.
func (f *fit) inParts(do func(k int, p *part)) {
	var wg sync.WaitGroup
	for k, p := range f.parts {
		wg.Go(func() { do(k, p) })
	}
	wg.Wait()
}

// target is a choice with the evaluations of its moves, in order; nil: only the move chosen counts.
type target struct {
	Choice
	evaluations []int16
}

// targets returns those of the choices from which there is something to learn.
func (f *fit) targets(ctx context.Context, choices []Choice) ([]target, error) {
	list := make([]target, len(choices))
	f.inParts(func(k int, p *part) {
		for i := k; i < len(choices) && ctx.Err() == nil; i += batchParts {
			if list[i].Choice = choices[i]; !p.begin(choices[i]) {
				list[i].Move = rules.NoMove
			} else if f.settings.Evaluator != nil {
				list[i].evaluations = p.evaluate(f.settings.Evaluator)
			}
		}
	})
	return slices.DeleteFunc(list, func(t target) bool { return t.Move == rules.NoMove }), ctx.Err()
}

// run makes all steps.
func (f *fit) run(ctx context.Context, targets []target) error {
	f.mean, f.square = make([]float32, len(f.x)), make([]float32, len(f.x))
	size := min(batchSize, len(targets))
	if size == 0 {
		return nil
	}
	steps, step := f.settings.Epochs*(len(targets)/size), 0
	for range f.settings.Epochs {
		f.rng.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
		for first := 0; first+size <= len(targets); first += size {
			if err := ctx.Err(); err != nil {
				return err
			}
			f.inParts(func(k int, p *part) {
				for i := first + k; i < first+size; i += batchParts {
					p.learn(&targets[i], float32(f.settings.Temperature))
				}
			})
			step++
			f.update(step, f.settings.Rate*(1-float64(step-1)/float64(steps)), size)
			if f.settings.Progress != nil {
				f.settings.Progress(step, steps)
			}
		}
	}
	return nil
}

// update makes a step by the gradients of the parts for a batch, and clears them.
func (f *fit) update(step int, rate float64, size int) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-7
	shrink := float32(rate * decay)
	scale, correction := float32(rate/(1-math.Pow(beta1, float64(step)))), float32(1/(1-math.Pow(beta2, float64(step))))
	f.inParts(func(k int, _ *part) {
		for i := k * len(f.x) / batchParts; i < (k+1)*len(f.x)/batchParts; i++ {
			var g float32
			for _, p := range f.parts {
				g += p.gradient[i]
				p.gradient[i] = 0
			}
			g /= float32(size)
			f.mean[i] += (1 - beta1) * (g - f.mean[i])
			f.square[i] += (1 - beta2) * (g*g - f.square[i])
			f.x[i] -= shrink*f.x[i] + scale*f.mean[i]/(float32(math.Sqrt(float64(f.square[i]*correction)))+epsilon)
		}
	})
}

// measure returns the measure of the weights on choices.
func (f *fit) measure(choices []Choice) (m Measure) {
	var measures [batchParts]Measure
	f.inParts(func(k int, p *part) {
		for i := k; i < len(choices); i += batchParts {
			if p.begin(choices[i]) {
				p.forward()
				p.measure(&measures[k])
			}
		}
	})
	for _, part := range measures {
		m.Positions += part.Positions
		m.Loss += part.Loss
		for k := range m.Among {
			m.Among[k] += part.Among[k]
		}
	}
	n := float64(max(m.Positions, 1))
	m.Loss /= n
	for k := range m.Among {
		m.Among[k] /= n
	}
	return m
}

// quantise returns the weights as whole numbers within bounds, and sets them to these. Of a new network those that no
// position has moved are 0.
func (f *fit) quantise() *policy.Weights {
	w := new(policy.Weights)
	kept := f.settings.Parent != nil && f.settings.Parent.HasNetwork()
	for i, x := range f.x {
		if bound := float64(policy.Bound(i)); kept || i < policy.NumFeatures || f.square[i] > 0 {
			w[i] = int16(min(max(math.Round(float64(x)/quantum(i)), -bound), bound))
		}
	}
	f.set(w)
	return w
}
