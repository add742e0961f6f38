package ratings

import "gonum.org/v1/gonum/mat"

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
// (see pin).
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
