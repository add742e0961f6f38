package ratings

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// quadratic is a function of the parameters to the second order; terms and constraints are its second derivatives.
type quadratic struct {
	parameters
	value       float64
	gradient    []float64
	terms       []term
	constraints []constraint
}

// term is second derivatives by (x[i]-x[j], advantage) of parameters x; i or j is -1 for a rating that is given.
type term struct {
	i, j int
	sym2
}

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
	shares []float64 // of each parameter in the sum
	weight float64
}

// add adds first derivatives by what a term is of to those by the parameters.
func (p parameters) add(sum []float64, t term, by [2]float64) {
	number := [...]int{t.i, t.j, p.advantage}
	for k, v := range [...]float64{by[0], -by[0], by[1]} {
		if n := number[k]; n >= 0 {
			sum[n] += v
		}
	}
}

// matrix returns the sum of terms; an empty one without parameters.
func (p parameters) matrix(terms []term) *mat.SymDense {
	if p.dim == 0 {
		return new(mat.SymDense)
	}
	m := mat.NewSymDense(p.dim, nil)
	raw := m.RawSymmetric() // upper triangle, by rows
	add := func(i, j int, v float64) {
		if i >= 0 && j >= 0 {
			raw.Data[min(i, j)*raw.Stride+max(i, j)] += v
		}
	}
	for k := range terms {
		t := &terms[k]
		add(t.i, t.i, t.sym2[0])
		add(t.j, t.j, t.sym2[0])
		add(t.i, t.j, -t.sym2[0])
		add(t.i, p.advantage, t.sym2[1])
		add(t.j, p.advantage, -t.sym2[1])
		add(p.advantage, p.advantage, t.sym2[2])
	}
	return m
}

// factorize returns the Cholesky factors of the second derivatives.
func (q *quadratic) factorize() (*mat.Cholesky, error) {
	factors := new(mat.Cholesky)
	if !factors.Factorize(q.hessian()) {
		return nil, fmt.Errorf("%w: the information matrix is singular", errStopped)
	}
	return factors, nil
}

// hessian returns the second derivatives.
func (q *quadratic) hessian() *mat.SymDense {
	m := q.matrix(q.terms)
	for _, c := range q.constraints {
		m.SymRankOne(m, c.weight, mat.NewVecDense(q.dim, c.shares))
	}
	return m
}
