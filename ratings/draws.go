package ratings

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// This file has the likelihood of results between two players, and the probability of a draw.

// weights are numbers of games by South's result, not always whole.
type weights [outcomes]float64

func (n weights) sum() float64 { return n[0] + n[1] + n[2] }

// loss is a negative log-likelihood with its derivatives by z, South's rating and advantage less
// North's rating.
type loss struct{ value, dz, zz float64 }

// loss returns the loss of results at z in the model of Bradley and Terry (1952). A draw, which
// their model doesn't have, counts as half a win and half a loss. Where the pairing is lopsided the
// larger expected score is rounded to 1, so all is computed from the smaller one.
func (n weights) loss(z float64) loss {
	games := n.sum()
	won := n[2] + n[1]/2
	lost := n[0] + n[1]/2
	smaller := logistic(-math.Abs(z))
	l := loss{
		value: math.Log1p(math.Exp(-math.Abs(z))) * games,
		zz:    games * smaller * (1 - smaller),
	}
	if z > 0 {
		l.value += z * lost
		l.dz = lost - games*smaller
	} else {
		l.value -= z * won
		l.dz = games*smaller - won
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

// drawShare is the constant v in the relation of Davidson (1970), P(draw) = v √(P(win) P(loss)),
// which gives the probability of a draw at an expected score. It is infinite if every game is drawn
// that can be.
type drawShare float64

// chances are the probabilities of South's loss, draw and win at z.
func (v drawShare) chances(z float64) [outcomes]float64 {
	score := logistic(z)
	draw := v.probability(score)
	return [outcomes]float64{
		math.Max(0, 1-score-draw/2),
		draw,
		math.Max(0, score-draw/2),
	}
}

// probability is the probability of a draw at the expected score e: the d that solves d = v √(w
// l), with w = e-d/2 and l = 1-e-d/2.
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

// fitDrawShare finds the share under which a number of draws is expected in games at the given
// expected scores. It asks for draws·n/(n+1) in n games: were all drawn, the rest of the fit would
// take draws for certain.
func fitDrawShare(scores, games []float64, draws float64) drawShare {
	total := floats.Sum(games)
	if draws == 0 {
		return 0
	}
	draws *= total / (total + 1)
	// The logarithm of the draws expected over the draws seen: it rises with the share, and is
	// concave in the share's logarithm. So secants approach its root from one side.
	excess := func(logShare float64) float64 {
		share := drawShare(math.Exp(logShare))
		expected := sumInParts(len(scores), func(from, to int) (sum float64) {
			for i := from; i < to; i++ {
				if games[i] > 0 {
					sum += games[i] * share.probability(scores[i])
				}
			}
			return sum
		})
		return math.Log(expected / draws)
	}
	const least, most, tolerance = -20.0, 20.0, 1e-9 // logarithms of shares
	x := least + 1
	last := excess(least)
	for step := 1.0; step > tolerance; x += step {
		now := excess(x)
		step *= now / (last - now)
		last = now
		if !(x+step < most) { // also for NaN
			return drawShare(math.Inf(1))
		}
	}
	return drawShare(math.Exp(x))
}
