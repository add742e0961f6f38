package ratings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"gyges/rules/base/interval"
	"gyges/rules/base/lists"
)

// iteration is second derivatives H that are too many for a matrix: equations are solved by
// conjugate gradients (Hestenes and Stiefel 1952), whose steps grow with the pairings.
type iteration struct {
	*quadratic
	links          []link
	preconditioner *elimination
	diagonal       []float64 // by parameter
	// south has the second derivatives by each parameter and the advantage, but not by the
	// advantage twice.
	south []float64
}

const (
	columns   = 16    // that are solved together
	tolerance = 1e-10 // of a solution, relative
	// sampleTolerance is the tolerance of a solution of which a variance is estimated.
	sampleTolerance = 1e-4
	drawsAtOnce     = 64
	maxDraws        = 1024
	// widthError is how far the width of an interval may be from the width by the exact covariance,
	// relative, in 95 of 100 intervals.
	widthError = 0.05
)

func newIteration(q *quadratic) *iteration {
	h := &iteration{quadratic: q, links: linksOf(q.terms)}
	h.diagonal = q.diagonalOf(q.terms)
	h.south = make([]float64, q.dim)
	for _, t := range q.terms {
		q.addGradient(h.south, t, [2]float64{t.sym2[1]})
	}
	for _, c := range q.constraints {
		for k, i := range c.members {
			h.diagonal[i] += c.weight * c.shares[k] * c.shares[k]
		}
	}
	h.preconditioner = eliminate(h.diagonal, h.links, q.constraints)
	return h
}

// link is what the second derivative by two ratings is below zero; i is less than j.
type link struct {
	i, j   int
	weight float64
}

func (l link) compare(o link) int { return cmp.Or(cmp.Compare(l.i, o.i), cmp.Compare(l.j, o.j)) }

// linksOf returns the links of terms between ratings that are fitted.
func linksOf(terms []term) []link {
	links := make([]link, 0, len(terms))
	for _, t := range terms {
		if t.i >= 0 && t.j >= 0 {
			links = append(links, link{int(t.i), int(t.j), t.sym2[0]})
		}
	}
	return links
}

// diagonalOf returns the diagonal of the sum of terms.
func (p parameters) diagonalOf(terms []term) []float64 {
	d := make([]float64, p.dim)
	for _, t := range terms {
		if t.i >= 0 {
			d[t.i] += t.sym2[0]
		}
		if t.j >= 0 {
			d[t.j] += t.sym2[0]
		}
		if p.advantage >= 0 {
			d[p.advantage] += t.sym2[2]
		}
	}
	return d
}

// drawRow returns the row of a parameter in a matrix of a [draw]; the last one for -1.
func drawRow[T any](x []T, i int) []T {
	if i < 0 {
		i = len(x)/columns - 1
	}
	return row(x, i, columns)
}

// row returns the row of a parameter in a matrix of n columns, by rows.
func row[T any](x []T, i, n int) []T { return x[i*n:][:n] }

// multiply sets to to H times of, both matrices of n columns, by rows.
func (h *iteration) multiply(to, of []float64, n int) {
	for i, d := range h.diagonal {
		floats.ScaleTo(row(to, i, n), d, row(of, i, n))
	}
	symmetric := func(i, j int, v float64) {
		if n == 1 { // without calls, which would take a seventh of the time of a fit
			to[i] += v * of[j]
			to[j] += v * of[i]
			return
		}
		floats.AddScaled(row(to, i, n), v, row(of, j, n))
		floats.AddScaled(row(to, j, n), v, row(of, i, n))
	}
	for _, l := range h.links {
		symmetric(l.i, l.j, -l.weight)
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
			curve := c.weight * c.shares[k]
			floats.AddScaled(row(to, i, n), curve, sum)
			// Less what the diagonal has.
			floats.AddScaled(row(to, i, n), -curve*c.shares[k], row(of, i, n))
		}
	}
}

func (h *iteration) solve(ctx context.Context, to, of []float64) error {
	x, err := h.solveColumns(ctx, slices.Clone(of), 1, tolerance)
	copy(to, x)
	return err
}

// solveColumns solves for n columns of right sides, by rows; it overwrites them with what is left
// of them. Names are those of the textbooks: x the solution, r the residual, z the preconditioned
// residual, p the direction of the step.
func (h *iteration) solveColumns(
	ctx context.Context, r []float64, n int, tolerance float64,
) (x []float64, err error) {
	x = make([]float64, len(r))
	z := make([]float64, len(r))
	p := make([]float64, len(r))
	hp := make([]float64, len(r))
	var rz, goal []float64 // by column: r·z, and where the column is solved
	for range 10*h.dim + 100 {
		copy(z, r)
		h.preconditioner.solve(z, n)
		next := columnProducts(r, z, n)
		if goal == nil {
			goal = floats.ScaleTo(make([]float64, n), tolerance*tolerance, next)
			rz = make([]float64, n)
		}
		beta := make([]float64, n)
		for q, v := range next {
			if !(v > goal[q]) {
				next[q] = 0 // solved
			} else if rz[q] > 0 {
				beta[q] = v / rz[q]
			}
		}
		rz = next
		if floats.Max(rz) == 0 {
			return x, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for k := 0; k < len(p); k += n {
			for q, b := range beta {
				p[k+q] = z[k+q] + b*p[k+q]
			}
		}
		h.multiply(hp, p, n)
		alpha := columnProducts(p, hp, n)
		for q, curve := range alpha {
			if curve > 0 {
				alpha[q] = rz[q] / curve
			}
		}
		for k := 0; k < len(x); k += n {
			for q, a := range alpha {
				x[k+q] += a * p[k+q]
				r[k+q] -= a * hp[k+q]
			}
		}
	}
	return nil, fmt.Errorf("%w: the linear equations of a step were not solved", errStopped)
}

// columnProducts returns the scalar products of the n columns of two matrices, by rows.
func columnProducts(a, b []float64, n int) []float64 {
	sum := make([]float64, n)
	for k := 0; k < len(a); k += n {
		for q := range sum {
			sum[q] += a[k+q] * b[k+q]
		}
	}
	return sum
}

func (h *iteration) inverse(ctx context.Context) (covariance, error) {
	return h.sample(ctx, h.terms, drawsAtOnce)
}

func (h *iteration) sandwich(
	ctx context.Context, _ covariance, terms []term,
) (covariance, error) {
	return h.sample(ctx, terms, maxDraws)
}

// sampled is a covariance H⁻¹ S H⁻¹ estimated from a sample of solutions H⁻¹ s, where the signs
// of what each pairing adds to s are drawn at random, so that s has covariance S (Bekas,
// Kokiopoulou and Saad 2007, An estimator for the diagonal of a matrix).
type sampled struct {
	*iteration
	draws   []draw
	exact   []float64 // by parameter: the variance of its rows in [draw.first]
	between []link    // of S, sorted
}

// draw is a part of a sample: two matrices with a row for each parameter, one of zeros for what
// isn't fitted, and a column for each solution.
type draw struct {
	first     []float32 // s divided by the diagonal of H, whose covariance is known
	solutions []float32
}

// sample returns H⁻¹ S H⁻¹, S the sum of terms, from as many draws as make it precise, or from
// the most.
func (h *iteration) sample(ctx context.Context, terms []term, most int) (*sampled, error) {
	s := &sampled{iteration: h, exact: h.diagonalOf(terms), between: linksOf(terms)}
	for i, d := range h.diagonal {
		s.exact[i] /= d * d
	}
	slices.SortFunc(s.between, link.compare)
	const batch = drawsAtOnce / columns
	for {
		from := len(s.draws)
		s.draws = append(s.draws, make([]draw, batch)...)
		errs := make([]error, batch)
		lists.OnAllCores(batch, func(k int) {
			s.draws[from+k], errs[k] = h.draw(ctx, terms, uint64(from+k))
		})
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
		if s.size() >= most || s.precise() {
			return s, nil
		}
	}
}

// size is the number of draws.
func (s *sampled) size() int { return len(s.draws) * columns }

// draw draws a part of a sample of a covariance with the given terms.
func (h *iteration) draw(ctx context.Context, terms []term, seed uint64) (draw, error) {
	random := rand.New(rand.NewPCG(1, seed))
	right := make([]float64, (h.dim+1)*columns)
	advantage := drawRow(right, h.advantage)
	var shared, own [columns]float64 // signs
	for k := range terms {
		t := &terms[k]
		// Cholesky factors of the covariance of what the pairing adds by difference and by
		// advantage.
		difference, both := math.Sqrt(t.sym2[0]), 0.0
		if difference > 0 {
			both = t.sym2[1] / difference
		}
		alone := math.Sqrt(math.Max(0, t.sym2[2]-both*both))
		bits := random.Uint64()
		for q := range columns {
			shared[q] = sign(bits, q)
			own[q] = sign(bits, q+columns)
		}
		floats.AddScaled(drawRow(right, int(t.i)), difference, shared[:])
		floats.AddScaled(drawRow(right, int(t.j)), -difference, shared[:])
		floats.AddScaled(advantage, both, shared[:])
		floats.AddScaled(advantage, alone, own[:])
	}
	d := draw{first: make([]float32, len(right)), solutions: make([]float32, len(right))}
	right = right[:h.dim*columns]
	for k, v := range right {
		d.first[k] = float32(v / h.diagonal[k/columns])
	}
	goal := sampleTolerance
	if len(h.preconditioner.steps) > 0 {
		goal /= float64(h.dim) // the long waves of a chain are a small part of all
	}
	x, err := h.solveColumns(ctx, right, columns, goal)
	for k, v := range x {
		d.solutions[k] = float32(v)
	}
	return d, err
}

// sign returns -1 for a bit that is set, and 1 for another. A branch, half of the time the other,
// would take longer.
func sign(bits uint64, i int) float64 {
	bit := int(bits >> i & 1)
	return 1 - 2*float64(bit)
}

// precise reports whether 95 of 100 intervals are likely within widthError.
func (s *sampled) precise() bool {
	wide := 0
	for i := range s.dim {
		variance, sd := s.estimate(i, -1)
		if interval.Z95*sd/2 > widthError*variance {
			wide++
		}
	}
	return 20*wide <= s.dim
}

// note says how well the intervals are known.
func (s *sampled) note() string {
	most := "95 of 100 are within"
	if s.size() >= maxDraws {
		most = "more than 5 of 100 may be further than"
	}
	return fmt.Sprintf("the intervals of so many players come from a sample of %d: %s %g %% from "+
		"the exact ones", s.size(), most, 100*widthError)
}

func (s *sampled) variance(i, j int) float64 {
	v, _ := s.estimate(i, j)
	return v
}

// estimate returns the variance of parameter i less parameter j, and the standard error of that.
// What is first in a solution has a variance that is known: as a control variate it takes most of
// the chance out of the sample's where players have many opponents.
func (s *sampled) estimate(i, j int) (variance, sd float64) {
	known := s.firstVariance(i, j)
	// Sums, and then means, of the square of a difference, y, of its control, c, and of their
	// products.
	var y, c, yy, cc, yc float64
	for _, d := range s.draws {
		ofI, ofJ := drawRow(d.solutions, i), drawRow(d.solutions, j)
		firstI, firstJ := drawRow(d.first, i), drawRow(d.first, j)
		for q := range columns {
			difference := float64(ofI[q] - ofJ[q])
			control := float64(firstI[q] - firstJ[q])
			difference *= difference
			control *= control
			y += difference
			c += control
			yy += difference * difference
			cc += control * control
			yc += difference * control
		}
	}
	n := float64(s.size())
	y /= n
	c /= n
	spread := cc/n - c*c
	covariance := yc/n - y*c
	slope := 0.0
	if spread > 0 {
		slope = covariance / spread
	}
	sd = math.Sqrt(math.Max(0, yy/n-y*y-slope*covariance) / n)
	variance = y + slope*(known-c)
	if !(variance > 0) {
		variance = y
	}
	return variance, sd
}

// firstVariance returns the variance of parameter i less parameter j in [draw.first].
func (s *sampled) firstVariance(i, j int) float64 {
	variance := parameter(s.exact, i) + parameter(s.exact, j)
	between := link{i: min(i, j), j: max(i, j)}
	k, linked := slices.BinarySearchFunc(s.between, between, link.compare)
	if linked { // not if i or j is -1
		weight := s.between[k].weight
		variance += 2 * weight / (s.diagonal[i] * s.diagonal[j])
	}
	return variance
}
