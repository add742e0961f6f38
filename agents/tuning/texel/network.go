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

// Network has the settings for fitting a network: by Adam with decoupled weight decay (AdamW:
// Loshchilov and Hutter, ICLR 2019), with a step for every Batch of positions, and a rate that
// falls linearly from Rate to 0.
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

// model is an evaluation with a network in floating point. Its weights are in one slice: those of
// the features, then rows of the network's, W1 by inputs, B1 and W2. All are in units of the logit,
// and activations are at most 1.
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

// rows returns the rows of the network, one after the other.
func (m *model) rows() []float32 { return m.x[m.features:] }

// row returns a row of the network.
func (m *model) row(i int) *units { return (*units)(m.rows()[i*hidden:]) }

// sums are the pre-activations of the units and of their mirror images.
type sums [2]units

// images returns active inputs of a position, and those of its mirror image in a buffer.
func images(on []uint16, buffer *[inputs.Num]uint16) [2][]uint16 {
	mirrored := buffer[:len(on)]
	for i, input := range on {
		mirrored[i] = inputs.Mirrored[input]
	}
	return [2][]uint16{on, mirrored}
}

// network returns the network's output for a position and stores its pre-activations in s.
func (m *model) network(e example, s *sums) float32 {
	var mirrored [inputs.Num]uint16
	for image, on := range images(e.active(), &mirrored) {
		sum := &s[image]
		*sum = *m.row(b1Row)
		vector.AddRows(sum[:], m.rows(), on)
	}
	output := m.row(w2Row)
	return vector.Output(s[0][:], s[1][:], output[:])
}

// logit returns the logit of a position and stores its pre-activations in s.
func (m *model) logit(e example, s *sums) float64 {
	var x float32
	for j, value := range e.features() {
		x += m.x[j] * value
	}
	return float64(x + m.network(e, s))
}

// add adds residual times the gradient of the logit at a position to g (backward
// pass). s holds the sums computed by logit, and is overwritten.
func (m *model) add(g *model, e example, s *sums, residual float32) {
	for j, value := range e.features() {
		g.x[j] += residual * value
	}
	output := m.row(w2Row)[:]
	gradBias := g.row(b1Row)[:]
	gradOutput := g.row(w2Row)[:]
	vector.OutputGradient(s[0][:], s[1][:], output, gradBias, gradOutput, residual)
	var mirrored [inputs.Num]uint16
	for image, on := range images(e.active(), &mirrored) {
		vector.AddToRows(g.rows(), s[image][:], on)
	}
}

// networkRows returns the rows of a network in the order of a model's.
func networkRows(n *eval.Network) []*[hidden]int16 {
	var list []*[hidden]int16
	for i := range n.W1 {
		list = append(list, &n.W1[i])
	}
	return append(list, &n.B1, &n.W2)
}

// quantum says how the weights of a row of the network become whole numbers, in units of the logit.
func quantum(row int, scale float64) adam.Quantum {
	q := adam.Quantum{Size: 1.0 / eval.QA, Bound: eval.MaxW1}
	switch row {
	case b1Row:
		q.Bound = eval.MaxB1
	case w2Row:
		q.Size = scale / eval.QB
		q.Bound = math.MaxInt16 / eval.QB * eval.QB
	}
	return q
}

// set sets the network's weights.
func (m *model) set(n *eval.Network, scale float64) {
	for i, row := range networkRows(n) {
		q := quantum(i, scale)
		for k, x := range row {
			m.row(i)[k] = q.Weight(x)
		}
	}
}

// initial returns the parent's model, its dead units anew and without an output, or one with small
// random weights.
func (f *fit) initial() model {
	s := &f.Settings
	m := newModel(len(s.Parent))
	for j, w := range s.Parent {
		m.x[j] = float32(w * f.Scale)
	}
	parent := s.Network.Parent
	var live [hidden]bool
	if parent != nil {
		m.set(parent, f.Scale)
		live = parent.Live()
	}
	units := cmp.Or(s.Network.Units, hidden)
	for k, parents := range live {
		if parents || k < units {
			f.units++
		}
	}
	// Some 40 inputs are active, so the pre-activations have the mean 0.3 and a standard deviation
	// of 0.6, which is 0.1 times the root of 40. Most units begin between the bounds 0 and 1 of
	// their activations, where they have a gradient.
	const bias, w1Deviation, w2Deviation = 0.3, 0.1, 0.3
	rng := rand.New(rand.NewPCG(s.Network.Seed, forStart))
	for k := range units {
		output := float32(w2Deviation * rng.NormFloat64())
		if live[k] {
			continue
		}
		m.row(b1Row)[k] = bias
		if parent != nil {
			output = 0
		}
		m.row(w2Row)[k] = output
	}
	// The weights of inputs that are never active would stay random, so they are left out.
	for i, seen := range f.train.data.seen {
		for k := range units {
			x := float32(w1Deviation * rng.NormFloat64())
			if seen && !live[k] {
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
		q := quantum(i, scale)
		for k, x := range m.row(i) {
			row[k] = q.Whole(x)
		}
	}
	return n
}

// fitNetwork fits a network together with the weights and keeps those of the lowest validation
// loss. The fit of the weights alone starts from them, on top of the quantised network.
func (f *fit) fitNetwork(ctx context.Context) error {
	n := &networkLoss{model: f.initial()}
	n.prepare(f, windowBlocks)
	best, bestLoss := slices.Clone(n.x), n.loss(f.validation)
	f.record(n.loss(f.train), bestLoss, n.weights(f))
	for f.iteration < f.Network.Epochs && f.err == nil {
		loss, err := n.epoch(ctx, f)
		if err != nil {
			return err
		}
		f.iteration++
		validationLoss := n.loss(f.validation)
		if validationLoss < bestLoss {
			bestLoss = validationLoss
			copy(best, n.x)
		}
		f.record(loss, validationLoss, n.weights(f))
	}
	f.iteration++ // the fit of the weights alone is another step
	n.x = best
	f.start = n.weights(f)
	f.fitted = n.quantise(f.Scale)
	f.train = f.withNetwork(f.train)
	f.validation = f.withNetwork(f.validation)
	return f.err
}

// outputs returns a function for the network's output, in hundredths of a point.
func outputs(n *eval.Network) func(e example) float64 {
	m := newModel(0)
	m.set(n, 1)
	return func(e example) float64 {
		var s sums
		return float64(m.network(e, &s))
	}
}

// loss returns the mean cross-entropy of the positions of l.
func (m *model) loss(l *loss) float64 {
	return l.mean(func(e example) float64 {
		var s sums
		return m.logit(e, &s)
	})
}

// windowBlocks is how many blocks are in memory at least when positions are read anew. Batches are
// drawn among them.
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
	s := f.Network
	train := f.train.data
	batch := cmp.Or(s.Batch, defaultBatch)
	n.blocks = max(least, batch/blockRows+1)
	windows := []int{train.rows}
	if !train.inMemory() {
		windows = nil
		size := n.blocks * blockRows
		for left := train.rows; left > 0; left -= size {
			windows = append(windows, min(size, left))
		}
	}
	units := make([]float32, n.features)
	for _, j := range f.free {
		units[j] = float32(1 / f.rms[j])
	}
	quantumOf := func(i int) adam.Quantum {
		if i < n.features {
			return adam.Quantum{Size: f.Scale, Bound: eval.MaxWeight}
		}
		return quantum((i-n.features)/hidden, f.Scale)
	}
	rng := rand.New(rand.NewPCG(s.Seed, forOrder))
	n.optimiser = adam.New(n.x, quantumOf, windows, rng, adam.Settings{
		Epochs:  s.Epochs,
		Batch:   batch,
		Rate:    cmp.Or(s.Rate, defaultRate),
		Decay:   s.Decay,
		Epsilon: 1e-8,
		Units:   units,
	})
}

// epoch makes a pass over all positions, and returns the mean loss. They are read anew unless all
// are in memory.
func (n *networkLoss) epoch(ctx context.Context, f *fit) (float64, error) {
	n.count = 0
	train := f.train.data
	if train.inMemory() {
		n.window = f.train
		sum, err := n.optimiser.Pass(ctx, train.rows, n)
		return sum / n.count, err
	}
	total := 0.0
	for part, err := range train.again(ctx, n.blocks) {
		if err != nil {
			return 0, err
		}
		n.window = &loss{data: part, targets: part.targets(f.Lambda, f.Scale)}
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
	w := slices.Clone(f.Parent)
	for _, j := range f.free {
		w[j] = float64(n.x[j]) / f.Scale
	}
	return w
}

// Begin makes n an [adam.Loss].
func (n *networkLoss) Begin(batch []uint32) {
	n.weight = 0
	for _, number := range batch {
		n.weight += n.window.data.at(number).count()
	}
	n.count += n.weight
}

// Add adds the gradient at a position over the batch's weight, and returns the loss there, both
// times its count.
func (n *networkLoss) Add(_ int, number uint32, gradient []float32) float64 {
	window := n.window
	e := window.data.at(number)
	count := e.count()
	var s sums
	logit := n.logit(e, &s)
	p, _ := logistic(logit)
	residual := count * (p - window.target(e)) / n.weight
	g := model{n.features, gradient}
	n.add(&g, e, &s, float32(residual))
	return count * window.entropy(e, logit)
}
