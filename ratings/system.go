package ratings

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// maxDense is the number of parameters up to which matrices are factorized and
// inverted, a second's work; above it systems are solved by iterations that
// need the matrix's links only.
const maxDense = 1000

const (
	cgGoal = 1e-11 // size of the residual against the right-hand side's
	cgNear = 1e-5  // the same where chance leaves a percent anyway
	cgMost = 20000 // iterations; sparse tournaments take some hundred
)

// errStopped is a fit that did not converge.
var errStopped = errors.New("the likelihood was not maximized")

// system solves linear equations in a Hessian.
type system interface {
	// solve stores the solution for the right-hand side b in dst.
	solve(ctx context.Context, dst, b []float64) error
}

func newSystem(h *quad) (system, error) {
	if h.dim > maxDense {
		return newIterative(h), nil
	}
	return newFactorized(h)
}

// factorized solves by Cholesky factors.
type factorized struct{ chol mat.Cholesky }

func newFactorized(h *quad) (*factorized, error) {
	f := new(factorized)
	dense := mat.NewSymDense(h.dim, nil)
	h.dense(dense)
	if !f.chol.Factorize(dense) {
		return nil, fmt.Errorf("%w: the information matrix is singular", errStopped)
	}
	return f, nil
}

func (f *factorized) solve(_ context.Context, dst, b []float64) error {
	return solved(f.chol.SolveVecTo(mat.NewVecDense(len(dst), dst), mat.NewVecDense(len(b), b)))
}

// solved is gonum's error less its warning that a matrix is badly conditioned:
// that comes beside a solution, and whether the steps shrink tells if it is good
// enough.
func solved(err error) error {
	var condition mat.Condition
	if err == nil || (errors.As(err, &condition) && !math.IsInf(float64(condition), 1)) {
		return nil
	}
	return fmt.Errorf("%w: %w", errStopped, err)
}

// iterative solves by conjugate gradients, preconditioned by the diagonal
// (Hestenes and Stiefel 1952).
type iterative struct {
	h        *quad
	diagonal []float64
	goal     float64
}

func newIterative(h *quad) *iterative {
	s := &iterative{h, make([]float64, h.dim), cgGoal}
	h.diagonal(s.diagonal)
	return s
}

func (s *iterative) solve(ctx context.Context, dst, b []float64) error {
	n := len(b)
	r, z, p, hp := append([]float64(nil), b...), make([]float64, n), make([]float64, n), make([]float64, n)
	clear(dst)
	goal := s.goal * floats.Norm(b, 2)
	var rz float64
	for k := 0; floats.Norm(r, 2) > goal; k++ {
		if k%16 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if k == cgMost {
			return fmt.Errorf("%w: a linear system wasn't solved after %d iterations", errStopped, cgMost)
		}
		floats.DivTo(z, r, s.diagonal)
		next := floats.Dot(r, z)
		if k == 0 {
			copy(p, z)
		} else {
			floats.AddScaledTo(p, z, next/rz, p)
		}
		rz = next
		s.h.apply(hp, p)
		step := rz / floats.Dot(p, hp)
		if math.IsNaN(step) || math.IsInf(step, 0) {
			return fmt.Errorf("%w: the information matrix is singular", errStopped)
		}
		floats.AddScaled(dst, step, p)
		floats.AddScaled(r, -step, hp)
	}
	return nil
}
