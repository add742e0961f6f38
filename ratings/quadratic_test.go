package ratings

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// someQuadratic has terms of all kinds among four ratings, an advantage and a draw
// parameter.
func someQuadratic(rng *rand.Rand) *quadratic {
	q := &quadratic{parameters: parameters{dim: 6, advantage: 4, draw: 5},
		constraints: []constraint{{[]int{0, 1, 3}, []float64{1, 2, 1}, 0.3}}}
	for _, ends := range [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, -1}, {-1, 2}, {-1, -1}} {
		var s sym3
		for range 4 {
			s.add(1, outer(rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()))
		}
		q.terms = append(q.terms, term{ends[0], ends[1], s})
	}
	return q
}

// The form is that of the matrix written out, and solving undoes its product.
func TestQuadraticAgreesWithItsMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	q := someQuadratic(rng)
	dense := q.dense()
	want := mat.NewDense(6, 6, nil)
	for _, l := range q.terms {
		// The rows take the parameters to the term's variables.
		to := mat.NewDense(3, 6, nil)
		if l.i >= 0 {
			to.Set(0, l.i, 1)
		}
		if l.j >= 0 {
			to.Set(0, l.j, -1)
		}
		to.Set(1, 4, 1)
		to.Set(2, 5, 1)
		s := l.sym3
		inner := mat.NewSymDense(3, []float64{s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]})
		var part mat.Dense
		part.Product(to.T(), inner, to)
		want.Add(want, &part)
	}
	x := []float64{1, -2, 0.5, 3, -1, 2}
	v := mat.NewVecDense(6, x)
	require.InDelta(t, mat.Inner(v, want, v), q.form(x), 1e-12, "without constraints")
	share := map[int]float64{0: 1, 1: 2, 3: 1}
	for i, a := range share {
		for j, b := range share {
			want.Set(i, j, want.At(i, j)+0.3*a*b)
		}
	}
	require.True(t, mat.EqualApprox(want, dense, 1e-12))
	product := mat.NewVecDense(6, nil)
	product.MulVec(dense, v)
	factors, err := q.factorize()
	require.NoError(t, err)
	y := make([]float64, 6)
	require.NoError(t, solve(factors, y, product.RawVector().Data))
	require.InDeltaSlice(t, x, y, 1e-8)
}
