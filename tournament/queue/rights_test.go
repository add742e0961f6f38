package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
)

// manualServer starts a server with the users in the manual, and a user "spy" with the rights that
// a worker has.
func manualServer(t *testing.T) (as func(user string, options ...nats.Option) *nats.Conn) {
	manual, err := tournament.Manuals.ReadFile("queue/README.md")
	require.NoError(t, err)
	_, after, ok := strings.Cut(string(manual), "```text\nauthorization {")
	require.True(t, ok)
	users, _, _ := strings.Cut(after, "```")
	at := strings.Index(users, "{ user: worker")
	end := strings.LastIndex(users, "  ]")
	spy := strings.NewReplacer("user: worker", "user: spy", "_INBOX.worker.", "_INBOX.spy.").Replace(users[at:end])
	users = users[:end] + spy + users[end:]
	t.Setenv("GYGES_NATS_PASSWORD", "secret")
	t.Setenv("GYGES_WORKER_PASSWORD", "secret")
	config := filepath.Join(t.TempDir(), "nats.conf")
	text := fmt.Sprintf("listen: 127.0.0.1:-1\njetstream { store_dir: %q }\nauthorization {%s", t.TempDir(), users)
	require.NoError(t, os.WriteFile(config, []byte(text), 0o600))
	o, err := server.ProcessConfigFile(config)
	require.NoError(t, err)
	o.NoLog, o.NoSigs = true, true
	s, err := server.NewServer(o)
	require.NoError(t, err)
	go s.Start()
	require.True(t, s.ReadyForConnections(startTime))
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return func(user string, options ...nats.Option) *nats.Conn {
		access := Access{URL: s.ClientURL(), User: user, Password: "secret"}
		nc, err := Connect(access, "test", discard(), options...)
		require.NoError(t, err)
		t.Cleanup(nc.Close)
		return nc
	}
}

// spied holds what a spy has heard, by the subject of its subscription.
type spied struct {
	mu    sync.Mutex
	heard map[string][]string
}

func (s *spied) subscribe(t *testing.T, nc *nats.Conn, subject string) {
	_, err := nc.Subscribe(subject, func(m *nats.Msg) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.heard[subject] = append(s.heard[subject], m.Subject+" "+string(m.Data))
	})
	require.NoError(t, err)
}

// A user with the rights of a worker hears questions and nothing else of the others: no jobs,
// tokens, results, answers.
func TestSpy(t *testing.T) {
	as := manualServer(t)
	spy, s := as("spy"), spied{heard: map[string][]string{}}
	forbidden := []string{
		">", "*", "*.>", "_INBOX.>", "_INBOX.*.>", "_INBOX.player.>", "_INBOX.worker.>", "gyges.>", "gyges.*", "gyges.job.>",
		"gyges.result.>", "gyges.start.>", "gyges.claim.>", "$JS.>", "$JS.API.>", "$JS.ACK.>", "$JS.EVENT.>", "$O.>",
		"$O.gyges.>", "gyges.long.>", "$KV.>", "$SYS.>", "$G.>",
	}
	for _, subject := range append([]string{"gyges.run", "_INBOX.spy.>"}, forbidden...) {
		s.subscribe(t, spy, subject)
	}
	require.NoError(t, spy.Flush())

	w, err := NewWorker(as("worker"), WorkerOptions{Version: version, Registry: testRegistry(), Workers: 2})
	require.NoError(t, err)
	w.inline = 2000 // some games are sent in parts
	runWorker(t, w)
	c := testConfig(t, 10, "random", "other", "alphabeta:depth=1,weights="+weightsFile(t))
	c.Rules = c.Rules[:1]
	want := local(t, c)
	player := as("player")
	p := testPool(t, player, nil)
	c.Executor = p
	js, err := jetstream.New(spy)
	require.NoError(t, err)
	read := 0
	_, err = tournament.Run(t.Context(), c, testRegistry(), func(*record.Record) {
		if read++; read > 1 {
			return
		}
		id, err := readIdentity(c.Out)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, stream := range []string{jobStream, resultStream, longStream} {
			_, err := js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy})
			require.Error(t, err, stream)
		}
		for _, request := range []string{
			"STREAM.MSG.GET.GYGES_JOBS", "STREAM.MSG.GET.GYGES_RESULTS", "DIRECT.GET.GYGES_JOBS", "DIRECT.GET.GYGES_RESULTS",
			"STREAM.MSG.GET.GYGES_LONG", "DIRECT.GET.GYGES_LONG", "STREAM.NAMES", "STREAM.LIST",
			"CONSUMER.MSG.NEXT.GYGES_RESULTS." + id.Run, "STREAM.PURGE.GYGES_JOBS", "STREAM.PURGE.OBJ_gyges",
			"CONSUMER.DELETE.GYGES_JOBS." + id.Run, "STREAM.DELETE.GYGES_JOBS",
		} {
			_, err := spy.Request("$JS.API."+request, []byte(`{"seq":1}`), 50*time.Millisecond)
			require.Error(t, err, request)
		}
		for _, stream := range []string{jobStream, resultStream, longStream, "OBJ_" + bucket} { // to send messages anywhere
			body := fmt.Sprintf(`{"stream_name":%q,"config":{"name":"spy","deliver_subject":%q}}`, stream, subject(claimSubject, id.Run))
			_, err := spy.Request("$JS.API.CONSUMER.CREATE."+stream+".spy", []byte(body), 50*time.Millisecond)
			require.Error(t, err, stream)
		}
		for _, subject := range []string{subject(jobSubject, id.Run, "0"), runSubject, subject(claimSubject, id.Run), "$O.gyges.M.x"} {
			require.NoError(t, spy.Publish(subject, []byte("spy")))
		}
	})
	require.NoError(t, err)
	require.Equal(t, want, timeless(t, c.Out))
	require.NoError(t, spy.Flush())
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotEmpty(t, s.heard["gyges.run"])
	for _, text := range s.heard["gyges.run"] {
		require.NotContains(t, text, "token")
		require.NotContains(t, text, "spy")
	}
	delete(s.heard, "gyges.run")
	require.Empty(t, s.heard)
}

// Junk under the ids of other workers, and under one's own, leaves no other worker out and no pair
// unplayed.
func TestJunkOfAWorker(t *testing.T) {
	as := manualServer(t)
	c := testConfig(t, 40, "random", "other")
	c.Rules = c.Rules[:1]
	want := local(t, c)
	var log logged
	p := testPool(t, as("player"), func(o *Options) {
		o.Log, o.repairEvery, o.statusEvery = log.log(), 200*time.Millisecond, 20*time.Millisecond
	})
	c.Executor = p
	w, err := NewWorker(as("worker"), WorkerOptions{Version: version, Registry: testRegistry(), Workers: 1})
	require.NoError(t, err)
	hostile := as("spy")
	js, err := jetstream.New(hostile)
	require.NoError(t, err)
	_, err = hostile.Subscribe(runSubject, func(m *nats.Msg) {
		text, _ := json.Marshal(workerReport{Worker: status.Worker{ID: w.id, Version: version}, Secret: "own"})
		_ = m.Respond(text) // so that it is known
	})
	require.NoError(t, err)
	junk, late := 0, sync.OnceFunc(func() { runWorker(t, w) })
	attack := func(ctx context.Context) error {
		for ctx.Err() == nil {
			id, _ := readIdentity(c.Out) // it isn't there at first
			jobs, err := js.Consumer(ctx, jobStream, id.Run)
			if err != nil {
				sleep(ctx, time.Millisecond)
				continue
			}
			// The server's answer, an empty one, is no claim of another coordinator.
			err = hostile.PublishRequest("$JS.API.DIRECT.GET.OBJ_gyges", subject(claimSubject, id.Run), nil)
			if err != nil {
				return err
			}
			batch, err := jobs.FetchNoWait(4)
			if err != nil {
				continue
			}
			for m := range batch.Messages() {
				var j job
				if err := json.Unmarshal(m.Data(), &j); err != nil {
					return err
				}
				for i, secret := range []string{w.id, w.id, "own", "own", "another"} {
					result := nats.NewMsg(subjectOf(resultSubject, id.Run, j.Pair))
					result.Data = []byte("junk")
					if i%2 == 1 {
						result.Header.Set(errorHeader, "it can't be played")
					}
					result.Header.Set(tokenHeader, j.Token)
					result.Header.Set(secretHeader, secret)
					result.Header.Set("Gyges-Id", w.id)
					if err := hostile.PublishMsg(result); err != nil {
						return err
					}
					junk++
				}
				if j.Pair%2 == 0 {
					_ = m.Ack()
				} else {
					_ = m.Nak()
				}
			}
			if junk > 100 {
				late() // before that nobody else plays
			}
			sleep(ctx, 5*time.Millisecond)
		}
		return nil
	}
	err = whileRunning(t, attack, func() {
		sum, err := tournament.Run(t.Context(), c, testRegistry(), nil)
		require.NoError(t, err)
		require.Empty(t, sum.DeadLettered)
	})
	require.NoError(t, err)
	require.Greater(t, junk, 100)
	require.Equal(t, want, timeless(t, c.Out))
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "a worker is left out") {
			require.Contains(t, line, "its games", "the hostile one")
		}
	}
	require.Less(t, strings.Count(log.String(), "a worker is left out"), 2)
}

// An exclusion ends with the first question that doesn't list the worker.
func TestExclusionEnds(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	nc := connect(t, s)
	r := newHeldRun(t, nc, 2, 2, "other")
	var log logged
	w, err := NewWorker(connect(t, s), WorkerOptions{Version: version, Registry: r.registry(), Workers: 1, Log: log.log()})
	require.NoError(t, err)
	runWorker(t, w)
	done := r.begin(t)
	awaitPlaying(t, r.Out, "a game", func(p *tournament.Playing) bool { return p != nil })
	id, err := readIdentity(r.Out)
	require.NoError(t, err)
	text, err := json.Marshal(question{runID: runID{id.Run, id.Config, version}, LeftOut: []string{w.id}})
	require.NoError(t, err)
	require.NoError(t, nc.Publish(runSubject, text))
	log.await(t, "results for a run are refused")
	log.await(t, "results for a run are accepted again")
	r.open()
	require.NoError(t, <-done)
	require.Equal(t, local(t, r.Config, r.kind()), timeless(t, r.Out))
}

// The answers of a user come below its name, whatever that is.
func TestInboxes(t *testing.T) {
	t.Parallel()
	for user, inbox := range map[string]string{
		"player": "player", "two words": "two+words", "a*": "a%2A", ">": "%3E", "é": "%C3%A9",
		// Whose inbox is box must not hear box.lan.
		"box.lan": "box%2Elan", "dot.": "dot%2E", "x@example.org": "x%40example%2Eorg",
	} {
		s, err := StartServer(ServerOptions{
			Listen: "127.0.0.1:0", Store: t.TempDir(), Access: Access{User: user, Password: "secret"},
		})
		require.NoError(t, err)
		nc, err := s.Connect("test", discard())
		require.NoError(t, err, user)
		require.Equal(t, "_INBOX."+inbox, nc.Opts.InboxPrefix)
		_, err = NewCoordinator(t.Context(), nc, Options{Registry: testRegistry()})
		require.NoError(t, err, user)
		nc.Close()
		s.Close()
	}
}

// A worker reads an object of several messages, of which the last is a part, with the rights in the
// manual; and no more of one than it wants.
func TestObjects(t *testing.T) {
	as := manualServer(t)
	p := testPool(t, as("player"), nil)
	js, err := jetstream.New(as("worker"))
	require.NoError(t, err)
	for _, size := range []int{0, 1, 128 << 10, 300_000} {
		want := bytes.Repeat([]byte("gyges"), size/5+1)[:size]
		name := fmt.Sprint("object of ", size)
		_, err := p.objects.PutBytes(t.Context(), name, want)
		require.NoError(t, err)
		got, err := getObject(t.Context(), js, name, 300_000)
		require.NoError(t, err, name)
		require.True(t, bytes.Equal(want, got), "%s: found %d bytes", name, len(got))
	}
	_, err = getObject(t.Context(), js, "object of 300000", 299_999)
	require.ErrorContains(t, err, "expected at most 299999 bytes, found 300000")
	_, err = getObject(t.Context(), js, "another object", 300_000)
	require.ErrorIs(t, err, jetstream.ErrObjectNotFound)
}
