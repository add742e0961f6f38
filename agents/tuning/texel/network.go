package texel

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gyges/agents/eval"
	"gyges/agents/eval/inputs"
)

// Network has the settings for fitting a network: by Adam with decoupled weight decay (AdamW: Loshchilov and Hutter,
// ICLR 2019), with a step for every Batch of positions, and a rate that falls linearly from Rate to 0.
type Network struct {
	Units  int           `json:"units" check:"0..256" zero:"for 256" help:"Hidden units of a new network; fewer make a smaller file."`
	Epochs int           `json:"epochs" check:"1..10000" help:"Passes over all positions."`
	Batch  int           `json:"batch" check:"0..1048576" zero:"for 512" help:"Positions of a step."`
	Rate   float64       `json:"rate" check:"0..1" zero:"for 0.004" help:"Learning rate of the first step."`
	Decay  float64       `json:"decay" check:"0..10" help:"Weight decay: each step takes this share, times the rate, from the network's weights."`
	Seed   uint64        `json:"seed,string" default:"1" help:"Seed of the order of positions, and of the weights of a new network."`
	Parent *eval.Network `json:"-"` // to start from; nil: random weights
}

const (
	defaultBatch = 512
	defaultRate  = 0.004
)

// model is an evaluation with a network in floating point. Its weights are in one
// slice: those of the features, then rows of the network's, W1 by inputs, B1 and W2. All
// are in units of the logit, and activations are at most 1.
type model struct {
	features int
	x        []float32
}

const (
	hidden = eval.HiddenUnits
	b1Row  = inputs.Num
	w2Row  = inputs.Num + 1
	rows   = inputs.Num + 2
)

// units has a number for each hidden unit.
type units [hidden]float32

func newModel(features int) model { return model{features, make([]float32, features+rows*hidden)} }

// row returns a row of the network's weights.
func (m *model) row(i int) *units { return (*units)(m.x[m.features+i*hidden:]) }

// sums are the pre-activations of the units and of their mirror images.
type sums [2]units

// network returns the network's output for a position and stores its pre-activations in s.
func (m *model) network(b *block, i int, s *sums) float32 {
	on := b.active(i)
	s[0], s[1] = *m.row(b1Row), *m.row(b1Row)
	m.sumRows(&s[0], on)
	m.sumRows(&s[1], new(mirrors).of(on))
	return output(s, m.row(w2Row))
}

// logit returns the logit of a position and stores its pre-activations in s.
func (m *model) logit(b *block, i int, s *sums) float64 {
	var x float32
	columns, values := b.features(i)
	for k, j := range columns {
		x += m.x[j] * values[k]
	}
	return float64(x + m.network(b, i, s))
}

// add adds residual times the gradient of the logit at a position to g (backward
// pass). s holds the sums computed by logit, and is overwritten.
func (m *model) add(g *model, b *block, i int, s *sums, residual float32) {
	columns, values := b.features(i)
	for k, j := range columns {
		g.x[j] += residual * values[k]
	}
	outputGradient(s, m.row(w2Row), g.row(b1Row), g.row(w2Row), residual)
	on := b.active(i)
	g.addToRows(&s[0], on)
	g.addToRows(&s[1], new(mirrors).of(on))
}

// networkRows returns the rows of a network in the order of a model's.
func networkRows(n *eval.Network) []*[hidden]int16 {
	list := make([]*[hidden]int16, 0, rows)
	for i := range n.W1 {
		list = append(list, &n.W1[i])
	}
	return append(list, &n.B1, &n.W2)
}

// quantum returns the size of 1 in a row of a quantised network, and the largest absolute
// value of a weight there, in units of the logit.
func quantum(row int, scale float64) (size, bound float64) {
	switch row {
	case b1Row:
		return 1.0 / eval.QA, float64(eval.MaxB1) / eval.QA
	case w2Row:
		return scale / eval.QB, math.MaxInt16 / eval.QB * scale
	default:
		return 1.0 / eval.QA, float64(eval.MaxW1) / eval.QA
	}
}

// set sets the network's weights.
func (m *model) set(n *eval.Network, scale float64) {
	for i, row := range networkRows(n) {
		size, _ := quantum(i, scale)
		for k, x := range row {
			m.row(i)[k] = float32(float64(x) * size)
		}
	}
}

// initial returns the initial model: the parent's, or one with a network of small random weights. Dead units of the
// parent begin anew, without an output.
func (f *fit) initial() model {
	s := &f.settings
	m := newModel(len(s.Parent))
	for j, w := range s.Parent {
		m.x[j] = float32(w * f.scale)
	}
	live := [hidden]bool{}
	if s.Network.Parent != nil {
		m.set(s.Network.Parent, f.scale)
		live = s.Network.Parent.Live()
	}
	// Some 40 inputs are active, so pre-activations have the mean 0.3 and a standard
	// deviation of 0.1 × √40 = 0.6: most units begin between the bounds 0 and 1 of their
	// activations, where they have a gradient.
	const bias, w1Deviation, w2Deviation = 0.3, 0.1, 0.3
	rng := rand.New(rand.NewPCG(s.Network.Seed, forStart))
	units := cmp.Or(s.Network.Units, hidden)
	for k, parents := range live {
		if k < units || parents {
			f.units++
		}
	}
	for k := range units {
		out := float32(w2Deviation * rng.NormFloat64())
		if live[k] {
			continue
		}
		if m.row(b1Row)[k], m.row(w2Row)[k] = bias, out; s.Network.Parent != nil {
			m.row(w2Row)[k] = 0
		}
	}
	for i, seen := range f.train.data.seen() { // weights of inputs that are never active would stay random
		for k := range units {
			if x := float32(w1Deviation * rng.NormFloat64()); seen && !live[k] {
				m.row(i)[k] = x
			}
		}
	}
	return m
}

// seen reports which inputs are active in some position, or in its mirror image.
func (d *Data) seen() (active [inputs.Num]bool) {
	for _, b := range d.blocks {
		for _, i := range b.inputs {
			active[i], active[inputs.Mirrored[i]] = true, true
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
	for i, row := range networkRows(n) {
		size, _ := quantum(i, scale)
		for k, x := range m.row(i) {
			row[k] = int16(math.Round(float64(x) / size))
		}
	}
	return n
}

// fitNetwork fits a network together with the weights and keeps those of the lowest
// validation loss. The fit of the weights alone starts from them, on top of the
// quantised network.
func (f *fit) fitNetwork(ctx context.Context) error {
	a := newAdam(f)
	best, bestLoss := slices.Clone(a.x), a.loss(f.validation)
	f.record(a.loss(f.train), bestLoss, a.weights(f))
	for f.iteration < a.settings.Epochs && f.err == nil {
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
	m := newModel(0)
	m.set(n, 1)
	return d.compute(func(b *block, _, i int) float32 { return m.network(b, i, new(sums)) })
}

// loss returns the mean cross-entropy of the positions of l.
func (m *model) loss(l *loss) float64 {
	return l.mean(func(b *block, _, i int) float64 { return m.logit(b, i, new(sums)) })
}

// adam is the state of the optimiser.
type adam struct {
	model
	settings Network
	train    *loss
	order    []uint32 // of the positions
	rng      *rand.Rand
	step     int
	steps    int       // in all
	shrink   float32   // share that the present step takes from the network's weights
	mean     []float32 // running mean of the gradient
	square   []float32 // and of its square
	unit     []float32 // of each weight: 1 over the rms of its feature; 0 if it is frozen
	bound    []float32 // the largest absolute value of each weight in a weights file
	parts    [batchParts]struct {
		gradient model
		loss     float64
	}
}

// batchParts is the number of partial sums of a batch's gradient: independent of the
// number of cores, so that the sum is too.
const batchParts = 4

func newAdam(f *fit) *adam {
	a := &adam{model: f.initial(), settings: *f.settings.Network, train: f.train}
	n := len(a.x)
	a.mean, a.square, a.unit = make([]float32, n), make([]float32, n), slices.Repeat([]float32{1}, n)
	clear(a.unit[:a.features])
	for _, j := range f.free {
		a.unit[j] = float32(1 / f.rms[j])
	}
	a.bound = slices.Repeat([]float32{float32(eval.MaxWeight * f.scale)}, a.features)
	for i := range rows {
		_, bound := quantum(i, f.scale)
		a.bound = append(a.bound, slices.Repeat([]float32{float32(bound)}, hidden)...)
	}
	for j := range a.x {
		if a.unit[j] != 0 {
			a.x[j] = a.clip(j, a.x[j])
		}
	}
	for k := range a.parts {
		a.parts[k].gradient = newModel(a.features)
	}
	for i := range f.train.data.rows {
		a.order = append(a.order, uint32(i))
	}
	s := &a.settings
	a.rng = rand.New(rand.NewPCG(s.Seed, forOrder))
	s.Rate, s.Batch = cmp.Or(s.Rate, defaultRate), min(cmp.Or(s.Batch, defaultBatch), len(a.order))
	a.steps = len(a.order) / s.Batch * s.Epochs
	return a
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

// epoch makes a pass over all positions in random order, but for an incomplete last
// batch, and returns the mean training loss.
func (a *adam) epoch(ctx context.Context) (float64, error) {
	a.rng.Shuffle(len(a.order), func(i, j int) { a.order[i], a.order[j] = a.order[j], a.order[i] })
	loss, count, size := 0.0, 0.0, a.settings.Batch
	for first := 0; first+size <= len(a.order); first += size {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		batch, weight := a.order[first:first+size], 0.0
		for _, i := range batch {
			weight += float64(a.train.data.blocks[i/blockRows].rows[i%blockRows].count)
		}
		parallel(batchParts, func(k int) {
			p := &a.parts[k]
			p.loss = 0
			for i := k; i < len(batch); i += batchParts {
				p.loss += a.position(&p.gradient, batch[i], weight)
			}
		})
		for k := range a.parts {
			loss += a.parts[k].loss
		}
		count += weight
		a.update()
	}
	return loss / count, nil
}

// position adds the gradient at a position to g and returns its loss, both times
// how often it occurred; the gradient is divided by weight.
func (a *adam) position(g *model, row uint32, weight float64) float64 {
	k, i := int(row/blockRows), int(row%blockRows)
	b := a.train.data.blocks[k]
	var s sums
	x := a.logit(b, i, &s)
	p, _ := logistic(x)
	t, count := float64(a.train.targets[k][i]), float64(b.rows[i].count)
	a.add(g, b, i, &s, float32(count*(p-t)/weight))
	return count * a.train.entropy(k, i, x)
}

// update makes a step and clears the gradient.
func (a *adam) update() {
	const beta1, beta2 = 0.9, 0.999
	rate := a.settings.Rate * (1 - float64(a.step)/float64(a.steps))
	a.step++
	a.shrink = float32(rate * a.settings.Decay)
	c1, c2 := 1-math.Pow(beta1, float64(a.step)), 1-math.Pow(beta2, float64(a.step))
	for j := range a.features {
		a.updateWeight(j, beta1, beta2, float32(rate/c1), float32(1/c2))
	}
	const n = (rows + batchParts - 1) / batchParts
	parallel(batchParts, func(k int) {
		first, last := a.features+k*n*hidden, a.features+min((k+1)*n, rows)*hidden
		a.updateNetwork(first, last, beta1, beta2, float32(rate/c1), float32(1/c2))
	})
}

// epsilon is added to the root of a mean square, by which a step is divided.
const epsilon = 1e-8

// updateWeight updates one weight by its gradient, where rate and correction make up for
// the means' start at 0.
func (a *adam) updateWeight(j int, beta1, beta2, rate, correction float32) {
	var g float32
	for k := range a.parts {
		g += a.parts[k].gradient.x[j]
		a.parts[k].gradient.x[j] = 0
	}
	// Decay inside the gradient would move a weight without one by the full rate, as Adam divides by its size: units that
	// are idle for a while would lose all their weights. So it is apart.
	unit, x := a.unit[j], a.x[j]
	switch {
	case unit == 0:
		return
	case j < a.features:
		g *= unit
	default:
		x -= a.shrink * x
	}
	mean, square := a.mean[j]+(1-beta1)*(g-a.mean[j]), a.square[j]+(1-beta2)*(g*g-a.square[j])
	a.mean[j], a.square[j] = mean, square
	a.x[j] = a.clip(j, x-rate*unit*mean/(float32(math.Sqrt(float64(square*correction)))+epsilon))
}
