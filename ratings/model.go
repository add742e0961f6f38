package ratings

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// eloPerNat converts the natural logistic scale, on which the likelihood is
// computed, to Elo: 400/ln 10.
const eloPerNat = 400 / math.Ln10

// model is the negative log-likelihood of one fit. Its parameters are the
// ratings of the players, numbered from 0, followed by the advantage if that is
// fitted; all on the natural scale.
//
// The likelihood doesn't change when all ratings of a group move together. A
// quadratic term in the sum of the group's ratings pins them: it is zero at
// mean zero and only there, so it picks that one among the equal maxima without
// moving any difference, and makes the Hessian positive definite.
type model struct {
	players   int
	pairs     []pairPoints
	groups    []pin
	fitted    bool    // the advantage is a parameter
	advantage float64 // the advantage if it is not
}

// pairPoints is what South and North scored in their games.
type pairPoints struct {
	cell
	won, lost float64
}

// pin holds a group's mean at zero: weight/2 times the square of the sum.
type pin struct {
	members []int
	weight  float64
}

// newModel takes games whose two players belong to one group each; groups and
// pairs are numbered alike.
func newModel(players int, groups [][]int, pairs []meeting) *model {
	m := &model{players: players, pairs: make([]pairPoints, len(pairs))}
	of := make([]int, players)
	for g, members := range groups {
		m.groups = append(m.groups, pin{members: members})
		for _, i := range members {
			of[i] = g
		}
	}
	for i, p := range pairs {
		m.pairs[i] = pairPoints{p.cell, p.Points(), p.flip().Points()}
		m.groups[of[p.south]].weight += float64(p.Games())
	}
	for g := range m.groups {
		// Any positive weight gives the same answer. This one makes the term's
		// curvature that of an average player, which keeps the Hessian as well
		// conditioned as the data allow.
		n := float64(len(m.groups[g].members))
		m.groups[g].weight /= 2 * n * n
	}
	return m
}

func (m *model) dim() int {
	if m.fitted {
		return m.players + 1
	}
	return m.players
}

// edge is South's rating and advantage minus North's rating.
func (m *model) edge(x []float64, c cell) float64 {
	a := m.advantage
	if m.fitted {
		a = x[m.players]
	}
	return x[c.south] + a - x[c.north]
}

// value is the negative log-likelihood.
func (m *model) value(x []float64) float64 {
	sum := 0.0
	for _, p := range m.pairs {
		z := m.edge(x, p.cell)
		sum += p.won*softplus(-z) + p.lost*softplus(z)
	}
	for _, g := range m.groups {
		s := g.sum(x)
		sum += g.weight / 2 * s * s
	}
	return sum
}

// gradient stores the gradient of value in dst.
func (m *model) gradient(dst, x []float64) {
	clear(dst)
	for _, p := range m.pairs {
		d := p.surplus(m.edge(x, p.cell))
		dst[p.south] -= d
		dst[p.north] += d
		if m.fitted {
			dst[m.players] -= d
		}
	}
	for _, g := range m.groups {
		s := g.weight * g.sum(x)
		for _, i := range g.members {
			dst[i] += s
		}
	}
}

// hessian stores the second derivatives of value in dst. As draws are half
// points they don't depend on the results but for x, so this is also the
// expected information.
func (m *model) hessian(dst *mat.SymDense, x []float64) {
	dst.Zero()
	raw := dst.RawSymmetric() // upper triangle, by rows
	add := func(i, j int, v float64) {
		if i > j {
			i, j = j, i
		}
		raw.Data[i*raw.Stride+j] += v
	}
	for _, p := range m.pairs {
		e := logistic(-math.Abs(m.edge(x, p.cell)))
		h := (p.won + p.lost) * e * (1 - e)
		add(p.south, p.south, h)
		add(p.north, p.north, h)
		add(p.south, p.north, -h)
		if m.fitted {
			add(p.south, m.players, h)
			add(p.north, m.players, -h)
			add(m.players, m.players, h)
		}
	}
	for _, g := range m.groups {
		for k, i := range g.members {
			for _, j := range g.members[k:] {
				add(i, j, g.weight)
			}
		}
	}
}

// surplus is South's points less those expected at the given edge. It is
// computed from the side that is expected to score less, where no digits are
// lost in a lopsided pairing.
func (p pairPoints) surplus(edge float64) float64 {
	n := p.won + p.lost
	if edge > 0 {
		return n*logistic(-edge) - p.lost
	}
	return p.won - n*logistic(edge)
}

func (g pin) sum(x []float64) float64 {
	s := 0.0
	for _, i := range g.members {
		s += x[i]
	}
	return s
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// softplus is ln(1 + e^z) without overflow.
func softplus(z float64) float64 {
	return math.Max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}
