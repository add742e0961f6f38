package ratings

import (
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
	// SD is the standard deviation, in Elo, of the normal distribution that the ratings are taken
	// from, estimated unless the cause is PriorSeparated; 0 where there are virtual draws instead.
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

// separatedSD is the standard deviation, in Elo, of the normal prior where the likelihood alone has
// no finite maximum. It is so wide that ratings which the results do determine hardly change, and
// that the intervals of the others hold the truth in whatever shape of tournament over up to 1600
// Elo (results/reference/ratings.md). One that is estimated doesn't: in a ladder the neighbours'
// differences say nothing of the ratings' range.
const separatedSD = 1000

// choosePrior returns the prior by the options and the data. alone is who is rated together without
// one.
func choosePrior(d *Data, o Options, alone *partition) Prior {
	switch {
	case o.FitPrior:
		return Prior{Cause: PriorGiven}
	case o.Prior != nil && *o.Prior > 0:
		return Prior{Cause: PriorGiven, Draws: *o.Prior}
	case o.Prior != nil || len(d.met) == 0:
		return Prior{}
	case d.Adaptive:
		return Prior{Cause: PriorAdaptive}
	case len(alone.groups) == 1 && len(alone.inside(d.met)) == len(d.met):
		return Prior{}
	}
	return Prior{Cause: PriorSeparated, SD: separatedSD}
}

// estimated reports whether the prior is estimated from the results.
func (p Prior) estimated() bool {
	return p.Cause != "" && p.Cause != PriorSeparated && p.Draws == 0
}

// note returns a sentence on the prior.
func (p Prior) note() string {
	if p.Cause == PriorSeparated {
		return fmt.Sprintf("prior: normal with a standard deviation of %.0f Elo, as the results "+
			"alone don't rate everyone", p.SD)
	}
	if p.Draws > 0 {
		draws := "draws"
		if p.Draws == 1 {
			draws = "draw"
		}
		return fmt.Sprintf("prior: each player has %g virtual %s against an imaginary opponent, "+
			"which draw the ratings together", p.Draws, draws)
	}
	sd := textfmt.Decimal(p.SD)
	note := "prior: normal with an estimated standard deviation of " + sd + " Elo"
	if p.Cause == PriorAdaptive {
		note += ", as pairings followed the standings"
	}
	return note
}

// The standard deviation of the ratings is the maximum of their marginal likelihood, from which all
// ratings are integrated out (Laplace's approximation), with a gamma prior of shape 2 (Chung et al.
// 2013): zero at zero, where every interval would have no width, and falling beyond likeliestSD, so
// that results without an upset have one.
const (
	likeliestSD = 500.0 // Elo
	minPriorSD  = 5.0   // Elo
	maxPriorSD  = 5000.0
	sdGoal      = 0.01 // relative error of the maximum
)

// precision is one over the variance of a standard deviation in Elo.
func precision(sd float64) float64 { return (eloPerNat / sd) * (eloPerNat / sd) }

// withPrior returns the problem with the standard deviation of the normal prior, estimated where it
// isn't known.
func (p *problem) withPrior(ctx context.Context) (*problem, error) {
	if !p.prior.estimated() {
		return p, nil
	}
	l := p.likelihood()
	l.precision = precision(likeliestSD)
	e, err := l.estimate(ctx)
	if err != nil {
		return nil, err
	}
	s := &priorSearch{likelihood: l, dispersion: e.dispersion, x: e.x}
	low, high := math.Log(minPriorSD), math.Log(maxPriorSD)
	if p.farApart() {
		high = math.Log(p.spread)
	}
	var logSD float64
	if l.dim <= maxDense {
		logSD, err = argmax(ctx, s.evidence, low, high)
	} else {
		logSD, err = root(ctx, s.evidenceSlope, low, high)
	}
	if err != nil {
		return nil, err
	}
	with := *p
	with.prior.SD = math.Exp(logSD)
	with.precision = s.dispersion * precision(with.prior.SD)
	return &with, nil
}

// priorSearch is the search of the standard deviation.
type priorSearch struct {
	likelihood *likelihood
	dispersion float64   // of the results, see [estimate]
	x          []float64 // the last maximum, where the search of the next one begins
}

// maximum returns the maximum of the likelihood for a standard deviation in Elo.
func (s *priorSearch) maximum(ctx context.Context, sd float64) (*maximum, error) {
	l := *s.likelihood
	l.precision = s.dispersion * precision(sd)
	m, err := l.maximize(ctx, s.x)
	if err == nil {
		s.x = m.x
	}
	return m, err
}

// evidence returns the logarithm of the marginal likelihood, up to a constant.
func (s *priorSearch) evidence(ctx context.Context, logSD float64) (float64, error) {
	sd := math.Exp(logSD)
	m, err := s.maximum(ctx, sd)
	if err != nil {
		return 0, err
	}
	fit := -m.about.value / s.dispersion
	players := float64(len(m.elo))
	determinant := m.curvature.(*cholesky).factors.LogDet()
	return fit - players*logSD - determinant/2 + logSD - sd/likeliestSD, nil
}

// evidenceSlope returns the derivative of the evidence, where there is no determinant.
func (s *priorSearch) evidenceSlope(ctx context.Context, logSD float64) (float64, error) {
	const step = 0.01
	sd := math.Exp(logSD)
	m, err := s.maximum(ctx, sd)
	if err != nil {
		return 0, err
	}
	next, err := s.maximum(ctx, sd*math.Exp(step))
	if err != nil {
		return 0, err
	}
	inverse, err := m.curvature.inverse(ctx)
	if err != nil {
		return 0, err
	}
	// The change of the determinant's logarithm, as if the advantage were known.
	trace := 0.0
	for k, t := range m.about.terms {
		change := next.about.terms[k].sym2[0] - t.sym2[0]
		trace += change * inverse.variance(int(t.i), int(t.j))
	}
	fit := (m.about.value - next.about.value) / s.dispersion
	players := float64(len(m.elo))
	return (fit-trace/2)/step - players + 1 - sd/likeliestSD, nil
}

// searched is a function of the logarithm of the standard deviation.
type searched func(ctx context.Context, logSD float64) (float64, error)

// root returns where a falling function is zero between low and high, by bisection.
func root(ctx context.Context, f searched, low, high float64) (float64, error) {
	for high-low > sdGoal {
		middle := (low + high) / 2
		value, err := f(ctx, middle)
		if err != nil {
			return 0, err
		}
		if value > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2, nil
}

// argmax returns where a function with one maximum between low and high has it, by golden section.
func argmax(ctx context.Context, f searched, low, high float64) (float64, error) {
	const golden = 1 / math.Phi
	a := high - golden*(high-low)
	b := low + golden*(high-low)
	atA, err := f(ctx, a)
	if err != nil {
		return 0, err
	}
	atB, err := f(ctx, b)
	for high-low > sdGoal && err == nil {
		if atA > atB {
			high, b, atB = b, a, atA
			a = high - golden*(high-low)
			atA, err = f(ctx, a)
		} else {
			low, a, atA = a, b, atB
			b = low + golden*(high-low)
			atB, err = f(ctx, b)
		}
	}
	return (low + high) / 2, err
}
