package texel

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/eval"
	"gyges/agents/eval/inputs"
)

// drawNetwork draws a network that makes much of few inputs, so that some units are at their bounds, some between.
func drawNetwork(rng *rand.Rand) *eval.Network {
	n := &eval.Network{}
	for k := range eval.HiddenUnits {
		n.B1[k], n.W2[k] = int16(rng.IntN(300)-50), int16(rng.IntN(1600)-800)
	}
	for i := range n.W1 {
		for k := range eval.HiddenUnits {
			n.W1[i][k] = int16(rng.IntN(301) - 150)
		}
	}
	return n
}

// drawInputs draws some of the first inputs, so that all are seen often.
func drawInputs(rng *rand.Rand) []uint16 {
	var on []uint16
	for i := range 12 {
		if rng.IntN(3) == 0 {
			on = append(on, uint16(36+i))
		}
	}
	return on
}

// networkValue returns the network's output with these inputs on, in hundredths of a point.
func networkValue(n *eval.Network, on []uint16) float64 {
	sum := 0
	for k, out := range n.W2 {
		straight, mirrored := n.B1[k], n.B1[k]
		for _, i := range on {
			straight += n.W1[i][k]
			mirrored += n.W1[inputs.Mirrored[i]][k]
		}
		sum += int(out) * int(min(max(straight, 0), eval.QA)+min(max(mirrored, 0), eval.QA))
	}
	return float64(sum) / (eval.QA * eval.QB)
}

// networkSample draws positions whose results follow the weights and a network.
func (w truth) networkSample(rng *rand.Rand, rows int, n *eval.Network) *Data {
	d := newData(len(w.weights))
	for range rows {
		r := Row{Features: w.draw(rng), Inputs: drawInputs(rng), Score: math.NaN(), Count: 1, Game: uint32(d.rows)}
		p, _ := logistic(math.Log(w.chance(r.Features)/(1-w.chance(r.Features))) + w.scale*networkValue(n, r.Inputs))
		if rng.Float64() < p {
			r.Result = 1
		}
		d.Add(r)
	}
	return d
}

// The gradient is the slope of the loss, by differences.
func TestNetworkGradient(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	truth := drawNetwork(rng)
	d := known.networkSample(rng, 20, truth)
	s := known.settings()
	s.Network = &Network{Epochs: 1, Parent: truth}
	f := newFit(Splits{d, d}, s)
	n := &networkLoss{model: f.initial(), window: f.train, weight: 1}
	for j := range n.x { // away from the whole numbers, where slopes jump
		n.x[j] += float32(0.001 * rng.Float64())
	}
	total := func() (gradient []float32, loss float64) {
		gradient = make([]float32, len(n.x))
		for i := range d.rows {
			loss += n.Add(0, uint32(i), gradient)
		}
		return gradient, loss
	}
	g, _ := total()
	checked := 0
	for j := range n.x {
		if g[j] == 0 && j%997 != 0 { // most inputs are never on
			continue
		}
		const h = 1e-4
		x := n.x[j]
		n.x[j] = x + h
		_, up := total()
		n.x[j] = x - h
		_, down := total()
		n.x[j] = x
		slope := float64(g[j])
		require.InDelta(t, (up-down)/(2*h), slope, 0.02*max(1, math.Abs(slope)), "number %d", j)
		checked++
	}
	require.Greater(t, checked, 300)
}

// Results that follow a network are foretold nearly as well by the one that is fitted to them as by the true one, and
// much better than by weights alone. What comes out says of itself what it is: its whole numbers have the loss.
func TestNetworkIsRecovered(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	truth := drawNetwork(rng)
	train, validation := known.networkSample(rng, 25_000, truth), known.networkSample(rng, 5_000, truth)
	s := known.settings()
	alone, err := Fit(context.Background(), Splits{train, validation}, s)
	require.NoError(t, err)
	require.Nil(t, alone.Network)
	last := -1
	s.Network = &Network{Epochs: 12, Decay: 0.1, Seed: 1}
	s.Record = func(step Step) error { // each step once, in order
		require.Equal(t, last+1, step.Iteration)
		last = step.Iteration
		return nil
	}
	r, err := Fit(context.Background(), Splits{train, validation, validation}, s)
	require.NoError(t, err)
	require.Greater(t, last, 12)
	last = -1

	lossOf := func(n *eval.Network, weights []float64) float64 {
		return newLoss(validation, weights, outputs(n), known.scale,
			validation.targets(1, known.scale)).value(make([]float64, len(weights)))
	}
	best := lossOf(truth, known.weights)
	require.InDelta(t, lossOf(r.Network, weights(r)), r.ValidationLoss[1], 1e-6)
	require.Less(t, r.ValidationLoss[1]-best, (alone.ValidationLoss[1]-best)/5)
	require.InDelta(t, alone.ValidationLoss[0], r.ValidationLoss[0], 1e-12)
	require.InDelta(t, r.ValidationLoss[0]-r.ValidationLoss[1], r.Test.Gain, 1e-9, "the same positions")
	require.Greater(t, r.Test.Gain, r.Test.GainMargin)

	// From the truth on it finds nothing better, and keeps close to it.
	s.Parent, s.Network.Parent, s.Network.Rate, s.Network.Epochs = known.weights, truth, 1e-5, 2
	for _, d := range []*Data{train, validation} {
		for k, values := range d.compute(outputs(truth)) {
			for i, x := range values {
				d.blocks[k].rows[i].base = x
			}
		}
	}
	again, err := Fit(context.Background(), Splits{train, validation}, s)
	require.NoError(t, err)
	require.InDelta(t, best, again.ValidationLoss[0], 1e-6)
	require.InDelta(t, best, again.ValidationLoss[1], 0.001)
}

// The same weights and network come out whatever the number of cores, also of several blocks of positions.
func TestNetworkIsRepeatable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	d := known.networkSample(rng, blockRows+500, drawNetwork(rng))
	s := known.settings()
	s.Network = &Network{Epochs: 1, Seed: 5}
	var want *Result
	for _, cores := range []int{1, 5} {
		before := runtime.GOMAXPROCS(cores)
		r, err := Fit(context.Background(), Splits{d, d}, s)
		runtime.GOMAXPROCS(before)
		require.NoError(t, err)
		if want == nil {
			want = r
		}
		require.Equal(t, want.Network, r.Network)
		require.Equal(t, weights(want), weights(r))
	}
	s.Network.Seed = 6
	other, err := Fit(context.Background(), Splits{d, d}, s)
	require.NoError(t, err)
	require.NotEqual(t, want.Network, other.Network)
	require.Zero(t, other.Network.W1[inputs.Num-1], "inputs that are never on count nothing")
}

// Weights that are frozen stay, whatever the network does.
func TestNetworkKeepsFrozenWeights(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	d := known.networkSample(rng, 2000, drawNetwork(rng))
	s := known.settings()
	s.Parent = []float64{1, 2, 3, 4, 5, 6}
	s.Features = s.Names[1:2]
	s.Network = &Network{Epochs: 1}
	r, err := Fit(context.Background(), Splits{d, d}, s)
	require.NoError(t, err)
	for j, w := range weights(r) {
		require.Equal(t, j != 1, w == s.Parent[j])
	}
}

// Steps so long that numbers reach the bounds of a weights file: the losses along
// the way, by which the epoch is chosen, are those of numbers that can be stored.
func TestNetworkKeepsInsideItsBounds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	truth := drawNetwork(rng)
	train, validation := known.networkSample(rng, 3000, truth), known.networkSample(rng, 3000, truth)
	const epochs = 4
	var losses []float64
	s := known.settings()
	s.Network = &Network{Epochs: epochs, Batch: 100, Rate: 1, Seed: 1}
	s.Record = func(step Step) error {
		losses = append(losses, step.ValidationLoss)
		return nil
	}
	r, err := Fit(context.Background(), Splits{train, validation}, s)
	require.NoError(t, err)
	atBound := 0
	for _, row := range r.Network.W1 {
		for _, x := range row {
			if max(x, -x) == eval.MaxW1 {
				atBound++
			}
		}
	}
	require.Greater(t, atBound, 100)
	require.InDelta(t, slices.Min(losses[:epochs+1]), losses[epochs+1], 0.005, "losses %v", losses)
}

// A network of few units has no others, and a fit that starts from it gives those of its dead units a gradient again.
func TestNetworkUnits(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	d := known.networkSample(rng, 2000, drawNetwork(rng))
	units := 0
	fit := func(n Network) *eval.Network {
		s := known.settings()
		s.Network = &n
		r, err := Fit(context.Background(), Splits{d, d}, s)
		require.NoError(t, err)
		units = r.Units
		return r.Network
	}
	few := fit(Network{Units: 12, Epochs: 5})
	require.Equal(t, 12, few.LiveUnits())
	require.Equal(t, 12, units)
	few.W2[3] = 0
	few.W2[5] = 0
	require.Equal(t, 10, few.LiveUnits())
	require.Equal(t, 12, fit(Network{Units: 12, Epochs: 5, Parent: few}).LiveUnits())
	fit(Network{Units: 1, Epochs: 1, Parent: few})
	require.Equal(t, 10, units, "those of the parent")
	require.Greater(t, fit(Network{Epochs: 5, Parent: few}).LiveUnits(), 100)
	require.Equal(t, eval.HiddenUnits, units)
}

// BenchmarkFitNetwork fits a new network to 50,000 positions in four epochs.
func BenchmarkFitNetwork(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	const rows, epochs = 50_000, 4
	d := newData(1)
	for range rows {
		r := Row{Features: []float64{1}, Score: math.NaN(), Count: 1, Result: float64(rng.IntN(2))}
		for len(r.Inputs) < 40 { // as many as are on in a game
			r.Inputs = append(r.Inputs, uint16(rng.IntN(inputs.Num)))
		}
		d.Add(r)
	}
	s := Settings{Names: []string{"one"}, Parent: []float64{1}, Lambda: 1, Scale: 0.005, Network: &Network{Epochs: epochs}}
	for b.Loop() {
		_, err := Fit(context.Background(), Splits{d, d}, s)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(rows*epochs*b.N)/b.Elapsed().Seconds(), "positions/s")
}
