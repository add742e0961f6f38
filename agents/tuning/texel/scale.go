package texel

import (
	"errors"
	"fmt"
	"math"
)

// maxScale bounds the scale: at 2 a hundredth of a point multiplies the odds of a win
// by seven.
const maxScale = 2

// fitScale returns the scale at which weights predict the results best. The
// loss is convex in it, so its derivative has one zero, found by Newton's method
// within a bracket.
func fitScale(d *Data, weights []float64) (float64, error) {
	results := make([][]float32, len(d.blocks))
	for k, b := range d.blocks {
		results[k] = b.result
	}
	l := newLoss(d, weights, d.base(), 1, results)
	slopes := func(scale float64) (first, second float64) {
		sums := d.sum(2, func(b *block, k int, sums []float64) {
			for i, score := range l.offsets[k] {
				p, _ := logistic(scale * float64(score))
				x := float64(b.count[i]) * float64(score)
				sums[0] += x * (p - float64(b.result[i]))
				sums[1] += x * float64(score) * p * (1 - p)
			}
		})
		return sums[0], sums[1]
	}
	if first, _ := slopes(0); first >= 0 {
		return 0, errors.New("the parent weights do not predict the results of these positions, so no scale fits; " +
			"expected a given scale, or other parent weights")
	}
	if first, _ := slopes(maxScale); first <= 0 {
		return 0, fmt.Errorf("the parent weights predict every result, so no scale up to %v fits; "+
			"expected positions with unpredicted results", maxScale)
	}
	low, high, scale := 0.0, float64(maxScale), 0.005
	for range 200 {
		first, second := slopes(scale)
		if first < 0 {
			low = scale
		} else {
			high = scale
		}
		next := scale - first/second
		if !(low < next && next < high) {
			next = (low + high) / 2
		}
		if math.Abs(next-scale) <= 1e-10*scale {
			return next, nil
		}
		scale = next
	}
	return scale, nil
}
