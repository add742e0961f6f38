package sprt

import "math"

// stopsAt reports whether the counts may be those at which the test stopped a match: they decide
// it, and did not with one pair less. As some programs play several pairs before they look, LLR may
// also be 5 % beyond a bound.
func (t Test) stopsAt(p Pairs) bool {
	const margin = 1.05
	if t.Verdict(p) == Undecided {
		return false
	}
	lower, upper := t.Bounds()
	if llr := t.LLR(p); margin*lower <= llr && llr <= margin*upper {
		return true
	}
	for i := range p {
		before := p
		if before[i]--; before[i] >= 0 && t.Verdict(before) == Undecided {
			return true
		}
	}
	return false
}

// Estimate returns the estimate of a match that the test may have stopped. If it did, this is the
// median-unbiased estimate and its interval by the distribution of the outcomes of the test.
// Otherwise it is the estimate of [Pairs.Estimate]; also beyond 200 logistic Elo, where the
// motion of [stop] is a poor model, and where all pairs gave the same.
//
// With the strength that is returned an outcome at least as good as the one seen has a
// probability of one half, with the ends of the interval 2.5 % and 97.5 %; LOS is the probability
// of a worse one at strength 0.
func (t Test) Estimate(p Pairs) Estimate {
	e := p.Estimate()
	uncorrected := e.Normalized
	if t.Model == Logistic {
		uncorrected = e.Elo
	}
	isFar := t.Model == Logistic && math.Abs(uncorrected.Value) > maxElo
	if math.IsNaN(e.LOS) || isFar || !t.stopsAt(p) {
		return e
	}
	s := stop{Test: t, verdict: t.Verdict(p)}
	s.n, s.shares = p.shares()
	const tail = 0.025
	low, foundLow := s.strength(tail, uncorrected)
	middle, foundMiddle := s.strength(0.5, uncorrected)
	high, foundHigh := s.strength(1-tail, uncorrected)
	if !foundLow || !foundMiddle || !foundHigh {
		return e
	}
	return Estimate{
		Pairs:      p,
		Elo:        Interval{middle.elo(Logistic), low.elo(Logistic), high.elo(Logistic)},
		Normalized: Interval{middle.elo(Normalized), low.elo(Normalized), high.elo(Normalized)},
		LOS:        1 - s.atLeast(0),
		Corrected:  true,
	}
}

// stop is the outcome of a test that stopped a match. Outcomes are ordered by what they say for the
// first player: H0 accepted early, H0 late, H1 late, H1 early (Siegmund 1985, Sequential Analysis,
// section III.4).
type stop struct {
	Test
	verdict Verdict
	n       float64 // pairs
	shares  distribution
}

// atLeast returns the probability of an outcome at least as good if the strength is elo. LLR is
// taken for a Brownian motion that begins at 0 and is stopped at the bounds; a pair's mean and
// variance are those under the likeliest distribution of the strength. The match stops after a
// pair, so somewhat beyond a bound: the motion's bounds are further out by what a walk of normal
// steps exceeds them on average, 0.583 standard deviations of a step (Siegmund, section X.2).
func (s *stop) atLeast(elo float64) float64 {
	const overshoot = 0.5826
	l := s.likeliest(s.shares, elo)
	drift, sd := s.gains(l).under(l)
	lower, upper := s.Bounds()
	down := -lower/sd + overshoot
	up := upper/sd + overshoot
	if s.verdict == AcceptH1 {
		return exitBy(s.n, drift/sd, down, up)
	}
	return 1 - exitBy(s.n, -drift/sd, up, down)
}

// strength returns the distribution of the strength at which an outcome at least as good has a
// probability, and whether there is one. The search goes from the uncorrected estimate, by half the
// width of its interval, and then bisects.
func (s *stop) strength(probability float64, uncorrected Interval) (l distribution, found bool) {
	const mostSteps, bisections, tolerance = 10, 40, 1e-4
	near := uncorrected.Value
	step := uncorrected.Half()
	down := s.atLeast(near) > probability
	if down {
		step = -step
	}
	far := near + step
	for range mostSteps {
		if (s.atLeast(far) < probability) == down {
			break
		}
		near, far = far, far+step
	}
	for range bisections {
		middle := (near + far) / 2
		if (s.atLeast(middle) < probability) == down {
			far = middle
		} else {
			near = middle
		}
	}
	return s.likeliest(s.shares, near), math.Abs(s.atLeast(near)-probability) < tolerance
}

// exitBy returns the probability that a Brownian motion of variance 1 with a drift leaves the
// interval from -down to up by a time, and at its upper end.
//
// Two series give it, by reflections at the ends for small times, and for large times by the
// eigenfunctions of the interval (Borodin and Salminen 2002, formula 2.3.0.6).
func exitBy(time, drift, down, up float64) float64 {
	const terms, short = 8, 0.3
	width := down + up
	sum := 0.0
	if time < short*width*width {
		root := math.Sqrt(time)
		for k := -terms; k <= terms; k++ {
			end := up + 2*float64(k)*width
			x := math.Abs(end)
			for _, v := range []float64{drift, -drift} { // the time until this drift leads to x
				tail := logTail((x - v*time) / root)
				sum += math.Copysign(math.Exp(drift*up-v*x+tail), end)
			}
		}
		return sum
	}
	for n := 1.0; n <= terms; n++ {
		frequency := n * math.Pi / width
		rate := (drift*drift + frequency*frequency) / 2
		weight := frequency * math.Sin(frequency*up) / rate
		sum += weight * math.Exp(drift*up-rate*time)
	}
	return exitsAbove(drift, down, up) - sum/width
}

// exitsAbove returns the probability that a Brownian motion of variance 1 leaves the interval at
// its upper end.
func exitsAbove(drift, down, up float64) float64 {
	if drift == 0 {
		return down / (down + up)
	}
	if drift < 0 { // without overflow
		return math.Exp(2*drift*up) * exitsAbove(-drift, down, up)
	}
	return math.Expm1(-2*drift*down) / math.Expm1(-2*drift*(down+up))
}

// logTail is the logarithm of the probability that a standard normal variable exceeds x.
func logTail(x float64) float64 {
	const far = 30 // the tail is near the least number that a float64 holds
	if x > far {
		return -x*x/2 - math.Log(x*math.Sqrt(2*math.Pi))
	}
	return math.Log(math.Erfc(x/math.Sqrt2) / 2)
}
