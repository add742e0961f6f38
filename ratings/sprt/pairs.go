package sprt

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gyges/rules/base/interval"
	"gyges/rules/base/textfmt"
)

// Pairs counts game pairs by the points of the first player: 0, ½, 1, 1½, 2.
type Pairs [5]int64

// N is the number of pairs.
func (p Pairs) N() int64 { return p[0] + p[1] + p[2] + p[3] + p[4] }

// shares returns the number of pairs and the share of each result, a count of zero being taken as a
// thousandth.
func (p Pairs) shares() (n float64, shares distribution) {
	const few = 1e-3
	for i, count := range p {
		shares[i] = max(float64(count), few)
		n += shares[i]
	}
	for i := range shares {
		shares[i] /= n
	}
	return n, shares
}

// Interval is an estimate in Elo with its 95 % interval; what has no finite value is NaN.
type Interval struct{ Value, Low, High float64 }

// Half is half the width of the interval.
func (i Interval) Half() float64 { return (i.High - i.Low) / 2 }

// Estimate is the strength of the first player of a match, compared with the second.
type Estimate struct {
	Pairs      Pairs    // that it is of
	Elo        Interval // logistic: of the mean score
	Normalized Interval // 800/ln 10 · (score − ½)/σ, see the package
	// LOS is the likelihood of superiority, 0 to 1: how sure the first player is the stronger;
	// NaN if it is unknown.
	LOS       float64
	Corrected bool // for the stop by a test, see [Test.Estimate]
}

// Estimate returns the estimate of a match whose length didn't depend on its results. The
// intervals and LOS are those of the normal approximation, with the variance between pairs;
// where all pairs gave the same, it is unknown. The variance of (mean − ½)/σ includes the
// variance of σ (delta method): (1 − t·skewness + t²·(kurtosis − 1)/4)/n with t = (mean − ½)/σ
// of a pair.
func (p Pairs) Estimate() Estimate {
	nan := math.NaN()
	none := Interval{nan, nan, nan}
	e := Estimate{Pairs: p, Elo: none, Normalized: none, LOS: nan}
	n := float64(p.N())
	var l distribution
	for i, count := range p {
		l[i] = float64(count) / n
	}
	mean, sd := l.moments()
	if n == 0 || mean == 0 || mean == 1 {
		return e
	}
	elo := l.elo(Logistic)
	e.Elo.Value = elo
	if slices.Contains(p[:], p.N()) {
		return e
	}
	half := interval.Z95 * sd / math.Sqrt(n) * 400 / math.Ln10 / (mean * (1 - mean))
	e.Elo = Interval{elo, elo - half, elo + half}

	t := (mean - 0.5) / sd
	variance := 1 - t*t/4
	for i, share := range l {
		z := (points[i] - mean) / sd
		variance += share * z * z * z * (t*t/4*z - t)
	}
	half = interval.Z95 * math.Sqrt(max(variance, 0)/n) / pairUnits
	normalized := l.elo(Normalized)
	e.Normalized = Interval{normalized, normalized - half, normalized + half}
	e.LOS = math.Erfc(-t*math.Sqrt(n/2)) / 2
	return e
}

// pairUnits is how many standard deviations of a pair's mean one normalized Elo is.
const pairUnits = math.Ln10 / 800 * math.Sqrt2

// EloText returns the logistic estimate with its interval, or why there is none.
func (e Estimate) EloText() string { return e.text(e.Elo) }

// text returns one of the two estimates with its interval, or why there is none.
func (e Estimate) text(i Interval) string {
	switch n := e.Pairs.N(); {
	case n == 0:
		return "unknown: no pairs"
	case e.Pairs[0] == n || e.Pairs[4] == n:
		return "has no finite estimate: one player won everything"
	case math.IsNaN(i.Value):
		return "unknown: all pairs gave the same"
	case math.IsNaN(i.Half()):
		return fmt.Sprintf("%.1f, no interval: all pairs gave the same", i.Value)
	case e.Corrected: // the interval isn't symmetric
		return fmt.Sprintf("%.1f, from %.1f to %.1f (95 %%)", i.Value, i.Low, i.High)
	}
	return fmt.Sprintf("%.1f ± %.1f (95 %%)", i.Value, i.Half())
}

func (e Estimate) losText() string {
	if math.IsNaN(e.LOS) {
		return "unknown"
	}
	return textfmt.Likelihood(e.LOS) + " %"
}

// String lists the counts.
func (p Pairs) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([5]int64(p)), " ", ", "), "[]")
}
