package ratings

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// someQuad has links of all kinds among four ratings, an advantage and a draw
// parameter.
func someQuad(rng *rand.Rand) *quad {
	q := &quad{frame: frame{dim: 6, advantage: 4, draw: 5}, pins: []pin{{[]int{0, 1, 3}, 0.3}}}
	for _, ends := range [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, -1}, {-1, 2}, {-1, -1}} {
		var s sym3
		for range 4 {
			s.add(1, outer(rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()))
		}
		q.links = append(q.links, link{ends[0], ends[1], s})
	}
	return q
}

// The form is that of the matrix written out, and solving undoes its product; it is the sum of the links' own, spread over their parameters.
func TestQuadAgreesWithItsMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	q := someQuad(rng)
	dense := mat.NewSymDense(6, nil)
	q.dense(dense)
	want := mat.NewDense(6, 6, nil)
	for _, l := range q.links {
		// The rows take the parameters to what the link tells about.
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
	for _, i := range []int{0, 1, 3} {
		for _, j := range []int{0, 1, 3} {
			want.Set(i, j, want.At(i, j)+0.3)
		}
	}
	require.True(t, mat.EqualApprox(want, dense, 1e-12))
	x := []float64{1, -2, 0.5, 3, -1, 2}
	product := mat.NewVecDense(6, nil)
	product.MulVec(dense, mat.NewVecDense(6, x))
	require.InDelta(t, mat.Dot(product, mat.NewVecDense(6, x)), q.form(x), 1e-12)
	solver, err := newSolver(q)
	require.NoError(t, err)
	y := make([]float64, 6)
	require.NoError(t, solver.solve(y, product.RawVector().Data))
	require.InDeltaSlice(t, x, y, 1e-8)
}
