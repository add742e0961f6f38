package queue

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nats.go/micro"
	"golang.org/x/time/rate"

	"gyges/agents"
	"gyges/rules/base/files"
	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
)

// WorkerOptions configure a worker; each field documents its zero value.
type WorkerOptions struct {
	Name     string           // of the machine; empty: its host name
	Workers  int              // games at a time, to [MaxSlots]; 0: one for each core
	Version  string           // of the program; runs of another one are refused
	Speed    float64          // positions a second of one core; 0: unknown
	Registry *agents.Registry // the kinds of agents
	Allow    AllowList        // the kinds and programs that may be started, see [AllowList.Check]
	Log      *slog.Logger     // nil: nothing is logged
}

// MaxSlots bounds the games at a time.
const MaxSlots = 1024

// Worker fetches pairs of all runs that ask for workers, and plays them.
type Worker struct {
	nc        *nats.Conn
	js        jetstream.JetStream
	options   WorkerOptions
	secret    string // see [workerReport]
	id        string // its digest
	publisher publisher
	folder    string // for the files of runs, each in a folder of its own
	inline    int    // bytes of games that fit into a message

	held sync.Map // of *task: waiting, being played, or their results being published

	mu   sync.Mutex
	runs map[runID]*subscription

	// Goroutines of runs. Added to with mu held, and not after ctx has ended.
	background sync.WaitGroup

	sending sync.WaitGroup // results on their way
	alone   sync.RWMutex   // write-locked while a pair is played that may crash the process
	playing atomic.Int64
	pairs   atomic.Int64
	nanos   atomic.Int64 // time spent with them
}

// NewWorker returns a worker on a server. It doesn't close the connection.
func NewWorker(nc *nats.Conn, o WorkerOptions) (*Worker, error) {
	o.Workers = cmp.Or(o.Workers, min(runtime.GOMAXPROCS(0), MaxSlots))
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Name == "" {
		o.Name, _ = os.Hostname() // it is only displayed
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	secret := rand.Text()
	return &Worker{
		nc:        nc,
		js:        js,
		options:   o,
		secret:    secret,
		id:        digest([]byte(secret)),
		publisher: publisher{js: js, log: o.Log},
		inline:    maxMessage,
		runs:      map[runID]*subscription{},
	}, nil
}

const stopTimeout = 5 * time.Second // for which a stopping worker waits for the server

// Run plays until ctx ends. Then it gives unfinished pairs back to the server and publishes the
// results of the others.
func (w *Worker) Run(ctx context.Context) error {
	start := time.Now()
	folder, remove, err := files.TempDir("", "gyges-worker")
	if err != nil {
		return err
	}
	w.folder = folder
	defer func() { _ = remove() }() // the next worker removes the rest
	service, err := w.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = service.Stop() }() // the connection is lost otherwise

	// Results are sent even after ctx has ended, but not for ever.
	sending, stopSending := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSending()
	var group sync.WaitGroup
	group.Go(func() { w.keepLeases(ctx) })
	for range w.options.Workers {
		group.Go(func() { w.work(ctx, sending) })
	}
	group.Wait()
	time.AfterFunc(stopTimeout, stopSending)
	w.sending.Wait()
	// What is left was not finished.
	for t := range w.held.Range {
		_ = t.(*task).message.Nak() // otherwise its lease expires
	}
	// A question that is heard from here on adds nothing to the background, since ctx has ended.
	w.mu.Lock()
	clear(w.runs)
	w.mu.Unlock()
	w.background.Wait()
	_ = w.nc.FlushTimeout(time.Second) // otherwise the leases expire
	took := time.Since(start).Round(100 * time.Millisecond)
	w.options.Log.Info("stopped", "pairs", w.pairs.Load(), "time", took)
	return ctx.Err()
}

const maxAnswersPerSecond = 2 * maxRuns // of a worker, whoever asks: each run asks once a second

// serve makes the worker a NATS service that answers the questions of coordinators.
func (w *Worker) serve(ctx context.Context) (micro.Service, error) {
	service, err := micro.AddService(w.nc, micro.Config{
		Name:               serviceName,
		Version:            serviceVersion,
		Description:        "plays games of gyges tournaments",
		QueueGroupDisabled: true, // each worker answers
		Metadata:           map[string]string{"name": w.options.Name, "version": w.options.Version},
		StatsHandler:       func(*micro.Endpoint) any { return w.state() },
	})
	if err != nil {
		return nil, err
	}
	// Anybody on the server may ask, so questions beyond the limit have no answer.
	limit := rate.NewLimiter(maxAnswersPerSecond, maxAnswersPerSecond)
	answer := func(request micro.Request) {
		if !limit.Allow() {
			return
		}
		var q question
		if err := q.parse(request.Data()); err != nil {
			w.options.Log.Debug("malformed question", "error", err)
			return
		}
		if r := w.hear(ctx, &q, request.Reply()); r != nil {
			w.respond(request.Reply(), r, q.Below)
		}
	}
	err = service.AddEndpoint("run", micro.HandlerFunc(answer),
		micro.WithEndpointSubject(runSubject))
	return service, err
}

// state returns the worker's own report.
func (w *Worker) state() status.Worker {
	return status.Worker{
		ID:      w.id,
		Name:    w.options.Name,
		Version: w.options.Version,
		Speed:   w.options.Speed,
		Cores:   int64(runtime.NumCPU()),
		Workers: int64(w.options.Workers),
		Playing: w.playing.Load(),
		Pairs:   w.pairs.Load(),
	}
}

// respond answers a question on a run with the worker's state, and the games under way of pairs
// below one. It is sent by the connection, since a [micro.Request] is the handler's alone: the
// service reads it once the handler has returned, which it may have done.
func (w *Worker) respond(inbox string, r *subscription, below int64) {
	if !strings.HasPrefix(inbox, nats.InboxPrefix) { // results have subjects of their own
		return
	}
	report := workerReport{Worker: w.state(), Secret: w.secret, Refused: r.refused}
	report.OtherBuild = r.otherBuild
	// Games of pairs that were not asked for are left out.
	var runners []*tournament.Runner
	for p := range r.runners.Range {
		runners = append(runners, p.(*tournament.Runner))
	}
	p := tournament.PlayingOf(runners, time.Now())
	p.Games = slices.DeleteFunc(p.Games, func(g *record.Record) bool { return g.Pair >= below })
	if len(p.Games) > 0 {
		report.Playing, _ = json.Marshal(p) // it is plain data
	}
	text, err := json.Marshal(report)
	if err == nil {
		err = w.nc.Publish(inbox, text)
	}
	if err != nil {
		w.options.Log.Debug("a question can't be answered", "error", err)
	}
}
