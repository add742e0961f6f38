package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/explore"
	"gyges/agents/ugi"
	"gyges/agents/ugi/ugitest"
	"gyges/ratings/sprt"
	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/record"
)

const version = "test"

func testRegistry() *agents.Registry {
	kinds := []agents.Kind{ugi.Kind(), crashKind(), slowKind(), otherKind()}
	return builtin.Registry(append(kinds, explore.Kind(builtin.Registry(kinds...)))...)
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
func testPool(t testing.TB, nc *nats.Conn, change func(*Options)) *Coordinator {
	o := Options{Version: version, Registry: testRegistry(), Lease: time.Second, Window: 64}
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
func local(t testing.TB, c tournament.Config) string {
	c.Out, c.Executor = t.TempDir(), nil
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
func requireEmpty(t testing.TB, p *Coordinator) {
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
	t.Parallel()
	s := testServer(t)
	nc := connect(t, s)
	startWorker(t, nc, nil)
	startWorker(t, connect(t, s), func(o *WorkerOptions) { o.Workers = 1 })
	p := testPool(t, nc, nil)
	for _, format := range []tournament.Format{tournament.RoundRobin, tournament.Swiss} {
		c := testConfig(t, 2, "random", "other", "alphabeta:depth=1", "mcts:iterations=5,hash=1")
		c.Format = format
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

func (l *logged) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Every job and every result is published twice, under ids of their own. The second
// ones are dropped.
func TestDuplicatesAreDropped(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	nc := connect(t, s)
	var again atomic.Int64
	for _, subject := range []string{jobSubject, resultSubject} {
		_, err := nc.Subscribe(subject+".*.*", func(m *nats.Msg) {
			if m.Header.Get("Again") != "" {
				return
			}
			again.Add(1)
			copied := nats.NewMsg(m.Subject)
			copied.Header, copied.Data = maps.Clone(m.Header), m.Data
			copied.Header.Set("Again", "yes")
			copied.Header.Set(jetstream.MsgIDHeader, m.Header.Get(jetstream.MsgIDHeader)+"/again")
			_ = nc.PublishMsg(copied)
		})
		require.NoError(t, err)
	}
	startWorker(t, connect(t, s), nil)
	var log logged
	c := testConfig(t, 10, "random", "other")
	want := local(t, c)
	c.Executor = testPool(t, nc, func(o *Options) { o.Log = log.log(); o.Window = 4 })
	sum, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	require.Equal(t, tournament.Finished, sum.Status)
	require.Equal(t, want, timeless(t, c.Out))
	require.GreaterOrEqual(t, again.Load(), int64(40), "20 jobs and results at least")
	require.Contains(t, log.String(), "a second result is dropped")
}

// answer takes the jobs of the run in a folder and publishes the games that play
// returns, until ctx ends.
func answer(ctx context.Context, p *Coordinator, dir string, play func(job) ([]*record.Game, error)) error {
	for ctx.Err() == nil {
		id, err := readIdentity(dir)
		var jobs jetstream.Consumer
		if err == nil {
			jobs, err = p.js.Consumer(ctx, jobStream, id.Run)
		}
		if err != nil { // the run hasn't begun, or is over
			sleep(ctx, 10*time.Millisecond)
			continue
		}
		batch, err := jobs.Fetch(1, jetstream.FetchMaxWait(100*time.Millisecond))
		if err != nil {
			continue
		}
		for m := range batch.Messages() {
			var j job
			if err := parseStrictly(m.Data(), &j); err != nil {
				return err
			}
			games, err := play(j)
			if err != nil {
				return err
			}
			text, err := record.Lines(games...)
			if err != nil {
				return err
			}
			_, err = p.js.Publish(ctx, subjectOf(resultsOf(id.Run), j.Pair), text)
			if err != nil {
				return err
			}
			acknowledge(m)
		}
	}
	return nil
}

// A pair whose result is no good is played again; one whose results never are is
// dead-lettered.
func TestBadResults(t *testing.T) {
	s := testServer(t)
	nc := connect(t, s)
	var log logged
	c := testConfig(t, 2, "random", "other")
	c.Rules = c.Rules[:1]
	want := local(t, c)
	// A worker of the test's own: it takes every job, and answers wrongly at first.
	play := func(wrongs int) (tournament.Summary, error) {
		c.Out = t.TempDir()
		c.Executor = testPool(t, nc, func(o *Options) { o.Log = log.log(); o.Tries = 3 })
		player := tournament.NewRunner(&c, testRegistry().New)
		answered := map[int64]int{}
		var sum tournament.Summary
		var failed error
		err := whileRunning(t, func(ctx context.Context) error {
			return answer(ctx, c.Executor.(*Coordinator), c.Out, func(j job) ([]*record.Game, error) {
				games, err := player.Play(ctx, j.Job, 1)
				if answered[j.Pair]++; err == nil && answered[j.Pair] <= wrongs {
					games[0].South.Seed++
				}
				return games, err
			})
		}, func() { sum, failed = tournament.Run(t.Context(), c, testRegistry(), nil) })
		require.NoError(t, err)
		return sum, failed
	}
	_, err := play(2)
	require.NoError(t, err)
	require.Equal(t, want, timeless(t, c.Out))
	require.Contains(t, log.String(), "an invalid result is dropped; the pair is played again")

	sum, err := play(3)
	require.ErrorContains(t, err, "2 pairs could not be played: pair 0: dead-lettered after 3 tries: games.jsonl: game 0: expected pair 0")
	require.Len(t, sum.DeadLettered, 2)
}

// Workers that can't play as the coordinator would leave the run alone, and say why.
func TestRefusals(t *testing.T) {
	t.Parallel()
	dir, file := t.TempDir(), weightsFile(t)
	t.Cleanup(func() { // after all of them
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, entries, "no command from the wire is run")
	})
	for name, test := range map[string]struct {
		agent  string
		pool   func(*Options)
		worker func(*WorkerOptions)
		change func(*tournament.Config)
		why    string
	}{
		"version":      {"other", nil, func(o *WorkerOptions) { o.Version = "old" }, nil, `it is of version \"test\", this worker of \"old\"`},
		"kind":         {"other", nil, func(o *WorkerOptions) { o.Allow.Kinds = []string{"random", "greedy"} }, nil, "this worker's operator allows random, greedy only"},
		"unknown kind": {"slow", nil, func(o *WorkerOptions) { o.Registry = builtin.Registry() }, nil, `unknown kind \"slow\"`},
		"engine": {"ugi:name=other,cmd=touch " + dir + "/made", nil, func(o *WorkerOptions) { o.Allow.Engines = map[string]string{"one": "true"} },
			nil, `this worker has no engine \"other\"; its operator named one`},
		"inner engine": {"explore:temperature=0,agent='ugi:name=other,cmd=touch " + dir + "/made'", nil, func(o *WorkerOptions) { o.Allow.Engines = map[string]string{"one": "true"} },
			nil, `this worker has no engine \"other\"; its operator named one`},
		"inner kind": {"explore:temperature=0,agent=greedy", nil, func(o *WorkerOptions) { o.Allow.Kinds = []string{"random", "explore"} },
			nil, "this worker's operator allows random, explore only"},
		"inner file": {"explore:temperature=0,agent='greedy:weights=" + file + "'", func(o *Options) { o.Registry = unaware() }, nil,
			func(c *tournament.Config) { c.Rules = []*rules.Rules{rules.MustParse("simplified:max_plies=20")} }, "is not part of the run"},
		"speed": {"other", func(o *Options) { o.TimeScaling, o.Speed = Pinned, func() float64 { return 1000 } }, func(o *WorkerOptions) { o.Speed = 1200 },
			func(c *tournament.Config) { c.Limits.MoveTime = time.Second }, "its times are pinned to machines of 1000 positions a second, this one makes 1200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testServer(t)
			startWorker(t, connect(t, s), test.worker)
			var log logged
			c := testConfig(t, 1, "random", test.agent)
			c.Executor = testPool(t, connect(t, s), func(o *Options) {
				o.Log = log.log()
				if test.pool != nil {
					test.pool(o)
				}
			})
			if test.change != nil {
				test.change(&c)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			go func() {
				for sleep(ctx, 10*time.Millisecond) {
					if strings.Contains(log.String(), "a worker doesn't play for this run") {
						cancel()
					}
				}
			}()
			sum, err := tournament.Run(ctx, c, testRegistry(), nil)
			require.ErrorIs(t, err, context.Canceled, "not the deadline")
			require.Zero(t, sum.Played)
			require.Contains(t, log.String(), test.why)
		})
	}
}

// An engine plays under the command of the worker's operator, whatever the spec
// says, and the record has the spec.
func TestEnginesOfTheOperator(t *testing.T) {
	s := testServer(t)
	spec, err := agents.ParseSpec(ugitest.Spec(t, "good", ""))
	require.NoError(t, err)
	startWorker(t, connect(t, s), func(o *WorkerOptions) { o.Allow.Engines = map[string]string{"mine": spec.Get("cmd")} })
	c := testConfig(t, 1, "random", "ugi:name=mine,cmd=true")
	c.Rules = []*rules.Rules{rules.MustParse("standard")}
	c.Executor = testPool(t, connect(t, s), nil)
	sum, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	require.Zero(t, sum.Faults, timeless(t, c.Out))
	require.Contains(t, timeless(t, c.Out), `"ugi:name=mine,cmd=true"`)

	c.Agents[1].Params = c.Agents[1].Params[1:] // the name
	require.ErrorContains(t, Options{Registry: testRegistry()}.Check(&c), "expected name=NAME")
	require.ErrorContains(t, Options{Tries: -1}.Check(&c), "expected tries from 1 to 1000, found -1")
}

// weightsFile is a file of weights of the test's own.
func weightsFile(t *testing.T) string {
	weights, err := os.ReadFile("../../agents/eval/weights/simplified.json")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "mine.json")
	require.NoError(t, os.WriteFile(path, weights, 0o600))
	return path
}

// unaware is a registry that doesn't know which parameters name files.
func unaware() *agents.Registry {
	kinds := testRegistry().Kinds()
	for i := range kinds {
		params := slices.Clone(kinds[i].Params)
		for j := range params {
			params[j].File = false
		}
		kinds[i].Params = params
	}
	return agents.NewRegistry(kinds...)
}

// Weights travel with the run. The worker never opens what the spec names.
func TestWeightsTravel(t *testing.T) {
	path := weightsFile(t)
	s := testServer(t)
	c := testConfig(t, 2, "random", "greedy:weights="+path, "explore:temperature=0,random=0.1,agent='alphabeta:depth=1,weights="+path+"'")
	c.Rules = c.Rules[:1]
	want := local(t, c)
	var once sync.Once
	startWorker(t, connect(t, s), func(o *WorkerOptions) {
		o.Workers = 1
	})
	c.Executor = testPool(t, connect(t, s), nil)
	p := c.Executor.(*Coordinator)
	// It is gone when the workers need it.
	c.Executor = poolFunc(func(ctx context.Context, config *tournament.Config, jobs <-chan tournament.Job, outcomes chan<- tournament.PairResult) error {
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

// poolFunc is a pool with a window of 64.
type poolFunc func(context.Context, *tournament.Config, <-chan tournament.Job, chan<- tournament.PairResult) error

func (poolFunc) Window() int { return 64 }

func (f poolFunc) Play(ctx context.Context, c *tournament.Config, jobs <-chan tournament.Job, outcomes chan<- tournament.PairResult) error {
	return f(ctx, c, jobs, outcomes)
}

// A decided test cancels what is queued, and what is being played.
func TestDecisionCancels(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	startWorker(t, connect(t, s), nil)
	c := testConfig(t, 100_000, "greedy", "random")
	c.Rules = c.Rules[:1]
	c.SPRT = sprt.Test{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05, Model: sprt.Normalized}
	want := local(t, c)
	p := testPool(t, connect(t, s), func(o *Options) { o.Window = 500 })
	c.Executor = p
	sum, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	require.True(t, sum.Decided)
	require.Equal(t, want, timeless(t, c.Out))
	requireEmpty(t, p)
}

// A worker that is cut off for longer than its leases goes on by itself.
func TestNetworkCut(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	line := newLine(t, strings.TrimPrefix(s.URL(), "nats://"))
	nc, err := Connect(Access{URL: "nats://" + line.address()}, "test", discard())
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	startWorker(t, nc, nil)
	c := slowConfig("4")
	want := local(t, c)
	c.Out = t.TempDir()
	c.Executor = testPool(t, connect(t, s), nil)
	cuts := whileRunning(t, func(ctx context.Context) (n int) {
		if sleep(ctx, 500*time.Millisecond) {
			line.cut()
			n++
			sleep(ctx, 1500*time.Millisecond)
			line.heal()
		}
		return n
	}, func() {
		_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
		require.NoError(t, err)
	})
	require.Equal(t, 1, cuts)
	require.Equal(t, want, timeless(t, c.Out))
}

// A server that is stopped and started again with its store loses nothing.
func TestServerRestart(t *testing.T) {
	t.Parallel()
	o := ServerOptions{Listen: "127.0.0.1:0", Store: t.TempDir()}
	s, err := StartServer(o)
	require.NoError(t, err)
	o.Listen = strings.TrimPrefix(s.URL(), "nats://")
	startWorker(t, connect(t, s), nil)
	c := slowConfig("4")
	want := local(t, c)
	c.Out = t.TempDir()
	c.Executor = testPool(t, connect(t, s), nil)
	restarts := whileRunning(t, func(ctx context.Context) (n int) {
		for n < 2 && sleep(ctx, 400*time.Millisecond) {
			s.Close()
			if s, err = StartServer(o); err != nil {
				return -1
			}
			n++
		}
		return n
	}, func() {
		_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
		require.NoError(t, err)
	})
	s.Close()
	require.Equal(t, 2, restarts)
	require.Equal(t, want, timeless(t, c.Out))
}

// A worker serves several runs at a time.
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

// Games that are too long for a message take another way.
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
	c.Executor = poolFunc(func(ctx context.Context, config *tournament.Config, jobs <-chan tournament.Job, outcomes chan<- tournament.PairResult) error {
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

// A pair whose agents can't be made when it is to be played goes to others, and is
// dead-lettered with what was wrong when nobody can.
func TestPairsThatFail(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	var made atomic.Int64
	startWorker(t, connect(t, s), func(o *WorkerOptions) {
		fails := otherKind()
		works := fails.New
		fails.New = func(v agents.Values) (agents.Agent, error) {
			if made.Add(1) > 1 { // the first is made to check the run
				return nil, errors.New("out of\nmemory")
			}
			return works(v)
		}
		o.Registry = builtin.Registry(fails)
	})
	c := testConfig(t, 1, "random", "other", "greedy")
	c.Rules = c.Rules[:1]
	c.Executor = testPool(t, connect(t, s), func(o *Options) { o.Tries = 2 })
	sum, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.ErrorContains(t, err, `2 pairs could not be played: pair 0: dead-lettered after 2 tries: agent "other": out of memory (on `)
	require.Len(t, sum.DeadLettered, 2)
	require.EqualValues(t, 2, sum.Played)
	require.EqualValues(t, 1+2*2, made.Load())
}

// A worker that is stopped gives its pairs back at once.
func TestStoppedWorkerGivesBack(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	stop := startWorker(t, connect(t, s), nil)
	c := slowConfig("2")
	want := local(t, c)
	c.Out = t.TempDir()
	c.Executor = testPool(t, connect(t, s), func(o *Options) { o.Lease = maxLease }) // nothing runs out
	go func() {
		time.Sleep(300 * time.Millisecond)
		stop()
		startWorker(t, connect(t, s), nil)
	}()
	_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	require.Equal(t, want, timeless(t, c.Out))
}

// A run that its user stopped goes on where it was, and nothing of it stays on the
// server meanwhile.
func TestInterruptedRunGoesOn(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	startWorker(t, connect(t, s), nil)
	c := testConfig(t, 6, "random", "slow:sleep=1ms", "other")
	want := local(t, c)
	p := testPool(t, connect(t, s), func(o *Options) { o.Window = 8 })
	c.Executor = p
	stops := 0
	for played := int64(0); ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		games := int64(0) // those that are there already are told too
		sum, err := tournament.Run(ctx, c, testRegistry(), func(*record.Game) {
			if games++; games == played+25 {
				cancel()
			}
		})
		cancel()
		requireEmpty(t, p)
		if sum.Status == tournament.Finished {
			require.NoError(t, err)
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		require.Greater(t, sum.Played, played)
		played = sum.Played
	}
	require.Positive(t, stops)
	require.Equal(t, want, timeless(t, c.Out))
}
