package ratings

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// weights are numbers of games by South's result, not always whole.
type weights [outcomes]float64

func (n weights) sum() float64 { return n[0] + n[1] + n[2] }

// loss is a negative log-likelihood with its derivatives by z, South's rating and advantage less North's rating.
type loss struct{ value, dz, zz float64 }

// loss returns that of results, a draw as half a win and half a loss (Bradley and Terry 1952). It is computed from the
// side that is expected to score less, where no digits are lost in a lopsided pairing.
func (n weights) loss(z float64) loss {
	won, lost, e := n[2]+n[1]/2, n[0]+n[1]/2, logistic(-math.Abs(z))
	l := loss{value: math.Log1p(math.Exp(-math.Abs(z))) * n.sum(), zz: n.sum() * e * (1 - e)}
	if z > 0 {
		l.value, l.dz = l.value+z*lost, lost-n.sum()*e
	} else {
		l.value, l.dz = l.value-z*won, n.sum()*e-won
	}
	return l
}

// majorant returns the second derivative of the parabola that touches the loss at z and at -z: it
// lies above the loss everywhere (Jaakkola and Jordan 2000), and falls with 1/|z| where the second
// derivative of the loss itself vanishes.
func (n weights) majorant(z float64) float64 {
	if math.Abs(z) < 1e-3 {
		return n.sum() / 4
	}
	return n.sum() * math.Tanh(z/2) / (2 * z)
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// drawShare is the probability of a draw at a given expected score, by the relation of Davidson (1970): draws are as
// the geometric mean of wins and losses. It is that constant, infinite if every game is drawn that can be.
type drawShare float64

// chances are the probabilities of South's loss, draw and win at z.
func (v drawShare) chances(z float64) [outcomes]float64 {
	e := logistic(z)
	d := v.probability(e)
	return [outcomes]float64{math.Max(0, 1-e-d/2), d, math.Max(0, e-d/2)}
}

// probability is that of a draw at the expected score e: the d that solves d = v √(w l), w = e-d/2, l = 1-e-d/2.
func (v drawShare) probability(e float64) float64 {
	most := 2 * math.Min(e, 1-e)
	switch {
	case v == 0 || most <= 0:
		return 0
	case math.IsInf(float64(v), 1):
		return most
	}
	// With r = 1/v²: (r - 1/4) d² + d/2 - e(1-e) = 0, in the form that doesn't cancel.
	r := 1 / float64(v*v)
	s := e * (1 - e)
	root := math.Sqrt(math.Max(0, 0.25+4*(r-0.25)*s))
	return math.Min(most, 2*s/(0.5+root))
}

// fitDrawShare finds the share under which a number of draws is expected in games at the given expected scores. It asks
// for draws·n/(n+1) in n games: were all drawn, the rest of the fit would take draws for certain.
func fitDrawShare(scores, games []float64, draws float64) drawShare {
	total := floats.Sum(games)
	if draws == 0 || total == 0 {
		return 0
	}
	draws *= total / (total + 1)
	expected := func(v drawShare) float64 {
		return sumInParts(len(scores), func(from, to int) (sum float64) {
			for i := from; i < to; i++ {
				if games[i] > 0 {
					sum += games[i] * v.probability(scores[i])
				}
			}
			return sum
		})
	}
	// By secants: the logarithm of what is expected is concave in that of the share, so that they come from one side.
	logOf := func(logShare float64) float64 { return math.Log(expected(drawShare(math.Exp(logShare))) / draws) }
	at, last := -19.0, logOf(-20)
	for step := 1.0; step > 1e-9; at += step {
		now := logOf(at)
		if step *= now / (last - now); !(at+step < 20) {
			return drawShare(math.Inf(1))
		}
		last = now
	}
	return drawShare(math.Exp(at))
}
