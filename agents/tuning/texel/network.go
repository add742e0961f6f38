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
	"gyges/agents/problems"
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
	return map[string]any{
		"epochs": n.Epochs, "batch": n.Batch, "rate": n.Rate, "decay": n.Decay, "seed": strconv.FormatUint(n.Seed, 10),
	}
}

func (n *Network) check(p *problems.List) {
	p.Expect(1 <= n.Epochs && n.Epochs <= maxEpochs, "network.epochs",
		"expected a number from 1 to %d, found %d", maxEpochs, n.Epochs)
	p.Expect(0 <= n.Batch && n.Batch <= maxBatch, "network.batch",
		"expected a number from 0 (for %d) to %d, found %d", defaultBatch, maxBatch, n.Batch)
	p.Expect(0 <= n.Rate && n.Rate <= 1, "network.rate",
		"expected a number from 0 (for %v) to 1, found %v", defaultRate, n.Rate)
	p.Expect(0 <= n.Decay && n.Decay <= 1, "network.decay", "expected a number from 0 to 1, found %v", n.Decay)
}

const (
	defaultBatch = 512
	defaultRate  = 0.004
)

// model is an evaluation with a network in floating point. Its weights are in one
// slice: those of the features, then the network's W1, B1 and W2. All are in units of
// the logit, and activations are at most 1.
type model struct {
	features int
	x        []float64
}

const (
	hidden      = eval.HiddenUnits
	w1Size      = eval.NumInputs * hidden
	networkSize = w1Size + 2*hidden // of a network
)

func (m *model) w1(i uint16) []float64 { return m.x[m.features+int(i)*hidden:][:hidden] }
func (m *model) b1() []float64         { return m.x[m.features+w1Size:][:hidden] }
func (m *model) w2() []float64         { return m.x[m.features+w1Size+hidden:][:hidden] }

// sums are the pre-activations of the units and of their mirror images.
type sums [2][hidden]float64

// logit returns the logit of a position.
func (m *model) logit(b *block, i int, s *sums) float64 {
	s[0], s[1] = [hidden]float64(m.b1()), [hidden]float64(m.b1())
	for _, j := range b.on(i) {
		straight, mirrored := m.w1(j), m.w1(uint16(eval.Mirrored(int(j))))
		for k := range hidden {
			s[0][k] += straight[k]
			s[1][k] += mirrored[k]
		}
	}
	x := b.dot(i, m.x[:m.features])
	for k, w2 := range m.w2() {
		x += w2 * (clippedReLU(s[0][k]) + clippedReLU(s[1][k]))
	}
	return x
}

func clippedReLU(x float64) float64 { return min(max(x, 0), 1) }

// clippedReLUSlope returns the derivative of clippedReLU.
func clippedReLUSlope(x float64) float64 {
	if 0 < x && x < 1 {
		return 1
	}
	return 0
}

// add adds residual times the gradient of the logit at a position to g (backward
// pass). s holds the sums computed by logit, and is overwritten.
func (m *model) add(g *model, b *block, i int, s *sums, residual float64) {
	columns, values := b.row(i)
	for k, j := range columns {
		g.x[j] += residual * float64(values[k])
	}
	gradBias, gradOut := g.b1(), g.w2()
	for k, w2 := range m.w2() {
		gradOut[k] += residual * (clippedReLU(s[0][k]) + clippedReLU(s[1][k]))
		s[0][k], s[1][k] = residual*w2*clippedReLUSlope(s[0][k]), residual*w2*clippedReLUSlope(s[1][k])
		gradBias[k] += s[0][k] + s[1][k]
	}
	for _, j := range b.on(i) {
		straight, mirrored := g.w1(j), g.w1(uint16(eval.Mirrored(int(j))))
		for k := range hidden {
			straight[k] += s[0][k]
			mirrored[k] += s[1][k]
		}
	}
}

// newModel returns the initial model: the parent's, or one with a network of small
// random weights.
func (f *fit) newModel() *model {
	s := &f.settings
	m := &model{len(s.Parent), make([]float64, len(s.Parent)+networkSize)}
	for j, w := range s.Parent {
		m.x[j] = w * f.scale
	}
	if p := s.Network.Parent; p != nil {
		for k := range hidden {
			m.b1()[k] = float64(p.B1[k]) / eval.QA
			m.w2()[k] = float64(p.W2[k]) / eval.QB * f.scale
			for i := range p.W1 {
				m.w1(uint16(i))[k] = float64(p.W1[i][k]) / eval.QA
			}
		}
		return m
	}
	rng := rand.New(rand.NewPCG(s.Network.Seed, forStart))
	for k := range hidden {
		m.b1()[k] = 0.3
		m.w2()[k] = 0.3 * rng.NormFloat64()
	}
	for i, seen := range f.train.data.seen() { // weights of inputs that are never on would stay random
		for k := range hidden {
			if x := 0.1 * rng.NormFloat64(); seen {
				m.w1(uint16(i))[k] = x
			}
		}
	}
	return m
}

// seen reports which inputs are on in some position, or in its mirror image.
func (d *Data) seen() (on [eval.NumInputs]bool) {
	for _, b := range d.blocks {
		for _, i := range b.inputs {
			on[i], on[eval.Mirrored(int(i))] = true, true
		}
	}
	return on
}

// Purposes of random streams.
const (
	forStart uint64 = iota + 1
	forOrder
)

// quantise returns the model's network in whole numbers, which are within bounds.
func (m *model) quantise(scale float64) *eval.Network {
	n := &eval.Network{}
	for k := range hidden {
		n.B1[k] = int16(math.Round(m.b1()[k] * eval.QA))
		n.W2[k] = int16(math.Round(m.w2()[k] / scale * eval.QB))
		for i := range n.W1 {
			n.W1[i][k] = int16(math.Round(m.w1(uint16(i))[k] * eval.QA))
		}
	}
	return n
}

// fitNetwork fits a network together with the weights and keeps those of the lowest
// validation loss. The fit of the weights alone starts from them, on top of the
// quantised network.
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
		validationLoss := a.loss(f.validation)
		if validationLoss < bestLoss {
			best, bestLoss = append(best[:0], a.x...), validationLoss
		}
		f.record(loss, validationLoss, a.weights(f))
	}
	f.iteration++ // the fit of the weights alone is another step
	a.x = best
	f.start, f.network = a.weights(f), a.quantise(f.scale)
	f.train, f.validation = f.withNetwork(f.train), f.withNetwork(f.validation)
	return f.err
}

// values returns the network's output for each position, block by block.
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

// bounds are the largest absolute weights in a weights file, in the units of model.
type bounds struct{ feature, w1, b1, w2 float64 }

func newBounds(scale float64) bounds {
	return bounds{
		feature: eval.MaxWeight * scale,
		w1:      float64(eval.MaxW1) / eval.QA,
		b1:      float64(eval.MaxB1) / eval.QA,
		w2:      float64(math.MaxInt16) / eval.QB * scale,
	}
}

// project returns x clipped to the bounds of weight j of m.
func (b *bounds) project(m *model, j int, x float64) float64 {
	most := b.w2
	switch {
	case j < m.features:
		most = b.feature
	case j < m.features+w1Size:
		most = b.w1
	case j < m.features+w1Size+hidden:
		most = b.b1
	}
	return min(max(x, -most), most)
}

// adam is the state of the optimiser.
type adam struct {
	model
	settings  *Network
	frozen    []bool // weights that are not tuned
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

// batchParts is the number of partial sums of a batch's gradient: independent of the
// number of cores, so that the sum is too.
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
	a.frozen = make([]bool, len(a.x))
	for j := range f.rms {
		a.frozen[j] = f.rms[j] == 0 || f.settings.Frozen != nil && f.settings.Frozen[j]
	}
	for j, x := range a.x {
		if !a.frozen[j] {
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
		if a.frozen[j] {
			w[j] = f.settings.Parent[j]
		}
	}
	return w
}

// epoch makes a pass over all positions in random order and returns the mean training
// loss.
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
		a.update()
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

// update makes a step and clears the gradient.
func (a *adam) update() {
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
		if a.frozen[j] {
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
