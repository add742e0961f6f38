package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"gyges/rules"
	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
)

// forger makes messages that look like those of a run, which it has read.
type forger struct {
	mu      sync.Mutex
	rng     *rand.Rand
	id      runID             // of the run
	inbox   string            // where its workers answer
	tokens  map[string]string // of its jobs, by the subjects of their results
	jobs    [][]byte          // that the coordinator published
	results [][]byte          // that workers published
}

// listen keeps a message of the run, which every client may read.
func (f *forger) listen(m *nats.Msg) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var j job
	var q question
	switch {
	case m.Header.Get("Forged") != "":
	case strings.HasPrefix(m.Subject, jobSubject) && json.Unmarshal(m.Data, &j) == nil:
		f.tokens[strings.Replace(m.Subject, jobSubject, resultSubject, 1)] = j.Token
		f.jobs = append(f.jobs, m.Data)
	case strings.HasPrefix(m.Subject, resultSubject) && len(m.Data) > 0:
		f.results = append(f.results, m.Data)
	case m.Subject == runSubject && q.parse(m.Data) == nil:
		f.id, f.inbox = q.runID, m.Reply
	}
}

// one returns one of the messages in a list.
func (f *forger) one(list [][]byte) []byte {
	if len(list) == 0 {
		return []byte("{}")
	}
	return list[f.rng.IntN(len(list))]
}

// noise returns up to 300 random bytes.
func (f *forger) noise() []byte {
	b := make([]byte, f.rng.IntN(300))
	for i := range b {
		b[i] = byte(f.rng.Uint32())
	}
	return b
}

// flipped returns a message with some bits changed.
func (f *forger) flipped(text []byte) []byte {
	b := slices.Clone(text)
	for range 1 + f.rng.IntN(5) {
		b[f.rng.IntN(len(b))] ^= 1 << f.rng.IntN(8)
	}
	return b
}

// forge returns a message of each kind; none before the run has begun.
func (f *forger) forge() (list []*nats.Msg) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.id.Run == "" {
		return nil
	}
	add := func(subject string, data []byte, header ...string) *nats.Msg {
		m := nats.NewMsg(subject)
		m.Data = data
		if f.rng.IntN(4) > 0 { // without it nothing else is looked at
			m.Header.Set(tokenHeader, f.tokens[subject])
		}
		m.Header.Set(secretHeader, fmt.Sprint(f.rng.IntN(3)))
		for pair := range slices.Chunk(header, 2) {
			m.Header[pair[0]] = pair[1:] // as it is
		}
		list = append(list, m)
		return m
	}
	text := func(x any) []byte {
		text, err := json.Marshal(x)
		if err != nil {
			panic(err)
		}
		return text
	}
	of := func(kind, run string) string { return subjectOf(kind, run, f.rng.Int64N(30)) }
	ofResult := func() string { return of(resultSubject, f.id.Run) }
	other := fmt.Sprint(f.rng.IntN(5000))

	result := f.one(f.results)
	for _, data := range [][]byte{
		nil, f.noise(), make([]byte, 900_000), []byte(`{"schema":"` + strings.Repeat("x", 500_000)), result,
		f.flipped(result), result[:f.rng.IntN(len(result)+1)], slices.Repeat(result, 2),
	} {
		add(ofResult(), data)
	}
	add(subjectOf(resultSubject, f.id.Run, 1000+f.rng.Int64N(1<<40)), result)
	add(subject(resultSubject, f.id.Run, "x"), result)
	add(of(resultSubject, "nobody"), result)
	add(ofResult(), nil, errorHeader, "out of memory\x1b[2J")
	add(ofResult(), nil, longHeader, "abc")
	add(ofResult(), nil, longHeader, f.id.Config)

	one := f.one(f.jobs)
	var otherConfig, otherAgents job
	_ = json.Unmarshal(one, &otherConfig) // an empty one does as well
	otherAgents, otherConfig.Config = otherConfig, "abc"
	otherAgents.Agents = [2]int{f.rng.IntN(9) - 3, f.rng.IntN(3)}
	for _, data := range [][]byte{
		f.noise(), make([]byte, 900_000), one, f.flipped(one), text(otherConfig), text(otherAgents),
	} {
		add(of(jobSubject, f.id.Run), data)
	}
	add(of(jobSubject, "nobody"), one)

	add(runSubject, f.noise())
	add(runSubject, text(question{runID: f.id, Ended: true}))
	add(runSubject, text(question{runID: f.id, Below: f.rng.Int64()})).Reply = ofResult()
	for _, id := range []runID{
		f.id, {f.id.Run, "abc", version}, {f.id.Run, f.id.Config, "v0"}, {"v" + other, "abc", "v0"}, {"u" + other, "abc", version},
	} {
		add(runSubject, text(question{runID: id}))
	}

	games := f.flipped([]byte(`{"games":[` + string(result) + `]}`))
	add(f.inbox, f.noise())
	add(f.inbox, []byte(`{"id":"x","games":`+string(games)+`}`))
	add(f.inbox, text(workerReport{Worker: status.Worker{ID: "x"}, Secret: "1", Playing: []byte(`"x"`)}))
	add(f.inbox, text(workerReport{Worker: status.Worker{ID: "x"}, Refused: string(f.noise())}))
	add(f.inbox, text(workerReport{Worker: status.Worker{ID: other, Name: strings.Repeat("\x00", 1000)}}))
	return list
}

// Forged and random messages on every subject, by a client that reads all others'
// and may publish anything, change nothing in a run and lose nothing of it.
func TestForgedMessages(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	c := slowConfig("20")
	c.Rules = []*rules.Rules{rules.MustParse("simplified:max_plies=10")}
	want := local(t, c)
	c.Out = t.TempDir()
	c.Executor = testPool(t, connect(t, s), func(o *Options) {
		o.window, o.repairEvery = 10, time.Second // results that are overtaken by forged ones are played again
	})
	f := &forger{rng: rand.New(rand.NewPCG(15, 16)), tokens: map[string]string{}}
	hostile := connect(t, s)
	_, err := hostile.Subscribe("gyges.>", f.listen)
	require.NoError(t, err)
	require.NoError(t, hostile.Flush())
	startWorker(t, connect(t, s), nil)
	attacked := make(chan struct{})
	attack := func(ctx context.Context) error {
		defer close(attacked)
		for rounds := 0; rounds < 40 && ctx.Err() == nil; {
			list := f.forge()
			if len(list) == 0 {
				sleep(ctx, time.Millisecond)
				continue
			}
			rounds++
			for _, m := range list {
				m.Header.Set("Forged", "yes")
				if err := hostile.PublishMsg(m); err != nil {
					return err
				}
			}
			if err := hostile.FlushTimeout(time.Minute); err != nil { // on a busy machine
				return err
			}
		}
		return ctx.Err()
	}
	games := int64(0)
	err = whileRunning(t, attack, func() {
		sum, err := tournament.Run(t.Context(), c, testRegistry(), func(*record.Record) {
			if games++; games == 100 {
				<-attacked // the run lasts as long
			}
		})
		require.NoError(t, err)
		require.Empty(t, sum.DeadLettered)
	})
	require.NoError(t, err)
	require.Equal(t, c.Games(), games)
	require.Equal(t, want, timeless(t, c.Out))
	f.mu.Lock()
	defer f.mu.Unlock()
	require.NotEmpty(t, f.results)
}

// An error of a pair counts only if it comes from who has received the pair's job, even when the
// job is gone from the server: it was purged, and is published again.
func TestForgedErrors(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	c := testConfig(t, 3, "random", "other")
	p := testPool(t, connect(t, s), func(o *Options) { o.repairEvery = 500 * time.Millisecond })
	c.Executor = p
	hostile := connect(t, s)
	const pause = 20 * time.Millisecond // in which the run goes on
	attack := func(ctx context.Context) error {
		var id identity
		jobs := map[int64]bool{}
		for ctx.Err() == nil && len(jobs) < 6 {
			id, _ = readIdentity(c.Out) // it isn't there at first
			jobs, _ = p.pairsOn(ctx, jobStream, id.Run)
			sleep(ctx, pause)
		}
		for pair := range jobs {
			m := nats.NewMsg(subjectOf(resultSubject, id.Run, pair))
			m.Header.Set(errorHeader, "out of memory")
			if err := hostile.PublishMsg(m); err != nil {
				return err
			}
		}
		stream, err := p.js.Stream(ctx, jobStream)
		if err == nil {
			err = stream.Purge(ctx)
		}
		for left := jobs; err == nil && len(left) > 0; { // until the run has dealt with all of them
			left, err = p.pairsOn(ctx, resultStream, id.Run)
			sleep(ctx, pause)
		}
		startWorker(t, connect(t, s), nil)
		return err
	}
	games := int64(0)
	err := whileRunning(t, attack, func() {
		sum, err := tournament.Run(t.Context(), c, testRegistry(), func(*record.Record) { games++ })
		require.NoError(t, err)
		require.Empty(t, sum.DeadLettered)
	})
	require.NoError(t, err)
	require.Equal(t, c.Games(), games)
}
