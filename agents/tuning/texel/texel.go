// Package texel fits the weights of a linear evaluation to results of games, as first done for the
// chess program Texel by P. Österlund (2014): by logistic regression.
//
// The manual, README.md beside this folder, has the formulas. The scale K is fitted to the parent
// weights first and then fixed, so that a point has the same size in the tuned evaluation. The
// penalty is in units of each feature's root mean square, so it does not depend on those of the
// features. L-BFGS minimises the sum, with the analytic gradient.
//
// With [Settings.Network] a network is fitted first, to the same targets and together with the
// weights, by Adam; then the weights alone, on top of the quantised network.
//
// [Read] makes [Data] of positions, which are kept in blocks of features and results. [Fit] takes
// such data and [Settings] and returns a [Result]. loss.go has the loss of linear weights and its
// gradient, network.go the fit of the network.
//
// All sums are made block by block in a fixed order, so that the outcome is the same whatever the
// number of cores.
package texel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"gyges/agents/eval"
	"gyges/agents/tuning/dataset"
)

// Settings are the settings of a fit.
type Settings struct {
	Names  []string  // of the features
	Parent []float64 // the weights to start from, in hundredths of a point
	// Features are those whose weights are tuned, unless they are 0 in all positions; nil: all.
	Features   []string `yaml:"features" form:"the name of a feature, like near" help:"Features whose weights are tuned; the others keep theirs. Default: all."`
	Lambda     float64  `yaml:"lambda" help:"Share of the result in the target, above 0 to 1; the search's score has the rest, where a position has one."`
	L2         float64  `yaml:"l2" check:"0..1000" help:"Penalty that draws weights to those at the start: as strong as l2 × positions more results."`
	Scale      float64  `yaml:"scale" check:"0..2" zero:"it is fitted" help:"Logit of a hundredth of a point; 0: what fits the results best with the weights at the start."`
	Iterations int      `yaml:"iterations" check:"0..1000000" zero:"for 200" help:"Iterations of L-BFGS at most."`
	Patience   int      `yaml:"patience" help:"Iterations in a row with a validation loss above the lowest one until the fit stops and returns to that; 0: 5; below 0: it goes on to the minimum of the training loss."`
	Network    *Network `yaml:"network" form:"keys of a network" help:"Also fit the network, from that of the weights at the start if they have one; without it, it stays as it is."`
	// Record is called at the start and after each iteration; may be nil. An error stops the fit.
	Record func(Step) error
}

// Step is the state after an iteration.
type Step struct {
	Iteration      int
	Loss           float64   // mean cross-entropy of the training positions, in nats
	ValidationLoss float64   // mean cross-entropy of the validation positions
	Weights        []float64 // in hundredths of a point
}

// Result is the result of a fit. Losses are those of the parent weights and of the tuned ones.
type Result struct {
	Scale          float64       `json:"scale"`                // logit of a hundredth of a point
	Units          int           `json:"units,omitempty"`      // of the fitted network: those asked for, and the parent's that are live
	LiveUnits      int           `json:"live_units,omitempty"` // of the fitted network, see [eval.Network.LiveUnits]
	Iterations     int           `json:"iterations"`
	EarlyStop      bool          `json:"early_stop"` // stopped because the validation loss rose; the weights are those at its minimum
	Loss           [2]float64    `json:"loss"`
	ValidationLoss [2]float64    `json:"validation_loss"`
	Test           *Test         `json:"test"` // nil: there were no test positions
	Features       []Feature     `json:"features"`
	Network        *eval.Network `json:"-"` // the fitted one; nil: none was
}

// Feature is the result of a fit for one feature.
type Feature struct {
	Name   string  `json:"feature"`
	Parent float64 `json:"parent"` // weight before, in hundredths of a point
	Weight float64 `json:"weight"` // after
	Frozen bool    `json:"frozen"` // the weight was not tuned
}

// Test is the loss of the test positions, computed once after the fit: nothing depends on it.
type Test struct {
	Positions  int     `json:"positions"`
	ParentLoss float64 `json:"parent_loss"`
	Loss       float64 `json:"loss"`
	Gain       float64 `json:"gain"`        // ParentLoss - Loss
	GainMargin float64 `json:"gain_margin"` // half of the 95 % interval of Gain
}

// Provenance returns the gain for a weights file; nil for none.
func (t *Test) Provenance() *eval.Gain {
	if t == nil {
		return nil
	}
	return &eval.Gain{
		Measure: "test loss",
		Value:   t.Gain,
		Margin:  t.GainMargin,
		Count:   int64(t.Positions),
	}
}

const lossTolerance = 1e-6 // the largest rise of the validation loss that is ignored

// Fit fits weights to the training positions, chooses the iteration of the lowest validation loss,
// and then computes the loss of the test positions. It returns an error for invalid data, or that
// of ctx. The settings are valid.
func Fit(ctx context.Context, d Splits, s Settings) (*Result, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(collectAt))
	if s.Scale == 0 {
		scale, err := fitScale(d[dataset.Train], s.Parent)
		if err != nil {
			return nil, err
		}
		s.Scale = scale
	}
	f := newFit(d, s)
	if s.Network != nil {
		if err := f.fitNetwork(ctx); err != nil {
			return nil, err
		}
	}
	if err := f.minimise(ctx); err != nil {
		return nil, err
	}
	return f.result(d[dataset.Test]), nil
}

// check returns an error unless weights can be fitted to the positions.
func (d *Splits) check() error {
	train := d[dataset.Train]
	switch {
	case train.Len() == 0:
		return errors.New("expected training positions, found none")
	case d[dataset.Validation].Len() == 0:
		return errors.New("expected validation positions, found none")
	}
	if train.low == train.high {
		return fmt.Errorf("expected positions that were won and positions that were lost, "+
			"found the result %v in all %d", train.low, train.rows)
	}
	return nil
}

// Defaults of the settings.
const (
	defaultIterations = 200 // of L-BFGS at most
	defaultPatience   = 5
)

// Steps returns the epochs of the network, or without one the iterations at most: those that take
// the time.
func (s *Settings) Steps() int {
	if s.Network != nil {
		return s.Network.Epochs
	}
	return cmp.Or(s.Iterations, defaultIterations)
}

// fit is a fit in progress, whose scale is known. L-BFGS varies, for each weight that is not
// frozen, the number u = scale · rms · (weight - start).
type fit struct {
	Settings

	train, validation *loss
	before            [2]float64    // the losses of the parent
	start             []float64     // the parent's weights, or those fitted with the network
	fitted            *eval.Network // nil: none
	units             int           // of it
	rms               []float64     // of the features
	free              []int         // features whose weights are not frozen

	// The last point that was evaluated: gonum evaluates the value and the gradient separately.
	at, grad []float64
	value    float64

	iteration  int   // of the network's epochs and of L-BFGS
	begun      bool  // L-BFGS has left its start
	last, best point // the best one has the lowest validation loss
	worse      int   // consecutive iterations that were worse
	stopped    bool
	err        error // of Record
}

// point is where an iteration ended.
type point struct {
	u              []float64
	validationLoss float64
}

func newFit(d Splits, s Settings) *fit {
	s.Iterations = cmp.Or(s.Iterations, defaultIterations)
	s.Patience = cmp.Or(s.Patience, defaultPatience)
	train, validation := d[dataset.Train], d[dataset.Validation]
	f := &fit{
		Settings: s,
		start:    s.Parent,
		rms:      train.meanSquares(),
	}
	f.best.validationLoss = math.Inf(1)
	f.train = f.parentLoss(train)
	f.validation = f.parentLoss(validation)
	for j, square := range f.rms {
		f.rms[j] = math.Sqrt(square)
		tuned := s.Features == nil || slices.Contains(s.Features, s.Names[j])
		if tuned && square > 0 {
			f.free = append(f.free, j)
		}
	}
	zero := make([]float64, len(f.rms))
	f.before[0] = f.train.value(zero)
	f.before[1] = f.validation.value(zero)
	return f
}

// parentLoss returns the loss of a split as a function of what is added to the parent's weights.
func (f *fit) parentLoss(d *Data) *loss {
	return newLoss(d, f.Parent, base, f.Scale, d.targets(f.Lambda, f.Scale))
}

// withNetwork returns the loss with the fitted network in place of the parent's,
// as a function of what is added to the weights fitted together with it.
func (f *fit) withNetwork(l *loss) *loss {
	return newLoss(l.data, f.start, outputs(f.fitted), f.Scale, l.targets)
}

// logits returns what u adds to the parent's weights, in units of the logit.
func (f *fit) logits(u []float64) []float64 {
	v := make([]float64, len(f.rms))
	for m, j := range f.free {
		v[j] = u[m] / f.rms[j]
	}
	return v
}

// weights converts u to weights, in hundredths of a point.
func (f *fit) weights(u []float64) []float64 {
	w := slices.Clone(f.start)
	for j, v := range f.logits(u) {
		w[j] += v / f.Scale
	}
	return w
}

// evaluate computes the penalised loss and its gradient at u.
func (f *fit) evaluate(u []float64) {
	if f.at != nil && floats.Equal(u, f.at) {
		return
	}
	loss, byLogits := f.train.gradient(f.logits(u))
	f.value = loss + f.penalty(u)
	f.grad = make([]float64, len(u))
	for m, j := range f.free {
		f.grad[m] = byLogits[j]/f.rms[j] + f.L2*u[m]
	}
	f.at = slices.Clone(u)
}

// penalty returns what draws the weights to the start.
func (f *fit) penalty(u []float64) float64 { return f.L2 / 2 * floats.Dot(u, u) }

// minimise sets f.last to the best point.
func (f *fit) minimise(ctx context.Context) error {
	start := make([]float64, len(f.free))
	f.finish(start, f.train.value(f.logits(start)))
	if f.err != nil || len(f.free) == 0 {
		return f.err
	}
	failed := func() error { return errors.Join(ctx.Err(), f.err) }
	problem := optimize.Problem{
		Func: func(u []float64) float64 { f.evaluate(u); return f.value },
		Grad: func(grad, u []float64) { f.evaluate(u); copy(grad, f.grad) },
		Status: func() (optimize.Status, error) {
			if err := failed(); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		},
	}
	bounds := &optimize.Settings{
		GradientThreshold: 1e-8,
		MajorIterations:   f.Iterations,
		Converger:         f,
	}
	_, err := optimize.Minimize(problem, start, bounds, &optimize.LBFGS{})
	if err := failed(); err != nil {
		return err
	}
	// A line search that fails for lack of floating-point precision has reached the minimum.
	stuck := errors.Is(err, optimize.ErrLinesearcherFailure) ||
		errors.Is(err, optimize.ErrNoProgress)
	if err != nil && !stuck {
		return err
	}
	if f.Patience > 0 && f.isWorse() {
		f.last = f.best
		f.stopped = true
	}
	return nil
}

// Init makes fit an [optimize.Converger].
func (f *fit) Init(int) {}

// Converged records an iteration and returns whether to stop.
func (f *fit) Converged(l *optimize.Location) optimize.Status {
	if !f.begun && floats.Equal(l.X, f.last.u) {
		return optimize.NotTerminated // the start, which has been recorded
	}
	f.begun = true
	f.iteration++
	f.finish(l.X, l.F-f.penalty(l.X))
	switch {
	case f.err != nil:
		return optimize.Failure
	case f.Patience > 0 && f.worse >= f.Patience:
		return optimize.FunctionConvergence
	default:
		return optimize.NotTerminated
	}
}

// finish records the point at which an iteration has ended, with the loss of the training positions
// there.
func (f *fit) finish(u []float64, loss float64) {
	f.last = point{slices.Clone(u), f.validation.value(f.logits(u))}
	if f.last.validationLoss < f.best.validationLoss {
		f.best = f.last
	}
	f.worse++
	if !f.isWorse() {
		f.worse = 0
	}
	f.record(loss, f.last.validationLoss, f.weights(u))
}

// isWorse reports whether the last point is worse than the best one.
func (f *fit) isWorse() bool { return f.last.validationLoss > f.best.validationLoss+lossTolerance }

// record calls Record unless it has failed.
func (f *fit) record(loss, validationLoss float64, weights []float64) {
	if f.Record == nil || f.err != nil {
		return
	}
	step := Step{f.iteration, loss, validationLoss, weights}
	f.err = f.Record(step)
}

// result returns the result of the fit, measured on the test positions if there are any.
func (f *fit) result(test *Data) *Result {
	r := &Result{
		Scale: f.Scale, Iterations: f.iteration, EarlyStop: f.stopped, Network: f.fitted,
		Loss:           [2]float64{f.before[0], f.train.value(f.logits(f.last.u))},
		ValidationLoss: [2]float64{f.before[1], f.last.validationLoss},
	}
	if f.fitted != nil {
		r.Units = f.units
		r.LiveUnits = f.fitted.LiveUnits()
	}
	for j, weight := range f.weights(f.last.u) {
		r.Features = append(r.Features, Feature{
			Name:   f.Names[j],
			Parent: f.Parent[j],
			Weight: weight,
			Frozen: !slices.Contains(f.free, j),
		})
	}
	if test.Len() > 0 {
		r.Test = f.test(test)
	}
	return r
}

// test returns the loss of the test positions with the parent's weights and with the fitted ones.
func (f *fit) test(d *Data) *Test {
	before := f.parentLoss(d)
	after := before
	if f.fitted != nil {
		after = f.withNetwork(before)
	}
	zero, tuned := make([]float64, len(f.rms)), f.logits(f.last.u)
	t := &Test{ParentLoss: before.value(zero), Loss: after.value(tuned)}
	for _, b := range d.blocks {
		t.Positions += len(b.rows)
	}
	t.Gain, t.GainMargin = after.difference(tuned, before, zero)
	return t
}
