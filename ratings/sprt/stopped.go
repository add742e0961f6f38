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
// Otherwise it is that of [Pairs.Estimate]; also beyond 200 logistic Elo, where the motion below is
// a poor model, and where all pairs gave the same.
//
// Outcomes are ordered by what they say for the first player: H0 accepted early, H0 late, H1 late,
// H1 early (Siegmund 1985, Sequential Analysis, section III.4). With the strength that is returned
// an outcome at least as good as the one seen has a probability of one half, with the ends of the
// interval 2.5 % and 97.5 %; LOS is the probability of a worse one at strength 0. LLR is taken for
// a Brownian motion that begins at 0 and is stopped at the bounds; a pair's mean and variance are
// those under the likeliest distribution of the strength. The match stops after a pair, so somewhat
// beyond a bound: the motion's bounds are further out by what a walk of normal steps exceeds them
// on average, 0.583 standard deviations of a step (Siegmund, section X.2).
func (t Test) Estimate(p Pairs) Estimate {
	e := p.Estimate()
	verdict := t.Verdict(p)
	raw := e.Normalized
	if t.Model == Logistic {
		raw = e.Elo
	}
	if math.IsNaN(e.LOS) || t.Model == Logistic && math.Abs(raw.Value) > maxElo || !t.stopsAt(p) {
		return e
	}
	n, shares := p.shares()
	lower, upper := t.Bounds()
	atLeast := func(l distribution) float64 { // probability of an outcome at least as good
		const overshoot = 0.5826
		drift, sd := t.gains(l).under(l)
		down, up := -lower/sd+overshoot, upper/sd+overshoot
		if verdict == AcceptH1 {
			return exitBy(n, drift/sd, down, up)
		}
		return 1 - exitBy(n, -drift/sd, up, down)
	}
	found := true
	solve := func(probability float64) distribution {
		const most, steps, tolerance = 10, 40, 1e-4 // half widths of the uncorrected interval, bisections, probability
		step := raw.Half()
		if atLeast(t.likeliest(shares, raw.Value)) > probability {
			step = -step
		}
		near, far := raw.Value, raw.Value+step
		for range most {
			if (atLeast(t.likeliest(shares, far)) < probability) == (step < 0) {
				break
			}
			near, far = far, far+step
		}
		for range steps {
			if x := (near + far) / 2; (atLeast(t.likeliest(shares, x)) < probability) == (step < 0) {
				far = x
			} else {
				near = x
			}
		}
		found = found && math.Abs(atLeast(t.likeliest(shares, near))-probability) < tolerance
		return t.likeliest(shares, near)
	}
	const tail = 0.025
	low, middle, high := solve(tail), solve(0.5), solve(1-tail)
	if !found {
		return e
	}
	return Estimate{
		Pairs:      p,
		Elo:        Interval{middle.elo(Logistic), low.elo(Logistic), high.elo(Logistic)},
		Normalized: Interval{middle.elo(Normalized), low.elo(Normalized), high.elo(Normalized)},
		LOS:        1 - atLeast(t.likeliest(shares, 0)),
		Corrected:  true,
	}
}

// exitBy returns the probability that a Brownian motion of variance 1 with a drift leaves the
// interval from -down to up by a time, and at its upper end.
//
// Two series give it, by reflections at the ends for small times, and for large times by the
// eigenfunctions of the interval (Borodin and Salminen 2002, formula 2.3.0.6).
func exitBy(time, drift, down, up float64) float64 {
	width := down + up
	const terms, short = 8, 0.3
	sum := 0.0
	if time < short*width*width {
		for k := -terms; k <= terms; k++ {
			c := up + 2*float64(k)*width
			x, root := math.Abs(c), math.Sqrt(time)
			for _, v := range []float64{drift, -drift} { // the time until a motion with drift v reaches x
				sum += math.Copysign(math.Exp(drift*up-v*x+logTail((x-v*time)/root)), c)
			}
		}
		return sum
	}
	for n := 1.0; n <= terms; n++ {
		w := n * math.Pi / width
		rate := (drift*drift + w*w) / 2
		sum += w * math.Sin(w*up) / rate * math.Exp(drift*up-rate*time)
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
