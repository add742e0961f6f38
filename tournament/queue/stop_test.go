package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	r, err := p.newRun(&c, make(chan tournament.Job))
	require.NoError(t, err)
	require.NoError(t, r.attach(t.Context()))
	genuine := question{runID: runID{r.id.Run, r.id.Config, version}} // whose files are on the server

	nc := connect(t, s)
	w := connect(t, s)
	for range 10 {
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

// A worker removes a run's files when the run has ended.
func TestFilesOfEndedRunsAreRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := testServer(t)
	startWorker(t, connect(t, s), nil)
	kept := func() []string {
		list, err := filepath.Glob(filepath.Join(os.TempDir(), "gyges-worker-*", "*"))
		require.NoError(t, err)
		return list
	}
	for seed := range uint64(3) {
		path := weightsFile(t)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for range seed { // other files each time
			text = append(text, '\n')
		}
		require.NoError(t, os.WriteFile(path, text, 0o600))
		c := testConfig(t, 2, "random", "greedy:weights="+path)
		c.Rules, c.Seed = c.Rules[:1], seed
		want := local(t, c)
		c.Executor = testPool(t, connect(t, s), nil)
		_, err = tournament.Run(t.Context(), c, testRegistry(), nil)
		require.NoError(t, err)
		require.Equal(t, want, timeless(t, c.Out))
		require.Eventually(t, func() bool { return len(kept()) == 0 }, time.Minute, 10*time.Millisecond)
	}
}

// A worker logs that it has lost the server, and that it has it again; an orderly end of the server is no warning.
func TestLostConnectionIsLogged(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	line := newLine(t, s.URL())
	var log logged
	nc := line.dial(t, log.log())
	startWorker(t, nc, func(o *WorkerOptions) { o.Log = log.log() })
	c := testConfig(t, 2, "random", "other")
	c.Executor = testPool(t, connect(t, s), nil)
	_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	log.await(t, `level=INFO msg="a run has ended"`)
	require.NotContains(t, log.String(), "level=WARN")
	line.cut()
	log.await(t, `level=WARN msg="the connection to NATS is lost; waiting for the server to come back"`)
	line.heal()
	log.await(t, `level=INFO msg="the connection to NATS is back"`)
	warnings := strings.Count(log.String(), "level=WARN")
	s.Close()
	log.await(t, `level=INFO msg="the NATS server shuts down; waiting for it to come back"`)
	require.Eventually(t, nc.IsReconnecting, time.Minute, 10*time.Millisecond)
	require.Equal(t, warnings, strings.Count(log.String(), "level=WARN"))
}
