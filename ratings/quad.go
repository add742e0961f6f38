package ratings

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// frame says which parameter is which: first the ratings, then what is fitted
// beside them. An index is -1 for what isn't fitted.
type frame struct {
	dim             int
	advantage, draw int
}

// link is a quadratic form in what two parameters' games tell about: with
// parameters x, in q = (x[i]-x[j], advantage, draw parameter). i or j is -1 for
// a rating that is given.
type link struct {
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

// quad is a symmetric matrix of parameters as the sum of its links, and of pins
// (see pin). It is never written out where there are many parameters.
type quad struct {
	frame
	links []link
	pins  []pin
}

// pin adds weight times the square of the sum of its members.
type pin struct {
	members []int
	weight  float64
}

func (p pin) sum(x []float64) float64 {
	s := 0.0
	for _, i := range p.members {
		s += x[i]
	}
	return s
}

// at reads a parameter; one that isn't there is zero.
func at(x []float64, i int) float64 {
	if i < 0 {
		return 0
	}
	return x[i]
}

func put(x []float64, i int, v float64) {
	if i >= 0 {
		x[i] += v
	}
}

// apply stores the product with x in dst.
func (q *quad) apply(dst, x []float64) {
	clear(dst)
	adv, draw := at(x, q.advantage), at(x, q.draw)
	var sumV, sumW float64
	for k := range q.links {
		l := &q.links[k]
		d := at(x, l.i) - at(x, l.j)
		u := l.sym3[0]*d + l.sym3[1]*adv + l.sym3[2]*draw
		put(dst, l.i, u)
		put(dst, l.j, -u)
		sumV += l.sym3[1]*d + l.sym3[3]*adv + l.sym3[4]*draw
		sumW += l.sym3[2]*d + l.sym3[4]*adv + l.sym3[5]*draw
	}
	put(dst, q.advantage, sumV)
	put(dst, q.draw, sumW)
	for _, p := range q.pins {
		s := p.weight * p.sum(x)
		for _, i := range p.members {
			dst[i] += s
		}
	}
}

// form is the quadratic form of x.
func (q *quad) form(x []float64) float64 {
	adv, draw := at(x, q.advantage), at(x, q.draw)
	sum := 0.0
	for k := range q.links {
		l := &q.links[k]
		d := at(x, l.i) - at(x, l.j)
		sum += l.sym3[0]*d*d + l.sym3[3]*adv*adv + l.sym3[5]*draw*draw +
			2*(l.sym3[1]*d*adv+l.sym3[2]*d*draw+l.sym3[4]*adv*draw)
	}
	for _, p := range q.pins {
		s := p.sum(x)
		sum += p.weight * s * s
	}
	return sum
}

// diagonal stores the diagonal in dst.
func (q *quad) diagonal(dst []float64) {
	clear(dst)
	for k := range q.links {
		l := &q.links[k]
		put(dst, l.i, l.sym3[0])
		put(dst, l.j, l.sym3[0])
		put(dst, q.advantage, l.sym3[3])
		put(dst, q.draw, l.sym3[5])
	}
	for _, p := range q.pins {
		for _, i := range p.members {
			dst[i] += p.weight
		}
	}
}

// dense stores the whole matrix in dst.
func (q *quad) dense(dst *mat.SymDense) {
	dst.Zero()
	raw := dst.RawSymmetric() // upper triangle, by rows
	add := func(i, j int, v float64) {
		if i < 0 || j < 0 {
			return
		}
		if i > j {
			i, j = j, i
		}
		raw.Data[i*raw.Stride+j] += v
	}
	for k := range q.links {
		l := &q.links[k]
		add(l.i, l.i, l.sym3[0])
		add(l.j, l.j, l.sym3[0])
		add(l.i, l.j, -l.sym3[0])
		add(l.i, q.advantage, l.sym3[1])
		add(l.j, q.advantage, -l.sym3[1])
		add(l.i, q.draw, l.sym3[2])
		add(l.j, q.draw, -l.sym3[2])
		add(q.advantage, q.advantage, l.sym3[3])
		add(q.advantage, q.draw, l.sym3[4])
		add(q.draw, q.draw, l.sym3[5])
	}
	for _, p := range q.pins {
		for k, i := range p.members {
			for _, j := range p.members[k:] {
				add(i, j, p.weight)
			}
		}
	}
}

// sampler draws normal vectors of mean zero with a matrix as their covariance.
type sampler struct {
	*quad
	factors []sym3 // Cholesky factors of the links, lower triangle by columns
}

func newSampler(q *quad) *sampler {
	s := &sampler{q, make([]sym3, len(q.links))}
	for k := range q.links {
		s.factors[k] = q.links[k].factor()
	}
	return s
}

// factor is the Cholesky factor of a link; a direction without variance gets
// zeros.
func (s *sym3) factor() sym3 {
	root := func(x float64) float64 { return math.Sqrt(math.Max(0, x)) }
	over := func(x, y float64) float64 {
		if y == 0 {
			return 0
		}
		return x / y
	}
	a := root(s[0])
	b, c := over(s[1], a), over(s[2], a)
	d := root(s[3] - b*b)
	e := over(s[4]-b*c, d)
	return sym3{a, b, c, d, e, root(s[5] - c*c - e*e)}
}

// draw stores a vector in dst.
func (s *sampler) draw(rng *rand.Rand, dst []float64) {
	clear(dst)
	var sumV, sumW float64
	for k := range s.links {
		l, f := &s.links[k], &s.factors[k]
		x := rng.NormFloat64()
		u := f[0] * x
		put(dst, l.i, u)
		put(dst, l.j, -u)
		sumV += f[1] * x
		sumW += f[2] * x
		if f[3] > 0 {
			y := rng.NormFloat64()
			sumV += f[3] * y
			sumW += f[4] * y
		}
		if f[5] > 0 {
			sumW += f[5] * rng.NormFloat64()
		}
	}
	put(dst, s.advantage, sumV)
	put(dst, s.quad.draw, sumW)
}
