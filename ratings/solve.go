package ratings

import (
	"errors"
	"fmt"
	"math"

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

// errStopped is a fit that did not converge.
var errStopped = errors.New("the likelihood was not maximized")

// solve finds the parameters that maximize the likelihood and their covariance
// under the condition that each group's mean is zero.
func (m *model) solve() ([]float64, *mat.SymDense, error) {
	x, err := m.minimize()
	if err != nil {
		return nil, nil, err
	}
	chol, err := m.refine(x)
	if err != nil {
		return nil, nil, err
	}
	cov := mat.NewSymDense(m.dim(), nil)
	if err := solved(chol.InverseTo(cov)); err != nil {
		return nil, nil, err
	}
	m.unpin(cov)
	return x, cov, nil
}

// minimize runs gonum's Newton method from equal ratings. The likelihood is
// concave, so there is one maximum and any way up leads there.
func (m *model) minimize() ([]float64, error) {
	problem := optimize.Problem{Func: m.value, Grad: m.gradient, Hess: m.hessian}
	settings := &optimize.Settings{
		MajorIterations: maxNewton,
		Converger:       &optimize.FunctionConverge{Relative: 1e-12, Iterations: 1},
	}
	// Threshold off: the size of the gradient says little about the distance
	// in Elo when one player has two games and another a million.
	method := &optimize.Newton{GradStopThreshold: math.NaN()}
	result, err := optimize.Minimize(problem, make([]float64, m.dim()), settings, method)
	switch {
	case result == nil:
		return nil, fmt.Errorf("%w: %w", errStopped, err)
	case err == nil && result.Status == optimize.IterationLimit:
		return nil, fmt.Errorf("%w: no end after %d iterations", errStopped, maxNewton)
	}
	// A line search compares function values, which near the maximum differ
	// only by rounding; gonum reports that as an error. So err alone doesn't
	// mean failure: refine decides.
	return result.X, nil
}

// refine takes x the rest of the way by plain Newton steps, which need the
// gradient alone and not the function's value, and checks that it arrives. It
// returns the factorized Hessian there.
func (m *model) refine(x []float64) (*mat.Cholesky, error) {
	var (
		grad = make([]float64, m.dim())
		step = mat.NewVecDense(m.dim(), nil)
		hess = mat.NewSymDense(m.dim(), nil)
		chol mat.Cholesky
		last = math.Inf(1)
	)
	for range maxRefine {
		m.gradient(grad, x)
		m.hessian(hess, x)
		if !chol.Factorize(hess) {
			return nil, fmt.Errorf("%w: the information matrix is singular", errStopped)
		}
		if err := solved(chol.SolveVecTo(step, mat.NewVecDense(len(grad), grad))); err != nil {
			return nil, err
		}
		size := mat.Norm(step, math.Inf(1)) * eloPerNat
		if math.IsNaN(size) || (size >= last/2 && last <= stepLimit) {
			break // only rounding is left
		}
		for i := range x {
			x[i] -= step.AtVec(i)
		}
		last = size
		if size < stepGoal {
			break
		}
	}
	if last > stepLimit {
		return nil, fmt.Errorf("%w: the last step was %g Elo, expected less than %g", errStopped, last, stepLimit)
	}
	return &chol, nil
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

// unpin takes the pins' share out of the inverse Hessian. A group's vector of
// ones is an eigenvector of the Hessian that only the pin gives a curvature, so
// what it adds to the inverse is known, and what is left is the covariance
// under mean zero (the pseudo-inverse of the likelihood's own Hessian).
func (m *model) unpin(cov *mat.SymDense) {
	for _, g := range m.groups {
		n := float64(len(g.members))
		share := 1 / (g.weight * n * n)
		for k, i := range g.members {
			for _, j := range g.members[k:] {
				cov.SetSym(i, j, cov.At(i, j)-share)
			}
		}
	}
}
