package sprt

import "math"

// distribution is that of a pair's points per game, 0, ¼, ½, ¾, 1. All its probabilities are
// positive.
type distribution [5]float64

// withMean returns the distribution of the given mean, between 0 and 1, that makes the shares l the
// likeliest.
func (l distribution) withMean(mean float64) distribution {
	var g distribution
	for i := range g {
		g[i] = points[i] - mean
	}
	return l.tilt(g)
}

// withRatio returns the distribution with (mean − ½)/σ = t that makes the shares l the
// likeliest, σ being its standard deviation.
//
// The condition isn't linear in the distribution p. At the solution, though, p is also
// the likeliest distribution under the condition's linear form there,
//
//	Σ p_i g_i = 0 with g_i = a_i − ½ − tσ/2·(1 + ((a_i − mean)/σ)²),
//
// so the distribution is a fixed point of taking mean and σ from one distribution and tilting l to
// the next.
func (l distribution) withRatio(t float64) distribution {
	if t == 0 {
		return l.withMean(0.5)
	}
	const tolerance, mostSteps = 1e-12, 2000
	p := distribution{0.2, 0.2, 0.2, 0.2, 0.2}
	for range mostSteps {
		mean, sd := p.moments()
		var g distribution
		for i := range g {
			z := (points[i] - mean) / sd
			g[i] = points[i] - 0.5 - t*sd/2*(1+z*z)
		}
		next := l.tilt(g)
		change := 0.0
		for i := range p {
			change = max(change, math.Abs(next[i]-p[i]))
		}
		p = next
		if change < tolerance {
			break
		}
	}
	return p
}

// points are those of a pair per game.
var points = distribution{0, 0.25, 0.5, 0.75, 1}

// moments returns the mean and the standard deviation of the points.
func (l distribution) moments() (mean, sd float64) { return points.under(l) }

// under returns the mean and the standard deviation of values of the five results, whose
// probabilities are p.
func (l distribution) under(p distribution) (mean, sd float64) {
	for i, x := range l {
		mean += p[i] * x
	}
	for i, x := range l {
		sd += p[i] * (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd)
}

// elo returns the strength.
func (l distribution) elo(m Model) float64 {
	mean, sd := l.moments()
	if m == Logistic {
		return 0 - 400*math.Log10(1/mean-1) // no -0
	}
	return (mean - 0.5) / sd / pairUnits
}

// tilt returns the distribution with Σ p_i g_i = 0 that makes the shares l the likeliest: p_i =
// l_i/(1 + x g_i) with the x that solves Σ l_i g_i/(1 + x g_i) = 0. That sum falls as x grows
// between the poles, so bisection finds its root. If g has but one sign there is no such
// distribution, and l comes back.
func (l distribution) tilt(g distribution) distribution {
	low, high := math.Inf(-1), math.Inf(1)
	for _, v := range g {
		if v > 0 {
			low = max(low, -1/v)
		} else if v < 0 {
			high = min(high, -1/v)
		}
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		return l
	}
	for {
		x := low + (high-low)/2
		if x <= low || x >= high {
			break
		}
		sum := 0.0
		for i, v := range g {
			sum += l[i] * v / (1 + x*v)
		}
		if sum > 0 {
			low = x
		} else {
			high = x
		}
	}
	x, total := low+(high-low)/2, 0.0
	var p distribution
	for i, v := range g {
		p[i] = l[i] / (1 + x*v)
		total += p[i]
	}
	for i := range p {
		p[i] /= total
	}
	return p
}
