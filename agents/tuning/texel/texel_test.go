package texel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Row is a position with its features.
type Row struct {
	Features                   []float64
	Inputs                     []uint16
	Base, Result, Score, Count float64
	Game                       uint32
}

// Add adds a position.
func (d *Data) Add(r Row) {
	d.add(row{base: float32(r.Base), result: float32(r.Result), score: float32(r.Score), count: float32(r.Count),
		game: r.Game}, r.Features, r.Inputs)
}

// truth is a world in which results follow known weights.
type truth struct {
	weights []float64 // hundredths of a point
	scale   float64
}

var known = truth{weights: []float64{40, -25, 12, 0, 60, 8}, scale: 0.006}

func (w truth) names() []string {
	names := make([]string, len(w.weights))
	for j := range names {
		names[j] = fmt.Sprintf("f%d", j)
	}
	return names
}

// draw draws features such as an evaluation has: a constant, small counts, correlated ones, many zeros.
func (w truth) draw(rng *rand.Rand) []float64 {
	f := make([]float64, len(w.weights))
	f[0] = 1
	f[1] = float64(rng.IntN(7) - 3)
	f[2] = f[1] + float64(rng.IntN(5)-2)
	f[3] = float64(rng.IntN(3))
	f[4] = math.Round(rng.NormFloat64()*256) / 256
	if rng.IntN(4) == 0 {
		f[5] = float64(rng.IntN(21) - 10)
	}
	return f
}

func (w truth) chance(f []float64) float64 {
	x := 0.0
	for j := range f {
		x += w.scale * w.weights[j] * f[j]
	}
	return 1 / (1 + math.Exp(-x))
}

// sample draws a number of positions from each game, whose results hang together
// there: one draw decides them all. Each by itself follows the truth.
func (w truth) sample(rng *rand.Rand, games, each int) *Data {
	d := newData(len(w.weights))
	for g := range games {
		u := rng.Float64()
		for range each {
			f := w.draw(rng)
			r := Row{Features: f, Score: math.NaN(), Count: 1}
			if u < w.chance(f) {
				r.Result = 1
			}
			r.Game = uint32(g)
			d.Add(r)
		}
	}
	return d
}

// weights returns the tuned weights.
func weights(r *Result) []float64 {
	w := make([]float64, len(r.Features))
	for j, f := range r.Features {
		w[j] = f.Weight
	}
	return w
}

func (w truth) settings() Settings {
	return Settings{Names: w.names(), Parent: make([]float64, len(w.weights)), Lambda: 1, Scale: w.scale}
}

// Weights come near to the truth, as positions of games with one result do less.
func TestWeightsAreRecovered(t *testing.T) {
	t.Parallel()
	s := known.settings()
	s.Patience = -1 // to the minimum
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(1, seed))
		r, err := Fit(context.Background(), Splits{known.sample(rng, 20_000, 1), known.sample(rng, 200, 1)}, s)
		require.NoError(t, err)
		for j, f := range r.Features {
			require.InDelta(t, known.weights[j], f.Weight, 20, "%d", j) // four standard errors of the constant, f0
			require.False(t, f.Frozen)
		}
	}
}

// Positions of a game are one cluster: with each three times in its game the margin of the
// gain is the same, and with each in three games narrower.
func TestGamesAreClusters(t *testing.T) {
	t.Parallel()
	margin := func(repeat int, apart bool) float64 {
		rng := rand.New(rand.NewPCG(9, 1))
		rows, _ := mixed(rng, 900)
		d := newData(len(known.weights))
		for i, r := range rows {
			for k := range repeat {
				if r.Game = uint32(3 * i); apart {
					r.Game += uint32(k)
				}
				d.Add(r)
			}
		}
		s := known.settings()
		f := newFit(Splits{d, d}, s)
		a, b := f.parentLoss(d), f.parentLoss(d)
		_, margin := a.difference(make([]float64, len(known.weights)), b, known.weights)
		return margin
	}
	require.InEpsilon(t, margin(1, false), margin(3, false), 1e-9)
	require.InEpsilon(t, margin(1, false)/math.Sqrt(3), margin(3, true), 1e-9)
}

// naive computes the penalised loss the slow way, from rows.
func naive(rows []Row, s Settings, scale float64, w []float64) float64 {
	total, count, rms := 0.0, 0.0, make([]float64, len(w))
	for _, r := range rows {
		x := 0.0
		for j, f := range r.Features {
			x += scale * w[j] * f
			rms[j] += r.Count * f * f
		}
		p, target := 1/(1+math.Exp(-x)), r.Result
		if !math.IsNaN(r.Score) {
			target = s.Lambda*r.Result + (1-s.Lambda)/(1+math.Exp(-scale*r.Score))
		}
		total -= r.Count * (target*math.Log(p) + (1-target)*math.Log(1-p))
		count += r.Count
	}
	loss := total / count
	for j := range w {
		u := scale * math.Sqrt(rms[j]/count) * (w[j] - s.Parent[j])
		loss += s.L2 / 2 * u * u
	}
	return loss
}

// mixed draws rows with scores, counts and half results.
func mixed(rng *rand.Rand, n int) ([]Row, *Data) {
	d := newData(len(known.weights))
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{Features: known.draw(rng), Result: float64(rng.IntN(3)) / 2, Score: rng.NormFloat64() * 200,
			Count: float64(1 + rng.IntN(3)), Game: uint32(i)}
		if rng.IntN(3) == 0 {
			rows[i].Score = math.NaN()
		}
		d.Add(rows[i])
	}
	return rows, d
}

// newTestFit returns a fit over rows, all blocks of the data included.
func newTestFit(rng *rand.Rand, n int) ([]Row, *fit) {
	rows, d := mixed(rng, n)
	s := known.settings()
	s.Parent, s.Lambda, s.L2, s.Scale = []float64{10, 5, -3, 0, 20, 7}, 0.7, 0.03, 0.004
	return rows, newFit(Splits{d, d}, s)
}

func TestLossAndGradientAgreeWithFiniteDifferences(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 0))
	rows, f := newTestFit(rng, blockRows+500)
	for range 3 {
		u := make([]float64, len(f.free))
		for m := range u {
			u[m] = rng.NormFloat64() / 4
		}
		f.evaluate(u)
		w := f.weights(u)
		require.InEpsilon(t, naive(rows, f.Settings, f.Scale, w), f.value, 1e-6)
		for m, j := range f.free {
			const h = 1e-4
			up, down := append([]float64(nil), w...), append([]float64(nil), w...)
			step := h / f.Scale / f.rms[j]
			up[j] += step
			down[j] -= step
			slope := (naive(rows, f.Settings, f.Scale, up) - naive(rows, f.Settings, f.Scale, down)) / (2 * h)
			require.InDelta(t, slope, f.grad[m], 1e-6, "feature %d", j)
		}
	}
}

// The scale is where the loss is lowest, as a search over many finds.
func TestScaleIsFitted(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 0))
	d := known.sample(rng, 20000, 1)
	scale, err := fitScale(d, known.weights)
	require.NoError(t, err)
	require.InEpsilon(t, known.scale, scale, 0.1) // four standard errors of 20,000 positions
	best, at := math.Inf(1), 0.0
	for x := 0.8 * scale; x < 1.2*scale; x += 0.002 * scale {
		s := append([]float64(nil), known.weights...)
		for j := range s {
			s[j] *= x
		}
		if v := newLoss(d, s, base, 1, d.targets(1, 0)).value(make([]float64, len(s))); v < best {
			best, at = v, x
		}
	}
	require.InEpsilon(t, at, scale, 0.002)
}

// Positions that were only searched have the score alone as target, and don't bear on the scales. Weights are found from
// them as from results.
func TestPositionsWithoutResults(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(15, 0))
	played, mixed := known.sample(rng, 4000, 1), known.sample(rand.New(rand.NewPCG(15, 0)), 4000, 1)
	for range 4000 {
		f := known.draw(rng)
		p := known.chance(f)
		mixed.Add(Row{Features: f, Result: math.NaN(), Score: math.Log(p/(1-p)) / known.scale, Count: 1})
	}
	low, high := mixed.low, mixed.high
	require.Equal(t, []float32{0, 1}, []float32{low, high})
	weights := []float64{30, -20, 10, 0, 50, 6}
	want, err := fitScale(played, weights)
	require.NoError(t, err)
	got, err := fitScale(mixed, weights)
	require.NoError(t, err)
	require.InEpsilon(t, want, got, 1e-9)

	targets := mixed.targets(0.5, known.scale)
	for i, r := range mixed.blocks[0].rows {
		if r.played() {
			require.Equal(t, r.result, targets[0][i])
		} else {
			require.InDelta(t, 1/(1+math.Exp(-known.scale*float64(r.score))), targets[0][i], 1e-6)
		}
	}
	s := known.settings()
	s.Lambda = 0.5
	errs := [2]float64{}
	for i, d := range []*Data{played, mixed} {
		r, err := Fit(context.Background(), Splits{d, d}, s)
		require.NoError(t, err)
		for j, f := range r.Features {
			errs[i] += math.Abs(f.Weight - known.weights[j])
		}
	}
	require.Less(t, errs[1], errs[0]/1.5, "exact targets say more than results")
}

func TestParentsWithoutScale(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 0))
	d := known.sample(rng, 1000, 1)
	s := known.settings()
	s.Scale = 0
	_, err := Fit(context.Background(), Splits{d, d}, s) // all weights 0
	require.ErrorContains(t, err, "the parent weights do not predict the results")
	sure := newData(len(known.weights))
	for range 100 {
		f := known.draw(rng)
		f[0] = float64(2*rng.IntN(2) - 1)
		sure.Add(Row{Features: f, Result: (f[0] + 1) / 2, Score: math.NaN(), Count: 1})
	}
	s.Parent = []float64{30, 0, 0, 0, 0, 0}
	_, err = Fit(context.Background(), Splits{sure, sure}, s)
	require.ErrorContains(t, err, "predict every result")
}

// Few noisy positions and a validation set that says otherwise: the weights
// returned are those of the lowest validation loss seen.
func TestEarlyStop(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 0))
	train, validation := known.sample(rng, 30, 1), known.sample(rng, 2000, 1)
	s := known.settings()
	s.Patience = 2
	var steps []Step
	s.Record = func(x Step) error { steps = append(steps, x); return nil }
	r, err := Fit(context.Background(), Splits{train, validation}, s)
	require.NoError(t, err)
	require.True(t, r.EarlyStop)
	best := steps[0]
	for i, x := range steps {
		require.Equal(t, i, x.Iteration)
		require.True(t, i == 0 || x.Loss < steps[i-1].Loss, "each iteration gets on")
		if x.ValidationLoss < best.ValidationLoss {
			best = x
		}
	}
	require.Equal(t, best.Weights, weights(r))
	require.InDelta(t, best.ValidationLoss, r.ValidationLoss[1], 1e-12)
	require.Less(t, best.Iteration, len(steps)-2)
}

// The weight of a feature that never occurs is frozen.
func TestUnseenFeaturesAreFrozen(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(10, 0))
	d := newData(2)
	for i := range 500 {
		d.Add(Row{Features: []float64{rng.NormFloat64(), 0}, Result: float64(i % 2), Score: math.NaN(), Count: 1})
	}
	r, err := Fit(context.Background(), Splits{d, d},
		Settings{Names: []string{"a", "b"}, Parent: []float64{0, 9}, Lambda: 1, Scale: 0.01})
	require.NoError(t, err)
	require.Equal(t, Feature{"b", 9, 9, true}, r.Features[1])
	require.False(t, r.Features[0].Frozen)
}

func TestBadDataIsRefused(t *testing.T) {
	t.Parallel()
	d := newData(2)
	good := Row{Features: []float64{1, 2}, Result: 1, Score: math.NaN(), Count: 1}
	s := Settings{Names: []string{"a", "b"}, Parent: []float64{1, 1}, Lambda: 1}
	refused := func(want string, train, validation *Data) {
		t.Helper()
		_, err := Fit(context.Background(), Splits{train, validation}, s)
		require.ErrorContains(t, err, want)
	}
	refused("expected training positions, found none", d, d)
	d.Add(good)
	refused("expected validation positions, found none", d, newData(2))
	refused("found the result 1 in all 1", d, d)
}

// The test positions change nothing in a fit. Their loss is that of the weights that come out: with results at random
// it rises, while that of the validation positions, which chose the iteration, falls.
func TestTestPositionsAreMeasured(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(12, 0))
	train, validation := known.sample(rng, 3000, 1), known.sample(rng, 3000, 1)
	rows, test := mixed(rng, 1000)
	s := known.settings()
	s.Lambda = 0.7
	s.Parent = []float64{1, 0, 30, 0, 0, 5}
	without, err := Fit(context.Background(), Splits{train, validation}, s)
	require.NoError(t, err)
	r, err := Fit(context.Background(), Splits{train, validation, test}, s)
	require.NoError(t, err)
	require.Equal(t, weights(without), weights(r))
	require.Equal(t, without.ValidationLoss, r.ValidationLoss)
	require.Less(t, r.ValidationLoss[1], r.ValidationLoss[0])
	require.Equal(t, 1000, r.Test.Positions)
	require.InDelta(t, naive(rows, s, s.Scale, s.Parent), r.Test.ParentLoss, 1e-6)
	require.InDelta(t, naive(rows, s, s.Scale, weights(r)), r.Test.Loss, 1e-6)
	require.InDelta(t, r.Test.ParentLoss-r.Test.Loss, r.Test.Gain, 1e-9)
	require.Negative(t, r.Test.Gain)
	require.Positive(t, r.Test.GainMargin)
	require.Equal(t, "test loss", r.Test.Provenance().Measure)
}

func TestFitStops(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 0))
	d := known.sample(rng, 1000, 1)
	full := errors.New("disk full")
	for _, network := range []*Network{nil, {Epochs: 3}} {
		ctx, cancel := context.WithCancel(context.Background())
		s := known.settings()
		s.Network = network
		s.Record = func(x Step) error {
			if x.Iteration == 2 {
				cancel()
			}
			return nil
		}
		_, err := Fit(ctx, Splits{d, d}, s)
		require.ErrorIs(t, err, context.Canceled)
		s.Record = func(Step) error { return full }
		_, err = Fit(context.Background(), Splits{d, d}, s)
		require.ErrorIs(t, err, full)
	}
}
