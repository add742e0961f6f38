package queue

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/record"
)

// A run whose messages are removed from the server in its middle, in whatever way,
// goes on and has the records of a local one.
func TestLostMessagesArePublishedAgain(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(context.Context, jetstream.JetStream, string) error{
		"jobs purged": func(ctx context.Context, js jetstream.JetStream, _ string) error {
			s, err := js.Stream(ctx, jobStream)
			if err == nil {
				err = s.Purge(ctx)
			}
			return err
		},
		"consumers deleted": func(ctx context.Context, js jetstream.JetStream, run string) error {
			if err := js.DeleteConsumer(ctx, jobStream, run); err != nil {
				return err
			}
			return js.DeleteConsumer(ctx, resultStream, run)
		},
		"streams deleted": func(ctx context.Context, js jetstream.JetStream, _ string) error {
			for _, name := range []string{jobStream, resultStream, "OBJ_" + bucket} {
				if err := js.DeleteStream(ctx, name); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testServer(t)
			removed, begun := make(chan struct{}), atomic.Int64{}
			held := heldKind(func(ctx context.Context, ply int) error {
				if ply > 1 || begun.Add(1) <= 4 { // the second pair's results have been sent
					return nil
				}
				select {
				case <-removed:
				case <-ctx.Done():
				}
				return ctx.Err()
			})
			knowing := func(o *WorkerOptions) { o.Registry, o.Workers = testRegistry(held), 1 }
			stop := startWorker(t, connect(t, s), knowing)
			c := testConfig(t, 5, "held", "other")
			p := testPool(t, connect(t, s), func(o *Options) {
				o.Registry, o.repairEvery = testRegistry(held), 500*time.Millisecond
			})
			c.Executor = p
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			var change sync.WaitGroup
			defer change.Wait()
			games := 0
			_, err := tournament.Run(ctx, c, testRegistry(held), func(*record.Record) {
				if games++; games != 2 {
					return
				}
				require.Eventually(t, func() bool {
					jobs, err := p.js.Stream(ctx, jobStream)
					return err == nil && jobs.CachedInfo().State.Msgs > 2
				}, time.Minute, 10*time.Millisecond, "jobs to remove")
				id, err := readIdentity(c.Out)
				require.NoError(t, err)
				require.NoError(t, remove(ctx, p.js, id.Run))
				change.Go(func() { // a new worker needs more of the server than one that has begun
					stop()
					close(removed)
					startWorker(t, connect(t, s), knowing)
				})
			})
			require.NoError(t, err)
			require.Equal(t, local(t, c, held), timeless(t, c.Out))
			requireEmpty(t, p)
		})
	}
}

// A server that takes no messages for a while, as its streams are full, delays a run
// and changes nothing in it. Coordinator and worker say what they wait for.
func TestFullStreams(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	var coordinator, worker logged
	startWorker(t, connect(t, s), func(o *WorkerOptions) { o.Log = worker.log() })
	c := testConfig(t, 5, "random", "other")
	want := local(t, c)
	p := testPool(t, connect(t, s), func(o *Options) { o.Log = coordinator.log() })
	c.Executor = p
	limit := func(name string, bytes int64) {
		stream, err := p.js.Stream(t.Context(), name)
		require.NoError(t, err)
		config := stream.CachedInfo().Config
		config.MaxBytes, config.Discard = bytes, jetstream.DiscardNew
		_, err = p.js.UpdateStream(t.Context(), config)
		require.NoError(t, err)
	}
	const none, unlimited = 1, -1
	const stores = `level=WARN msg="the NATS server doesn't store what is sent to it; trying again"`
	const again = `level=INFO msg="the NATS server stores what is sent to it again"`
	limit(jobStream, none)
	limit(resultStream, none)
	done := begun(t.Context(), c)
	coordinator.await(t, stores)
	limit(jobStream, unlimited)
	coordinator.await(t, again)
	worker.await(t, stores)
	limit(resultStream, unlimited)
	require.NoError(t, <-done)
	require.Equal(t, want, timeless(t, c.Out))
	require.Contains(t, coordinator.String(), "maximum bytes exceeded")
	require.Contains(t, worker.String(), "maximum bytes exceeded")
}
