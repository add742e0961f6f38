package ratings

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// eloPerNat converts the natural logistic scale, on which the likelihood is
// computed, to Elo: 400/ln 10.
const eloPerNat = 400 / math.Ln10

const (
	// maxParameters bounds the parameters of a fit. Time grows with their third
	// power, memory with their second: 1,000 take a second, 2,000 take 10 s and
	// 200 MB.
	maxParameters = 5000

	maxNewton = 200 // Newton steps; lopsided data take some 40
	// Newton steps end when the largest change is below stepGoal, in Elo. Where the
	// data are so badly conditioned that rounding doesn't let it fall so far, the
	// smallest change reached must be below stepLimit.
	stepGoal  = 1e-9
	stepLimit = 1e-6
	// sureStep is a change, in Elo, at which the second derivatives hardly change, so
	// that Newton steps converge without a check of the likelihood, whose differences
	// are lost to rounding near the maximum.
	sureStep = 15
)

// errStopped is a fit that did not converge.
var errStopped = errors.New("the likelihood was not maximized")

// model is the negative log-likelihood of one fit, with the priors. Its parameters
// are all on the natural scale.
//
// Where no anchor sets the scale of a group's ratings, the likelihood doesn't change
// when all of them move together. A constraint, a quadratic term in their weighted
// sum, makes that sum zero without a change of any difference, and the Hessian
// positive definite.
type model struct {
	parameters
	drawModel   drawModel
	given       float64 // the advantage if it isn't fitted
	opponent    int     // the rating of the imaginary opponent; -1 without
	pairings    []fittedPairing
	priors      []prior
	constraints []constraint
}

// parameters are the numbers of the parameters: first the ratings, then the
// advantage and the draw parameter. A number is -1 for what isn't fitted.
type parameters struct {
	dim             int
	advantage, draw int
}

// fittedPairing is a pairing in the likelihood. x[i]-x[j]+shift is the first's rating
// less the second's.
type fittedPairing struct {
	pairing
	i, j     int
	shift    float64
	outcomes [2]weights // numbers of games by who had South; South's results

	// Known once the likelihood is maximized: the scores by who had South, and the leverage.
	scores [2]gameScores
	leverage
}

// prior is a term in d = x[i]-x[j]+shift: a normal prior of d with mean zero, or
// virtual draws of i against j, which have no first-move advantage.
type prior struct {
	i, j      int
	shift     float64
	precision float64 // of the normal prior: one over its variance
	draws     float64 // virtual
}

// loss returns the negative logarithm of the prior and its first two derivatives.
func (p *prior) loss(x []float64) (value, slope, curve float64) {
	d := parameter(x, p.i) - parameter(x, p.j) + p.shift
	if p.draws > 0 {
		games := weights{1: p.draws}
		slope, _ = halfPoints{}.gradient(games, d, 0)
		curve, _, _ = halfPoints{}.curve(games, d, 0)
		return halfPoints{}.loss(games, d, 0), slope, curve
	}
	return p.precision / 2 * d * d, p.precision * d, p.precision
}

// parameter returns a parameter; 0 for one that isn't fitted.
func parameter(x []float64, i int) float64 {
	if i < 0 {
		return 0
	}
	return x[i]
}

// add adds to a parameter, if it is fitted.
func add(x []float64, i int, v float64) {
	if i >= 0 {
		x[i] += v
	}
}

// ratings is the number of players' ratings that are free.
func (m *model) ratings() int {
	n := m.dim - len(m.constraints)
	for _, other := range []int{m.advantage, m.draw, m.opponent} {
		if other >= 0 {
			n--
		}
	}
	return n
}

func (m *model) advantageAt(x []float64) float64 {
	if m.advantage < 0 {
		return m.given
	}
	return x[m.advantage]
}

// logits are South's rating and advantage less North's rating, in the games of the
// pairing's first player with South and in those of the second with South.
func (m *fittedPairing) logits(x []float64, advantage float64) [2]float64 {
	z := parameter(x, m.i) - parameter(x, m.j) + m.shift
	return [2]float64{z + advantage, advantage - z}
}

// loss returns the negative log-likelihood.
func (m *model) loss(x []float64) float64 {
	sum := 0.0
	adv, draw := m.advantageAt(x), parameter(x, m.draw)
	for k := range m.pairings {
		d := &m.pairings[k]
		for side, z := range d.logits(x, adv) {
			sum += m.drawModel.loss(d.outcomes[side], z, draw)
		}
	}
	for k := range m.priors {
		v, _, _ := m.priors[k].loss(x)
		sum += v
	}
	for _, c := range m.constraints {
		s := c.sum(x)
		sum += c.weight / 2 * s * s
	}
	return sum
}

// setGradient stores the gradient of loss.
func (m *model) setGradient(gradient, x []float64) {
	clear(gradient)
	adv, draw := m.advantageAt(x), parameter(x, m.draw)
	for k := range m.pairings {
		d := &m.pairings[k]
		z := d.logits(x, adv)
		z0, t0 := m.drawModel.gradient(d.outcomes[0], z[0], draw)
		z1, t1 := m.drawModel.gradient(d.outcomes[1], z[1], draw)
		add(gradient, d.i, z0-z1)
		add(gradient, d.j, z1-z0)
		add(gradient, m.advantage, z0+z1)
		add(gradient, m.draw, t0+t1)
	}
	for k := range m.priors {
		p := &m.priors[k]
		_, slope, _ := p.loss(x)
		add(gradient, p.i, slope)
		add(gradient, p.j, -slope)
	}
	for _, c := range m.constraints {
		s := c.sum(x)
		for k, i := range c.members {
			gradient[i] += c.weight * s * c.shares[k]
		}
	}
}

// hessian returns the second derivatives: a term for each pairing, then those of the
// priors.
func (m *model) hessian(x []float64) *quadratic {
	h := &quadratic{parameters: m.parameters, constraints: m.constraints}
	h.terms = make([]term, 0, len(m.pairings)+len(m.priors))
	adv, draw := m.advantageAt(x), parameter(x, m.draw)
	for k := range m.pairings {
		d := &m.pairings[k]
		var sum sym3
		for side, z := range d.logits(x, adv) {
			zz, zt, tt := m.drawModel.curve(d.outcomes[side], z, draw)
			sum.add(1, bySide(side, zz, zt, tt))
		}
		h.terms = append(h.terms, term{d.i, d.j, sum})
	}
	for k := range m.priors {
		_, _, curve := m.priors[k].loss(x)
		h.terms = append(h.terms, term{m.priors[k].i, m.priors[k].j, sym3{curve}})
	}
	return h
}

// bySide turns second derivatives by a game's logit and the draw parameter into those
// by the difference of a pairing, the advantage and the draw parameter: the
// difference enters the logit with the sign of the side.
func bySide(side int, zz, zt, tt float64) sym3 {
	s := 1.0
	if side == 1 {
		s = -1
	}
	return sym3{zz, s * zz, s * zt, zz, zt, tt}
}

// maximize returns the parameters of the largest likelihood, by Newton's method from
// x, with the Hessian there and its factors. The likelihood is concave, so there is
// one maximum.
func (m *model) maximize(ctx context.Context, x []float64) ([]float64, *quadratic, *mat.Cholesky, error) {
	if m.dim == 0 {
		return x, m.hessian(x), nil, nil
	}
	if m.dim > maxParameters {
		return nil, nil, nil, fmt.Errorf("%d ratings to fit: expected at most %d", m.dim, maxParameters)
	}
	gradient, step, next := make([]float64, m.dim), make([]float64, m.dim), make([]float64, m.dim)
	value, last := m.loss(x), math.Inf(1)
	for range maxNewton {
		if ctx.Err() != nil {
			return nil, nil, nil, ctx.Err()
		}
		m.setGradient(gradient, x)
		h := m.hessian(x)
		factors, err := h.factorize()
		if err == nil {
			err = solve(factors, step, gradient)
		}
		if err != nil {
			return nil, nil, nil, err
		}
		size := floats.Norm(step, math.Inf(1)) * eloPerNat
		if last <= stepLimit && !(size < last/2) {
			return x, h, factors, nil // only rounding is left
		}
		for t := 1.0; ; t /= 2 {
			floats.AddScaledTo(next, x, -t, step)
			last = t * size
			if v := m.loss(next); v <= value || !(last > sureStep) {
				value = v
				break
			}
		}
		x, next = next, x
		if last < stepGoal {
			return x, h, factors, nil
		}
	}
	return nil, nil, nil, fmt.Errorf("%w: the last step was %g Elo, expected less than %g", errStopped, last, stepLimit)
}

// solve stores the solution for the right-hand side b in dst.
func solve(factors *mat.Cholesky, dst, b []float64) error {
	return exceptCondition(factors.SolveVecTo(mat.NewVecDense(len(dst), dst), mat.NewVecDense(len(b), b)))
}

// exceptCondition returns gonum's error unless it is the warning that a matrix is
// badly conditioned: a solution comes with that, and [model.maximize] checks that the
// steps shrink.
func exceptCondition(err error) error {
	if condition, ok := errors.AsType[mat.Condition](err); err == nil || ok && !math.IsInf(float64(condition), 1) {
		return nil
	}
	return fmt.Errorf("%w: %w", errStopped, err)
}
