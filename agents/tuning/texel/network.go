package texel

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"gyges/agents/eval"
	"gyges/agents/tuning"
)

// Network says how a network is fitted: by Adam (Kingma and Ba 2015), with a step
// for every Batch of positions, and a rate that falls from Rate to 0.
type Network struct {
	Epochs int     // times that all positions are gone through, from 1
	Batch  int     // positions of a step. 0: 512
	Rate   float64 // of the first step. 0: 0.004
	Decay  float64 // L2 of the network's numbers, 0 or more
	Parent *eval.Network
	Seed   uint64 // of the first numbers, if there is no parent, and of the order of positions
}

const (
	maxEpochs = 10_000
	maxBatch  = 1 << 20
)

// About is what the outcome of a fit depends on, for manifests; nil of nil.
func (n *Network) About() map[string]any {
	if n == nil {
		return nil
	}
	return map[string]any{"epochs": n.Epochs, "batch": n.Batch, "rate": n.Rate, "decay": n.Decay, "seed": strconv.FormatUint(n.Seed, 10)}
}

func (n *Network) check(p *tuning.Problems) {
	p.Expect(1 <= n.Epochs && n.Epochs <= maxEpochs, "network.epochs", "expected a number from 1 to %d, found %d", maxEpochs, n.Epochs)
	p.Expect(0 <= n.Batch && n.Batch <= maxBatch, "network.batch", "expected a number from 0 (for %d) to %d, found %d", defaultBatch, maxBatch, n.Batch)
	p.Expect(0 <= n.Rate && n.Rate <= 1, "network.rate", "expected a number from 0 (for %v) to 1, found %v", defaultRate, n.Rate)
	p.Expect(0 <= n.Decay && n.Decay <= 1, "network.decay", "expected a number from 0 to 1, found %v", n.Decay)
}

const (
	defaultBatch = 512
	defaultRate  = 0.004
)

// model is an evaluation with a network in floating point. Its numbers stand in
// one slice: the features' weights, the network's First, Bias and Out. All count
// in units of the logit, and activations are at most 1.
type model struct {
	features int
	x        []float64
}

const (
	hidden  = eval.Units
	firsts  = eval.NumInputs * hidden
	numbers = firsts + 2*hidden // of a network
)

func (m *model) first(i uint16) []float64 { return m.x[m.features+int(i)*hidden:][:hidden] }
func (m *model) bias() []float64          { return m.x[m.features+firsts:][:hidden] }
func (m *model) out() []float64           { return m.x[m.features+firsts+hidden:][:hidden] }

// sums are what a unit and its mirror image come to before they are bounded.
type sums [2][hidden]float64

// logit returns the logit of a position.
func (m *model) logit(b *block, i int, s *sums) float64 {
	s[0], s[1] = [hidden]float64(m.bias()), [hidden]float64(m.bias())
	for _, j := range b.on(i) {
		straight, mirrored := m.first(j), m.first(uint16(eval.Mirrored(int(j))))
		for k := range hidden {
			s[0][k] += straight[k]
			s[1][k] += mirrored[k]
		}
	}
	x := b.dot(i, m.x[:m.features])
	for k, out := range m.out() {
		x += out * (bounded(s[0][k]) + bounded(s[1][k]))
	}
	return x
}

func bounded(x float64) float64 { return min(max(x, 0), 1) }

// slope is that of bounded.
func slope(x float64) float64 {
	if 0 < x && x < 1 {
		return 1
	}
	return 0
}

// add adds missed times the gradient of the logit at a position, whose sums logit
// has made, to g.
func (m *model) add(g *model, b *block, i int, s *sums, missed float64) {
	columns, values := b.row(i)
	for k, j := range columns {
		g.x[j] += missed * float64(values[k])
	}
	gradBias, gradOut := g.bias(), g.out()
	for k, out := range m.out() {
		gradOut[k] += missed * (bounded(s[0][k]) + bounded(s[1][k]))
		s[0][k], s[1][k] = missed*out*slope(s[0][k]), missed*out*slope(s[1][k])
		gradBias[k] += s[0][k] + s[1][k]
	}
	for _, j := range b.on(i) {
		straight, mirrored := g.first(j), g.first(uint16(eval.Mirrored(int(j))))
		for k := range hidden {
			straight[k] += s[0][k]
			mirrored[k] += s[1][k]
		}
	}
}

// newModel returns the model to begin with: the parent's, or one with a network of
// random numbers that is worth little.
func (f *fit) newModel() *model {
	s := &f.settings
	m := &model{len(s.Parent), make([]float64, len(s.Parent)+numbers)}
	for j, w := range s.Parent {
		m.x[j] = w * f.scale
	}
	if p := s.Network.Parent; p != nil {
		for k := range hidden {
			m.bias()[k] = float64(p.Bias[k]) / eval.Full
			m.out()[k] = float64(p.Out[k]) / eval.OutScale * f.scale
			for i := range p.First {
				m.first(uint16(i))[k] = float64(p.First[i][k]) / eval.Full
			}
		}
		return m
	}
	rng := rand.New(rand.NewPCG(s.Network.Seed, forStart))
	for k := range hidden {
		m.bias()[k] = 0.3
		m.out()[k] = 0.3 * rng.NormFloat64()
	}
	for i, seen := range f.train.data.seen() { // what is never on would stay noise
		for k := range hidden {
			if x := 0.1 * rng.NormFloat64(); seen {
				m.first(uint16(i))[k] = x
			}
		}
	}
	return m
}

// seen tells which inputs are on in some position, or in its mirror image.
func (d *Data) seen() (on [eval.NumInputs]bool) {
	for _, b := range d.blocks {
		for _, i := range b.inputs {
			on[i], on[eval.Mirrored(int(i))] = true, true
		}
	}
	return on
}

// What a seed is drawn for.
const (
	forStart uint64 = iota + 1
	forOrder
)

// whole returns the model's network in whole numbers, which are within bounds.
func (m *model) whole(scale float64) *eval.Network {
	n := &eval.Network{}
	for k := range hidden {
		n.Bias[k] = int16(math.Round(m.bias()[k] * eval.Full))
		n.Out[k] = int16(math.Round(m.out()[k] / scale * eval.OutScale))
		for i := range n.First {
			n.First[i][k] = int16(math.Round(m.first(uint16(i))[k] * eval.Full))
		}
	}
	return n
}

// fitNetwork fits a network together with the weights. The weights are then where
// the fit of the weights alone goes on from, with what the network in whole
// numbers adds.
func (f *fit) fitNetwork(ctx context.Context) error {
	s := &f.settings
	a := newAdam(f)
	best, bestLoss := append([]float64(nil), a.x...), a.loss(f.validation)
	f.record(a.loss(f.train), bestLoss, a.weights(f))
	for f.iteration < s.Network.Epochs && f.err == nil {
		loss, err := a.epoch(ctx)
		if err != nil {
			return err
		}
		f.iteration++
		watched := a.loss(f.validation)
		if watched < bestLoss {
			best, bestLoss = append(best[:0], a.x...), watched
		}
		f.record(loss, watched, a.weights(f))
	}
	f.iteration++ // the weights alone, with the network in whole numbers, are another step
	a.x = best
	f.start, f.network = a.weights(f), a.whole(f.scale)
	f.train, f.validation = f.withNetwork(f.train), f.withNetwork(f.validation)
	return f.err
}

// values returns what a network makes of each position, block by block.
func (d *Data) values(n *eval.Network) [][]float32 {
	all := make([][]float32, len(d.blocks))
	d.each(func(k int, b *block) {
		all[k] = make([]float32, b.rows())
		for i := range all[k] {
			all[k][i] = float32(n.Value(b.on(i)))
		}
	})
	return all
}

// loss returns the mean cross-entropy of a sample.
func (m *model) loss(l *loss) float64 {
	total := l.data.sum(1, func(b *block, k int, total []float64) {
		var s sums
		for i := range b.rows() {
			x := m.logit(b, i, &s)
			_, softplus := logistic(x)
			total[0] += float64(b.count[i]) * (softplus - float64(l.targets[k][i])*x)
		}
	})
	return total[0] / l.data.count
}

// bounds are the largest sizes of numbers that a weights file can hold, in the
// units of model.
type bounds struct{ feature, first, bias, out float64 }

func newBounds(scale float64) bounds {
	return bounds{
		feature: eval.MaxWeight * scale,
		first:   float64(eval.MaxFirst) / eval.Full,
		bias:    float64(eval.MaxBias) / eval.Full,
		out:     float64(math.MaxInt16) / eval.OutScale * scale,
	}
}

// project returns the number nearest to x that can be stored as number j of m.
func (b *bounds) project(m *model, j int, x float64) float64 {
	most := b.out
	switch {
	case j < m.features:
		most = b.feature
	case j < m.features+firsts:
		most = b.first
	case j < m.features+firsts+hidden:
		most = b.bias
	}
	return min(max(x, -most), most)
}

// adam is the state of the method.
type adam struct {
	model
	settings  *Network
	held      []bool // numbers that stay as they are
	train     *loss
	order     []uint32 // of the positions
	rng       *rand.Rand
	step      int
	mean      []float64 // running mean of the gradient
	square    []float64 // and of its square
	rms       []float64 // of the features: their weights are counted in it
	bounds    bounds
	parts     [batchParts]model
	partsLoss [batchParts]float64
	steps     int // in all
	batch     int
	rate      float64
}

// batchParts is in how many parts the gradient of a batch is summed up, whatever
// the number of cores, so that it is the same for all.
const batchParts = 8

func newAdam(f *fit) *adam {
	s := f.settings.Network
	a := &adam{model: *f.newModel(), settings: s, train: f.train, batch: s.Batch, rate: s.Rate, rms: f.rms, bounds: newBounds(f.scale)}
	if a.batch == 0 {
		a.batch = defaultBatch
	}
	if a.rate == 0 {
		a.rate = defaultRate
	}
	a.mean, a.square = make([]float64, len(a.x)), make([]float64, len(a.x))
	a.held = make([]bool, len(a.x))
	for j := range f.rms {
		a.held[j] = f.rms[j] == 0 || f.settings.Hold != nil && f.settings.Hold[j]
	}
	for j, x := range a.x {
		if !a.held[j] {
			a.x[j] = a.bounds.project(&a.model, j, x)
		}
	}
	for k := range a.parts {
		a.parts[k] = model{a.features, make([]float64, len(a.x))}
	}
	a.order = make([]uint32, f.train.data.rows)
	for i := range a.order {
		a.order[i] = uint32(i)
	}
	a.rng = rand.New(rand.NewPCG(s.Seed, forOrder))
	a.batch = min(a.batch, len(a.order))
	a.steps = len(a.order) / a.batch * s.Epochs
	return a
}

// weights returns the weights of the features, in hundredths of a point.
func (a *adam) weights(f *fit) []float64 {
	w := make([]float64, a.features)
	for j := range w {
		w[j] = a.x[j] / f.scale
		if a.held[j] {
			w[j] = f.settings.Parent[j]
		}
	}
	return w
}

// epoch goes through all positions once, in random order, and returns the mean
// loss on the way.
func (a *adam) epoch(ctx context.Context) (float64, error) {
	a.rng.Shuffle(len(a.order), func(i, j int) { a.order[i], a.order[j] = a.order[j], a.order[i] })
	loss, count := 0.0, 0.0
	for from := 0; from+a.batch <= len(a.order); from += a.batch {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		batch := a.order[from : from+a.batch]
		weight := 0.0
		for _, i := range batch {
			weight += float64(a.train.data.blocks[i/blockRows].count[i%blockRows])
		}
		a.gradient(batch, weight)
		for k := range a.partsLoss {
			loss += a.partsLoss[k]
		}
		count += weight
		a.descend()
	}
	return loss / count, nil
}

// gradient sums up the gradient of a batch's mean loss in parts.
func (a *adam) gradient(batch []uint32, weight float64) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), batchParts) {
		wg.Go(func() {
			for k := int(next.Add(1)) - 1; k < batchParts; k = int(next.Add(1)) - 1 {
				a.partsLoss[k] = 0
				for i := k; i < len(batch); i += batchParts {
					a.partsLoss[k] += a.position(&a.parts[k], batch[i], weight)
				}
			}
		})
	}
	wg.Wait()
}

// position adds the gradient at a position to g and returns its loss, both times
// how often it occurred; the gradient is divided by weight.
func (a *adam) position(g *model, row uint32, weight float64) float64 {
	b, i := a.train.data.blocks[row/blockRows], int(row%blockRows)
	var s sums
	x := a.logit(b, i, &s)
	p, softplus := logistic(x)
	t, count := float64(a.train.targets[row/blockRows][i]), float64(b.count[i])
	a.add(g, b, i, &s, count*(p-t)/weight)
	return count * (softplus - t*x)
}

// descend makes a step and clears the gradient.
func (a *adam) descend() {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	rate := a.rate * (1 - float64(a.step)/float64(a.steps))
	a.step++
	c1, c2 := 1-math.Pow(beta1, float64(a.step)), 1-math.Pow(beta2, float64(a.step))
	for j := range a.x {
		g := 0.0
		for k := range a.parts {
			g += a.parts[k].x[j]
			a.parts[k].x[j] = 0
		}
		if a.held[j] {
			continue
		}
		unit := 1.0 // in which the number is counted
		if j < a.features {
			unit = 1 / a.rms[j]
			g *= unit
		} else {
			g += a.settings.Decay * a.x[j]
		}
		a.mean[j] += (1 - beta1) * (g - a.mean[j])
		a.square[j] += (1 - beta2) * (g*g - a.square[j])
		next := a.x[j] - rate*unit*(a.mean[j]/c1)/(math.Sqrt(a.square[j]/c2)+epsilon)
		a.x[j] = a.bounds.project(&a.model, j, next)
	}
}
