package ratings

import "math"

// drawModel gives the probabilities of a game's three outcomes. Its likelihood is concave in
// z, South's rating and advantage less North's rating, and t, the draw
// parameter; both are on the natural scale. A draw model without a draw parameter
// ignores t.
type drawModel interface {
	// loss returns the negative log-likelihood of numbers of outcomes.
	loss(n weights, z, t float64) loss
	// chances are the probabilities of loss, draw and win.
	chances(z, t float64) [outcomes]float64
	// parametric reports whether the draw model has a draw parameter.
	parametric() bool
}

// weights are numbers of games by outcome, not always whole.
type weights [outcomes]float64

func (n weights) sum() float64 { return n[0] + n[1] + n[2] }

// loss is a negative log-likelihood, with its first and its second derivatives: the information on z and t.
type loss struct{ value, dz, dt, zz, zt, tt float64 }

// halfPoints counts a draw as half a win and half a loss (Bradley and Terry
// 1952). It has no probability of draws; for the chances, which
// the intervals need, share is the probability of a draw at an expected score.
type halfPoints struct {
	share drawShare
}

// loss is computed from the side that is expected to score less, where no digits are lost in a lopsided pairing.
func (halfPoints) loss(n weights, z, _ float64) loss {
	won, lost, e := n[2]+n[1]/2, n[0]+n[1]/2, logistic(-math.Abs(z))
	l := loss{value: math.Log(1+math.Exp(-math.Abs(z))) * n.sum(), zz: n.sum() * e * (1 - e)}
	if z > 0 {
		l.value, l.dz = l.value+z*lost, lost-n.sum()*e
	} else {
		l.value, l.dz = l.value-z*won, n.sum()*e-won
	}
	return l
}

func (h halfPoints) chances(z, _ float64) [outcomes]float64 {
	e := logistic(z)
	d := h.share.probability(e)
	return [outcomes]float64{math.Max(0, 1-e-d/2), d, math.Max(0, e-d/2)}
}

func (halfPoints) parametric() bool { return false }

// davidson is the draw model of Davidson (1970): win, loss and draw are as e^(z/2),
// e^(-z/2) and e^t. Its expected score isn't the logistic one, but the odds of
// winning against losing are.
type davidson struct{}

// parts are the chances and the logarithm of their common denominator.
func (davidson) parts(z, t float64) (p [outcomes]float64, log float64) {
	top := math.Max(math.Abs(z)/2, t)
	p = [outcomes]float64{math.Exp(-z/2 - top), math.Exp(t - top), math.Exp(z/2 - top)}
	sum := p[0] + p[1] + p[2]
	for i := range p {
		p[i] /= sum
	}
	return p, top + math.Log(sum)
}

func (d davidson) loss(n weights, z, t float64) loss {
	p, log := d.parts(z, t)
	games, m, won := n.sum(), p[2]-p[0], n[2]-n[0]
	return loss{
		value: games*log - won*z/2 - n[1]*t,
		dz:    (games*m - won) / 2, dt: games*p[1] - n[1],
		zz: games * (p[2] + p[0] - m*m) / 4, zt: -games * m * p[1] / 2, tt: games * p[1] * (p[0] + p[2]),
	}
}

func (d davidson) chances(z, t float64) [outcomes]float64 {
	p, _ := d.parts(z, t)
	return p
}

func (davidson) parametric() bool { return true }

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// drawShare is the probability of a draw at a given expected score, by the
// relation of Davidson (1970): draws are as the geometric mean of wins and
// losses. Its value is that constant of proportion, 0 without draws; it may be
// infinite, and then every game is drawn that can be.
type drawShare float64

// probability is the probability d of a draw at the expected score e: the solution of
// d = v √(w l) with w = e-d/2 and l = 1-e-d/2.
func (v drawShare) probability(e float64) float64 {
	most := 2 * math.Min(e, 1-e)
	switch {
	case v == 0 || most <= 0:
		return 0
	case math.IsInf(float64(v), 1):
		return most
	}
	// With r = 1/v²: (r - 1/4) d² + d/2 - e(1-e) = 0, in the form that doesn't
	// cancel.
	r := 1 / float64(v*v)
	s := e * (1 - e)
	root := math.Sqrt(math.Max(0, 0.25+4*(r-0.25)*s))
	return math.Min(most, 2*s/(0.5+root))
}

// fitDrawShare finds the share under which a number of draws is expected in games
// at the given expected scores. If every game was drawn, the rest of the fit
// would take draws for certain; therefore draws·n/(n+1) are asked for in n
// games.
func fitDrawShare(scores, games []float64, draws float64) drawShare {
	total := 0.0
	for _, n := range games {
		total += n
	}
	if draws == 0 || total == 0 {
		return 0
	}
	draws *= total / (total + 1)
	expected := func(v drawShare) float64 {
		sum := 0.0
		for i, e := range scores {
			sum += games[i] * v.probability(e)
		}
		return sum
	}
	low, high := -20.0, 20.0 // logarithms
	if expected(drawShare(math.Exp(high))) < draws {
		return drawShare(math.Inf(1))
	}
	for range 60 {
		if mid := (low + high) / 2; expected(drawShare(math.Exp(mid))) < draws {
			low = mid
		} else {
			high = mid
		}
	}
	return drawShare(math.Exp((low + high) / 2))
}
