package texel

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gyges/agents/eval"
	"gyges/agents/eval/inputs"
	"gyges/agents/internal/vector"
	"gyges/agents/tuning/adam"
)

// Network has the settings for fitting a network: by Adam with decoupled weight decay (AdamW: Loshchilov and Hutter,
// ICLR 2019), with a step for every Batch of positions, and a rate that falls linearly from Rate to 0.
type Network struct {
	Units  int           `yaml:"units" json:"units" check:"0..256" zero:"for 256" help:"Hidden units of a new network; fewer make a smaller file."`
	Epochs int           `yaml:"epochs" json:"epochs" check:"1..10000" help:"Passes over all positions."`
	Batch  int           `yaml:"batch" json:"batch" check:"0..1048576" zero:"for 512" help:"Positions of a step."`
	Rate   float64       `yaml:"rate" json:"rate" check:"0..1" zero:"for 0.004" help:"Learning rate of the first step."`
	Decay  float64       `yaml:"decay" json:"decay" check:"0..10" help:"Weight decay: each step takes this share, times the rate, from the network's weights."`
	Seed   uint64        `yaml:"seed" json:"seed,string" default:"1" help:"Seed of the order of positions, and of the weights of a new network."`
	Parent *eval.Network `json:"-"` // to start from; nil: random weights
}

const (
	defaultBatch = 512
	defaultRate  = 0.004
)

// model is an evaluation with a network in floating point. Its weights are in one slice: those of the features, then
// rows of the network's, W1 by inputs, B1 and W2. All are in units of the logit, and activations are at most 1.
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

type units [hidden]float32

func newModel(features int) model { return model{features, make([]float32, features+rows*hidden)} }

func (m *model) row(i int) *units { return (*units)(m.x[m.features+i*hidden:]) }

// sums are the pre-activations of the units and of their mirror images.
type sums [2]units

// images are the active inputs of a position, and of its mirror image in a buffer.
type images [inputs.Num]uint16

func (m *images) of(on []uint16) [2][]uint16 {
	mirrored := m[:len(on)]
	for i, input := range on {
		mirrored[i] = inputs.Mirrored[input]
	}
	return [2][]uint16{on, mirrored}
}

// network returns the network's output for a position and stores its pre-activations in s.
func (m *model) network(b *block, i int, s *sums) float32 {
	for image, on := range new(images).of(b.active(i)) {
		s[image] = *m.row(b1Row)
		vector.AddRows(s[image][:], m.x[m.features:], on)
	}
	return vector.Output(s[0][:], s[1][:], m.row(w2Row)[:])
}

// logit returns the logit of a position and stores its pre-activations in s.
func (m *model) logit(b *block, i int, s *sums) float64 {
	var x float32
	for j, value := range b.features(i) {
		x += m.x[j] * value
	}
	return float64(x + m.network(b, i, s))
}

// add adds residual times the gradient of the logit at a position to g (backward
// pass). s holds the sums computed by logit, and is overwritten.
func (m *model) add(g *model, b *block, i int, s *sums, residual float32) {
	for j, value := range b.features(i) {
		g.x[j] += residual * value
	}
	vector.OutputGradient(s[0][:], s[1][:], m.row(w2Row)[:], g.row(b1Row)[:], g.row(w2Row)[:], residual)
	for image, on := range new(images).of(b.active(i)) {
		vector.AddToRows(g.x[g.features:], s[image][:], on)
	}
}

func networkRows(n *eval.Network) []*[hidden]int16 {
	list := make([]*[hidden]int16, 0, rows)
	for i := range n.W1 {
		list = append(list, &n.W1[i])
	}
	return append(list, &n.B1, &n.W2)
}

// quantum returns that of the weights of a row of the network, in units of the logit; of a feature if row is negative.
func quantum(row int, scale float64) adam.Quantum {
	switch {
	case row < 0:
		return adam.Quantum{Size: scale, Bound: eval.MaxWeight}
	case row == b1Row:
		return adam.Quantum{Size: 1.0 / eval.QA, Bound: eval.MaxB1}
	case row == w2Row:
		return adam.Quantum{Size: scale / eval.QB, Bound: math.MaxInt16 / eval.QB * eval.QB}
	default:
		return adam.Quantum{Size: 1.0 / eval.QA, Bound: eval.MaxW1}
	}
}

func (m *model) set(n *eval.Network, scale float64) {
	for i, row := range networkRows(n) {
		for k, x := range row {
			m.row(i)[k] = quantum(i, scale).Weight(x)
		}
	}
}

// initial returns the parent's model, its dead units anew and without an output, or one with small random weights.
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
	// Some 40 inputs are active, so pre-activations have the mean 0.3 and a standard deviation of 0.1 × √40 = 0.6: most
	// units begin between the bounds 0 and 1 of their activations, where they have a gradient.
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
	for i, seen := range f.train.data.seen { // weights of inputs that are never active would stay random
		for k := range units {
			if x := float32(w1Deviation * rng.NormFloat64()); seen && !live[k] {
				m.row(i)[k] = x
			}
		}
	}
	return m
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
		for k, x := range m.row(i) {
			row[k] = quantum(i, scale).Whole(x)
		}
	}
	return n
}

// fitNetwork fits a network together with the weights and keeps those of the lowest validation loss. The fit of the
// weights alone starts from them, on top of the quantised network.
func (f *fit) fitNetwork(ctx context.Context) error {
	n := &networkLoss{model: f.initial()}
	n.prepare(f, windowBlocks)
	best, bestLoss := slices.Clone(n.x), n.loss(f.validation)
	f.record(n.loss(f.train), bestLoss, n.weights(f))
	for f.iteration < f.settings.Network.Epochs && f.err == nil {
		loss, err := n.epoch(ctx, f)
		if err != nil {
			return err
		}
		f.iteration++
		validationLoss := n.loss(f.validation)
		if validationLoss < bestLoss {
			best, bestLoss = append(best[:0], n.x...), validationLoss
		}
		f.record(loss, validationLoss, n.weights(f))
	}
	f.iteration++ // the fit of the weights alone is another step
	n.x = best
	f.start, f.network = n.weights(f), n.quantise(f.scale)
	f.train, f.validation = f.withNetwork(f.train), f.withNetwork(f.validation)
	return f.err
}

// outputs returns a function for the network's output, in hundredths of a point.
func outputs(n *eval.Network) func(b *block, i int) float64 {
	m := newModel(0)
	m.set(n, 1)
	return func(b *block, i int) float64 { return float64(m.network(b, i, new(sums))) }
}

// loss returns the mean cross-entropy of the positions of l.
func (m *model) loss(l *loss) float64 {
	return l.mean(func(b *block, i int) float64 { return m.logit(b, i, new(sums)) })
}

// windowBlocks is how many blocks are in memory at least when positions are read anew. Batches are drawn among them.
const windowBlocks = 64

// networkLoss is the loss of a network and the weights, whose examples are the training positions.
type networkLoss struct {
	model
	optimiser *adam.Fit
	blocks    int     // of a window
	window    *loss   // training positions from which batches are drawn
	weight    float64 // how often the positions of the present batch occurred
	count     float64 // how often the positions of the present epoch occurred
}

// prepare makes the optimiser, for windows of least blocks or more.
func (n *networkLoss) prepare(f *fit, least int) {
	s := f.settings.Network
	units := make([]float32, n.features)
	for _, j := range f.free {
		units[j] = float32(1 / f.rms[j])
	}
	of := func(j int) adam.Quantum { return quantum((j-n.features+hidden)/hidden-1, f.scale) }
	batch := cmp.Or(s.Batch, defaultBatch)
	n.blocks = max(least, batch/blockRows+1)
	var windows []int
	size, left := n.blocks*blockRows, f.train.data.rows
	if f.train.data.every == 1 {
		size = left
	}
	for ; left > 0; left -= size {
		windows = append(windows, min(size, left))
	}
	n.optimiser = adam.New(n.x, of, windows, rand.New(rand.NewPCG(s.Seed, forOrder)), adam.Settings{
		Epochs: s.Epochs, Batch: batch, Rate: cmp.Or(s.Rate, defaultRate), Decay: s.Decay, Epsilon: 1e-8, Units: units,
	})
}

// epoch makes a pass over all positions, and returns the mean loss. They are read anew unless all are in memory.
func (n *networkLoss) epoch(ctx context.Context, f *fit) (float64, error) {
	n.count = 0
	train := f.train.data
	if train.every == 1 {
		n.window = f.train
		sum, err := n.optimiser.Pass(ctx, train.rows, n)
		return sum / n.count, err
	}
	total := 0.0
	for part, err := range train.again(ctx, n.blocks) {
		if err != nil {
			return 0, err
		}
		n.window = &loss{data: part, targets: part.targets(f.settings.Lambda, f.scale)}
		sum, err := n.optimiser.Pass(ctx, part.rows, n)
		if err != nil {
			return 0, err
		}
		total += sum
		n.window = nil // the next part takes its place in memory
	}
	return total / n.count, nil
}

// weights returns the weights of the features, in hundredths of a point.
func (n *networkLoss) weights(f *fit) []float64 {
	w := slices.Clone(f.settings.Parent)
	for _, j := range f.free {
		w[j] = float64(n.x[j]) / f.scale
	}
	return w
}

// Begin makes n an [adam.Loss].
func (n *networkLoss) Begin(batch []uint32) {
	n.weight = 0
	for _, i := range batch {
		n.weight += float64(n.window.data.blocks[i/blockRows].rows[i%blockRows].count)
	}
	n.count += n.weight
}

// Add adds the gradient at a position over the batch's weight, and returns the loss there, both times its count.
func (n *networkLoss) Add(_ int, row uint32, gradient []float32) float64 {
	b, i := n.window.data.blocks[row/blockRows], int(row%blockRows)
	var s sums
	x := n.logit(b, i, &s)
	p, _ := logistic(x)
	t, count := float64(n.window.targets[b.number][i]), float64(b.rows[i].count)
	n.add(&model{n.features, gradient}, b, i, &s, float32(count*(p-t)/n.weight))
	return count * n.window.entropy(b, i, x)
}
