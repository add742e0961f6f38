package ratings

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// quadratic is a function of the parameters to the second order; terms and constraints are its
// second derivatives.
type quadratic struct {
	parameters
	value       float64
	gradient    []float64
	terms       []term
	constraints []constraint
}

// term is second derivatives by the difference x[i]-x[j] of parameters x and by the advantage; i or
// j is -1 for a rating that is given.
type term struct {
	i, j int32
	sym2
}

func newTerm(i, j int) term { return term{i: int32(i), j: int32(j)} } // within maxParameters

// sym2 is a symmetric matrix: its upper triangle by rows.
type sym2 [3]float64

func (s *sym2) add(f float64, o sym2) {
	for k, v := range o {
		s[k] += f * v
	}
}

// outer is the outer product of (u, v) with itself.
func outer(u, v float64) sym2 { return sym2{u * u, u * v, v * v} }

// constraint is weight times the square of a weighted sum of ratings.
type constraint struct {
	members []int     // parameters, ascending
	shares  []float64 // of each in the sum
	weight  float64
}

func (c *constraint) sum(x []float64) (sum float64) {
	for k, i := range c.members {
		sum += c.shares[k] * x[i]
	}
	return sum
}

// addGradient adds first derivatives by the difference and the advantage of a term to those by the
// parameters.
func (p parameters) addGradient(sum []float64, t term, gradient [2]float64) {
	if t.i >= 0 {
		sum[t.i] += gradient[0]
	}
	if t.j >= 0 {
		sum[t.j] -= gradient[0]
	}
	if p.advantage >= 0 {
		sum[p.advantage] += gradient[1]
	}
}

// addTerm adds a term with its value and its first derivatives.
func (q *quadratic) addTerm(value float64, gradient [2]float64, t term) {
	q.value += value
	q.addGradient(q.gradient, t, gradient)
	q.terms = append(q.terms, t)
}

// matrix returns the sum of terms.
func (p parameters) matrix(terms []term) *mat.SymDense {
	m := mat.NewSymDense(p.dim, nil)
	raw := m.RawSymmetric() // upper triangle, by rows
	add := func(i, j int, v float64) {
		if i >= 0 && j >= 0 {
			raw.Data[min(i, j)*raw.Stride+max(i, j)] += v
		}
	}
	for k := range terms {
		t := &terms[k]
		i, j := int(t.i), int(t.j)
		add(i, i, t.sym2[0])
		add(j, j, t.sym2[0])
		add(i, j, -t.sym2[0])
		add(i, p.advantage, t.sym2[1])
		add(j, p.advantage, -t.sym2[1])
		add(p.advantage, p.advantage, t.sym2[2])
	}
	return m
}

// curvature is second derivatives, H, that linear equations are solved with: [cholesky] of few
// parameters, [iteration] of many.
type curvature interface {
	// solve sets to, so that H to = of.
	solve(ctx context.Context, to, of []float64) error
	// inverse returns H⁻¹, up to what moves all ratings of a group by the same.
	inverse(ctx context.Context) (covariance, error)
	// sandwich returns H⁻¹ S H⁻¹, by what inverse has returned; S is the sum of terms.
	sandwich(ctx context.Context, inverse covariance, terms []term) (covariance, error)
}

// maxDense bounds the parameters whose second derivatives are a matrix: 1,000 take a second, and
// time grows with the third power of their number.
const maxDense = 1500

// curvature returns the second derivatives.
func (q *quadratic) curvature() (curvature, error) {
	if q.dim > maxDense {
		return newIteration(q), nil
	}
	c := &cholesky{parameters: q.parameters, factors: new(mat.Cholesky)}
	if q.dim > 0 && !c.factors.Factorize(q.hessian()) {
		return nil, fmt.Errorf("%w: the information matrix is singular", errStopped)
	}
	return c, nil
}

// hessian returns the second derivatives as a matrix.
func (q *quadratic) hessian() *mat.SymDense {
	m := q.matrix(q.terms)
	for _, c := range q.constraints {
		for k, i := range c.members {
			for h, j := range c.members[:k+1] {
				curve := c.weight * c.shares[h] * c.shares[k]
				m.SetSym(i, j, m.At(i, j)+curve)
			}
		}
	}
	return m
}

// cholesky is second derivatives as Cholesky factors.
type cholesky struct {
	parameters
	factors *mat.Cholesky
}

func (c *cholesky) solve(_ context.Context, to, of []float64) error {
	if c.dim == 0 {
		return nil
	}
	solution, right := mat.NewVecDense(c.dim, to), mat.NewVecDense(c.dim, of)
	return exceptCondition(c.factors.SolveVecTo(solution, right))
}

func (c *cholesky) inverse(context.Context) (covariance, error) {
	if c.dim == 0 {
		return dense{}, nil
	}
	m := mat.NewSymDense(c.dim, nil)
	return dense{m}, exceptCondition(c.factors.InverseTo(m))
}

func (c *cholesky) sandwich(
	_ context.Context, inverse covariance, terms []term,
) (covariance, error) {
	if c.dim == 0 {
		return inverse, nil
	}
	// As general matrices: products of symmetric ones are several times as slow.
	outer := mat.DenseCopyOf(inverse.(dense))
	middle := mat.DenseCopyOf(c.matrix(terms))
	var half, all mat.Dense
	half.Mul(outer, middle)
	all.Mul(&half, outer)
	return dense{mat.NewSymDense(c.dim, all.RawMatrix().Data)}, nil
}

// exceptCondition returns gonum's error unless it is the warning that a matrix is badly
// conditioned: a solution comes with that, and [likelihood.maximize] checks that the steps shrink.
func exceptCondition(err error) error {
	if err == nil {
		return nil
	}
	condition, conditioned := errors.AsType[mat.Condition](err)
	if conditioned && !math.IsInf(float64(condition), 1) {
		return nil
	}
	return fmt.Errorf("%w: %w", errStopped, err)
}
