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
	// Newton steps end when the largest change is below stepGoal, in Elo. Where the data are so badly conditioned that
	// rounding doesn't let it fall so far, the smallest change reached must be below stepLimit.
	stepGoal  = 1e-9
	stepLimit = 1e-6
	// sureStep is a change, in Elo, at which the second derivatives hardly change, so that Newton steps converge
	// without a check of the likelihood, whose differences are lost to rounding near the maximum.
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

// likelihood is the negative log-likelihood of one fit, with the prior. Its parameters are all on the natural scale.
//
// Where no anchor sets the scale of a group's ratings, the likelihood doesn't change when all of them move together. A
// constraint, a quadratic term in their weighted sum, makes that sum zero without a change of any difference, and the
// Hessian positive definite.
type likelihood struct {
	parameters
	elo         []float64 // by player: a given rating; otherwise 0
	given       float64   // the advantage if it isn't fitted; otherwise 0
	pairings    []pairing
	constraints []constraint
	// ridge is one over the variance of a normal distribution, about 0, of all parameters. It is
	// so wide that it only says where between anchors those are that no result tells.
	ridge float64
	// majorized has a bound of the second derivatives in their place: its steps never lead to a
	// smaller likelihood.
	majorized bool
	widest    float64 // the largest standard deviation
	// A prior is of each rating less the imaginary opponent's: virtual draws without an advantage, or normal about 0.
	draws, precision float64 // precision: one over the variance
}

// parameters are the numbers of the parameters: -1 for what isn't fitted.
type parameters struct {
	dim       int   // how many there are
	rating    []int // by player
	opponent  int   // the imaginary one of a prior
	advantage int
}

// parameter returns a parameter; 0 for one that isn't fitted.
func parameter(x []float64, i int) float64 {
	if i < 0 {
		return 0
	}
	return x[i]
}

// ratings is the number of players' ratings that are free.
func (l *likelihood) ratings() int {
	return sumOf(l.rating, func(i *int) int { return min(*i, 0) + 1 }) - len(l.constraints)
}

// logits are South's rating and advantage less North's rating, in the games of the
// pairing's first player with South and in those of the second with South.
func (l *likelihood) logits(x []float64, p *pairing) [2]float64 {
	advantage := l.given + parameter(x, l.advantage)
	z := parameter(x, l.rating[p.a]) - parameter(x, l.rating[p.b]) + (l.elo[p.a] - l.elo[p.b])
	return [2]float64{z + advantage, advantage - z}
}

// at returns the negative log-likelihood about x, with a term for each pairing and then, with a prior, for each player.
// It uses the memory of another one, unless that is nil.
func (l *likelihood) at(x []float64, old *quadratic) *quadratic {
	q := &quadratic{parameters: l.parameters, gradient: make([]float64, l.dim), constraints: l.constraints}
	if old != nil {
		q.terms = old.terms[:len(l.pairings)]
	} else {
		q.terms = make([]term, len(l.pairings), len(l.pairings)+len(l.elo))
	}
	gradients, values := make([][]float64, len(l.pairings)/partSize+1), make([]float64, len(l.pairings)/partSize+1)
	inParts(len(l.pairings), func(part, from, to int) {
		gradients[part] = make([]float64, l.dim)
		for k := from; k < to; k++ {
			p := &l.pairings[k]
			t, games := newTerm(l.rating[p.a], l.rating[p.b]), p.weights()
			for side, z := range l.logits(x, p) {
				if games[side].sum() == 0 {
					continue
				}
				at := l.loss(games[side], z)
				gradient, curve := at.bySide(side)
				values[part] += at.value
				q.add(gradients[part], t, gradient)
				t.add(1, curve)
			}
			q.terms[k] = t
		}
	})
	for part, v := range values {
		q.value += v
		if gradients[part] != nil {
			floats.Add(q.gradient, gradients[part])
		}
	}
	if l.opponent >= 0 {
		for player, elo := range l.elo {
			t := newTerm(l.rating[player], l.opponent)
			d := parameter(x, int(t.i)) - x[t.j] + elo
			at := loss{value: l.precision / 2 * d * d, dz: l.precision * d, zz: l.precision}
			if l.draws > 0 {
				at = l.loss(weights{1: l.draws}, d)
			}
			t.sym2 = sym2{at.zz}
			q.value += at.value
			q.add(q.gradient, t, [2]float64{at.dz})
			q.terms = append(q.terms, t)
		}
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

// bySide turns derivatives by a game's logit into those by the difference, whose sign is the side's, and the advantage.
func (l loss) bySide(side int) (gradient [2]float64, curve sym2) {
	s := 1 - 2*float64(side)
	return [2]float64{s * l.dz, l.dz}, sym2{l.zz, s * l.zz, l.zz}
}

// loss returns the loss of results at z.
func (l *likelihood) loss(n weights, z float64) loss {
	at := n.loss(z)
	if l.majorized {
		at.zz = n.majorant(z)
	}
	return at
}

// addRidge adds the terms of the ridge.
func (l *likelihood) addRidge(q *quadratic, x []float64) {
	for i, v := range x {
		t, by := newTerm(i, -1), [2]float64{l.ridge * v}
		t.sym2 = sym2{l.ridge}
		if i == l.advantage {
			t, by = newTerm(-1, -1), [2]float64{1: l.ridge * v}
			t.sym2 = sym2{2: l.ridge}
		}
		q.value += l.ridge / 2 * v * v
		q.add(q.gradient, t, by)
		q.terms = append(q.terms, t)
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
// where it has led.
func (l *likelihood) newton(ctx context.Context, x []float64, limit float64) (*maximum, error) {
	q := l.at(x, nil)
	step, last := make([]float64, l.dim), math.Inf(1)
	var unused *quadratic
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
		if last <= limit && !(size < last/2) {
			return &maximum{l, x, q, curvature}, nil // only rounding is left
		}
		for t := 1.0; ; t /= 2 {
			next := floats.AddScaledTo(make([]float64, l.dim), x, -t, step)
			other := l.at(next, unused)
			last, unused = t*size, other
			if other.value <= q.value || !(last > sureStep) {
				x, q, unused = next, other, q
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
	err := fmt.Errorf("%w: the last step was %g Elo, expected less than %g", errStopped, last, limit)
	return &maximum{likelihood: l, x: x}, err
}

// approach returns where steps from x lead by a bound of the second derivatives. None of them
// lowers the likelihood.
func (l *likelihood) approach(ctx context.Context, x []float64) ([]float64, error) {
	bound := *l
	bound.majorized = true
	for range approachSteps {
		q := bound.at(x, nil)
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
