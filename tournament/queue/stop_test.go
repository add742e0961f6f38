package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/tournament"
)

// A worker that stops while runs begin and end around it neither races with them
// nor leaves its files behind. The race detector finds more here than a plain run.
func TestWorkerStopsWhileRunsBeginAndEnd(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	path := weightsFile(t)
	c := testConfig(t, 1, "random", "greedy:weights="+path)
	c.Rules = c.Rules[:1]
	p := testPool(t, connect(t, s), nil)
	r, err := p.newRun(&c, make(chan tournament.Result))
	require.NoError(t, err)
	require.NoError(t, r.attach(t.Context()))
	genuine := question{runID: runID{r.id.Run, r.id.Config, version}} // whose files are on the server

	nc := connect(t, s)
	w := connect(t, s)
	for range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		worker, err := NewWorker(w, WorkerOptions{Version: version, Registry: testRegistry(), Workers: 1})
		require.NoError(t, err)
		stopped := make(chan error, 1)
		go func() { stopped <- worker.Run(ctx) }()
		ask := func(q question) error {
			text, err := json.Marshal(q)
			if err == nil {
				_, err = nc.Request(runSubject, text, time.Second)
			}
			return err
		}
		require.Eventually(t, func() bool { return ask(genuine) == nil }, time.Minute, time.Millisecond)
		var talkers sync.WaitGroup
		end := make(chan struct{})
		talkers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-end:
					return
				default:
				}
				a := genuine
				if i%4 > 0 {
					a.Run = fmt.Sprint("other", i%16)
				}
				time.Sleep(50 * time.Microsecond) // the worker is to stop, too
				for _, a.Ended = range []bool{false, true} {
					text, err := json.Marshal(a)
					if err == nil {
						err = nc.Publish(runSubject, text)
					}
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
		cancel()
		require.ErrorIs(t, <-stopped, context.Canceled)
		close(end)
		talkers.Wait()
		require.NoDirExists(t, worker.folder)
	}
}

// A worker that stops just when it hears of its first run doesn't race with that run, which the race
// detector shows.
func TestWorkerStopsAtItsFirstRun(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	nc := connect(t, s)
	heard, err := json.Marshal(question{runID: runID{"first", "config", version}})
	require.NoError(t, err)
	for i := range 40 {
		worker, err := NewWorker(connect(t, s), WorkerOptions{Version: version, Registry: testRegistry()})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() { stopped <- worker.Run(ctx) }()
		time.Sleep(20 * time.Millisecond) // until it listens; what waits for that hides the race
		require.NoError(t, nc.Publish(runSubject, heard))
		require.NoError(t, nc.Flush())
		time.Sleep(time.Duration(i) * 100 * time.Microsecond)
		cancel()
		require.ErrorIs(t, <-stopped, context.Canceled)
	}
}
