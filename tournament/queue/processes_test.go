package queue

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/rules"
	"gyges/rules/base/files"
	"gyges/tournament"
)

// What makes a process of this test a worker, or a coordinator with a server.
const (
	workerURL        = "GYGES_TEST_WORKER" // the server's URL
	coordinatorOut   = "GYGES_TEST_OUT"    // the run's folder
	coordinatorPairs = "GYGES_TEST_PAIRS"
)

// urlFile is the file in a coordinator's folder with the URL of its server.
const urlFile = "url"

func stderr() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
}

// workerProcess works until it is killed.
func workerProcess() {
	for {
		nc, err := Connect(Access{URL: os.Getenv(workerURL)}, "test worker", stderr())
		if err != nil { // the server comes later
			time.Sleep(50 * time.Millisecond)
			continue
		}
		w, err := NewWorker(nc, WorkerOptions{Version: version, Registry: testRegistry(), Workers: 2})
		if err == nil {
			err = w.Run(context.Background())
		}
		panic(err)
	}
}

// coordinatorProcess plays a run with a server of its own.
func coordinatorProcess() {
	out := os.Getenv(coordinatorOut)
	err := func() error {
		s, err := StartServer(ServerOptions{Listen: "127.0.0.1:0", Store: filepath.Join(out, "queue")})
		if err == nil {
			err = files.Replace(filepath.Join(out, urlFile), []byte(s.URL()))
		}
		if err != nil {
			return err
		}
		nc, err := s.Connect("test coordinator", stderr())
		if err != nil {
			return err
		}
		p, err := NewCoordinator(context.Background(), nc, Options{Version: version, Registry: testRegistry(),
			lease: time.Second, tries: 1000, window: 16, Notify: func(string) {}})
		if err != nil {
			return err
		}
		c := slowConfig(os.Getenv(coordinatorPairs))
		c.Out, c.Executor = out, p
		_, err = tournament.Run(context.Background(), c, testRegistry(), nil)
		return err
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// slowConfig is a config of games that take a while: some two seconds of one worker for ten pairs.
func slowConfig(pairs string) tournament.Config {
	c := tournament.DefaultConfig()
	c.Rules = []*rules.Rules{rules.MustParse("simplified:max_plies=20")}
	c.Agents = []agents.Spec{{Kind: "slow"}, {Kind: "other"}, {Kind: "random"}}
	c.Pairs, _ = strconv.Atoi(pairs)
	return c
}

// process is a program that is killed and started again.
type process struct {
	t   testing.TB
	env []string

	mu  sync.Mutex
	cmd *exec.Cmd
}

func startProcess(t testing.TB, env ...string) *process {
	p := &process{t: t, env: append(env, "TMPDIR="+t.TempDir())} // who is killed leaves things
	p.start()
	t.Cleanup(p.kill)
	return p
}

func (p *process) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), p.env...)
	p.cmd.Stderr = os.Stderr
	require.NoError(p.t, p.cmd.Start())
}

// kill ends it with SIGKILL.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill() // it may have ended
		_ = p.cmd.Wait()         // it was killed
	}
}

// keepAlive starts the process again whenever it has ended, until ctx does. It returns how often.
func (p *process) keepAlive(ctx context.Context) (starts int) {
	for ctx.Err() == nil {
		p.mu.Lock()
		cmd := p.cmd
		p.mu.Unlock()
		stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() }) // it may have ended
		_ = cmd.Wait()                                                    // however it ended
		stop()
		if ctx.Err() == nil {
			p.start()
			starts++
		}
	}
	return starts
}

// killAtRandom kills processes, and starts them again, until ctx ends. It returns how often.
func killAtRandom(ctx context.Context, rng *rand.Rand, every time.Duration, list ...*process) int {
	n := 0
	for sleep(ctx, every/2+rand.N(every)) {
		p := list[rng.IntN(len(list))]
		p.kill()
		p.start()
		n++
	}
	return n
}

// whileRunning calls f with a context that ends when play returns.
func whileRunning[T any](t testing.TB, f func(context.Context) T, play func()) T {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := make(chan T, 1)
	go func() { result <- f(ctx) }()
	play()
	cancel()
	return <-result
}

// Worker processes that are killed at random change nothing in the records.
func TestKilledWorkers(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	var list []*process
	for range 3 {
		list = append(list, startProcess(t, workerURL+"="+s.URL()))
	}
	c := slowConfig("8")
	want := local(t, c)
	c.Out = t.TempDir()
	c.Executor = testPool(t, connect(t, s), func(o *Options) { o.lease, o.tries = minLease, 1000 })
	kills := whileRunning(t, func(ctx context.Context) int {
		return killAtRandom(ctx, rand.New(rand.NewPCG(1, 2)), 300*time.Millisecond, list...)
	}, func() {
		_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
		require.NoError(t, err)
	})
	require.GreaterOrEqual(t, kills, 3)
	require.Equal(t, want, timeless(t, c.Out))
}

// A coordinator that is killed at random, with the server in it, goes on where it was; its workers
// wait for it.
func TestKilledCoordinatorAndServer(t *testing.T) {
	t.Parallel()
	line := newLine(t, "nats://127.0.0.1:1") // no server yet
	startProcess(t, workerURL+"="+line.url())
	startProcess(t, workerURL+"="+line.url())
	const pairs = "8"
	out := t.TempDir()
	start := func() *process {
		_ = os.Remove(filepath.Join(out, urlFile)) // of the one before
		p := startProcess(t, coordinatorOut+"="+out, coordinatorPairs+"="+pairs)
		require.Eventually(t, func() bool {
			url, err := os.ReadFile(filepath.Join(out, urlFile))
			if err == nil {
				line.connect(string(url))
			}
			return err == nil
		}, time.Minute, 10*time.Millisecond)
		return p
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		p := start()
		time.Sleep(time.Duration(200+rng.IntN(500)) * time.Millisecond)
		p.kill()
	}
	last := start()
	require.NoError(t, last.cmd.Wait())
	want := local(t, slowConfig(pairs))
	require.Equal(t, want, timeless(t, out))
}

// A pair that brings every worker down is dead-lettered, and nothing else is: two such
// pairs bring down others at most four times, and are alone from then on.
func TestPoisonedPair(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	c := testConfig(t, 1, "random", "slow:sleep=50ms", "crash")
	c.Rules = []*rules.Rules{rules.MustParse("simplified:max_plies=20")}
	c.Executor = testPool(t, connect(t, s), func(o *Options) { o.lease, o.tries = minLease, 5 })
	starts := whileRunning(t, func(ctx context.Context) int {
		return startProcess(t, workerURL+"="+s.URL()).keepAlive(ctx)
	}, func() {
		sum, err := tournament.Run(t.Context(), c, testRegistry(), nil)
		require.ErrorContains(t, err,
			"2 pairs could not be played: pair 1: dead-lettered after 5 tries: the worker was lost each time")
		require.Len(t, sum.DeadLettered, 2)
		require.EqualValues(t, 2, sum.Played, "those of the others")
		require.Equal(t, tournament.Failed, sum.Status)
	})
	require.GreaterOrEqual(t, starts, 6, "the third time each is alone")
}
