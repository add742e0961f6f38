package texel

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Feature is the result of a fit for one feature.
type Feature struct {
	Name   string  `json:"feature"`
	Parent float64 `json:"parent"` // weight before, in hundredths of a point
	Weight float64 `json:"weight"` // after
	// Error is the weight's standard error at the minimum of the training loss;
	// nil if the data don't determine it, or it was frozen.
	Error *float64 `json:"error"`
	// Without is the increase of the validation loss without the feature,
	// the other weights adjusted, and WithoutMargin half of the 95 % interval of
	// that; nil if the weight was frozen.
	Without       *float64 `json:"without"`
	WithoutMargin *float64 `json:"without_margin"`
	// Insignificant marks a feature whose weight's 95 % interval contains 0, or
	// without which the validation loss is lower by more than the margin.
	Insignificant bool `json:"insignificant"`
	// Frozen marks a weight that was not tuned.
	Frozen bool `json:"frozen"`
}

const z95 = 1.959964 // of the normal distribution

// features returns the result for each feature.
func (f *fit) features() ([]Feature, error) {
	list := make([]Feature, len(f.rms))
	for j, w := range f.weights(f.last) {
		list[j] = Feature{Name: f.settings.Names[j], Parent: f.settings.Parent[j], Weight: w, Frozen: true}
	}
	if len(f.free) == 0 {
		return list, nil
	}
	tuned := f.logits(f.last)
	hessian := f.hessian(tuned)
	inverse, known, err := invert(hessian)
	if err != nil {
		return nil, err
	}
	var covariance mat.Dense // the sandwich estimator for clusters (Liang and Zeger 1986)
	covariance.Mul(inverse, f.gradientCovariance(tuned))
	covariance.Mul(&covariance, inverse)
	games := numberGames(f.validation.data)
	for m, j := range f.free {
		p := &list[j]
		p.Frozen = false
		without, margin := f.validation.difference(games, tuned, f.validation, f.logits(f.without(m, inverse)))
		p.Without, p.WithoutMargin = &without, &margin
		p.Insignificant = without < -margin
		if known[m] {
			e := math.Sqrt(max(covariance.At(m, m), 0)) / f.rms[j] / f.scale
			p.Error = &e
		}
		if p.Error == nil || math.Abs(p.Weight) < z95**p.Error {
			p.Insignificant = true
		}
	}
	return list, nil
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

// hessian returns the Hessian of the penalised loss in terms of u.
func (f *fit) hessian(v []float64) *mat.SymDense {
	n := f.train.data.features
	sums := f.train.data.sum(n*n, func(b *block, k int, sums []float64) {
		for i := range b.rows {
			p, _ := logistic(f.train.logit(b, k, i, v))
			c := float64(b.rows[i].count) * p * (1 - p)
			columns, values := b.features(i)
			for x, jx := range columns {
				row := sums[int(jx)*n:]
				for y, jy := range columns[:x+1] {
					row[jy] += c * float64(values[x]) * float64(values[y])
				}
			}
		}
	})
	h := mat.NewSymDense(len(f.free), nil)
	for x, jx := range f.free {
		for y, jy := range f.free[:x+1] {
			h.SetSym(x, y, sums[jx*n+jy]/f.train.data.count/f.rms[jx]/f.rms[jy])
		}
		h.SetSym(x, x, h.At(x, x)+f.settings.L2)
	}
	return h
}

// games numbers the games of positions. Positions of one game are a cluster, since
// their results are correlated.
type games struct {
	of     [][]int32 // the number of each position's game, block by block
	counts []float64 // positions of each game, as often as they occurred
}

func numberGames(d *Data) *games {
	g := &games{of: make([][]int32, len(d.blocks))}
	known := map[uint32]int32{}
	for k, b := range d.blocks {
		g.of[k] = make([]int32, len(b.rows))
		for i := range b.rows {
			n, ok := known[b.rows[i].game]
			if !ok {
				n = int32(len(g.counts))
				known[b.rows[i].game] = n
				g.counts = append(g.counts, 0)
			}
			g.of[k][i] = n
			g.counts[n] += float64(b.rows[i].count)
		}
	}
	return g
}

// gradientCovariance returns the covariance of the loss's gradient in terms of u, by
// games.
func (f *fit) gradientCovariance(v []float64) *mat.SymDense {
	l, n := f.train, f.train.data.features
	g := numberGames(l.data)
	sums := make([]float64, n*len(g.counts)) // of each game's parts of the gradient
	for k, b := range l.data.blocks {
		for i := range b.rows {
			p, _ := logistic(l.logit(b, k, i, v))
			residual := float64(b.rows[i].count) * (p - float64(l.targets[k][i]))
			sum := sums[n*int(g.of[k][i]):]
			columns, values := b.features(i)
			for m, j := range columns {
				sum[j] += residual * float64(values[m])
			}
		}
	}
	s := mat.NewSymDense(len(f.free), nil)
	x := mat.NewVecDense(len(f.free), nil)
	for game := range g.counts {
		for m, j := range f.free {
			x.SetVec(m, sums[game*n+j]/f.rms[j]/l.data.count)
		}
		s.SymRankOne(s, 1, x)
	}
	count := float64(len(g.counts))
	s.ScaleSym(count/max(count-1, 1), s)
	return s
}

// difference returns the loss of other at the point otherAt minus that of l at v, and
// half of its 95 % interval.
func (l *loss) difference(g *games, v []float64, other *loss, otherAt []float64) (mean, margin float64) {
	differences := make([][]float64, len(l.data.blocks))
	parallel(len(l.data.blocks), func(k int) {
		b := l.data.blocks[k]
		differences[k] = make([]float64, len(b.rows))
		for i := range b.rows {
			differences[k][i] = float64(b.rows[i].count) * (other.at(b, k, i, otherAt) - l.at(b, k, i, v))
		}
	})
	sums := make([]float64, len(g.counts))
	for k := range differences {
		for i, x := range differences[k] {
			sums[g.of[k][i]] += x
		}
	}
	for _, x := range sums {
		mean += x
	}
	mean /= l.data.count
	square := 0.0
	for n, x := range sums {
		d := x - mean*g.counts[n]
		square += d * d
	}
	return mean, z95 * math.Sqrt(square) / l.data.count
}

// invert returns the inverse of a symmetric matrix whose eigenvalues are not negative,
// but for rounding, and which variables it determines. Directions of eigenvalues next
// to 0 are omitted.
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
