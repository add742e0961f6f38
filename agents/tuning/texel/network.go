package texel

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gyges/agents/eval"
	"gyges/rules/base/problems"
)

// Network has the settings for fitting a network: by Adam (Kingma and Ba 2015), with a
// step for every Batch of positions, and a rate that falls linearly from Rate to 0.
type Network struct {
	Epochs int           `json:"epochs"`                  // passes over all positions, from 1
	Batch  int           `json:"batch"`                   // positions of a step. 0: 512
	Rate   float64       `json:"rate"`                    // of the first step. 0: 0.004
	Decay  float64       `json:"decay"`                   // L2 of the network's weights, 0 or more
	Parent *eval.Network `json:"-"`                       // to start from; nil: random weights
	Seed   uint64        `json:"seed,string" default:"1"` // of the initial weights, if there is no parent, and of the order of positions
}

const (
	maxEpochs = 10_000
	maxBatch  = 1 << 20
)

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
	x        []float32
}

const (
	hidden      = eval.HiddenUnits
	w1Size      = eval.NumInputs * hidden
	networkSize = w1Size + 2*hidden // of a network
)

// units has a number for each hidden unit.
type units [hidden]float32

func (m *model) units(i int) *units { return (*units)(m.x[m.features+i*hidden:]) }
func (m *model) w1(i int) *units    { return m.units(i) }
func (m *model) b1() *units         { return m.units(eval.NumInputs) }
func (m *model) w2() *units         { return m.units(eval.NumInputs + 1) }

// lanes is how many units are computed at a time, in registers.
const lanes = 8

// lane returns the numbers of an input from unit k on.
func (m *model) lane(i, k int) *[lanes]float32 { return (*[lanes]float32)(m.x[m.features+i*hidden+k:]) }

// sums are the pre-activations of the units and of their mirror images.
type sums [2]units

// logit returns the logit of a position.
func (m *model) logit(b *block, i int, s *sums) float64 {
	active := b.active(i)
	for k := 0; k < hidden; k += lanes {
		m.forward(active, k, (*[lanes]float32)(s[0][k:]), false)
		m.forward(active, k, (*[lanes]float32)(s[1][k:]), true)
	}
	var x float32
	columns, values := b.features(i)
	for k, j := range columns {
		x += m.x[j] * values[k]
	}
	for k, w2 := range m.w2() {
		x += w2 * (clippedReLU(s[0][k]) + clippedReLU(s[1][k]))
	}
	return float64(x)
}

// forward computes the pre-activations of some units, or of their mirror images.
func (m *model) forward(active []uint16, k int, s *[lanes]float32, mirrored bool) {
	*s = *m.lane(eval.NumInputs, k) // the bias
	s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	for _, j := range active {
		i := int(j)
		if mirrored {
			i = eval.Mirrored(i)
		}
		row := m.lane(i, k)
		s0 += row[0]
		s1 += row[1]
		s2 += row[2]
		s3 += row[3]
		s4 += row[4]
		s5 += row[5]
		s6 += row[6]
		s7 += row[7]
	}
	*s = [lanes]float32{s0, s1, s2, s3, s4, s5, s6, s7}
}

// backward adds the gradient by the pre-activations of some units, or of their mirror
// images, to the weights of the active inputs.
func (m *model) backward(active []uint16, k int, s *[lanes]float32, mirrored bool) {
	if *s == [lanes]float32{} { // all are at their bounds
		return
	}
	s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	for _, j := range active {
		i := int(j)
		if mirrored {
			i = eval.Mirrored(i)
		}
		row := m.lane(i, k)
		row[0] += s0
		row[1] += s1
		row[2] += s2
		row[3] += s3
		row[4] += s4
		row[5] += s5
		row[6] += s6
		row[7] += s7
	}
}

func clippedReLU(x float32) float32 { return min(max(x, 0), 1) }

// clippedReLUSlope returns the derivative of clippedReLU.
func clippedReLUSlope(x float32) float32 {
	if 0 < x && x < 1 {
		return 1
	}
	return 0
}

// add adds residual times the gradient of the logit at a position to g (backward
// pass). s holds the sums computed by logit, and is overwritten.
func (m *model) add(g *model, b *block, i int, s *sums, residual float32) {
	columns, values := b.features(i)
	for k, j := range columns {
		g.x[j] += residual * values[k]
	}
	gradBias, gradOut := g.b1(), g.w2()
	for k, w2 := range m.w2() {
		gradOut[k] += residual * (clippedReLU(s[0][k]) + clippedReLU(s[1][k]))
		s[0][k], s[1][k] = residual*w2*clippedReLUSlope(s[0][k]), residual*w2*clippedReLUSlope(s[1][k])
		gradBias[k] += s[0][k] + s[1][k]
	}
	active := b.active(i)
	for k := 0; k < hidden; k += lanes {
		g.backward(active, k, (*[lanes]float32)(s[0][k:]), false)
		g.backward(active, k, (*[lanes]float32)(s[1][k:]), true)
	}
}

// newModel returns the initial model: the parent's, or one with a network of small
// random weights.
func (f *fit) newModel() *model {
	s := &f.settings
	m := &model{len(s.Parent), make([]float32, len(s.Parent)+networkSize)}
	for j, w := range s.Parent {
		m.x[j] = float32(w * f.scale)
	}
	if p := s.Network.Parent; p != nil {
		for k := range hidden {
			m.b1()[k] = float32(p.B1[k]) / eval.QA
			m.w2()[k] = float32(float64(p.W2[k]) / eval.QB * f.scale)
			for i := range p.W1 {
				m.w1(i)[k] = float32(p.W1[i][k]) / eval.QA
			}
		}
		return m
	}
	rng := rand.New(rand.NewPCG(s.Network.Seed, forStart))
	for k := range hidden {
		m.b1()[k] = 0.3
		m.w2()[k] = float32(0.3 * rng.NormFloat64())
	}
	for i, seen := range f.train.data.seen() { // weights of inputs that are never active would stay random
		for k := range hidden {
			if x := float32(0.1 * rng.NormFloat64()); seen {
				m.w1(i)[k] = x
			}
		}
	}
	return m
}

// seen reports which inputs are active in some position, or in its mirror image.
func (d *Data) seen() (active [eval.NumInputs]bool) {
	for _, b := range d.blocks {
		for _, i := range b.inputs {
			active[i], active[eval.Mirrored(int(i))] = true, true
		}
	}
	return active
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
		n.B1[k] = int16(math.Round(float64(m.b1()[k]) * eval.QA))
		n.W2[k] = int16(math.Round(float64(m.w2()[k]) / scale * eval.QB))
		for i := range n.W1 {
			n.W1[i][k] = int16(math.Round(float64(m.w1(i)[k]) * eval.QA))
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
	best, bestLoss := slices.Clone(a.x), a.loss(f.validation)
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
	return d.compute(func(b *block, _, i int) float32 { return float32(n.Value(b.active(i))) })
}

// loss returns the mean cross-entropy of the positions of l.
func (m *model) loss(l *loss) float64 {
	total := l.data.sum(1, func(b *block, k int, total []float64) {
		var s sums
		for i := range b.rows {
			x := m.logit(b, i, &s)
			_, softplus := logistic(x)
			total[0] += float64(b.rows[i].count) * (softplus - float64(l.targets[k][i])*x)
		}
	})
	return total[0] / l.data.count
}

// adam is the state of the optimiser.
type adam struct {
	model
	settings  Network
	train     *loss
	order     []uint32 // of the positions
	rng       *rand.Rand
	step      int
	mean      []float32 // running mean of the gradient
	square    []float32 // and of its square
	unit      []float32 // of each weight: 1 over the rms of its feature; 0 if it is frozen
	bound     []float32 // the largest absolute value of each weight in a weights file
	parts     [batchParts]model
	partsLoss [batchParts]float64
	steps     int // in all
}

// batchParts is the number of partial sums of a batch's gradient: independent of the
// number of cores, so that the sum is too.
const batchParts = 4

func newAdam(f *fit) *adam {
	m := f.newModel()
	n := len(m.x)
	a := &adam{model: *m, settings: *f.settings.Network, train: f.train, bound: f.bounds()}
	a.mean, a.square, a.unit = make([]float32, n), make([]float32, n), slices.Repeat([]float32{1}, n)
	clear(a.unit[:a.features])
	for _, j := range f.free {
		a.unit[j] = float32(1 / f.rms[j])
	}
	for j := range a.x {
		if a.unit[j] != 0 {
			a.x[j] = a.clip(j, a.x[j])
		}
	}
	for k := range a.parts {
		a.parts[k] = model{a.features, make([]float32, n)}
	}
	a.order = make([]uint32, f.train.data.rows)
	for i := range a.order {
		a.order[i] = uint32(i)
	}
	s := &a.settings
	a.rng = rand.New(rand.NewPCG(s.Seed, forOrder))
	s.Rate, s.Batch = cmp.Or(s.Rate, defaultRate), min(cmp.Or(s.Batch, defaultBatch), len(a.order))
	a.steps = len(a.order) / s.Batch * s.Epochs
	return a
}

// bounds returns the largest absolute values of a model's weights in a weights file.
func (f *fit) bounds() []float32 {
	n := len(f.rms)
	return slices.Concat(
		slices.Repeat([]float32{float32(eval.MaxWeight * f.scale)}, n),
		slices.Repeat([]float32{float32(eval.MaxW1) / eval.QA}, w1Size),
		slices.Repeat([]float32{float32(eval.MaxB1) / eval.QA}, hidden),
		slices.Repeat([]float32{float32(math.MaxInt16 / eval.QB * f.scale)}, hidden),
	)
}

// clip returns x within the bounds of weight j.
func (a *adam) clip(j int, x float32) float32 { return min(max(x, -a.bound[j]), a.bound[j]) }

// weights returns the weights of the features, in hundredths of a point.
func (a *adam) weights(f *fit) []float64 {
	w := slices.Clone(f.settings.Parent)
	for _, j := range f.free {
		w[j] = float64(a.x[j]) / f.scale
	}
	return w
}

// epoch makes a pass over all positions in random order and returns the mean training
// loss.
func (a *adam) epoch(ctx context.Context) (float64, error) {
	a.rng.Shuffle(len(a.order), func(i, j int) { a.order[i], a.order[j] = a.order[j], a.order[i] })
	loss, count := 0.0, 0.0
	for batch := range slices.Chunk(a.order, a.settings.Batch) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if len(batch) < a.settings.Batch {
			break
		}
		weight := 0.0
		for _, i := range batch {
			weight += float64(a.train.data.blocks[i/blockRows].rows[i%blockRows].count)
		}
		parallel(batchParts, func(k int) {
			a.partsLoss[k] = 0
			for i := k; i < len(batch); i += batchParts {
				a.partsLoss[k] += a.position(&a.parts[k], batch[i], weight)
			}
		})
		for k := range a.partsLoss {
			loss += a.partsLoss[k]
		}
		count += weight
		a.update()
	}
	return loss / count, nil
}

// position adds the gradient at a position to g and returns its loss, both times
// how often it occurred; the gradient is divided by weight.
func (a *adam) position(g *model, row uint32, weight float64) float64 {
	b, i := a.train.data.blocks[row/blockRows], int(row%blockRows)
	var s sums
	x := a.logit(b, i, &s)
	p, softplus := logistic(x)
	t, count := float64(a.train.targets[row/blockRows][i]), float64(b.rows[i].count)
	a.add(g, b, i, &s, float32(count*(p-t)/weight))
	return count * (softplus - t*x)
}

// update makes a step and clears the gradient.
func (a *adam) update() {
	const beta1, beta2 = 0.9, 0.999
	rate := a.settings.Rate * (1 - float64(a.step)/float64(a.steps))
	a.step++
	c1, c2 := 1-math.Pow(beta1, float64(a.step)), 1-math.Pow(beta2, float64(a.step))
	n := (len(a.x) + batchParts - 1) / batchParts
	parallel(batchParts, func(k int) {
		for j := k * n; j < min((k+1)*n, len(a.x)); j++ {
			a.updateWeight(j, beta1, beta2, float32(rate/c1), float32(1/c2))
		}
	})
}

// updateWeight updates one weight by its gradient, where rate and correction make up for
// the means' start at 0.
func (a *adam) updateWeight(j int, beta1, beta2, rate, correction float32) {
	const epsilon = 1e-8
	var g float32
	for k := range a.parts {
		g += a.parts[k].x[j]
		a.parts[k].x[j] = 0
	}
	unit := a.unit[j]
	switch {
	case unit == 0:
		return
	case j < a.features:
		g *= unit
	default:
		g += float32(a.settings.Decay) * a.x[j]
	}
	mean, square := a.mean[j]+(1-beta1)*(g-a.mean[j]), a.square[j]+(1-beta2)*(g*g-a.square[j])
	a.mean[j], a.square[j] = mean, square
	a.x[j] = a.clip(j, a.x[j]-rate*unit*mean/(float32(math.Sqrt(float64(square*correction)))+epsilon))
}
