package queue

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/random"
	"gyges/agents/ugi"
	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
	"gyges/tournament/runs"
)

// programmed plays at random as the program that its command says: a name, and the sum of its file.
type programmed struct {
	agents.Agent
	program *agents.Program
}

func (a *programmed) Program() *agents.Program { return a.program }

func programKind() agents.Kind {
	kind := ugi.Kind(nil)
	kind.New = func(c agents.Config) (agents.Agent, error) {
		agent, err := random.Kind().New(c)
		name, sum, _ := strings.Cut(c.Values["cmd"], " ")
		return &programmed{agent, &agents.Program{Name: name, Files: map[string]string{"engine": sum}}}, err
	}
	return kind
}

// What a worker's engine is, is compared with the coordinator's: another engine is refused, another
// build of it noted.
func TestEnginesOfWorkers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ worker, refused, noted string }{
		{"stock 1", "", ""},
		{"stock 2", "", `mine: the SHA-256 of engine was "1", now "2"`},
		{"stock 2\x1b" + strings.Repeat("x", 200), "", `mine: the SHA-256 of engine was "1", now "2\x1bxxxxxxxxxxxxxx"`},
		{"other 1", `the engine of \"mine\" isn't the coordinator's: its id name was \"stock\", now \"other\"`, ""},
	} {
		s := testServer(t)
		registry := registryOf(programKind())
		startWorker(t, connect(t, s), func(o *WorkerOptions) {
			o.Registry = registry
			o.Allow.Engines = map[string]string{"mine": test.worker}
		})
		var log logged
		c := testConfig(t, 1, "random", "ugi:name=mine,cmd=stock 1")
		c.Executor = testPool(t, connect(t, s), func(o *Options) { o.Log, o.Registry = log.log(), registry })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		go func() {
			for sleep(ctx, 10*time.Millisecond) {
				if strings.Contains(log.String(), "a worker doesn't play for this run") {
					cancel()
				}
			}
		}()
		_, err := tournament.Run(ctx, c, registry, nil)
		cancel()
		if test.refused != "" {
			require.ErrorIs(t, err, context.Canceled, "not the deadline")
			require.Contains(t, log.String(), test.refused)
			continue
		}
		require.NoError(t, err)
		state, err := status.Read(os.DirFS(c.Out))
		require.NoError(t, err)
		require.Len(t, state.Workers, 1)
		require.Equal(t, test.noted, state.Workers[0].OtherBuild)
		noted := strings.Contains(log.String(), "a worker has another build of an engine")
		require.Equal(t, test.noted != "", noted)
		require.Equal(t, noted, len(runs.OtherBuilds(os.DirFS(c.Out), "here")) == 1)
	}
}

// restarted is an engine that is another build once it was rebuilt.
type restarted struct {
	agents.Agent
	rebuilt *atomic.Bool
}

func (a *restarted) Program() *agents.Program {
	sum := "1"
	if a.rebuilt.Load() {
		sum = "2"
	}
	return &agents.Program{Name: "stock", Files: map[string]string{"engine": sum}}
}

// A worker whose engine is rebuilt during a run compares it again, and plays on with another build.
func TestEngineRebuiltOnAWorker(t *testing.T) {
	t.Parallel()
	var rebuilt atomic.Bool
	there := ugi.Kind(nil)
	there.New = func(c agents.Config) (agents.Agent, error) {
		agent, err := random.Kind().New(c)
		return &restarted{agent, &rebuilt}, err
	}
	s := testServer(t)
	startWorker(t, connect(t, s), func(o *WorkerOptions) {
		o.Registry = registryOf(there)
		o.Allow.Engines = map[string]string{"mine": "stock"}
	})
	registry := registryOf(programKind())
	c := testConfig(t, 30, "random", "ugi:name=mine,cmd=stock 1")
	c.Executor = testPool(t, connect(t, s), func(o *Options) { o.Registry = registry })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	summary, err := tournament.Run(ctx, c, registry, func(*record.Record) { rebuilt.Store(true) })
	require.NoError(t, err)
	require.Equal(t, summary.Scheduled, summary.Played)
	state, err := status.Read(os.DirFS(c.Out))
	require.NoError(t, err)
	require.Equal(t, `mine: the SHA-256 of engine was "1", now "2"`, state.Workers[0].OtherBuild)
}

// The text of a report is bounded, whatever a worker says.
func TestOtherBuildsAreBounded(t *testing.T) {
	t.Parallel()
	r := &run{Coordinator: &Coordinator{workers: map[string]*workerEntry{}}}
	entry := new(workerEntry)
	entry.OtherBuild = strings.Repeat("x", 1000)
	r.workers["a"] = entry
	require.Len(t, r.listWorkers(status.Plays)[0].OtherBuild, maxWord)
}
