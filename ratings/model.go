package ratings

import "math"

// eloPerNat converts the natural logistic scale, on which the likelihood is
// computed, to Elo: 400/ln 10.
const eloPerNat = 400 / math.Ln10

// model is the negative log-likelihood of one fit, with the priors. Its
// parameters are all on the natural scale.
//
// Where nothing holds a group's ratings, the likelihood doesn't change when all
// of them move together. A pin, a quadratic term in their sum, holds them: it is
// zero where that sum is, so it picks that one among the equal maxima without
// moving any difference, and makes the Hessian positive definite.
type model struct {
	frame
	drawModel drawModel
	given     float64 // the advantage if it isn't fitted
	pairings  []pairing
	virtual   []virtual
	ties      []tie
	pins      []pin
}

// pairing is all games between two players. d = x[i]-x[j]+shift is the first's
// rating less the second's.
type pairing struct {
	i, j  int
	shift float64
	games [2]weights // by who had South; South's results
}

// virtual is so many virtual draws of a player, at shift above the rating i,
// against the imaginary opponent j. The advantage has no part in them.
type virtual struct {
	i, j  int
	shift float64
	draws float64
}

func (v *virtual) edge(x []float64) float64 { return at(x, v.i) + v.shift - at(x, v.j) }

// games is the virtual draws as results.
func (v *virtual) games() weights { return weights{1: v.draws} }

// ratings is the number of ratings that are free.
func (m *model) ratings() int {
	n := m.dim - len(m.pins)
	if m.advantage >= 0 {
		n--
	}
	if m.draw >= 0 {
		n--
	}
	return n
}

func (m *model) advantageAt(x []float64) float64 {
	if m.advantage < 0 {
		return m.given
	}
	return x[m.advantage]
}

// edges are South's edge in the games of the pairing's first player with South,
// and of the second with South.
func (d *pairing) edges(x []float64, advantage float64) [2]float64 {
	z := at(x, d.i) - at(x, d.j) + d.shift
	return [2]float64{z + advantage, advantage - z}
}

// miss is by how much a tie isn't met.
func (t *tie) miss(x []float64) float64 { return at(x, t.i) - at(x, t.j) - t.mean }

// value is the negative log-likelihood.
func (m *model) value(x []float64) float64 {
	sum := 0.0
	adv, draw := m.advantageAt(x), at(x, m.draw)
	for k := range m.pairings {
		d := &m.pairings[k]
		for side, z := range d.edges(x, adv) {
			sum += m.drawModel.loss(d.games[side], z, draw)
		}
	}
	for _, v := range m.virtual {
		sum += halfPoints{}.loss(v.games(), v.edge(x), 0)
	}
	for k := range m.ties {
		miss := m.ties[k].miss(x)
		sum += m.ties[k].weight / 2 * miss * miss
	}
	for _, p := range m.pins {
		s := p.sum(x)
		sum += p.weight / 2 * s * s
	}
	return sum
}

// gradient stores the gradient of value in dst.
func (m *model) gradient(dst, x []float64) {
	clear(dst)
	adv, draw := m.advantageAt(x), at(x, m.draw)
	var sumV, sumW float64
	for k := range m.pairings {
		d := &m.pairings[k]
		z := d.edges(x, adv)
		z0, t0 := m.drawModel.slope(d.games[0], z[0], draw)
		z1, t1 := m.drawModel.slope(d.games[1], z[1], draw)
		put(dst, d.i, z0-z1)
		put(dst, d.j, z1-z0)
		sumV += z0 + z1
		sumW += t0 + t1
	}
	put(dst, m.advantage, sumV)
	put(dst, m.draw, sumW)
	for _, v := range m.virtual {
		u, _ := halfPoints{}.slope(v.games(), v.edge(x), 0)
		put(dst, v.i, u)
		put(dst, v.j, -u)
	}
	for k := range m.ties {
		t := &m.ties[k]
		u := t.weight * t.miss(x)
		put(dst, t.i, u)
		put(dst, t.j, -u)
	}
	for _, p := range m.pins {
		s := p.weight * p.sum(x)
		for _, i := range p.members {
			dst[i] += s
		}
	}
}

// hessian returns the second derivatives of value: a link for each pairing, then
// those of the priors.
func (m *model) hessian(x []float64) *quad {
	h := &quad{frame: m.frame, pins: m.pins, links: make([]link, 0, len(m.pairings)+len(m.virtual)+len(m.ties))}
	adv, draw := m.advantageAt(x), at(x, m.draw)
	for k := range m.pairings {
		d := &m.pairings[k]
		var sum sym3
		for side, z := range d.edges(x, adv) {
			zz, zt, tt := m.drawModel.curve(d.games[side], z, draw)
			sum.add(1, side3(side, zz, zt, tt))
		}
		h.links = append(h.links, link{d.i, d.j, sum})
	}
	h.links = append(h.links, m.priorLinks(x)...)
	return h
}

// priorLinks are the second derivatives of the virtual draws and the ties.
func (m *model) priorLinks(x []float64) []link {
	var links []link
	for _, v := range m.virtual {
		zz, _, _ := halfPoints{}.curve(v.games(), v.edge(x), 0)
		links = append(links, link{v.i, v.j, sym3{zz}})
	}
	for _, t := range m.ties {
		links = append(links, link{t.i, t.j, sym3{t.weight}})
	}
	return links
}

// side3 turns derivatives by a game's edge z and the draw parameter into those
// by the difference of a pairing, the advantage and the draw parameter: the
// difference enters the edge with the sign of the side.
func side3(side int, zz, zt, tt float64) sym3 {
	s := 1.0
	if side == 1 {
		s = -1
	}
	return sym3{zz, s * zz, s * zt, zz, zt, tt}
}
