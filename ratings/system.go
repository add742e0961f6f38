package ratings

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// maxParameters bounds the parameters of a fit. Time grows with their third
// power, memory with their second: 1,000 take a second, 2,000 take 10 s and
// 200 MB.
const maxParameters = 5000

// errStopped is a fit that did not converge.
var errStopped = errors.New("the likelihood was not maximized")

// solver solves linear equations in a Hessian by its Cholesky factors.
type solver struct{ chol mat.Cholesky }

func newSolver(h *quad) (*solver, error) {
	s := new(solver)
	dense := mat.NewSymDense(h.dim, nil)
	h.dense(dense)
	if !s.chol.Factorize(dense) {
		return nil, fmt.Errorf("%w: the information matrix is singular", errStopped)
	}
	return s, nil
}

// solve stores the solution for the right-hand side b in dst.
func (s *solver) solve(dst, b []float64) error {
	return ignoreCondition(s.chol.SolveVecTo(mat.NewVecDense(len(dst), dst), mat.NewVecDense(len(b), b)))
}

// ignoreCondition returns gonum's error less its warning that a matrix is badly
// conditioned: a solution comes with that, and [model.refine] checks that the steps
// shrink.
func ignoreCondition(err error) error {
	var condition mat.Condition
	if err == nil || (errors.As(err, &condition) && !math.IsInf(float64(condition), 1)) {
		return nil
	}
	return fmt.Errorf("%w: %w", errStopped, err)
}
