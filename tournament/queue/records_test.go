package queue

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/ratings/sprt"
	"gyges/tournament"
	"gyges/tournament/record"
)

func TestSameRecordsAsLocal(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	nc := connect(t, s)
	startWorker(t, nc, nil)
	startWorker(t, connect(t, s), func(o *WorkerOptions) { o.Workers = 1 })
	p := testPool(t, nc, nil)
	for _, format := range []tournament.Format{tournament.RoundRobin, tournament.Swiss} {
		c := testConfig(t, 2, "random", "other", "alphabeta:depth=1", "mcts:iterations=5,hash=1")
		c.Schedule = format
		want := local(t, c)
		c.Executor = p
		var seen int64
		sum, err := tournament.Run(t.Context(), c, testRegistry(), func(*record.Game) { seen++ })
		require.NoError(t, err)
		require.Equal(t, tournament.Finished, sum.Status)
		require.Equal(t, c.Games(), seen)
		require.Equal(t, want, timeless(t, c.Out))
		requireEmpty(t, p)
	}
}

func TestWeightsTravel(t *testing.T) {
	t.Parallel()
	path := weightsFile(t)
	s := testServer(t)
	c := testConfig(t, 2, "random", "greedy:weights="+path,
		"explore:temperature=0,random=0.1,agent='alphabeta:depth=1,weights="+path+"'")
	c.Rules = c.Rules[:1]
	want := local(t, c)
	var once sync.Once
	startWorker(t, connect(t, s), func(o *WorkerOptions) {
		o.Workers = 1
	})
	c.Executor = testPool(t, connect(t, s), nil)
	p := c.Executor.(*Coordinator)
	// It is gone when the workers need it.
	c.Executor = poolFunc(func(ctx context.Context, config *tournament.Config, jobs <-chan tournament.Job,
		outcomes chan<- tournament.Job) error {
		go func() {
			for sleep(ctx, time.Millisecond) {
				if list, err := p.objects.List(ctx); err == nil && len(list) == 2 {
					once.Do(func() { _ = os.Remove(path) })
				}
			}
		}()
		return p.Play(ctx, config, jobs, outcomes)
	})
	_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	require.Equal(t, want, timeless(t, c.Out))
	requireEmpty(t, p)

	r := (&AllowList{}).registry(testRegistry(), map[string]string{}, 1)
	_, err = r.New(agents.Spec{Kind: "greedy", Params: []agents.Param{{Name: "weights", Value: "/etc/passwd"}}})
	require.ErrorContains(t, err, `the file "/etc/passwd" is not part of the run`)
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

func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	startWorker(t, connect(t, s), nil)
	var group errgroup.Group
	for i := range 2 {
		c := testConfig(t, 5, "random", "slow:sleep=1ms")
		c.Seed = uint64(i)
		want := local(t, c)
		c.Executor = testPool(t, connect(t, s), nil)
		group.Go(func() error {
			_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
			if got := timeless(t, c.Out); err == nil && got != want {
				err = fmt.Errorf("run %d: other records", i)
			}
			return err
		})
	}
	require.NoError(t, group.Wait())
}

func TestLongGames(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	w, err := NewWorker(connect(t, s), WorkerOptions{Version: version, Registry: testRegistry(), Workers: 2})
	require.NoError(t, err)
	w.inline = 2000 // some are longer, some are not
	runWorker(t, w)
	c := testConfig(t, 10, "random", "other")
	want := local(t, c)
	p := testPool(t, connect(t, s), nil)
	objects := 0
	c.Executor = poolFunc(func(ctx context.Context, config *tournament.Config, jobs <-chan tournament.Job,
		outcomes chan<- tournament.Job) error {
		watch, err := p.objects.Watch(ctx, jetstream.IgnoreDeletes())
		if err != nil {
			return err
		}
		defer func() { _ = watch.Stop() }() // the server forgets it anyway
		err = p.Play(ctx, config, jobs, outcomes)
		for range len(watch.Updates()) {
			if info := <-watch.Updates(); info != nil {
				objects++
			}
		}
		return err
	})
	_, err = tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	require.Equal(t, want, timeless(t, c.Out))
	require.Greater(t, objects, 3, "not only the description")
	require.Less(t, objects, 20)
	requireEmpty(t, p)
}
