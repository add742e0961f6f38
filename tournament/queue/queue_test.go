package queue

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/ugi"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

const version = "test"

func testRegistry() *agents.Registry {
	return builtin.Registry(ugi.Kind(), crashKind(), slowKind(), otherKind())
}

// testServer starts a server on loopback.
func testServer(t testing.TB) *Server {
	s, err := StartServer(ServerOptions{Listen: "127.0.0.1:0", Store: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func connect(t testing.TB, s *Server) *nats.Conn {
	nc, err := Connect(Access{URL: s.URL()}, "test", discard())
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// testPool returns a pool whose leases are short.
func testPool(t testing.TB, nc *nats.Conn, change func(*Options)) *Pool {
	o := Options{Version: version, Registry: testRegistry(), Lease: time.Second, Window: 64}
	if change != nil {
		change(&o)
	}
	p, err := NewPool(t.Context(), nc, o)
	require.NoError(t, err)
	return p
}

// startWorker runs a worker in this process until the test ends or stop is called.
func startWorker(t testing.TB, nc *nats.Conn, change func(*WorkerOptions)) (stop func()) {
	o := WorkerOptions{Version: version, Registry: testRegistry(), Workers: 2}
	if change != nil {
		change(&o)
	}
	w, err := NewWorker(nc, o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = w.Run(ctx) // says that it was stopped
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

func testConfig(t testing.TB, pairs int, specs ...string) tournament.Config {
	c := tournament.DefaultConfig()
	c.Rules = []*rules.Rules{rules.MustParse("simplified"), rules.MustParse("standard:max_plies=20")}
	c.Pairs, c.Out, c.Workers = pairs, t.TempDir(), 1
	for _, text := range specs {
		spec, err := agents.ParseSpec(text)
		require.NoError(t, err)
		c.Agents = append(c.Agents, spec)
	}
	return c
}

// local plays a config in this process and returns its records without timing.
func local(t testing.TB, c tournament.Config) string {
	c.Out, c.Pool = t.TempDir(), nil
	_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	return timeless(t, c.Out)
}

// timeless returns a run's records as text, without their timing.
func timeless(t testing.TB, dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, tournament.GamesFile))
	require.NoError(t, err)
	var b strings.Builder
	for _, line := range bytes.Split(text, []byte{'\n'}) {
		same, _, _ := bytes.Cut(line, []byte(`,"timing":`))
		b.Write(append(same, '\n'))
	}
	return b.String()
}

// requireEmpty fails if the server still has something of a run.
func requireEmpty(t testing.TB, p *Pool) {
	for _, name := range []string{jobStream, resultStream} {
		s, err := p.js.Stream(t.Context(), name)
		require.NoError(t, err)
		require.Zero(t, s.CachedInfo().State.Msgs, name)
		require.Zero(t, s.CachedInfo().State.Consumers, name)
	}
	list, _ := p.objects.List(t.Context())
	require.Empty(t, list)
}

// Workers elsewhere give the records of a local run, byte for byte but for the
// timing, and nothing is left on the server.
func TestSameRecordsAsLocal(t *testing.T) {
	s := testServer(t)
	nc := connect(t, s)
	startWorker(t, nc, nil)
	startWorker(t, connect(t, s), func(o *WorkerOptions) { o.Workers = 1 })
	p := testPool(t, nc, nil)
	for _, format := range []tournament.Format{tournament.RoundRobin, tournament.Swiss} {
		c := testConfig(t, 5, "random", "greedy", "alphabeta:depth=1", "mcts:iterations=20")
		c.Format = format
		want := local(t, c)
		c.Pool = p
		var seen int64
		sum, err := tournament.Run(t.Context(), c, testRegistry(), func(*record.Game) { seen++ })
		require.NoError(t, err)
		require.Equal(t, tournament.Finished, sum.Status)
		require.Equal(t, c.Games(), seen)
		require.Equal(t, want, timeless(t, c.Out))
		requireEmpty(t, p)
	}
}
