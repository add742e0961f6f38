package queue

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/ratings/sprt"
	"gyges/tournament"
	"gyges/tournament/record"
	"gyges/tournament/schedule"
)

func TestSameRecordsAsLocal(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	nc := connect(t, s)
	startWorker(t, nc, nil)
	startWorker(t, connect(t, s), func(o *WorkerOptions) { o.Workers = 1 })
	p := testPool(t, nc, nil)
	for _, format := range []schedule.Name{schedule.RoundRobin, "swiss"} {
		c := testConfig(t, 2, "random", "other", "alphabeta:depth=1", "mcts:iterations=5,hash=1")
		c.Schedule = format
		want := local(t, c)
		c.Executor = p
		var seen int64
		sum, err := tournament.Run(t.Context(), c, testRegistry(), func(*record.Record) { seen++ })
		require.NoError(t, err)
		require.Equal(t, tournament.Finished, sum.Status)
		require.Equal(t, c.Games(), seen)
		require.Equal(t, want, timeless(t, c.Out))
		requireEmpty(t, p)
	}
}

func TestDecisionCancels(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	startWorker(t, connect(t, s), nil)
	c := testConfig(t, 100_000, "greedy", "random")
	c.Rules = c.Rules[:1]
	c.SPRT = sprt.Test{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05, Model: sprt.Normalized}
	until := testConfig(t, 1000, "random", "other")
	until.Rules, until.UntilError = c.Rules, 80
	for _, c := range []tournament.Config{c, until} {
		want := local(t, c)
		p := testPool(t, connect(t, s), func(o *Options) { o.window = 500 })
		c.Executor = p
		sum, err := tournament.Run(t.Context(), c, testRegistry(), nil)
		require.NoError(t, err)
		require.True(t, sum.Decided)
		require.Equal(t, want, timeless(t, c.Out))
		requireEmpty(t, p)
	}
}

// The files that agents need travel with the run, and a worker removes them when it has ended.
func TestWeightsTravel(t *testing.T) {
	t.Parallel()
	path := weightsFile(t)
	s := testServer(t)
	c := testConfig(t, 2, "random", "greedy:weights="+path,
		"explore:temperature=0,random=0.1,agent='alphabeta:depth=1,weights="+path+"'")
	c.Rules = c.Rules[:1]
	want := local(t, c)
	p := testPool(t, connect(t, s), nil)
	c.Executor = p
	w, err := NewWorker(connect(t, s), WorkerOptions{Version: version, Registry: testRegistry(), Workers: 1})
	require.NoError(t, err)
	err = whileRunning(t, func(ctx context.Context) error {
		for sleep(ctx, time.Millisecond) {
			if list, err := p.objects.List(ctx); err == nil && len(list) == 2 {
				runWorker(t, w) // when the file is gone
				return os.Remove(path)
			}
		}
		return ctx.Err()
	}, func() {
		_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
		require.NoError(t, err)
	})
	require.NoError(t, err)
	require.Equal(t, want, timeless(t, c.Out))
	requireEmpty(t, p)
	require.Eventually(t, func() bool {
		files, err := os.ReadDir(w.folder)
		return err == nil && len(files) == 0
	}, time.Minute, 10*time.Millisecond)
}

// Games that are too long for a message are sent in parts.
func TestLongGames(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	w, err := NewWorker(connect(t, s), WorkerOptions{Version: version, Registry: testRegistry(), Workers: 2})
	require.NoError(t, err)
	w.inline = 2000 // some are longer, some are not
	runWorker(t, w)
	c := testConfig(t, 10, "random", "other")
	p := testPool(t, connect(t, s), nil)
	c.Executor = p
	requireAsLocal(t, c)
	stream, err := p.js.Stream(t.Context(), longStream)
	require.NoError(t, err)
	parts := stream.CachedInfo().State.LastSeq
	require.Greater(t, parts, uint64(3))
	requireEmpty(t, p)
}
