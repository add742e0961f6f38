package sprt

import "math"

// PairsLeft returns how many more pairs a test is expected to take. known is false without many
// pairs, and while the drift of the LLR is not clear: while it differs from zero by less than
// half its standard error.
//
// The LLR of n pairs is n·f(shares of the results). A pair with result i adds log(p1_i/p0_i) to
// it: p0 and p1 maximise the likelihood, so to the first order they don't change with the
// shares. The mean of these gains is the drift, LLR/n, and their variance v. The LLR goes on as
// a Brownian motion with drift between the bounds, whose mean time to either has a closed form.
//
// That time depends much on the drift, which the pairs give with a standard error of √(v/n). So
// it is averaged over what is known of the drift: the pairs, and before them a normal
// distribution with mean 0. Its standard deviation is v (at elo0 and elo1 the drift is ∓v/2),
// or half the drift seen if that is more, as in a one-sided match.
func (t Test) PairsLeft(p Pairs) (pairs float64, known bool) {
	const fewest = 30
	if p.N() < fewest {
		return 0, false
	}
	n, shares := p.shares()
	gains := t.gains(shares)
	drift, _ := gains.under(shares)
	variance := 0.0
	for i, count := range p {
		// Half a pair of each result besides: few pairs lack results that will come.
		share := (float64(count) + 0.5) / (n + 0.5*float64(len(p)))
		variance += share * (gains[i] - drift) * (gains[i] - drift)
	}
	lower, upper := t.Bounds()
	below, above := n*drift-lower, upper-n*drift
	if below <= 0 || above <= 0 {
		return 0, true
	}
	if math.Abs(drift) < math.Sqrt(variance/n)/2 {
		return 0, false
	}
	before := max(variance, math.Abs(drift)/2)   // the drift's deviation before the first pair
	weight := n / (n + variance/(before*before)) // of the pairs
	mean, deviation := drift*weight, math.Sqrt(variance/n*weight)
	const most, step = 4, 0.1 // in deviations
	total := 0.0
	for z := -most + step/2; z < most; z += step {
		density := math.Exp(-z * z / 2)
		pairs += density * exitTime(mean+z*deviation, variance, below, above)
		total += density
	}
	return pairs / total, true
}

// exitTime returns the mean time until a Brownian motion leaves an interval from a distance below
// it to one above.
func exitTime(drift, variance, below, above float64) float64 {
	if drift < 0 {
		drift, below, above = -drift, above, below
	}
	const small = 1e-6
	rate := 2 * drift / variance
	if rate*(below+above) < small {
		return below * above / variance
	}
	up := exitsAbove(rate/2, below, above)
	return (up*above - (1-up)*below) / drift
}
