package texel

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"gyges/rules/base/interval"
	"gyges/rules/base/lists"
)

// sum returns sums over all positions. add adds those of a block, since a call for each position
// would make a fit 7 % slower; the blocks' sums are added in their order.
func (d *Data) sum(n int, add func(b *block, sums []float64)) []float64 {
	parts := make([][]float64, len(d.blocks))
	lists.OnAllCores(len(parts), func(k int) {
		parts[k] = make([]float64, n)
		add(d.blocks[k], parts[k])
	})
	total := make([]float64, n)
	for _, part := range parts {
		floats.Add(total, part)
	}
	return total
}

// compute returns the values that value computes for each position, block by block.
func (d *Data) compute(value func(e example) float64) [][]float32 {
	all := make([][]float32, len(d.blocks))
	lists.OnAllCores(len(all), func(k int) {
		b := d.blocks[k]
		all[k] = make([]float32, len(b.rows))
		for i := range all[k] {
			all[k][i] = float32(value(example{b, i}))
		}
	})
	return all
}

// meanSquares returns the mean square of each feature.
func (d *Data) meanSquares() []float64 {
	sums := d.sum(d.features, func(b *block, sums []float64) {
		for i := range b.rows {
			e := example{b, i}
			count := e.count()
			for j, x := range e.features() {
				sums[j] += count * float64(x) * float64(x)
			}
		}
	})
	for j := range sums {
		sums[j] /= d.count
	}
	return sums
}

// targets returns the target of each position, block by block: the result with the weight lambda
// and the result expected by the search's score with the rest. A hundredth of a point of a score
// has the logit scale, as in the evaluation; a scale that was fitted to the scores made a weaker
// player (results/reference/training.md).
func (d *Data) targets(lambda, scale float64) [][]float32 {
	return d.compute(func(e example) float64 {
		r := e.row()
		if math.IsNaN(float64(r.score)) {
			return float64(r.result)
		}
		p, _ := logistic(scale * float64(r.score))
		if !r.played() {
			return p
		}
		return lambda*float64(r.result) + (1-lambda)*p
	})
}

// base is what the parent's evaluation adds to the features, in hundredths of a point.
func base(e example) float64 { return float64(e.row().base) }

// logistic returns 1/(1+exp(-x)) and ln(1+exp(x)).
func logistic(x float64) (p, softplus float64) {
	e := math.Exp(-math.Abs(x))
	if x >= 0 {
		return 1 / (1 + e), x + math.Log1p(e)
	}
	return e / (1 + e), math.Log1p(e)
}

// loss is the mean cross-entropy of positions as a function of what is added to weights,
// in units of the logit. The rest of each position's logit is constant.
type loss struct {
	data    *Data
	targets [][]float32
	offsets [][]float32 // the constant part of the logits
}

// newLoss returns the loss; a logit's constant part is that of weights and base, in hundredths of a
// point.
func newLoss(
	d *Data, weights []float64, base func(e example) float64, scale float64, targets [][]float32,
) *loss {
	offsets := d.compute(func(e example) float64 {
		return scale * (base(e) + e.dot(weights))
	})
	return &loss{d, targets, offsets}
}

// offset returns the constant part of a position's logit.
func (l *loss) offset(e example) float64 { return float64(l.offsets[e.block.number][e.i]) }

// target returns the target of a position.
func (l *loss) target(e example) float64 { return float64(l.targets[e.block.number][e.i]) }

// logit returns the logit of a position at v.
func (l *loss) logit(e example, v []float64) float64 { return l.offset(e) + e.dot(v) }

// entropy returns the loss of a position with the logit x.
func (l *loss) entropy(e example, x float64) float64 {
	_, softplus := logistic(x)
	return softplus - l.target(e)*x
}

// mean returns the loss of positions with the logits given.
func (l *loss) mean(logit func(e example) float64) float64 {
	d := l.data
	sums := d.sum(1, func(b *block, sums []float64) {
		for i := range b.rows {
			e := example{b, i}
			x := logit(e)
			sums[0] += e.count() * l.entropy(e, x)
		}
	})
	return sums[0] / d.count
}

// value returns the loss at v.
func (l *loss) value(v []float64) float64 {
	return l.mean(func(e example) float64 { return l.logit(e, v) })
}

// gradient returns the loss at v and its gradient.
func (l *loss) gradient(v []float64) (loss float64, gradient []float64) {
	n := l.data.features
	sums := l.data.sum(n+1, func(b *block, sums []float64) {
		for i := range b.rows {
			e := example{b, i}
			logit := l.logit(e, v)
			p, softplus := logistic(logit)
			target, count := l.target(e), e.count()
			sums[n] += count * (softplus - target*logit)
			residual := count * (p - target)
			for j, x := range e.features() {
				sums[j] += residual * float64(x)
			}
		}
	})
	for j := range sums {
		sums[j] /= l.data.count
	}
	return sums[n], sums[:n]
}

// difference returns the loss of other at the point otherAt minus that of l at v, and half of its
// 95 % interval, with the positions of a game as one cluster, since their results are correlated.
func (l *loss) difference(v []float64, other *loss, otherAt []float64) (mean, margin float64) {
	type game struct{ sum, count float64 }
	known := map[uint32]*game{}
	var games []*game // in the order of their positions
	for _, b := range l.data.blocks {
		for i := range b.rows {
			e := example{b, i}
			number := e.row().game
			g, ok := known[number]
			if !ok {
				g = &game{}
				known[number] = g
				games = append(games, g)
			}
			before := other.entropy(e, other.logit(e, otherAt))
			after := l.entropy(e, l.logit(e, v))
			g.sum += e.count() * (before - after)
			g.count += e.count()
		}
	}
	for _, g := range games {
		mean += g.sum
	}
	mean /= l.data.count
	square := 0.0
	for _, g := range games {
		d := g.sum - mean*g.count
		square += d * d
	}
	return mean, interval.Z95 * math.Sqrt(square) / l.data.count
}

const maxScale = 2 // at which a hundredth of a point multiplies the odds of a win by seven

// fitScale returns the scale at which weights predict the results best. The loss is convex in it,
// so its derivative has one zero, found by Newton's method within a bracket.
func fitScale(d *Data, weights []float64) (float64, error) {
	l := newLoss(d, weights, base, 1, nil)
	slopes := func(scale float64) (first, second float64) {
		sums := d.sum(2, func(b *block, sums []float64) {
			for i := range b.rows {
				e := example{b, i}
				if !e.row().played() {
					continue
				}
				score := l.offset(e)
				p, _ := logistic(scale * score)
				x := e.count() * score
				sums[0] += x * (p - float64(e.row().result))
				sums[1] += x * score * p * (1 - p)
			}
		})
		return sums[0], sums[1]
	}
	if slope, _ := slopes(0); slope >= 0 {
		return 0, errors.New("the parent weights do not predict the results of these positions, " +
			"so no scale fits; expected a given scale, or other parent weights")
	}
	if slope, _ := slopes(maxScale); slope <= 0 {
		return 0, fmt.Errorf("the parent weights predict every result, so no scale up to %v fits; "+
			"expected positions with unpredicted results", maxScale)
	}
	low, high := 0.0, float64(maxScale)
	scale := 0.005 // near those of the weights that ship
	for range 200 {
		first, second := slopes(scale)
		if first < 0 {
			low = scale
		} else {
			high = scale
		}
		next := scale - first/second
		inside := low < next && next < high
		if !inside {
			next = (low + high) / 2
		}
		if math.Abs(next-scale) <= 1e-10*scale {
			return next, nil
		}
		scale = next
	}
	return scale, nil
}
