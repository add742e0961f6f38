package ratings

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/floats"

	"gyges/rules/base/interval"
)

// iteration is second derivatives that are too many for a matrix: equations are solved by conjugate gradients with the
// diagonal as preconditioner (Hestenes and Stiefel 1952), whose steps grow with the pairings.
type iteration struct {
	*quadratic
	diagonal []float64 // by parameter
}

const (
	columns   = 8     // that are solved together
	tolerance = 1e-10 // of a solution, relative
	// sampleTolerance is that of a solution of which a variance is estimated.
	sampleTolerance = 1e-5
	drawsAtOnce     = 64
	maxDraws        = 1024
	// widthError is how far the width of an interval may be from that which the exact covariance gives, relative, in 95 of
	// 100 intervals.
	widthError = 0.05
)

func newIteration(q *quadratic) *iteration {
	d := q.diagonalOf(q.terms)
	for _, c := range q.constraints {
		for k, i := range c.members {
			d[i] += c.weight * c.shares[k] * c.shares[k]
		}
	}
	return &iteration{q, d}
}

// diagonalOf returns that of the sum of terms.
func (p parameters) diagonalOf(terms []term) []float64 {
	d := make([]float64, p.dim)
	for k := range terms {
		t := &terms[k]
		for _, i := range [...]int32{t.i, t.j} {
			if i >= 0 {
				d[i] += t.sym2[0]
			}
		}
		if p.advantage >= 0 {
			d[p.advantage] += t.sym2[2]
		}
	}
	return d
}

// row returns that of a parameter, in n columns by rows; the one behind them for what isn't fitted.
func (h *iteration) row(x []float64, i, n int) []float64 {
	if i < 0 {
		i = h.dim
	}
	return x[i*n:][:n]
}

// multiply sets to to the product with n columns, by rows; behind the last row is room for one that doesn't count.
func (h *iteration) multiply(to, of []float64, n int) {
	clear(to)
	c, to3 := h.row(of, h.advantage, n), h.row(to, h.advantage, n)
	for k := range h.terms {
		t := &h.terms[k]
		i, j := int(t.i), int(t.j)
		a, b, to1, to2 := h.row(of, i, n), h.row(of, j, n), h.row(to, i, n), h.row(to, j, n)
		for q := range n {
			d := a[q] - b[q]
			g := t.sym2[0]*d + t.sym2[1]*c[q]
			to1[q] += g
			to2[q] -= g
			to3[q] += t.sym2[1]*d + t.sym2[2]*c[q]
		}
	}
	for _, c := range h.constraints {
		for q := range n {
			sum := 0.0
			for k, i := range c.members {
				sum += c.shares[k] * of[i*n+q]
			}
			for k, i := range c.members {
				to[i*n+q] += c.weight * c.shares[k] * sum
			}
		}
	}
	clear(to[h.dim*n:])
}

func (h *iteration) solve(ctx context.Context, to, of []float64) error {
	x, err := h.solveColumns(ctx, append(slices.Clone(of), 0), 1, tolerance)
	copy(to, x)
	return err
}

// solveColumns solves for n columns of right sides, by rows, with one more row; it overwrites them.
func (h *iteration) solveColumns(ctx context.Context, r []float64, n int, tolerance float64) (x []float64, err error) {
	x = make([]float64, len(r))
	z, p, hp := slices.Clone(x), slices.Clone(x), slices.Clone(x)
	each := func(f func(i, q int)) { // row and column
		for i := range h.dim {
			for q := range n {
				f(i*n+q, q)
			}
		}
	}
	beta := make([]float64, n)
	direction := func() (products []float64) {
		products = make([]float64, n)
		for i, d := range h.diagonal {
			for q := range n {
				k := i*n + q
				z[k] = r[k] / d
				products[q] += r[k] * z[k]
			}
		}
		return products
	}
	rz, goal := direction(), make([]float64, n)
	floats.AddScaled(goal, tolerance*tolerance, rz)
	for range 10*h.dim + 100 {
		each(func(k, q int) { p[k] = z[k] + beta[q]*p[k] })
		if !slices.ContainsFunc(rz, func(v float64) bool { return v > 0 }) {
			return x, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		h.multiply(hp, p, n)
		alpha := make([]float64, n)
		each(func(k, q int) { alpha[q] += p[k] * hp[k] })
		for q := range n {
			if alpha[q] > 0 {
				alpha[q] = rz[q] / alpha[q]
			}
		}
		each(func(k, q int) { x[k] += alpha[q] * p[k]; r[k] -= alpha[q] * hp[k] })
		next := direction()
		for q := range n {
			if beta[q] = 0; next[q] <= goal[q] || rz[q] == 0 {
				next[q] = 0 // solved
			} else {
				beta[q] = next[q] / rz[q]
			}
		}
		rz = next
	}
	return nil, fmt.Errorf("%w: the linear equations of a step were not solved", errStopped)
}

func (h *iteration) inverse(ctx context.Context) (covariance, error) {
	return h.sample(ctx, h.terms, drawsAtOnce)
}

func (h *iteration) sandwich(ctx context.Context, terms []term) (covariance, error) {
	return h.sample(ctx, terms, maxDraws)
}

// sampled is a covariance H⁻¹ S H⁻¹ estimated from a sample of solutions H⁻¹ s, where the signs of what each pairing
// adds to s are drawn at random, so that s has covariance S.
type sampled struct {
	*iteration
	// s divided by the diagonal of H, whose covariance is known, and solutions, by draws together and then by parameter.
	first, solutions [][]float32
	exact            []float64 // by parameter: the variance of first
	between          []entry   // S off the diagonal, sorted
}

// entry is a number off the diagonal of a symmetric matrix, in the row and column of = i<<32|j.
type entry struct {
	of    uint64
	value float64
}

func entryOf(i, j int) uint64 { return uint64(min(i, j))<<32 | uint64(max(i, j)) }

// sample returns H⁻¹ S H⁻¹, S the sum of terms, from as many draws as make it precise, or from the most.
func (h *iteration) sample(ctx context.Context, terms []term, most int) (*sampled, error) {
	s := &sampled{iteration: h, exact: h.diagonalOf(terms), between: make([]entry, 0, len(terms))}
	for i, d := range h.diagonal {
		s.exact[i] /= d * d
	}
	for _, t := range terms {
		if t.i >= 0 && t.j >= 0 {
			s.between = append(s.between, entry{entryOf(int(t.i), int(t.j)), -t.sym2[0]})
		}
	}
	slices.SortFunc(s.between, func(a, b entry) int { return cmp.Compare(a.of, b.of) })
	for {
		from := len(s.first)
		s.first = append(s.first, make([][]float32, drawsAtOnce/columns)...)
		s.solutions = append(s.solutions, make([][]float32, drawsAtOnce/columns)...)
		g, ctx := errgroup.WithContext(ctx)
		g.SetLimit(runtime.GOMAXPROCS(0))
		for b := from; b < len(s.first); b++ {
			g.Go(func() error { return s.draw(ctx, terms, b) })
		}
		if err := g.Wait(); err != nil {
			return nil, err
		}
		if len(s.first)*columns >= most || s.precise() {
			return s, nil
		}
	}
}

// draw makes draws b.
func (s *sampled) draw(ctx context.Context, terms []term, b int) error {
	r, rng := make([]float64, (s.dim+1)*columns), rand.New(rand.NewPCG(1, uint64(b)))
	for k := range terms {
		t := &terms[k]
		// Cholesky factors of the covariance of what the pairing adds by difference and by advantage.
		d, both := math.Sqrt(t.sym2[0]), 0.0
		if d > 0 {
			both = t.sym2[1] / d
		}
		south := math.Sqrt(math.Max(0, t.sym2[2]-both*both))
		signs := rng.Uint64()
		a, b, c := s.row(r, int(t.i), columns), s.row(r, int(t.j), columns), s.row(r, s.advantage, columns)
		for q := range columns {
			e, f := 1-2*float64(signs>>q&1), 1-2*float64(signs>>(q+columns)&1)
			a[q] += d * e
			b[q] -= d * e
			c[q] += both*e + south*f
		}
	}
	s.first[b], s.solutions[b] = make([]float32, s.dim*columns), make([]float32, s.dim*columns)
	for k := range s.first[b] {
		s.first[b][k] = float32(r[k] / s.diagonal[k/columns])
	}
	x, err := s.solveColumns(ctx, r, columns, sampleTolerance)
	for k := range s.solutions[b] {
		s.solutions[b][k] = float32(x[k])
	}
	return err
}

// precise reports whether 95 of 100 intervals are likely within widthError.
func (s *sampled) precise() bool {
	wide := 0
	for i := range s.dim {
		if v, sd := s.estimate(i, -1); interval.Z95*sd/2 > widthError*v {
			wide++
		}
	}
	return 20*wide <= s.dim
}

// note says how well the intervals are known.
func (s *sampled) note() string {
	draws, most := len(s.first)*columns, "95 of 100 are within"
	if draws >= maxDraws {
		most = "more than 5 of 100 may be further than"
	}
	return fmt.Sprintf("the intervals of so many players come from a sample of %d: %s %g %% from the exact ones", draws,
		most, 100*widthError)
}

func (s *sampled) variance(i, j int) float64 {
	v, _ := s.estimate(i, j)
	return v
}

// estimate returns the variance of parameter i less parameter j, and the standard error of that. What is first in a
// solution has a variance that is known: as a control variate it takes most of the chance out of the sample's where
// players have many opponents.
func (s *sampled) estimate(i, j int) (variance, sd float64) {
	known := 0.0
	for _, k := range [...]int{i, j} {
		if k >= 0 {
			known += s.exact[k]
		}
	}
	if i >= 0 && j >= 0 {
		of := func(e entry, key uint64) int { return cmp.Compare(e.of, key) }
		if k, ok := slices.BinarySearchFunc(s.between, entryOf(i, j), of); ok {
			known -= 2 * s.between[k].value / (s.diagonal[i] * s.diagonal[j])
		}
	}
	var sum, square sym2 // of the two squares, and their products
	n := float64(len(s.first) * columns)
	for b := range s.first {
		for q := range columns {
			y, a := s.less(s.solutions[b], i, j, q), s.less(s.first[b], i, j, q)
			sum.add(1, sym2{y * y, 0, a * a})
			square.add(1, outer(y*y, a*a))
		}
	}
	mean, control := sum[0]/n, sum[2]/n
	spread, covariance := square[2]/n-control*control, square[1]/n-mean*control
	slope := 0.0
	if spread > 0 {
		slope = covariance / spread
	}
	variance = mean + slope*(known-control)
	sd = math.Sqrt(math.Max(0, square[0]/n-mean*mean-slope*covariance) / n)
	if !(variance > 0) {
		variance = mean
	}
	return variance, sd
}

// less returns parameter i less parameter j in column q of draws.
func (s *sampled) less(draws []float32, i, j, q int) (v float64) {
	if i >= 0 {
		v = float64(draws[i*columns+q])
	}
	if j >= 0 {
		v -= float64(draws[j*columns+q])
	}
	return v
}
