package texel

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// each calls do for every block, on all cores.
func (d *Data) each(do func(k int, b *block)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(d.blocks)) {
		wg.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(d.blocks) {
					return
				}
				do(k, d.blocks[k])
			}
		})
	}
	wg.Wait()
}

// sum returns the sums that add computes for each block, added in the blocks' order.
func (d *Data) sum(n int, add func(b *block, k int, sums []float64)) []float64 {
	parts := make([]float64, n*len(d.blocks))
	d.each(func(k int, b *block) { add(b, k, parts[k*n:(k+1)*n]) })
	total := make([]float64, n)
	for k := range d.blocks {
		for j, x := range parts[k*n : (k+1)*n] {
			total[j] += x
		}
	}
	return total
}

// meanSquares returns the mean square of each feature.
func (d *Data) meanSquares() []float64 {
	sums := d.sum(d.features, func(b *block, _ int, sums []float64) {
		for i := range b.rows() {
			columns, values := b.row(i)
			for k, j := range columns {
				sums[j] += float64(b.count[i]) * float64(values[k]) * float64(values[k])
			}
		}
	})
	for j := range sums {
		sums[j] /= d.count
	}
	return sums
}

// resultRange returns the lowest and the highest result.
func (d *Data) resultRange() (low, high float64) {
	low, high = 1, 0
	for _, b := range d.blocks {
		for _, r := range b.result {
			low, high = min(low, float64(r)), max(high, float64(r))
		}
	}
	return low, high
}

// targets returns the target of each position, block by block: lambda × the result
// plus (1-lambda) × the expected result by the search score.
func (d *Data) targets(lambda, scale float64) [][]float32 {
	all := make([][]float32, len(d.blocks))
	d.each(func(k int, b *block) {
		t := make([]float32, b.rows())
		for i := range t {
			t[i] = b.result[i]
			if score := float64(b.score[i]); !math.IsNaN(score) {
				p, _ := logistic(scale * score)
				t[i] = float32(lambda*float64(b.result[i]) + (1-lambda)*p)
			}
		}
		all[k] = t
	})
	return all
}

// logistic returns 1/(1+exp(-x)) and ln(1+exp(x)).
func logistic(x float64) (p, softplus float64) {
	e := math.Exp(-math.Abs(x))
	if x >= 0 {
		return 1 / (1 + e), x + math.Log1p(e)
	}
	return e / (1 + e), math.Log1p(e)
}

// loss is the mean cross-entropy of a sample as a function of weights. A fixed
// part of each position's logit is kept apart.
type loss struct {
	data    *Data
	targets [][]float32
	offsets [][]float32
}

// newLoss returns the loss for targets. Logits are those of weights on top of what
// base adds, in hundredths of a point that count scale each, plus what the
// argument of its methods adds, which counts in units of the logit.
func newLoss(d *Data, weights []float64, base [][]float32, scale float64, targets [][]float32) *loss {
	l := &loss{data: d, targets: targets, offsets: make([][]float32, len(d.blocks))}
	d.each(func(k int, b *block) {
		o := make([]float32, b.rows())
		for i := range o {
			o[i] = float32(scale * (float64(base[k][i]) + b.dot(i, weights)))
		}
		l.offsets[k] = o
	})
	return l
}

// base returns what the parent's evaluation adds to the features, block by block.
func (d *Data) base() [][]float32 {
	all := make([][]float32, len(d.blocks))
	for k, b := range d.blocks {
		all[k] = b.base
	}
	return all
}

// logit returns the logit of a position.
func (l *loss) logit(b *block, k, i int, v []float64) float64 {
	return float64(l.offsets[k][i]) + b.dot(i, v)
}

// value returns the loss.
func (l *loss) value(v []float64) float64 {
	sums := l.data.sum(1, func(b *block, k int, sums []float64) {
		for i := range b.rows() {
			sums[0] += float64(b.count[i]) * l.lossAt(b, k, i, v)
		}
	})
	return sums[0] / l.data.count
}

// gradient returns the loss and puts its gradient into grad.
func (l *loss) gradient(v, grad []float64) float64 {
	n := l.data.features
	sums := l.data.sum(n+1, func(b *block, k int, sums []float64) {
		for i := range b.rows() {
			x := l.logit(b, k, i, v)
			p, softplus := logistic(x)
			t, count := float64(l.targets[k][i]), float64(b.count[i])
			sums[n] += count * (softplus - t*x)
			residual := count * (p - t)
			columns, values := b.row(i)
			for m, j := range columns {
				sums[j] += residual * float64(values[m])
			}
		}
	})
	for j := range grad {
		grad[j] = sums[j] / l.data.count
	}
	return sums[n] / l.data.count
}
