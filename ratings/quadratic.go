package ratings

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// quadratic is a symmetric matrix of parameters, or its quadratic form, as the sum of
// terms and constraints.
type quadratic struct {
	parameters
	terms       []term
	constraints []constraint
}

// term is a quadratic form in (x[i]-x[j], advantage, draw parameter) of parameters x.
// i or j is -1 for a rating that is given.
type term struct {
	i, j int
	sym3
}

// sym3 is a symmetric matrix: its upper triangle by rows.
type sym3 [6]float64

func (s *sym3) add(f float64, o sym3) {
	for k, v := range o {
		s[k] += f * v
	}
}

// outer is the outer product of (u, v, w) with itself.
func outer(u, v, w float64) sym3 { return sym3{u * u, u * v, u * w, v * v, v * w, w * w} }

// constraint is weight times the square of a weighted sum of ratings.
type constraint struct {
	members []int
	shares  []float64 // of each member in the sum
	weight  float64
}

func (c *constraint) sum(x []float64) float64 {
	s := 0.0
	for k, i := range c.members {
		s += c.shares[k] * x[i]
	}
	return s
}

// form returns the quadratic form of x without the constraints.
func (q *quadratic) form(x []float64) float64 {
	adv, draw := parameter(x, q.advantage), parameter(x, q.draw)
	sum := 0.0
	for k := range q.terms {
		t := &q.terms[k]
		d := parameter(x, t.i) - parameter(x, t.j)
		sum += t.sym3[0]*d*d + t.sym3[3]*adv*adv + t.sym3[5]*draw*draw +
			2*(t.sym3[1]*d*adv+t.sym3[2]*d*draw+t.sym3[4]*adv*draw)
	}
	return sum
}

// dense returns the matrix.
func (q *quadratic) dense() *mat.SymDense {
	m := mat.NewSymDense(q.dim, nil)
	raw := m.RawSymmetric() // upper triangle, by rows
	add := func(i, j int, v float64) {
		if i < 0 || j < 0 {
			return
		}
		if i > j {
			i, j = j, i
		}
		raw.Data[i*raw.Stride+j] += v
	}
	for k := range q.terms {
		t := &q.terms[k]
		add(t.i, t.i, t.sym3[0])
		add(t.j, t.j, t.sym3[0])
		add(t.i, t.j, -t.sym3[0])
		add(t.i, q.advantage, t.sym3[1])
		add(t.j, q.advantage, -t.sym3[1])
		add(t.i, q.draw, t.sym3[2])
		add(t.j, q.draw, -t.sym3[2])
		add(q.advantage, q.advantage, t.sym3[3])
		add(q.advantage, q.draw, t.sym3[4])
		add(q.draw, q.draw, t.sym3[5])
	}
	for _, c := range q.constraints {
		for k, i := range c.members {
			for l, j := range c.members[k:] {
				add(i, j, c.weight*c.shares[k]*c.shares[k+l])
			}
		}
	}
	return m
}

// factorize returns the Cholesky factors of the matrix.
func (q *quadratic) factorize() (*mat.Cholesky, error) {
	factors := new(mat.Cholesky)
	if !factors.Factorize(q.dense()) {
		return nil, fmt.Errorf("%w: the information matrix is singular", errStopped)
	}
	return factors, nil
}
