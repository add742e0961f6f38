package texel

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Data in a file give the same weights and the same network as in memory, if a window holds them; then the file is
// removed. Their blocks are stored one by one, as they are read.
func TestFitFromFile(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 8))
	truth := drawNetwork(rng)
	const rows = blockRows + 700
	memory := known.networkSample(rng, rows, truth)
	rng = rand.New(rand.NewPCG(8, 8))
	drawNetwork(rng)
	folder := filepath.Join(t.TempDir(), "new")
	stored := known.networkSample(rng, blockRows, truth)
	require.NoError(t, stored.store(folder))
	for _, b := range known.networkSample(rng, rows-blockRows, truth).blocks {
		for i, r := range b.rows {
			var features []float64
			for _, x := range b.features(i) {
				features = append(features, float64(x))
			}
			r.game += blockRows
			stored.add(r, features, b.active(i))
		}
	}
	require.NoError(t, stored.store(folder))
	for _, b := range stored.blocks {
		require.Empty(t, b.values)
	}
	s := known.settings()
	for _, s.Network = range []*Network{nil, {Epochs: 2, Units: 8, Seed: 1}} {
		want, err := Fit(t.Context(), Splits{memory, memory, memory}, s)
		require.NoError(t, err)
		got, err := Fit(t.Context(), Splits{stored, stored, stored}, s)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.NoError(t, stored.Close())
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

// An epoch has each block once; their order differs from epoch to epoch, and the last block, which isn't full, is last.
func TestWindows(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 9))
	d := known.sample(rng, 10*blockRows+100, 1)
	require.Equal(t, []int{11}, d.windows(3))
	want := slices.Clone(d.blocks)
	for k, b := range want {
		copied := *b
		want[k] = &copied
	}
	require.NoError(t, d.store(t.TempDir()))
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	sizes := d.windows(3)
	require.Equal(t, []int{3, 4, 4}, sizes)
	require.Equal(t, []int{11}, d.windows(12))
	var orders [2][]int
	for epoch := range orders {
		err := d.eachWindow(sizes, rng, func(window []*block) error {
			for _, b := range window {
				orders[epoch] = append(orders[epoch], b.number)
				require.True(t, bytes.Equal(raw(want[b.number].rows), raw(b.rows)), "rows have NaN, which equals nothing")
				require.Equal(t, want[b.number].values, b.values)
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, 10, orders[epoch][10])
	}
	require.NotEqual(t, orders[0], orders[1])
	slices.Sort(orders[0])
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, orders[0])
	require.ErrorIs(t, d.eachWindow(sizes, rng, func([]*block) error { return context.Canceled }), context.Canceled)
}

// Epochs by windows find nearly what epochs over all data do.
func TestNetworkFromWindows(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 11))
	d := known.networkSample(rng, 4*blockRows+100, drawNetwork(rng))
	validation := known.networkSample(rng, 5000, drawNetwork(rand.New(rand.NewPCG(11, 11))))
	s := known.settings()
	s.Network = &Network{Epochs: 4, Units: 32, Seed: 1}
	fit := func(windows int) (loss, epochLoss float64) {
		f := newFit(Splits{d, validation}, s, known.scale)
		n := &networkLoss{model: f.initial(), train: f.train}
		n.prepare(f, 1)
		require.Len(t, n.windows, windows)
		for range s.Network.Epochs {
			var err error
			epochLoss, err = n.epoch(t.Context())
			require.NoError(t, err)
		}
		return n.loss(f.validation), epochLoss
	}
	want, wantEpoch := fit(1)
	require.NoError(t, d.store(t.TempDir()))
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	got, gotEpoch := fit(5)
	require.InDelta(t, want, got, 0.003)
	require.InDelta(t, wantEpoch, gotEpoch, 0.003)
	require.NotEqual(t, want, got)
}

// A file that can't be read to its end is an error.
func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	d := known.sample(rand.New(rand.NewPCG(10, 10)), 2000, 1)
	require.NoError(t, d.store(t.TempDir()))
	require.NoError(t, d.file.file.Truncate(d.file.size-1))
	for _, s := range []Settings{known.settings(), {Names: known.names(), Parent: known.weights, Lambda: 1}} {
		_, err := Fit(t.Context(), Splits{d, d}, s)
		require.ErrorContains(t, err, "EOF")
		s.Network = &Network{Epochs: 3}
		_, err = Fit(t.Context(), Splits{d, d}, s)
		require.ErrorContains(t, err, "EOF")
	}
	require.NoError(t, d.Close())
}
