package ratings

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

const (
	// Newton steps end when the largest is below stepGoal, in Elo. Where the
	// data are so badly conditioned that rounding doesn't let it fall so far,
	// the smallest step reached must be below stepLimit.
	stepGoal  = 1e-9
	stepLimit = 1e-6

	maxNewton   = 200  // iterations of the optimizer; lopsided data take some 40
	maxGradient = 2000 // the same where there are too many parameters for Newton's method
	maxRefine   = 20   // steps after it; two or three are usual
)

// solve finds the parameters that maximize the likelihood, starting from x, and
// the Hessian there with its solver.
func (m *model) solve(ctx context.Context, x []float64) ([]float64, *quad, system, error) {
	if m.dim == 0 {
		h := m.hessian(x)
		return x, h, newIterative(h), nil
	}
	x, err := m.minimize(ctx, x)
	if err != nil {
		return nil, nil, nil, err
	}
	h, s, err := m.refine(ctx, x)
	return x, h, s, err
}

// minimize runs one of gonum's methods. The likelihood is concave, so there is
// one maximum and any way up leads there.
func (m *model) minimize(ctx context.Context, start []float64) ([]float64, error) {
	scale := m.scale(start)
	settings := &optimize.Settings{
		MajorIterations: maxNewton,
		Converger:       &optimize.FunctionConverge{Relative: 1e-12, Iterations: 1},
	}
	// Threshold off: the size of the gradient says little about the distance
	// in Elo when one player has two games and another a million.
	var method optimize.Method = &optimize.Newton{GradStopThreshold: math.NaN()}
	if m.dim > maxDense {
		method = &optimize.LBFGS{GradStopThreshold: math.NaN()}
		settings.MajorIterations = maxGradient
		settings.Converger = &optimize.FunctionConverge{Relative: 1e-10, Iterations: 5}
	}
	y := make([]float64, m.dim)
	floats.DivTo(y, start, scale)
	result, err := optimize.Minimize(m.problem(ctx, scale), y, settings, method)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case result == nil:
		return nil, fmt.Errorf("%w: %w", errStopped, err)
	case err == nil && result.Status == optimize.IterationLimit:
		return nil, fmt.Errorf("%w: no end after %d iterations", errStopped, settings.MajorIterations)
	}
	// A line search compares function values, which near the maximum differ
	// only by rounding; gonum reports that as an error. So err alone doesn't
	// mean failure: refine decides.
	floats.MulTo(y, result.X, scale)
	return y, nil
}

// scale is by how much to multiply what the optimizer sees. Methods without
// second derivatives are quick where these are alike for all parameters.
func (m *model) scale(x []float64) []float64 {
	scale := make([]float64, m.dim)
	if m.dim <= maxDense {
		for i := range scale {
			scale[i] = 1
		}
		return scale
	}
	m.hessian(x).diagonal(scale)
	for i, v := range scale {
		scale[i] = 1 / math.Sqrt(v)
	}
	return scale
}

// problem is the likelihood as gonum wants it, in parameters divided by scale.
func (m *model) problem(ctx context.Context, scale []float64) optimize.Problem {
	x := make([]float64, m.dim)
	return optimize.Problem{
		Func: func(y []float64) float64 {
			floats.MulTo(x, y, scale)
			return m.value(x)
		},
		Grad: func(grad, y []float64) {
			floats.MulTo(x, y, scale)
			m.gradient(grad, x)
			floats.Mul(grad, scale)
		},
		Hess: func(dst *mat.SymDense, y []float64) { m.hessian(y).dense(dst) }, // scale is one
		Status: func() (optimize.Status, error) {
			if ctx.Err() != nil {
				return optimize.Failure, ctx.Err()
			}
			return optimize.NotTerminated, nil
		},
	}
}

// refine takes x the rest of the way by plain Newton steps, which need the
// gradient alone and not the function's value, and checks that it arrives. It
// returns the Hessian there, and its solver.
func (m *model) refine(ctx context.Context, x []float64) (*quad, system, error) {
	grad, step := make([]float64, m.dim), make([]float64, m.dim)
	last := math.Inf(1)
	var h *quad
	var s system
	for range maxRefine {
		m.gradient(grad, x)
		h = m.hessian(x)
		var err error
		if s, err = newSystem(h); err != nil {
			return nil, nil, err
		}
		if err := s.solve(ctx, step, grad); err != nil {
			return nil, nil, err
		}
		size := floats.Norm(step, math.Inf(1)) * eloPerNat
		if math.IsNaN(size) || (size >= last/2 && last <= stepLimit) {
			break // only rounding is left
		}
		floats.Sub(x, step)
		last = size
		if size < stepGoal {
			break
		}
	}
	if !(last <= stepLimit) {
		return nil, nil, fmt.Errorf("%w: the last step was %g Elo, expected less than %g", errStopped, last, stepLimit)
	}
	return h, s, nil
}
