// Package ranking fits the weights of a policy to the moves that searches chose and to the
// evaluations of the positions after all moves, by multinomial logistic regression.
//
// A move of a position is expected to be chosen with a probability in proportion to exp(score),
// where the score is the policy's. The weights minimise the mean cross-entropy of these
// probabilities with a target: the move chosen has a share of it, and the rest goes to all moves in
// proportion to exp(evaluation/temperature).
//
// [Fit] draws the positions, evaluates the positions after their moves once, and makes passes over
// them by package adam. part.go has what is computed for one position: the scores of its moves
// (forward), the probabilities that they are to have, and the gradient (backward).
package ranking

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"gyges/agents/eval"
	"gyges/agents/policy"
	"gyges/agents/tuning/adam"
	"gyges/rules"
	"gyges/rules/base/lists"
)

// Choice is a position with the move that was chosen.
type Choice struct {
	Position rules.Position
	Move     rules.Move
}

// Settings are the settings of a fit.
type Settings struct {
	Epochs    int             `yaml:"epochs" json:"epochs" check:"1..10000" help:"Passes over all positions."`
	Positions int             `yaml:"positions" json:"positions" check:"0..10000000" zero:"for 600000" help:"Positions at most, drawn at random."`
	Rate      float64         `yaml:"rate" json:"rate" check:"0..1" zero:"for 0.005" help:"Learning rate of the first step."`
	Seed      uint64          `yaml:"seed" json:"seed,string" default:"1" help:"Seed of the order of positions, and of a new network."`
	Parent    *policy.Weights `json:"-"` // to start from; nil: zero

	// Evaluator evaluates the positions after the moves; nil: the move chosen is the target.
	// Temperature: in 1/100 point.
	Evaluator   *eval.Evaluator `json:"-"`
	Temperature float64         `json:"-"`

	Progress func(done, all int) `json:"-"` // called after each step; may be nil
}

// Constants of the fit. The shares and the rate were compared by how often the first moves held
// that of a search.
const (
	defaultRate = 0.005
	decay       = 0.1
	batchSize   = 128
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

// Choices are choices in their order. An error comes last.
type Choices iter.Seq2[Choice, error]

// Fit fits a policy to choices under r and measures it on others. The error is theirs, ctx's, or
// that there are none.
func Fit(ctx context.Context, r *rules.Rules, train, test Choices, s Settings) (*Result, error) {
	f := newFit(r, s)
	learnt, err := f.draw(train, cmp.Or(s.Positions, defaultPositions))
	if err != nil {
		return nil, err
	}
	if len(learnt) == 0 {
		return nil, errors.New("expected positions with the moves played, found none")
	}
	measured, err := f.draw(test, maxTest)
	if err != nil {
		return nil, err
	}
	if s.Parent != nil {
		f.set(s.Parent)
	}
	result := &Result{Parent: f.measure(measured)}
	if !f.hasParent() {
		f.newNetwork()
	}
	if f.targets, err = f.learnable(ctx, learnt); err != nil {
		return nil, err
	}
	result.Positions = len(f.targets)
	optimiser := adam.New(f.x, quantum, []int{len(f.targets)}, f.rng, adam.Settings{
		Epochs:   s.Epochs,
		Batch:    batchSize,
		Rate:     cmp.Or(s.Rate, defaultRate),
		Decay:    decay,
		Epsilon:  1e-7,
		Progress: s.Progress,
	})
	for range s.Epochs {
		if _, err := optimiser.Pass(ctx, len(f.targets), f); err != nil {
			return nil, err
		}
	}
	result.Weights = f.quantise(optimiser)
	result.Test = f.measure(measured)
	return result, nil
}

// fit is the state of a fit: an [adam.Loss] of the targets.
type fit struct {
	Settings

	rng     *rand.Rand
	x       []float32 // the weights, in units of the logit
	parts   [adam.Parts]*part
	targets []target
	batch   int // targets of the present batch
}

func newFit(r *rules.Rules, s Settings) *fit {
	f := &fit{
		Settings: s,
		rng:      rand.New(rand.NewPCG(s.Seed, 0)),
		x:        make([]float32, policy.NumWeights),
	}
	for k := range f.parts {
		f.parts[k] = &part{rules: r, x: f.x}
	}
	return f
}

// hasParent reports whether the network is that of the parent and not a new one.
func (f *fit) hasParent() bool { return f.Parent != nil && f.Parent.HasNetwork() }

// set sets the weights to a policy's.
func (f *fit) set(w *policy.Weights) {
	for i, x := range w {
		f.x[i] = quantum(i).Weight(x)
	}
}

// quantum says how weight i becomes a whole number, in units of the logit.
func quantum(i int) adam.Quantum {
	q := adam.Quantum{Size: 1.0 / policy.Unit, Bound: float64(policy.Bound(i))}
	if i >= policy.NumFeatures {
		q.Size = 1.0 / policy.NetworkUnit
	}
	return q
}

// newNetwork draws the weights of a new network, normally distributed around 0.
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

// draw returns the choices, or a random sample if there are more than most.
func (f *fit) draw(choices Choices, most int) ([]Choice, error) {
	drawn := lists.Sample[Choice]{Size: most, Rand: f.rng}
	for c, err := range choices {
		if err != nil {
			return nil, err
		}
		drawn.Add(c)
	}
	return drawn.List, nil
}

// target is a choice with the evaluations of its moves, in order; nil: only the move chosen counts.
type target struct {
	Choice
	evaluations []int16
}

// learnable returns the targets of the choices from which there is something to learn.
func (f *fit) learnable(ctx context.Context, choices []Choice) ([]target, error) {
	list := make([]target, len(choices))
	adam.InParts(len(choices), func(part, i int) {
		if ctx.Err() != nil {
			return
		}
		p, t := f.parts[part], &list[i]
		t.Choice = choices[i]
		if !p.begin(t.Choice) {
			t.Move = rules.NoMove
		} else if f.Evaluator != nil {
			t.evaluations = p.evaluate(f.Evaluator)
		}
	})
	isNone := func(t target) bool { return t.Move == rules.NoMove }
	return slices.DeleteFunc(list, isNone), ctx.Err()
}

// Begin makes f an [adam.Loss].
func (f *fit) Begin(batch []uint32) { f.batch = len(batch) }

// Add adds the gradient of the loss at a target, divided by the size of the batch.
func (f *fit) Add(part int, i uint32, gradient []float32) float64 {
	p := f.parts[part]
	t := &f.targets[i]
	p.begin(t.Choice)
	p.forward()
	loss := p.probabilities()
	p.setTarget(t, float32(f.Temperature))
	share := 1 / float32(f.batch)
	p.backward(gradient, share)
	return loss
}

// measure returns how well the weights predict choices.
func (f *fit) measure(choices []Choice) (m Measure) {
	var measures [adam.Parts]Measure
	adam.InParts(len(choices), func(part, i int) {
		p := f.parts[part]
		if p.begin(choices[i]) {
			p.forward()
			p.measure(&measures[part])
		}
	})
	for _, part := range measures {
		m.Positions += part.Positions
		m.Loss += part.Loss
		for k, n := range part.Among {
			m.Among[k] += n
		}
	}
	n := float64(max(m.Positions, 1))
	m.Loss /= n
	for k := range m.Among {
		m.Among[k] /= n
	}
	return m
}

// quantise returns whole numbers within bounds, and sets the weights to these; 0 for those that
// nothing has moved.
func (f *fit) quantise(o *adam.Fit) *policy.Weights {
	w := new(policy.Weights)
	all := f.hasParent()
	for i, x := range f.x {
		if all || i < policy.NumFeatures || o.Moved(i) {
			w[i] = quantum(i).Whole(x)
		}
	}
	f.set(w)
	return w
}
