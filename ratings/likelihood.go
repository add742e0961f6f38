package ratings

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// eloPerNat converts the natural logistic scale, on which the likelihood is computed, to Elo.
const eloPerNat = 400 / math.Ln10

const (
	maxParameters = 100_000 // of a fit

	maxNewton = 200 // Newton steps; lopsided data take some 40
	// Newton steps end when the largest change is below stepGoal, in Elo. Where the data are so
	// badly conditioned that rounding doesn't let it fall so far, the smallest change reached
	// must be below stepLimit.
	stepGoal  = 1e-9
	stepLimit = 1e-6
	// sureStep is a change, in Elo, at which the second derivatives hardly change, so that Newton
	// steps converge without a check of the likelihood, whose differences are lost to rounding near
	// the maximum.
	sureStep = 15
	// Where Newton steps fail, approachSteps by a bound of the second derivatives go before
	// others, maxApproaches times. Then farStepLimit is the limit: rounding leaves ratings so
	// uncertain that are open between anchors far apart.
	farStepLimit  = 1
	approachSteps = 20
	maxApproaches = 20
)

// errStopped is a fit that did not converge.
var errStopped = errors.New("the likelihood was not maximized")

// likelihood is the negative log-likelihood of one fit, with the prior. Its parameters are all on
// the natural scale.
//
// Where no anchor sets the scale of a group's ratings, the likelihood doesn't change when all of
// them move together. A constraint, a quadratic term in their weighted sum, makes that sum zero
// without a change of any difference, and the Hessian positive definite.
type likelihood struct {
	parameters
	elo         []float64 // by player: a given rating; otherwise 0
	given       float64   // the advantage if it isn't fitted; otherwise 0
	pairings    []pairing
	constraints []constraint
	// The prior is of each rating less the imaginary opponent's rating: virtual draws without an
	// advantage, or a normal distribution about 0 with the precision, one over its variance.
	draws, precision float64
	// ridge is one over the variance of a normal distribution, about 0, of all parameters. It is so
	// wide that it only says where between anchors those are that no result tells.
	ridge float64
	// majorized has a bound of the second derivatives in their place: its steps never lead to a
	// smaller likelihood.
	majorized bool
	widest    float64 // the largest standard deviation
}

// parameters are the numbers of the parameters: -1 for what isn't fitted.
type parameters struct {
	dim       int   // how many there are
	rating    []int // by player
	opponent  int   // the imaginary opponent of a prior
	advantage int
}

// parameter returns a parameter; 0 for one that isn't fitted.
func parameter(x []float64, i int) float64 {
	if i < 0 {
		return 0
	}
	return x[i]
}

// freeRatings is the number of players' ratings that are free.
func (l *likelihood) freeRatings() int {
	free := -len(l.constraints)
	for _, i := range l.rating {
		if i >= 0 {
			free++
		}
	}
	return free
}

// logits are the log-odds of South, its rating and the advantage less North's rating: in the games
// in which the pairing's first player had South, and in those in which the second had South.
func (l *likelihood) logits(x []float64, p *pairing) [2]float64 {
	a := parameter(x, l.rating[p.a])
	b := parameter(x, l.rating[p.b])
	given := l.elo[p.a] - l.elo[p.b]
	difference := a - b + given
	advantage := l.given + parameter(x, l.advantage)
	return [2]float64{difference + advantage, advantage - difference}
}

// at returns the negative log-likelihood about x, with a term for each pairing and then, with a
// prior, for each player.
func (l *likelihood) at(x []float64) *quadratic {
	q := &quadratic{
		parameters:  l.parameters,
		gradient:    make([]float64, l.dim),
		terms:       make([]term, len(l.pairings), len(l.pairings)+len(l.elo)),
		constraints: l.constraints,
	}
	parts := make([]quadratic, partCount(len(l.pairings)))
	inParts(len(l.pairings), func(part, from, to int) {
		sum := quadratic{parameters: l.parameters, gradient: make([]float64, l.dim)}
		for k := from; k < to; k++ {
			q.terms[k] = l.addPairing(&sum, x, &l.pairings[k])
		}
		parts[part] = sum
	})
	for _, sum := range parts {
		q.value += sum.value
		floats.Add(q.gradient, sum.gradient)
	}
	if l.opponent >= 0 {
		l.addPrior(q, x)
	}
	if l.ridge > 0 {
		l.addRidge(q, x)
	}
	for _, c := range l.constraints {
		s := c.sum(x)
		q.value += c.weight / 2 * s * s
		for k, i := range c.members {
			q.gradient[i] += c.weight * s * c.shares[k]
		}
	}
	return q
}

// addPairing adds the value and the gradient of a pairing's results at x, and returns their second
// derivatives.
func (l *likelihood) addPairing(q *quadratic, x []float64, p *pairing) term {
	t := newTerm(l.rating[p.a], l.rating[p.b])
	games := p.weights()
	for side, z := range l.logits(x, p) {
		if games[side].sum() == 0 {
			continue
		}
		at := l.loss(games[side], z)
		gradient, curve := at.bySide(side)
		q.value += at.value
		q.addGradient(q.gradient, t, gradient)
		t.add(1, curve)
	}
	return t
}

// loss returns the loss of results at z.
func (l *likelihood) loss(n weights, z float64) loss {
	at := n.loss(z)
	if l.majorized {
		at.zz = n.majorant(z)
	}
	return at
}

// bySide turns derivatives by a game's logit into derivatives by the difference, whose sign is the
// side's, and the advantage.
func (l loss) bySide(side int) (gradient [2]float64, curve sym2) {
	sign := 1.0
	if side == 1 {
		sign = -1
	}
	return [2]float64{sign * l.dz, l.dz}, sym2{l.zz, sign * l.zz, l.zz}
}

// addPrior adds a term for each player.
func (l *likelihood) addPrior(q *quadratic, x []float64) {
	for player, elo := range l.elo {
		rating := l.rating[player]
		d := parameter(x, rating) - x[l.opponent] + elo
		var at loss
		if l.draws > 0 {
			at = l.loss(weights{1: l.draws}, d)
		} else {
			at.value = l.precision / 2 * d * d
			at.dz = l.precision * d
			at.zz = l.precision
		}
		t := newTerm(rating, l.opponent)
		t.sym2[0] = at.zz
		gradient := [2]float64{at.dz}
		q.addTerm(at.value, gradient, t)
	}
}

// addRidge adds a term for each parameter.
func (l *likelihood) addRidge(q *quadratic, x []float64) {
	for i, v := range x {
		t := newTerm(i, -1)
		t.sym2[0] = l.ridge
		gradient := [2]float64{l.ridge * v}
		if i == l.advantage {
			t = newTerm(-1, -1)
			t.sym2[2] = l.ridge
			gradient = [2]float64{1: l.ridge * v}
		}
		q.addTerm(l.ridge/2*v*v, gradient, t)
	}
}

// maximum is where a likelihood is largest.
type maximum struct {
	*likelihood
	x         []float64
	about     *quadratic // the likelihood about x
	curvature curvature  // its second derivatives
}

// maximize returns the maximum, by Newton's method from x. The likelihood is concave, so there is
// one. Far from it, as between anchors that contradict the results, second derivatives vanish and
// such steps lead nowhere: then steps by a bound of the second derivatives go before.
func (l *likelihood) maximize(ctx context.Context, x []float64) (*maximum, error) {
	m, err := l.newton(ctx, x, stepLimit)
	for range maxApproaches {
		if !errors.Is(err, errStopped) {
			break
		}
		x, err = l.approach(ctx, m.x)
		if err != nil {
			return nil, err
		}
		m, err = l.newton(ctx, x, farStepLimit)
	}
	return m, err
}

// newton returns the maximum, where rounding leaves a step within a limit in Elo, or with an error
// the place where the steps have led.
func (l *likelihood) newton(ctx context.Context, x []float64, limit float64) (*maximum, error) {
	q := l.at(x)
	step := make([]float64, l.dim)
	last := math.Inf(1) // the size of the last step, in Elo
	for range maxNewton {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		curvature, err := q.curvature()
		if err == nil {
			err = curvature.solve(ctx, step, q.gradient)
		}
		if err != nil {
			return &maximum{likelihood: l, x: x}, err
		}
		size := floats.Norm(step, math.Inf(1)) * eloPerNat
		shrinks := size < last/2 // false for NaN, too
		if last <= limit && !shrinks {
			return &maximum{l, x, q, curvature}, nil // only rounding is left
		}
		// The step is halved until the likelihood doesn't fall, or the step is so small that it
		// may.
		for fraction := 1.0; ; fraction /= 2 {
			last = fraction * size
			next := floats.AddScaledTo(make([]float64, l.dim), x, -fraction, step)
			about := l.at(next)
			if about.value <= q.value || !(last > sureStep) {
				x, q = next, about
				break
			}
		}
		if last < stepGoal {
			if q.dim > maxDense { // so that the terms of the step before take no memory
				curvature = newIteration(q)
			}
			return &maximum{l, x, q, curvature}, nil
		}
	}
	err := fmt.Errorf("%w: the last step was %g Elo, expected less than %g", errStopped, last,
		limit)
	return &maximum{likelihood: l, x: x}, err
}

// approach returns where steps from x lead by a bound of the second derivatives. None of them
// lowers the likelihood.
func (l *likelihood) approach(ctx context.Context, x []float64) ([]float64, error) {
	bound := *l
	bound.majorized = true
	for range approachSteps {
		q := bound.at(x)
		curvature, err := q.curvature()
		if err != nil {
			return nil, err
		}
		step := make([]float64, l.dim)
		if err := curvature.solve(ctx, step, q.gradient); err != nil {
			return nil, err
		}
		x = floats.AddScaledTo(step, x, -1, step)
	}
	return x, nil
}
