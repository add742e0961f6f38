package texel

import (
	"context"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gyges/agents/eval"
	"gyges/agents/tuning/dataset"
	"gyges/rules"
)

// writePositions writes a folder of drawn positions, of which the first 500 validate, too, and returns all of training
// and the evaluator.
func writePositions(t *testing.T, n int) (dir string, written []dataset.Position, e *eval.Evaluator) {
	t.Helper()
	_, list, e := drawPositions(t, n, nil)
	var train []*dataset.Position
	for i, p := range list {
		if p.Rules.Outcome(p.Position) == rules.Undecided {
			train = append(train, &list[i])
			written = append(written, p)
		}
	}
	dir = filepath.Join(t.TempDir(), "positions")
	splits := [dataset.NumSplits][]*dataset.Position{train, train[:500], nil}
	require.NoError(t, dataset.Write(t.Context(), dir, splits, nil))
	return dir, written, e
}

// again has the blocks of data read anew, as if they came from files.
func again(d *Data) func(context.Context, int) iter.Seq2[*Data, error] {
	blocks := slices.Clone(d.blocks)
	return func(_ context.Context, most int) iter.Seq2[*Data, error] {
		return func(yield func(*Data, error) bool) {
			for list := range slices.Chunk(blocks, most) {
				part := newData(d.features)
				for i, b := range list {
					copied := *b
					copied.number = i
					part.blocks, part.rows = append(part.blocks, &copied), part.rows+len(b.rows)
				}
				if !yield(part, nil) {
					return
				}
			}
		}
	}
}

// Positions of a folder give the same weights and the same network as those in memory, and are the same when they are
// read again.
func TestFitFromFolder(t *testing.T) {
	t.Parallel()
	dir, written, e := writePositions(t, 2*blockRows+700)
	require.Greater(t, len(written), 2*blockRows)
	choice := Choice{Inputs: true}
	fromFolder := func(split dataset.Split) *Data {
		d, err := Read(t.Context(), dataset.Read(dir, split, nil), e, choice)
		require.NoError(t, err)
		return d
	}
	inMemory := func(list []dataset.Position) *Data {
		d := newData(len(eval.Names()))
		(&source{evaluator: e, choice: choice}).extract(list, d)
		return d
	}
	read, memory := fromFolder(dataset.Train), inMemory(written)
	s := Settings{Names: eval.Names(), Parent: make([]float64, len(eval.Names())), Lambda: 1, Scale: 0.005, Iterations: 5}
	s.Network = &Network{Epochs: 1, Units: 8, Seed: 1}
	want, err := Fit(t.Context(), Splits{memory, inMemory(written[:500])}, s)
	require.NoError(t, err)
	got, err := Fit(t.Context(), Splits{read, fromFolder(dataset.Validation)}, s)
	require.NoError(t, err)
	require.Equal(t, want, got)
	var blocks []*block
	for part, err := range read.again(t.Context(), 2) {
		require.NoError(t, err)
		blocks = append(blocks, part.blocks...)
	}
	require.Len(t, blocks, 3)
	for k, b := range blocks {
		require.Equal(t, k%2, b.number)
		require.Equal(t, memory.blocks[k].values, b.values)
		require.Equal(t, memory.blocks[k].inputs, b.inputs)
	}
}

// Of more blocks than stay in memory every second or fourth does, but all positions count as read.
func TestThin(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 9))
	all := known.networkSample(rng, 10*blockRows+100, drawNetwork(rng))
	d := newData(all.features)
	var kept []int
	number := 0
	for part, err := range again(all)(t.Context(), 1) {
		require.NoError(t, err)
		part.count, part.low, part.high = float64(part.rows), 0, 1
		part.seen[number] = true
		d.keep(part)
		if number++; len(d.blocks) > 3 {
			d.thin()
		}
	}
	rows := 0
	for i, b := range d.blocks {
		require.Equal(t, i, b.number)
		rows += len(b.rows)
		kept = append(kept, slices.IndexFunc(all.blocks, func(x *block) bool { return &x.rows[0] == &b.rows[0] }))
	}
	require.Equal(t, []int{0, 4, 8}, kept)
	require.Equal(t, 4, d.every)
	require.Equal(t, all.rows, d.Len())
	require.InDelta(t, rows, d.count, 0)
	for i := range number {
		require.True(t, d.seen[i])
	}
	d.thin()
	require.InDelta(t, 2*blockRows, d.count, 0)
}

// Epochs of positions that are read anew are the same in one window, and find nearly the same in several.
func TestNetworkFromWindows(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 11))
	d := known.networkSample(rng, 4*blockRows+100, drawNetwork(rng))
	d.again = again(d)
	validation := known.networkSample(rng, 5000, drawNetwork(rand.New(rand.NewPCG(11, 11))))
	s := known.settings()
	s.Network = &Network{Epochs: 4, Units: 32, Seed: 1}
	fit := func(least int) (loss, epochLoss float64) {
		f := newFit(Splits{d, validation}, s)
		n := &networkLoss{model: f.initial()}
		n.prepare(f, least)
		for range s.Network.Epochs {
			var err error
			epochLoss, err = n.epoch(t.Context(), f)
			require.NoError(t, err)
		}
		return n.loss(f.validation), epochLoss
	}
	want, wantEpoch := fit(1)
	d.every = 2 // so they are read anew
	got, gotEpoch := fit(5)
	require.InDelta(t, want, got, 0)
	require.InDelta(t, wantEpoch, gotEpoch, 0)
	got, gotEpoch = fit(1)
	require.InDelta(t, want, got, 0.003)
	require.InDelta(t, wantEpoch, gotEpoch, 0.003)
	require.NotEqual(t, want, got)
}

// A folder that is damaged when it is read again is an error.
func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	dir, _, e := writePositions(t, 2*blockRows)
	d, err := Read(t.Context(), dataset.Read(dir, dataset.Train, nil), e, Choice{Inputs: true})
	require.NoError(t, err)
	d.thin()
	paths, err := dataset.Shards(dir, dataset.Train)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(paths[0], 100))
	s := Settings{Names: eval.Names(), Parent: make([]float64, len(eval.Names())), Lambda: 1, Scale: 0.005}
	s.Network = &Network{Epochs: 3}
	_, err = Fit(t.Context(), Splits{d, d}, s)
	require.ErrorContains(t, err, "it is cut short or damaged")
}
