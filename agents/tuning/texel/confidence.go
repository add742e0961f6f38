package texel

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Feature is the result of a fit for one feature.
type Feature struct {
	Name   string
	Parent float64 // weight before, in hundredths of a point
	Weight float64 // after
	// Error is the weight's standard error at the minimum of the training loss;
	// +Inf if the data don't determine it, 0 if it was frozen.
	Error float64
	// Without is the increase of the validation loss without the feature,
	// the other weights adjusted, and WithoutMargin half of the 95 % interval of
	// that; NaN if the weight was frozen.
	Without, WithoutMargin float64
	// Insignificant marks a feature whose weight's 95 % interval contains 0, or
	// without which the validation loss is lower by more than the margin.
	Insignificant bool
	// Frozen marks a weight that was not tuned.
	Frozen bool
}

const z95 = 1.959964 // of the normal distribution

// result returns the result of the fit.
func (f *fit) result() (*Result, error) {
	zero := make([]float64, len(f.rms))
	tuned := f.logits(f.last)
	r := &Result{
		Scale: f.scale, Iterations: f.iteration, EarlyStop: f.stopped,
		Loss:           Change{f.before.train.value(zero), f.train.value(tuned)},
		ValidationLoss: Change{f.before.validation.value(zero), f.lastLoss},
		Network:        f.network,
	}
	games := newGames(f.validation.data)
	for j, w := range f.weights(f.last) {
		r.Features = append(r.Features, Feature{
			Name: f.settings.Names[j], Parent: f.settings.Parent[j], Weight: w, Frozen: true,
			Without: math.NaN(), WithoutMargin: math.NaN(),
		})
	}
	if len(f.free) == 0 {
		return r, nil
	}
	bread, meat := f.curvature(tuned)
	inverse, known, err := invert(bread)
	if err != nil {
		return nil, err
	}
	var covariance mat.Dense
	covariance.Mul(inverse, meat)
	covariance.Mul(&covariance, inverse)
	for m, j := range f.free {
		p := &r.Features[j]
		p.Frozen = false
		p.Error = math.Inf(1)
		if known[m] {
			p.Error = math.Sqrt(max(covariance.At(m, m), 0)) / f.rms[j] / f.scale
		}
		p.Without, p.WithoutMargin = f.validation.lossDifference(games, tuned, f.validation, f.logits(f.without(m, inverse)))
		p.Insignificant = math.Abs(p.Weight) < z95*p.Error || p.Without < -p.WithoutMargin
	}
	return r, nil
}

// test returns the loss of the test positions by the parent's weights and by the
// fitted ones.
func (f *fit) test(d *Data) *Test {
	before := parentLoss(d, &f.settings, f.scale)
	after := before
	if f.network != nil {
		after = f.withNetwork(before)
	}
	zero, tuned := make([]float64, len(f.rms)), f.logits(f.last)
	t := &Test{Positions: d.rows, ParentLoss: before.value(zero), Loss: after.value(tuned)}
	t.Gain, t.GainMargin = after.lossDifference(newGames(d), tuned, before, zero)
	return t
}

// without returns the best u with the weight of the m-th free feature at 0, as
// far as the loss is quadratic.
func (f *fit) without(m int, inverse *mat.SymDense) []float64 {
	u := append([]float64(nil), f.last...)
	j := f.free[m]
	to := -f.start[j] * f.scale * f.rms[j]
	if c := inverse.At(m, m); c > 0 {
		for i := range u {
			u[i] += inverse.At(i, m) / c * (to - f.last[m])
		}
	}
	u[m] = to
	return u
}

// curvature returns the Hessian of the penalised loss and the covariance of its
// gradient, both in terms of u. Positions of one game are a cluster, since their
// results are correlated; where games are
// not known, the covariance is that of independent results, the loss's Hessian
// by the number of positions.
func (f *fit) curvature(v []float64) (bread, meat *mat.SymDense) {
	n := len(f.free)
	index := make([]int, len(f.rms))
	for j := range index {
		index[j] = -1
	}
	for m, j := range f.free {
		index[j] = m
	}
	sums := f.train.data.sum(n*n, func(b *block, k int, sums []float64) {
		for i := range b.rows() {
			p, _ := logistic(f.train.logit(b, k, i, v))
			c := float64(b.count[i]) * p * (1 - p)
			columns, values := b.row(i)
			for x, jx := range columns {
				mx := index[jx]
				if mx < 0 {
					continue
				}
				for y, jy := range columns[:x+1] {
					if my := index[jy]; my >= 0 {
						sums[mx*n+my] += c * float64(values[x]) * float64(values[y])
					}
				}
			}
		}
	})
	bread, meat = mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	count := f.train.data.count
	for x := range n {
		for y := range x + 1 {
			h := sums[x*n+y] / count / f.rms[f.free[x]] / f.rms[f.free[y]]
			bread.SetSym(x, y, h)
			meat.SetSym(x, y, h/count)
		}
	}
	if f.train.data.hasGames {
		meat = f.clusterCovariance(f.train.gradients(newGames(f.train.data), v))
	}
	for m := range n {
		bread.SetSym(m, m, bread.At(m, m)+f.settings.L2)
	}
	return bread, meat
}

// clusterCovariance returns the covariance of the gradient by games, as in the sandwich
// estimator for clusters (Liang and Zeger 1986). gradients holds the sum of each
// game's, one after the other.
func (f *fit) clusterCovariance(gradients []float64) *mat.SymDense {
	n, all := len(f.free), len(f.rms)
	games := len(gradients) / all
	s := mat.NewSymDense(n, nil)
	x := mat.NewVecDense(n, nil)
	for g := range games {
		for m, j := range f.free {
			x.SetVec(m, gradients[g*all+j]/f.rms[j]/f.train.data.count)
		}
		s.SymRankOne(s, 1, x)
	}
	s.ScaleSym(float64(games)/float64(max(games-1, 1)), s)
	return s
}

// invert returns the inverse of a symmetric matrix of which no eigenvalue is
// below 0, but for rounding, and which variables it determines. Directions of
// eigenvalues next to 0 are left out.
func invert(a *mat.SymDense) (inverse *mat.SymDense, known []bool, err error) {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return nil, nil, errors.New("the Hessian has no eigenvalues: expected finite data")
	}
	n := a.SymmetricDim()
	values := e.Values(nil)
	var q mat.Dense
	e.VectorsTo(&q)
	inverse = mat.NewSymDense(n, nil)
	known = make([]bool, n)
	for m := range known {
		known[m] = true
	}
	for k, x := range values {
		column := q.ColView(k)
		if x > 1e-10*values[n-1] {
			inverse.SymRankOne(inverse, 1/x, column)
			continue
		}
		for m := range known {
			known[m] = known[m] && math.Abs(column.AtVec(m)) < 1e-4
		}
	}
	return inverse, known, nil
}
