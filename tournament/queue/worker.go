package queue

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"gyges/agents"
	"gyges/rules/base/files"
	"gyges/tournament/queue/status"
)

// WorkerOptions configure a worker; each field documents its zero value.
type WorkerOptions struct {
	Name     string           // of the machine; empty: its host name
	Workers  int              // games at a time; 0: one for each core
	Version  string           // of the program; runs of another one are refused
	Speed    float64          // positions a second of one core; 0: unknown
	Registry *agents.Registry // the kinds of agents
	Allow    AllowList        // the kinds and programs that may be started
	Log      *slog.Logger     // nil: nothing is logged
}

// MaxSlots bounds the games at a time.
const MaxSlots = 1024

// Worker receives pairs of all announced runs and plays them.
type Worker struct {
	nc        *nats.Conn
	js        jetstream.JetStream
	options   WorkerOptions
	id        string
	publisher publisher
	folder    string // for the files of runs, each in a folder of its own
	inline    int    // bytes of games that fit into a message

	mu      sync.Mutex
	runs    map[runID]*subscription
	held    map[*task]bool // waiting, being played, or their results being published
	changed chan struct{}  // runs or held have changed
	refused chan struct{}  // a run has been refused

	// Goroutines of runs. Added to with mu held, and not after ctx has ended.
	background sync.WaitGroup

	tasks   chan *task
	sending sync.WaitGroup // results on their way
	alone   sync.RWMutex   // write-locked while a pair is played that may crash the process
	playing atomic.Int64
	pairs   atomic.Int64
	nanos   atomic.Int64 // time spent with them
}

// NewWorker returns a worker on a server. It doesn't close the connection.
func NewWorker(nc *nats.Conn, o WorkerOptions) (*Worker, error) {
	if o.Workers == 0 {
		o.Workers = min(runtime.GOMAXPROCS(0), MaxSlots)
	}
	if o.Workers < 1 || o.Workers > MaxSlots {
		return nil, fmt.Errorf("expected workers from 1 to %d, found %d", MaxSlots, o.Workers)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Name == "" {
		o.Name, _ = os.Hostname() // it is only displayed
	}
	if err := o.Allow.Check(o.Registry); err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	return &Worker{
		nc: nc, js: js, options: o, id: nuid.Next(), publisher: publisher{js: js, log: o.Log}, inline: maxMessage,
		runs: map[runID]*subscription{}, held: map[*task]bool{},
		changed: make(chan struct{}, 1), refused: make(chan struct{}, 1), tasks: make(chan *task, o.Workers*maxAhead),
	}, nil
}

// stopTimeout bounds how long a stopping worker waits for the server.
const stopTimeout = 5 * time.Second

// Run plays until ctx ends. Unfinished pairs are returned to the server then, and the
// results of finished ones published.
func (w *Worker) Run(ctx context.Context) error {
	start := time.Now()
	folder, remove, err := files.TempDir("", "gyges-worker")
	if err != nil {
		return err
	}
	w.folder = folder
	defer func() { _ = remove() }() // the next worker removes the rest
	announced, err := w.nc.Subscribe(announceSubject, func(m *nats.Msg) { w.onAnnouncement(ctx, m.Data) })
	if err != nil {
		return err
	}
	defer func() { _ = announced.Unsubscribe() }() // the connection is lost otherwise

	sending, stopSending := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSending()
	var group sync.WaitGroup
	group.Go(func() { w.fetch(ctx) })
	group.Go(func() { w.keepLeases(ctx) })
	group.Go(func() { w.report(ctx) })
	for range w.options.Workers {
		group.Go(func() { w.work(ctx, sending) })
	}
	group.Wait()
	time.AfterFunc(stopTimeout, stopSending)
	w.sending.Wait()
	w.giveBack()
	w.options.Log.Info("stopped", "pairs", w.pairs.Load(), "time", time.Since(start).Round(100*time.Millisecond))
	return ctx.Err()
}

// giveBack returns unfinished pairs to the server, waits for the goroutines of runs, and
// reports the worker's end.
func (w *Worker) giveBack() {
	for _, t := range w.heldTasks() {
		_ = t.message.Nak() // otherwise its lease expires
	}
	w.background.Wait()
	w.publishReport(true)
	_ = w.nc.FlushTimeout(time.Second) // otherwise the worker counts as gone later
}

// notify lets the receiver of a channel with room for one value go on.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// wake lets fetch go on.
func (w *Worker) wake() { notify(w.changed) }

// report publishes the state of the worker every reportEvery.
func (w *Worker) report(ctx context.Context) {
	tick := time.Tick(reportEvery)
	notice := stallNotice{
		log:  w.options.Log,
		lost: "the NATS server doesn't store results; trying again", recovered: "the NATS server stores results again",
	}
	for {
		w.publishReport(false)
		notice.update(w.publisher.stalled(), time.Now())
		select {
		case <-tick:
			w.forget(time.Now())
		case <-w.refused:
		case <-ctx.Done():
			return
		}
	}
}

// publishReport publishes the state of the worker.
func (w *Worker) publishReport(gone bool) {
	report := workerReport{
		ID: w.id, Refused: map[string]string{}, Gone: gone,
		Worker: status.Worker{
			Name: w.options.Name, Version: w.options.Version, Speed: w.options.Speed,
			Cores: int64(runtime.NumCPU()), Workers: int64(w.options.Workers),
			Playing: w.playing.Load(), Pairs: w.pairs.Load(),
		},
	}
	w.mu.Lock()
	for id, r := range w.runs {
		if r.refused != "" {
			report.Refused[id.Run] = oneLine(r.refused)
		}
	}
	w.mu.Unlock()
	tell(w.nc, w.options.Log, workerSubject+"."+w.id, report)
}
