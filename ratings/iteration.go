package ratings

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"gyges/rules/base/interval"
	"gyges/rules/base/lists"
)

// iteration is second derivatives that are too many for a matrix: equations are solved by
// conjugate gradients (Hestenes and Stiefel 1952), whose steps grow with the pairings.
type iteration struct {
	*quadratic
	preconditioner *elimination
	diagonal       []float64 // by parameter
	// south has the second derivatives by each parameter and the advantage, but not by the advantage twice.
	south []float64
}

const (
	columns   = 16    // that are solved together
	tolerance = 1e-10 // of a solution, relative
	// sampleTolerance is that of a solution of which a variance is estimated.
	sampleTolerance = 1e-4
	drawsAtOnce     = 64
	maxDraws        = 1024
	// widthError is how far the width of an interval may be from that which the exact covariance gives, relative, in 95 of
	// 100 intervals.
	widthError = 0.05
)

func newIteration(q *quadratic) *iteration {
	h := &iteration{quadratic: q, diagonal: q.diagonalOf(q.terms), south: make([]float64, q.dim)}
	for k := range q.terms {
		q.add(h.south, q.terms[k], [2]float64{q.terms[k].sym2[1]})
	}
	for _, c := range q.constraints {
		for k, i := range c.members {
			h.diagonal[i] += c.weight * c.shares[k] * c.shares[k]
		}
	}
	h.preconditioner = eliminate(h.diagonal, q.terms, q.constraints)
	return h
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

// row returns that of a parameter, in n columns by rows.
func row[T any](x []T, i, n int) []T { return x[i*n:][:n] }

// multiply sets to to the product with n columns, by rows.
func (h *iteration) multiply(to, of []float64, n int) {
	for i, d := range h.diagonal {
		floats.ScaleTo(row(to, i, n), d, row(of, i, n))
	}
	symmetric := func(i, j int, v float64) {
		if n == 1 { // without calls
			to[i], to[j] = to[i]+v*of[j], to[j]+v*of[i]
			return
		}
		floats.AddScaled(row(to, i, n), v, row(of, j, n))
		floats.AddScaled(row(to, j, n), v, row(of, i, n))
	}
	for k := range h.terms {
		if t := &h.terms[k]; t.i >= 0 && t.j >= 0 {
			symmetric(int(t.i), int(t.j), -t.sym2[0])
		}
	}
	if h.advantage >= 0 {
		for i, v := range h.south {
			if v != 0 {
				symmetric(i, h.advantage, v)
			}
		}
	}
	for _, c := range h.constraints {
		sum := make([]float64, n)
		for k, i := range c.members {
			floats.AddScaled(sum, c.shares[k], row(of, i, n))
		}
		for k, i := range c.members {
			f := c.weight * c.shares[k]
			floats.AddScaled(row(to, i, n), f, sum)
			floats.AddScaled(row(to, i, n), -f*c.shares[k], row(of, i, n)) // which the diagonal has
		}
	}
}

func (h *iteration) solve(ctx context.Context, to, of []float64) error {
	x, err := h.solveColumns(ctx, slices.Clone(of), 1, tolerance)
	copy(to, x)
	return err
}

// solveColumns solves for n columns of right sides, by rows; it overwrites them.
func (h *iteration) solveColumns(ctx context.Context, r []float64, n int, tolerance float64) (x []float64, err error) {
	x = make([]float64, len(r))
	z, p, hp := slices.Clone(x), slices.Clone(x), slices.Clone(x)
	each := func(f func(k, q int)) { // element and its column
		for k := 0; k < len(x); k += n {
			for q := range n {
				f(k+q, q)
			}
		}
	}
	rz, goal := make([]float64, n), make([]float64, n)
	for step := range 10*h.dim + 100 {
		next, alpha, beta := make([]float64, n), make([]float64, n), make([]float64, n)
		copy(z, r)
		h.preconditioner.solve(z, n)
		each(func(k, q int) { next[q] += r[k] * z[k] })
		if step == 0 {
			floats.AddScaled(goal, tolerance*tolerance, next)
		}
		for q, v := range next {
			if !(v > goal[q]) {
				next[q] = 0 // solved
			} else if rz[q] > 0 {
				beta[q] = v / rz[q]
			}
		}
		if rz = next; floats.Max(rz) == 0 {
			return x, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		each(func(k, q int) { p[k] = z[k] + beta[q]*p[k] })
		h.multiply(hp, p, n)
		each(func(k, q int) { alpha[q] += p[k] * hp[k] })
		for q := range n {
			if alpha[q] > 0 {
				alpha[q] = rz[q] / alpha[q]
			}
		}
		each(func(k, q int) { x[k] += alpha[q] * p[k]; r[k] -= alpha[q] * hp[k] })
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
		errs := make([]error, drawsAtOnce/columns)
		lists.OnAllCores(len(errs), func(k int) { errs[k] = s.draw(ctx, terms, from+k) })
		if err := cmp.Or(errs...); err != nil {
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
	of := func(i int) []float64 { // the last row is for what isn't fitted
		if i < 0 {
			i = s.dim
		}
		return row(r, i, columns)
	}
	var e, f [columns]float64
	for k := range terms {
		t := &terms[k]
		// Cholesky factors of the covariance of what the pairing adds by difference and by advantage.
		d, both := math.Sqrt(t.sym2[0]), 0.0
		if d > 0 {
			both = t.sym2[1] / d
		}
		signs, one := rng.Uint64(), math.Float64bits(1)
		for q := range columns {
			e[q] = math.Float64frombits(one | signs>>q<<63)
			f[q] = math.Float64frombits(one | signs>>(q+columns)<<63)
		}
		floats.AddScaled(of(int(t.i)), d, e[:])
		floats.AddScaled(of(int(t.j)), -d, e[:])
		floats.AddScaled(of(s.advantage), both, e[:])
		floats.AddScaled(of(s.advantage), math.Sqrt(math.Max(0, t.sym2[2]-both*both)), f[:])
	}
	r = r[:s.dim*columns]
	s.first[b], s.solutions[b] = make([]float32, len(r)), make([]float32, len(r))
	for k := range r {
		s.first[b][k] = float32(r[k] / s.diagonal[k/columns])
	}
	goal := sampleTolerance
	if len(s.preconditioner.steps) > 0 {
		goal /= float64(s.dim) // the long waves of a chain are a small part of all
	}
	x, err := s.solveColumns(ctx, r, columns, goal)
	for k, v := range x {
		s.solutions[b][k] = float32(v)
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
	var none [columns]float32
	of := func(draws []float32, i int) []float32 {
		if i < 0 {
			return none[:]
		}
		return row(draws, i, columns)
	}
	var mean, control, square, spread, covariance float64 // of the two squares
	for b, first := range s.first {
		yi, yj, ai, aj := of(s.solutions[b], i), of(s.solutions[b], j), of(first, i), of(first, j)
		for q := range columns {
			y, a := float64(yi[q]-yj[q]), float64(ai[q]-aj[q])
			y, a = y*y, a*a
			mean, control, square, spread, covariance = mean+y, control+a, square+y*y, spread+a*a, covariance+y*a
		}
	}
	n := float64(len(s.first) * columns)
	mean, control = mean/n, control/n
	spread, covariance = spread/n-control*control, covariance/n-mean*control
	slope := 0.0
	if spread > 0 {
		slope = covariance / spread
	}
	variance = mean + slope*(known-control)
	sd = math.Sqrt(math.Max(0, square/n-mean*mean-slope*covariance) / n)
	if !(variance > 0) {
		variance = mean
	}
	return variance, sd
}
