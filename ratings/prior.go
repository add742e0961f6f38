package ratings

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gyges/rules/base/textfmt"
)

// Prior is what a fit takes for known of the ratings before the games. The zero value is no prior.
type Prior struct {
	Cause PriorCause // empty without a prior
	// Draws is the number of virtual draws of each player against the imaginary opponent.
	Draws float64
	// SD is the standard deviation, in Elo, of the normal distribution that the ratings are taken from, estimated
	// unless the cause is PriorSeparated; 0 where there are virtual draws instead.
	SD float64
}

// PriorCause is why there is a prior.
type PriorCause string

// The causes of a prior.
const (
	PriorGiven     PriorCause = "given"     // the options ask for it
	PriorSeparated PriorCause = "separated" // without it, not every player has a finite rating
	PriorAdaptive  PriorCause = "adaptive"  // who met whom followed from the results so far
)

// separatedSD is the standard deviation, in Elo, of the normal prior where the likelihood alone has no finite maximum.
// It is so wide that ratings which the results do determine hardly change, and that the intervals of the others hold
// the truth in whatever shape of tournament over up to 1600 Elo (results/reference/ratings.md). One that is estimated
// doesn't: in a ladder the neighbours' differences say nothing of the ratings' range.
const separatedSD = 1000

// choosePrior returns the prior by the options and the data. alone is who is rated together without one.
func choosePrior(d *Data, o Options, alone *partition) Prior {
	switch {
	case o.Prior != nil && *o.Prior > 0:
		return Prior{Cause: PriorGiven, Draws: *o.Prior}
	case o.FitPrior:
		return Prior{Cause: PriorGiven}
	case o.Prior != nil || len(d.met) == 0:
	case d.Adaptive:
		return Prior{Cause: PriorAdaptive}
	case len(alone.groups) != 1 || len(alone.inside(d.met)) < len(d.met):
		return Prior{Cause: PriorSeparated, SD: separatedSD}
	}
	return Prior{}
}

// estimated reports whether the prior is estimated from the results.
func (p Prior) estimated() bool { return p.Cause != "" && p.Cause != PriorSeparated && p.Draws == 0 }

// note returns a sentence on the prior.
func (p Prior) note() string {
	normal := "normal with an estimated standard deviation of " + textfmt.Decimal(p.SD) + " Elo"
	switch {
	case p.Cause == PriorSeparated:
		return fmt.Sprintf("prior: normal with a standard deviation of %.0f Elo, as the results alone don't rate everyone",
			p.SD)
	case p.Cause == PriorAdaptive:
		return "prior: " + normal + ", as pairings followed the standings"
	case p.Draws > 0:
		s := "s"
		if p.Draws == 1 {
			s = ""
		}
		return fmt.Sprintf("prior: each player has %g virtual draw%s against an imaginary opponent, which draw the ratings "+
			"together", p.Draws, s)
	}
	return "prior: " + normal
}

// The standard deviation of the ratings is the maximum of their marginal likelihood, from which all ratings are
// integrated out (Laplace's approximation), with a gamma prior of shape 2 (Chung et al. 2013): zero at zero, where
// every interval would have no width, and falling beyond likeliestSD, so that results without an upset have one.
const (
	likeliestSD = 500.0 // Elo
	minPriorSD  = 5.0   // Elo
	maxPriorSD  = 5000.0
	sdGoal      = 0.01 // relative error of the maximum
)

// precision is one over the variance of a standard deviation in Elo.
func precision(sd float64) float64 { return (eloPerNat / sd) * (eloPerNat / sd) }

// withPrior returns the problem with the standard deviation of the normal prior, estimated where it isn't known.
func (p *problem) withPrior(ctx context.Context) (*problem, error) {
	if !p.prior.estimated() {
		return p, nil
	}
	l := *p.likelihood()
	l.precision = precision(likeliestSD)
	e, err := l.estimate(ctx)
	if err != nil {
		return nil, err
	}
	x, dispersion := e.x, e.dispersion
	maximum := func(sd float64) *maximum { // nil: err is set
		l := l
		l.precision = dispersion * precision(sd)
		m, errAt := l.maximize(ctx, x)
		if err = cmp.Or(err, errAt); err != nil {
			return nil
		}
		x = m.x
		return m
	}
	evidence := func(logSD float64) float64 {
		sd := math.Exp(logSD)
		m := maximum(sd)
		if m == nil {
			return math.Inf(-1)
		}
		logDet := m.curvature.(*cholesky).factors.LogDet()
		return -m.about.value/dispersion - float64(len(p.elo))*logSD - logDet/2 + logSD - sd/likeliestSD
	}
	search := argmax
	if l.dim > maxDense {
		search = root
		evidence = func(logSD float64) float64 { // its derivative, as there is no determinant
			const step = 0.01
			sd := math.Exp(logSD)
			m, next := maximum(sd), maximum(sd*math.Exp(step))
			if m == nil || next == nil {
				return 0
			}
			change, errOf := m.evidenceChange(ctx, next, dispersion)
			err = errOf
			return change/step - float64(len(p.elo)) + 1 - sd/likeliestSD
		}
	}
	most := maxPriorSD
	if p.farApart() {
		most = p.spread
	}
	sd := math.Exp(search(evidence, math.Log(minPriorSD), math.Log(most), sdGoal))
	with := *p
	with.prior.SD, with.precision = sd, dispersion*precision(sd)
	return &with, err
}

// evidenceChange returns the change of the likelihood and of the determinant to another maximum close by, which the
// marginal likelihood has in it; as if the advantage were known.
func (m *maximum) evidenceChange(ctx context.Context, next *maximum, dispersion float64) (float64, error) {
	inverse, err := m.curvature.inverse(ctx)
	if err != nil {
		return 0, err
	}
	trace := 0.0
	for k, t := range m.about.terms {
		trace += (next.about.terms[k].sym2[0] - t.sym2[0]) * inverse.variance(int(t.i), int(t.j))
	}
	return (m.about.value-next.about.value)/dispersion - trace/2, nil
}

// root returns where a falling function is zero between low and high, by bisection.
func root(f func(float64) float64, low, high, goal float64) float64 {
	for high-low > goal {
		if mid := (low + high) / 2; f(mid) > 0 {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// argmax returns where a function with one maximum between low and high has it, by golden section.
func argmax(f func(float64) float64, low, high, goal float64) float64 {
	const golden = 1 / math.Phi
	a, b := high-golden*(high-low), low+golden*(high-low)
	fa, fb := f(a), f(b)
	for high-low > goal {
		if fa > fb {
			high, b, fb = b, a, fa
			a = high - golden*(high-low)
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + golden*(high-low)
			fb = f(b)
		}
	}
	return (low + high) / 2
}
