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

	maxNewton = 200 // iterations of the optimizer; lopsided data take some 40
	maxRefine = 20  // steps after it; two or three are usual
)

// solve finds the parameters that maximize the likelihood, starting from x, and
// the Hessian there with its solver.
func (m *model) solve(ctx context.Context, x []float64) ([]float64, *quad, *solver, error) {
	if m.dim == 0 {
		return x, m.hessian(x), nil, nil
	}
	if m.dim > maxParameters {
		return nil, nil, nil, fmt.Errorf("%d ratings to fit: expected at most %d", m.dim, maxParameters)
	}
	x, err := m.minimize(ctx, x)
	if err != nil {
		return nil, nil, nil, err
	}
	h, s, err := m.refine(x)
	return x, h, s, err
}

// minimize runs gonum's Newton method. The likelihood is concave, so there is
// one maximum and any way up leads there.
func (m *model) minimize(ctx context.Context, start []float64) ([]float64, error) {
	settings := &optimize.Settings{
		MajorIterations: maxNewton,
		Converger:       &optimize.FunctionConverge{Relative: 1e-12, Iterations: 1},
	}
	// Threshold off: the size of the gradient says little about the distance
	// in Elo when one player has two games and another a million.
	method := &optimize.Newton{GradStopThreshold: math.NaN()}
	result, err := optimize.Minimize(m.problem(ctx), start, settings, method)
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
	return result.X, nil
}

// problem returns the likelihood as gonum takes it.
func (m *model) problem(ctx context.Context) optimize.Problem {
	return optimize.Problem{
		Func: m.value,
		Grad: m.gradient,
		Hess: func(dst *mat.SymDense, x []float64) { m.hessian(x).dense(dst) },
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
func (m *model) refine(x []float64) (*quad, *solver, error) {
	grad, step := make([]float64, m.dim), make([]float64, m.dim)
	last := math.Inf(1)
	var h *quad
	var s *solver
	for range maxRefine {
		m.gradient(grad, x)
		h = m.hessian(x)
		var err error
		if s, err = newSolver(h); err != nil {
			return nil, nil, err
		}
		if err := s.solve(step, grad); err != nil {
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
