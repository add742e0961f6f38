package queue

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/ugi"
	"gyges/rules"
	"gyges/tournament"
)

const version = "test"

func testRegistry(more ...agents.Kind) *agents.Registry {
	return registryOf(append(more, ugi.Kind(nil))...)
}

func registryOf(more ...agents.Kind) *agents.Registry {
	return builtin.Registry(append(more, crashKind(), slowKind(), otherKind())...)
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

// testPool returns a pool whose leases hardly run out on a slow machine.
func testPool(t testing.TB, nc *nats.Conn, change func(*Options)) *Coordinator {
	o := Options{Version: version, Registry: testRegistry(), lease: 5 * time.Second, window: 64,
		Notify: func(string) {}}
	if change != nil {
		change(&o)
	}
	p, err := NewCoordinator(t.Context(), nc, o)
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
	return runWorker(t, w)
}

func runWorker(t testing.TB, w *Worker) (stop func()) {
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
func local(t testing.TB, c tournament.Config, more ...agents.Kind) string {
	c.Out, c.Executor = t.TempDir(), nil
	_, err := tournament.Run(t.Context(), c, testRegistry(more...), nil)
	require.NoError(t, err)
	return timeless(t, c.Out)
}

// requireAsLocal plays a config by its executor. It fails unless the records are those of a run in
// this process.
func requireAsLocal(t testing.TB, c tournament.Config) {
	t.Helper()
	_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	require.Equal(t, local(t, c), timeless(t, c.Out))
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
func requireEmpty(t testing.TB, p *Coordinator) {
	for name := range streams {
		s, err := p.js.Stream(t.Context(), name)
		require.NoError(t, err)
		require.Zero(t, s.CachedInfo().State.Msgs, name)
		require.Zero(t, s.CachedInfo().State.Consumers, name)
	}
	list, _ := p.objects.List(t.Context())
	require.Empty(t, list)
}

// logged is a log that a test reads.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// await waits until the log has a text.
func (l *logged) await(t testing.TB, text string) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(l.String(), text) }, time.Minute,
		10*time.Millisecond, text)
}

func (l *logged) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// weightsFile is a file of weights of the test's own.
func weightsFile(t *testing.T) string {
	weights, err := os.ReadFile("../../agents/eval/weights/simplified.json")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "mine.json")
	require.NoError(t, os.WriteFile(path, weights, 0o600))
	return path
}
