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

// The product, the form and the diagonal are those of the matrix written out;
// that is the sum of the links' own, spread over their parameters.
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
	got, product := make([]float64, 6), mat.NewVecDense(6, nil)
	q.apply(got, x)
	product.MulVec(dense, mat.NewVecDense(6, x))
	require.InDeltaSlice(t, product.RawVector().Data, got, 1e-12)
	require.InDelta(t, mat.Dot(product, mat.NewVecDense(6, x)), q.form(x), 1e-12)
	q.diagonal(got)
	for i, v := range got {
		require.InDelta(t, dense.At(i, i), v, 1e-12)
	}
	// Both ways to solve.
	factorized, err := newFactorized(q)
	require.NoError(t, err)
	y := make([]float64, 6)
	require.NoError(t, factorized.solve(t.Context(), y, x))
	require.NoError(t, newIterative(q).solve(t.Context(), got, x))
	require.InDeltaSlice(t, y, got, 1e-8)
}

// Drawn vectors have the matrix for their covariance: 40,000 leave it an error
// of half a percent.
func TestSamplerHasTheCovariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	q := someQuad(rng)
	q.pins = nil
	dense := mat.NewSymDense(6, nil)
	q.dense(dense)
	s, x := newSampler(q), make([]float64, 6)
	const n = 40000
	sum := mat.NewSymDense(6, nil)
	for range n {
		s.draw(rng, x)
		sum.SymRankOne(sum, 1./n, mat.NewVecDense(6, x))
	}
	for i := range 6 {
		for j := range 6 {
			require.InDelta(t, dense.At(i, j), sum.At(i, j), 0.03*(dense.At(i, i)+dense.At(j, j)))
		}
	}
}
