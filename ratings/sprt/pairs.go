package sprt

import (
	"fmt"
	"math"

	"gyges/rules/base/interval"
)

// Pairs counts game pairs by the points of the first player: 0, ½, 1, 1½, 2.
type Pairs [5]int64

// N is the number of pairs.
func (p Pairs) N() int64 { return p[0] + p[1] + p[2] + p[3] + p[4] }

// Add counts a pair by its half points, 0 to 4.
func (p *Pairs) Add(halfPoints int) { p[halfPoints]++ }

// Elo returns the logistic Elo difference of the score, and half its 95 % interval by
// the normal approximation, with the variance between pairs. ok is false where there
// is no finite estimate: without pairs, or when one side won everything. half is NaN
// where all pairs gave the same, so that there is no estimate of their variance.
func (p Pairs) Elo() (elo, half float64, ok bool) {
	n := float64(p.N())
	mean, square := 0.0, 0.0
	for i, count := range p {
		x := float64(i) / 4
		mean += x * float64(count) / n
		square += x * x * float64(count) / n
	}
	if n == 0 || mean == 0 || mean == 1 {
		return 0, 0, false
	}
	elo = 0 - 400*math.Log10(1/mean-1) // no -0
	slope := 400 / math.Ln10 / (mean * (1 - mean))
	half = interval.Z95 * math.Sqrt(max(square-mean*mean, 0)/n) * slope
	for _, count := range p {
		if count == p.N() {
			half = math.NaN()
		}
	}
	return elo, half, true
}

// EloText returns the estimate of [Pairs.Elo] with its interval, or why there is none.
func (p Pairs) EloText() string {
	elo, half, ok := p.Elo()
	switch {
	case p.N() == 0:
		return "unknown: no pairs"
	case !ok:
		return "has no finite estimate: one player won everything"
	case math.IsNaN(half):
		return fmt.Sprintf("%.1f, no interval: all pairs gave the same", elo)
	}
	return fmt.Sprintf("%.1f ± %.1f (95 %%)", elo, half)
}
