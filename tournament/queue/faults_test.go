package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"gyges/agents"
	"gyges/agents/builtin"
	"gyges/agents/random"
	"gyges/rules/base/strictjson"
	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
)

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
	c.Executor = testPool(t, nc, func(o *Options) { o.Log = log.log(); o.window = 4 })
	sum, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.NoError(t, err)
	require.Equal(t, tournament.Finished, sum.Status)
	require.Equal(t, want, timeless(t, c.Out))
	require.GreaterOrEqual(t, again.Load(), int64(40), "20 jobs and results at least")
	const told = `level=WARN msg="a second result of a pair is dropped; later ones are told at level debug"`
	require.Equal(t, 1, strings.Count(log.String(), told))
	require.Equal(t, 1, strings.Count(log.String(), "level=WARN"))
}

// answerText takes every job, and sends what play makes of it, each time as another of some
// workers.
func answerText(ctx context.Context, p *Coordinator, dir string, play func(job) ([]byte, error)) error {
	const workers = 20
	secret := func(i int) string { return fmt.Sprint("secret", i%workers) }
	questions, err := p.nc.Subscribe(runSubject, func(m *nats.Msg) {
		for i := range workers {
			text, _ := json.Marshal(workerReport{Worker: status.Worker{Version: version}, Secret: secret(i)})
			_ = m.Respond(text) // as workers do, it answers the next question
		}
	})
	if err != nil {
		return err
	}
	defer func() { _ = questions.Unsubscribe() }() // the connection is closed otherwise
	for sent := 0; ctx.Err() == nil; {
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
			if err := strictjson.Unmarshal(m.Data(), maxText, &j); err != nil {
				return err
			}
			text, err := play(j)
			if err != nil {
				return err
			}
			result := nats.NewMsg(subjectOf(resultSubject, id.Run, j.Pair))
			result.Data = text
			result.Header.Set(tokenHeader, j.Token)
			result.Header.Set(secretHeader, secret(sent))
			sent++
			_, err = p.js.PublishMsg(ctx, result)
			if err != nil {
				return err
			}
			acknowledge(m)
		}
	}
	return nil
}

// Pairs of which no worker sends valid games are dead-lettered, with what was wrong the last time.
func TestBadResults(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	c := testConfig(t, 2, "random", "other")
	c.Rules = c.Rules[:1]
	p := testPool(t, connect(t, s), func(o *Options) { o.tries = 3 })
	c.Executor = p
	player := tournament.NewRunner(&c, testRegistry().New)
	lie := func(ctx context.Context) error {
		return answerText(ctx, p, c.Out, func(j job) ([]byte, error) {
			games, err := player.Play(ctx, j.Job, 1)
			if err != nil {
				return nil, err
			}
			games[0].South.Seed++
			return record.Lines(games...)
		})
	}
	err := whileRunning(t, lie, func() {
		sum, err := tournament.Run(t.Context(), c, testRegistry(), nil)
		require.ErrorContains(t, err, "2 pairs could not be played: pair 0: "+
			"dead-lettered after 3 tries: game 0: seed of south: expected ")
		require.Len(t, sum.DeadLettered, 2)
	})
	require.NoError(t, err)
}

// A worker that loses the server in the middle of a run waits for it, and says so; an orderly end
// of the server is no warning.
func TestNetworkCut(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	line := newLine(t, s.URL())
	var log logged
	nc := line.dial(t, log.log())
	startWorker(t, nc, func(o *WorkerOptions) { o.Log = log.log() })
	c := slowConfig("4")
	want := local(t, c)
	c.Out = t.TempDir()
	c.Executor = testPool(t, connect(t, s), nil)
	cut := whileRunning(t, func(ctx context.Context) bool {
		if !sleep(ctx, 500*time.Millisecond) {
			return false
		}
		line.cut()
		sleep(ctx, time.Second)
		line.heal()
		return true
	}, func() {
		_, err := tournament.Run(t.Context(), c, testRegistry(), nil)
		require.NoError(t, err)
	})
	require.True(t, cut)
	require.Equal(t, want, timeless(t, c.Out))
	log.await(t, `level=INFO msg="a run has ended"`)
	require.Contains(t, log.String(), `level=WARN msg="the connection to NATS is lost; waiting for the server to come back"`)
	require.Contains(t, log.String(), `level=INFO msg="the connection to NATS is back"`)
	warnings := strings.Count(log.String(), "level=WARN")
	s.Close()
	log.await(t, `level=INFO msg="the NATS server shuts down; waiting for it to come back"`)
	require.Eventually(t, nc.IsReconnecting, time.Minute, 10*time.Millisecond)
	require.Equal(t, warnings, strings.Count(log.String(), "level=WARN"))
}

func TestServerRestart(t *testing.T) {
	t.Parallel()
	o := ServerOptions{Listen: "127.0.0.1:0", Store: t.TempDir()}
	s, err := StartServer(o)
	require.NoError(t, err)
	line := newLine(t, s.URL())
	startWorker(t, line.dial(t, discard()), nil)
	c := slowConfig("4")
	want := local(t, c)
	c.Out = t.TempDir()
	c.Executor = testPool(t, line.dial(t, discard()), nil)
	begun := make(chan struct{}) // without a server no run begins
	begin := sync.OnceFunc(func() { close(begun) })
	restarts := whileRunning(t, func(ctx context.Context) (n int) {
		<-begun
		for n < 2 && sleep(ctx, 200*time.Millisecond) {
			s.Close()
			if s, err = StartServer(o); err != nil {
				return -1
			}
			line.connect(s.URL())
			n++
		}
		return n
	}, func() {
		_, err := tournament.Run(t.Context(), c, testRegistry(), func(*record.Record) { begin() })
		begin()
		require.NoError(t, err)
	})
	s.Close()
	require.Equal(t, 2, restarts)
	require.Equal(t, want, timeless(t, c.Out))
}

// lacking is an agent whose machine has no memory for a game.
type lacking struct {
	agents.Agent // random
	games        *atomic.Int64
}

func (l lacking) NewGame(context.Context, agents.Setup) error {
	l.games.Add(1)
	return &agents.HostFailure{Err: errors.New("out of\nmemory")}
}

func TestPairsThatFail(t *testing.T) {
	t.Parallel()
	t.Run("on a worker", func(t *testing.T) { testPairsThatFail(t, 1) })
	t.Run("on two workers", func(t *testing.T) { testPairsThatFail(t, 2) })
}

func testPairsThatFail(t *testing.T, workers int) {
	s := testServer(t)
	var games atomic.Int64
	for range workers {
		startWorker(t, connect(t, s), func(o *WorkerOptions) {
			fails := otherKind()
			fails.New = func(c agents.Config) (agents.Agent, error) {
				a, err := random.Kind().New(c)
				return lacking{a, &games}, err
			}
			o.Registry = builtin.Registry(fails)
		})
	}
	c := testConfig(t, 1, "random", "other", "greedy")
	c.Rules = c.Rules[:1]
	c.Executor = testPool(t, connect(t, s), func(o *Options) { o.tries, o.repairEvery = 3, 100*time.Millisecond })
	sum, err := tournament.Run(t.Context(), c, testRegistry(), nil)
	require.ErrorContains(t, err,
		`2 pairs could not be played: pair 0: dead-lettered after 3 tries: game 0 is dropped, agent "other": out of memory (on `)
	require.Len(t, sum.DeadLettered, 2)
	require.EqualValues(t, 2, sum.Played)
	require.GreaterOrEqual(t, games.Load(), int64(2*3))
	if workers == 1 {
		require.EqualValues(t, 2*3, games.Load())
	}
}

func TestStoppedWorkerGivesBack(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	stop := startWorker(t, connect(t, s), nil)
	c := slowConfig("2")
	c.Out = t.TempDir()
	c.Executor = testPool(t, connect(t, s), func(o *Options) { o.lease = time.Hour }) // nothing runs out
	go func() {
		time.Sleep(300 * time.Millisecond)
		stop()
		startWorker(t, connect(t, s), nil)
	}()
	requireAsLocal(t, c)
}

func TestInterruptedRunGoesOn(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	startWorker(t, connect(t, s), nil)
	c := testConfig(t, 6, "random", "slow:sleep=1ms", "other")
	want := local(t, c)
	p := testPool(t, connect(t, s), func(o *Options) { o.window = 8 })
	c.Executor = p
	stops := 0
	for played := int64(0); ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		games := int64(0) // those that are there already are told too
		sum, err := tournament.Run(ctx, c, testRegistry(), func(*record.Record) {
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
