package queue

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
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

// forger publishes messages that look like those of a run.
type forger struct {
	rng *rand.Rand
	run string // the run that is attacked

	mu      sync.Mutex
	config  string   // digest of its description
	inbox   string   // where its workers answer
	jobs    [][]byte // that the coordinator published
	results [][]byte // that workers published

	tokens map[string]string // of the jobs, by the subjects of their results
}

// listen keeps the messages of the run, which every client may read.
func (f *forger) listen(t *testing.T, nc *nats.Conn) {
	const most = 50
	f.tokens = map[string]string{}
	for subject, list := range map[string]*[][]byte{jobSubject: &f.jobs, resultSubject: &f.results} {
		_, err := nc.Subscribe(subject+".*.*", func(m *nats.Msg) {
			f.mu.Lock()
			defer f.mu.Unlock()
			var j job
			if subject == jobSubject && json.Unmarshal(m.Data, &j) == nil && m.Header.Get("Forged") == "" {
				f.tokens[strings.Replace(m.Subject, jobSubject, resultSubject, 1)] = j.Token
			}
			if m.Header.Get("Forged") == "" && len(*list) < most {
				*list = append(*list, m.Data)
			}
		})
		require.NoError(t, err)
	}
	_, err := nc.Subscribe(runSubject, func(m *nats.Msg) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if m.Header.Get("Forged") == "" {
			f.inbox = m.Reply
		}
	})
	require.NoError(t, err)
	require.NoError(t, nc.Flush())
}

// token returns that of the job whose results have a subject; "": none is known.
func (f *forger) token(subject string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tokens[subject]
}

// answers returns where workers answer.
func (f *forger) answers() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.inbox
}

// one returns one of the messages in a list.
func (f *forger) one(list *[][]byte) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(*list) == 0 {
		return []byte("{}")
	}
	return (*list)[f.rng.IntN(len(*list))]
}

// noise returns up to n random bytes.
func (f *forger) noise(n int) []byte {
	b := make([]byte, f.rng.IntN(n))
	for i := range b {
		b[i] = byte(f.rng.Uint32())
	}
	return b
}

// flipped returns a message with some bits changed.
func (f *forger) flipped(text []byte) []byte {
	b := append([]byte(nil), text...)
	for range 1 + f.rng.IntN(5) {
		if len(b) > 0 {
			b[f.rng.IntN(len(b))] ^= 1 << f.rng.IntN(8)
		}
	}
	return b
}

func (f *forger) pair() int64 { return f.rng.Int64N(30) }

func (f *forger) to(prefix string) string { return subjectOf(prefix+"."+f.run, f.pair()) }

func (f *forger) json(x any) []byte {
	text, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	return text
}

// message is what a forger publishes.
type message struct {
	subject string
	data    []byte
	header  [2]string
	reply   string
}

// forgeries are the kinds of messages. Each is made many times.
func (f *forger) forgeries() map[string]func() message {
	changed := func(change func(*job)) []byte {
		var j job
		_ = json.Unmarshal(f.one(&f.jobs), &j) // an empty one does as well
		change(&j)
		return f.json(j)
	}
	plain := func(subject string, data []byte) message { return message{subject: subject, data: data} }
	ask := func(q question) message { return plain(runSubject, f.json(q)) }
	return map[string]func() message{
		"result: noise": func() message { return plain(f.to(resultSubject), f.noise(300)) },
		"result: empty": func() message { return plain(f.to(resultSubject), nil) },
		"result: large": func() message { return plain(f.to(resultSubject), make([]byte, 900_000)) },
		"result: long line": func() message {
			return plain(f.to(resultSubject),
				[]byte(`{"schema":"`+strings.Repeat("x", 500_000)))
		},
		"result: flipped bits":   func() message { return plain(f.to(resultSubject), f.flipped(f.one(&f.results))) },
		"result: of other pairs": func() message { return plain(f.to(resultSubject), f.one(&f.results)) },
		"result: cut": func() message {
			b := f.one(&f.results)
			return plain(f.to(resultSubject),
				b[:f.rng.IntN(len(b)+1)])
		},
		"result: too many games": func() message {
			b := f.one(&f.results)
			return plain(f.to(resultSubject), append(append([]byte(nil), b...), b...))
		},
		"result: not published": func() message {
			return plain(subjectOf(resultsOf(f.run), 1000+f.rng.Int64N(1<<40)), f.one(&f.results))
		},
		"result: no pair":   func() message { return plain(resultsOf(f.run)+".x", f.one(&f.results)) },
		"result: other run": func() message { return plain(subjectOf(resultsOf("nobody"), f.pair()), f.one(&f.results)) },
		"result: can't be played": func() message {
			return message{f.to(resultSubject), nil, [2]string{errorHeader, "out of memory\x1b[2J"}, ""}
		},
		"result: no such object": func() message {
			return message{f.to(resultSubject), nil, [2]string{objectHeader, objectName(f.run, "abc")}, ""}
		},
		"result: other object": func() message {
			return message{f.to(resultSubject), nil, [2]string{objectHeader, objectName(f.run, f.config)}, ""}
		},
		"job: noise":        func() message { return plain(f.to(jobSubject), f.noise(300)) },
		"job: large":        func() message { return plain(f.to(jobSubject), make([]byte, 900_000)) },
		"job: flipped bits": func() message { return plain(f.to(jobSubject), f.flipped(f.one(&f.jobs))) },
		"job: other config": func() message { return plain(f.to(jobSubject), changed(func(j *job) { j.Config = "abc" })) },
		"job: other pair":   func() message { return plain(f.to(jobSubject), f.one(&f.jobs)) },
		"job: other agents": func() message {
			return plain(f.to(jobSubject), changed(func(j *job) { j.Agents = [2]int{f.rng.IntN(9) - 3, f.rng.IntN(3)} }))
		},
		"job: other run":    func() message { return plain(subjectOf(jobsOf("nobody"), f.pair()), f.one(&f.jobs)) },
		"run: noise":        func() message { return plain(runSubject, f.noise(300)) },
		"run: ended":        func() message { return ask(question{runID: runID{f.run, f.config, version}, Ended: true}) },
		"run: other config": func() message { return ask(question{runID: runID{f.run, "abc", version}}) },
		"run: other version": func() message {
			return ask(question{runID: runID{fmt.Sprint("v", f.rng.IntN(5000)), "abc", "v0"}})
		},
		"run: other version of it": func() message { return ask(question{runID: runID{f.run, f.config, "v0"}}) },
		"run: unknown": func() message {
			return ask(question{runID: runID{fmt.Sprint("u", f.rng.IntN(5000)), "abc", version}})
		},
		"run: question": func() message {
			return ask(question{runID: runID{f.run, f.config, version}, Below: f.rng.Int64()})
		},
		"run: answered as a result": func() message {
			m := ask(question{runID: runID{f.run, f.config, version}, Below: f.rng.Int64()})
			m.reply = f.to(resultSubject)
			return m
		},
		"answer: noise": func() message { return plain(f.answers(), f.noise(300)) },
		"answer: result": func() message {
			return plain(f.answers(), f.json(workerReport{ID: "x", Playing: []byte(`"x"`)}))
		},
		"answer: games over": func() message {
			text := []byte(`{"games":[` + string(f.one(&f.results)) + `]}`)
			return plain(f.answers(), []byte(`{"id":"x","games":`+string(f.flipped(text))+`}`))
		},
		"answer: new worker": func() message {
			return plain(f.answers(), f.json(workerReport{ID: fmt.Sprint(f.rng.IntN(5000)),
				Worker: status.Worker{Name: strings.Repeat("\x00", 1000)}}))
		},
		"answer: refusal": func() message {
			return plain(f.answers(), f.json(workerReport{ID: "x", Refused: string(f.noise(300))}))
		},
	}
}

// raw are things that are said to the server's port by who has no password, or
// keeps to no protocol.
func (f *forger) raw() map[string]string {
	connect := `CONNECT {"verbose":false,"pedantic":false,"user":"u","pass":"wrong","protocol":1}` + "\r\n"
	return map[string]string{
		"port: noise":            string(f.noise(2000)),
		"port: no password":      fmt.Sprintf("CONNECT {}\r\nPUB %s 2\r\n{}\r\n", f.to(resultSubject)),
		"port: wrong password":   fmt.Sprintf("%sPUB %s 2\r\n{}\r\n", connect, f.to(jobSubject)),
		"port: too large":        fmt.Sprintf("PUB %s 1000000000\r\n", f.to(resultSubject)),
		"port: another language": "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
	}
}

// Forged and random messages on every subject, by a client that reads all others'
// and may publish anything, change nothing in a run and lose nothing of it.
func TestForgedMessages(t *testing.T) {
	t.Parallel()
	access := Access{User: "u", Password: "p"}
	s, err := StartServer(ServerOptions{Listen: "127.0.0.1:0", Store: t.TempDir(), Access: access})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	dial := func() *nats.Conn {
		nc, err := s.Connect("test", discard())
		require.NoError(t, err)
		t.Cleanup(nc.Close)
		return nc
	}
	c := slowConfig("20")
	c.Rules = []*rules.Rules{rules.MustParse("simplified:max_plies=10")}
	want := local(t, c)
	c.Out = t.TempDir()
	p := testPool(t, dial(), func(o *Options) { o.window = 10 })
	p.repairEvery = time.Second // results that are overtaken by forged ones are played again
	c.Executor = p
	startWorker(t, dial(), func(o *WorkerOptions) { o.Name = "here" })

	f := &forger{rng: rand.New(rand.NewPCG(15, 16))}
	hostile := dial()
	f.listen(t, hostile)
	const rounds = 100
	counts := map[string]int{}
	attacked := make(chan struct{})
	attack := func(ctx context.Context) error {
		defer close(attacked)
		for ctx.Err() == nil && f.run == "" { // its name is in the folder, and on the wire
			id, err := readIdentity(c.Out)
			if err == nil && f.answers() != "" {
				f.run, f.config = id.Run, id.Config
			}
			sleep(ctx, time.Millisecond)
		}
		kinds := f.forgeries()
		for i := 0; i < rounds && ctx.Err() == nil; i++ {
			for name, forge := range kinds {
				one := forge()
				m := nats.NewMsg(one.subject)
				m.Data, m.Reply = one.data, one.reply
				m.Header.Set("Forged", "yes")
				if i%4 > 0 { // without it nothing else is looked at
					m.Header.Set(tokenHeader, f.token(one.subject))
				}
				if one.header[0] != "" {
					m.Header[one.header[0]] = []string{one.header[1]}
				}
				if err := hostile.PublishMsg(m); err != nil {
					return err
				}
				counts[name]++
			}
			for name, text := range f.raw() {
				if err := say(ctx, strings.TrimPrefix(s.URL(), "nats://"), text); err != nil {
					return err
				}
				counts[name]++
			}
			if err := hostile.Flush(); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	games := int64(0)
	err = whileRunning(t, attack, func() {
		sum, err := tournament.Run(ctx, c, testRegistry(), func(*record.Game) {
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
	total := 0
	for _, n := range counts {
		total += n
	}
	t.Logf("%d messages of %d kinds during %d games", total, len(counts), games)
	require.Equal(t, rounds*len(counts), total, "all while the run was played")
	require.NotEmpty(t, f.results)
}

// An error of a pair counts only if it comes from who has received the pair's job, even when the job is gone from the
// server: it was purged, and is published again.
func TestForgedErrors(t *testing.T) {
	t.Parallel()
	s := testServer(t)
	c := testConfig(t, 3, "random", "other")
	p := testPool(t, connect(t, s), nil)
	p.repairEvery = 500 * time.Millisecond
	c.Executor = p
	hostile := connect(t, s)
	const pause = 20 * time.Millisecond // in which the run goes on
	attack := func(ctx context.Context) error {
		var id identity
		jobs := map[int64]bool{}
		for ctx.Err() == nil && len(jobs) < 6 {
			id, _ = readIdentity(c.Out) // it isn't there at first
			jobs, _ = p.pairsOn(ctx, jobStream, jobsOf(id.Run))
			sleep(ctx, pause)
		}
		for pair := range jobs {
			m := nats.NewMsg(subjectOf(resultsOf(id.Run), pair))
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
			left, err = p.pairsOn(ctx, resultStream, resultsOf(id.Run))
			sleep(ctx, pause)
		}
		startWorker(t, connect(t, s), nil)
		return err
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	games := int64(0)
	err := whileRunning(t, attack, func() {
		sum, err := tournament.Run(ctx, c, testRegistry(), func(*record.Game) { games++ })
		require.NoError(t, err)
		require.Empty(t, sum.DeadLettered)
	})
	require.NoError(t, err)
	require.Equal(t, c.Games(), games)
}

// say sends a text to an address and waits for an answer or the end of the
// connection, whichever comes first.
func say(ctx context.Context, address, text string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(text)); err != nil {
		return nil // it has been cut off
	}
	_, _ = bufio.NewReader(conn).ReadString('\n') // the server's greeting
	return nil
}
