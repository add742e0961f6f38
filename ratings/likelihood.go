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
	given       float64 // the advantage if it isn't fitted
	opponent    int     // the rating of the imaginary opponent; -1 without
	pairings    []fittedPairing
	priors      []prior
	constraints []constraint
}

// parameters are the numbers of the parameters: first the ratings, then the
// advantage, whose number is -1 if it isn't fitted.
type parameters struct{ dim, advantage int }

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

// loss returns the negative logarithm of the prior, z being the difference.
func (p *prior) loss(x []float64) loss {
	d := parameter(x, p.i) - parameter(x, p.j) + p.shift
	if p.draws > 0 {
		return weights{1: p.draws}.loss(d)
	}
	return loss{value: p.precision / 2 * d * d, dz: p.precision * d, zz: p.precision}
}

// parameter returns a parameter; 0 for one that isn't fitted.
func parameter(x []float64, i int) float64 {
	if i < 0 {
		return 0
	}
	return x[i]
}

// ratings is the number of players' ratings that are free.
func (m *model) ratings() int {
	n := m.dim - len(m.constraints)
	for _, other := range []int{m.advantage, m.opponent} {
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

// at returns the negative log-likelihood about x, with a term for each pairing and then for each prior.
func (m *model) at(x []float64) *quadratic {
	q := &quadratic{parameters: m.parameters, gradient: make([]float64, m.dim), constraints: m.constraints}
	q.terms = make([]term, 0, len(m.pairings)+len(m.priors))
	adv := m.advantageAt(x)
	for k := range m.pairings {
		d := &m.pairings[k]
		t := term{i: d.i, j: d.j}
		for side, z := range d.logits(x, adv) {
			l := d.outcomes[side].loss(z)
			gradient, curve := l.bySide(side)
			q.value += l.value
			q.add(q.gradient, t, gradient)
			t.add(1, curve)
		}
		q.terms = append(q.terms, t)
	}
	for k := range m.priors {
		l := m.priors[k].loss(x)
		t := term{m.priors[k].i, m.priors[k].j, sym2{l.zz}}
		q.value += l.value
		q.add(q.gradient, t, [2]float64{l.dz})
		q.terms = append(q.terms, t)
	}
	for _, c := range m.constraints {
		s := floats.Dot(c.shares, x)
		q.value += c.weight / 2 * s * s
		floats.AddScaled(q.gradient, c.weight*s, c.shares)
	}
	return q
}

// bySide turns derivatives by a game's logit into those by the difference of a pairing and the advantage: the
// difference enters the logit with the sign of the side.
func (l loss) bySide(side int) (gradient [2]float64, curve sym2) {
	s := 1 - 2*float64(side)
	return [2]float64{s * l.dz, l.dz}, sym2{l.zz, s * l.zz, l.zz}
}

// maximize returns the parameters of the largest likelihood, by Newton's method from
// x, with the likelihood there and the factors of its Hessian. The likelihood is concave, so there is
// one maximum.
func (m *model) maximize(ctx context.Context, x []float64) ([]float64, *quadratic, *mat.Cholesky, error) {
	q := m.at(x)
	if m.dim == 0 {
		return x, q, nil, nil
	}
	step, last := make([]float64, m.dim), math.Inf(1)
	for range maxNewton {
		if ctx.Err() != nil {
			return nil, nil, nil, ctx.Err()
		}
		factors, err := q.factorize()
		if err == nil {
			err = solve(factors, step, q.gradient)
		}
		if err != nil {
			return nil, nil, nil, err
		}
		size := floats.Norm(step, math.Inf(1)) * eloPerNat
		if last <= stepLimit && !(size < last/2) {
			return x, q, factors, nil // only rounding is left
		}
		value := q.value
		for t := 1.0; ; t /= 2 {
			next := floats.AddScaledTo(make([]float64, m.dim), x, -t, step)
			last, q = t*size, m.at(next)
			if q.value <= value || !(last > sureStep) {
				x = next
				break
			}
		}
		if last < stepGoal {
			return x, q, factors, nil
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
