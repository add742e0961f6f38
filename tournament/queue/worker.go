package queue

import (
	"context"
	"encoding/json"
	"errors"
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
	"golang.org/x/sync/errgroup"

	"gyges/agents"
	"gyges/agents/tuning/files"
	"gyges/tournament/record"
)

// WorkerOptions say how a worker works. Zero values stand for what is said of them.
type WorkerOptions struct {
	Name     string           // of the machine; empty: its host name
	Workers  int              // games at a time; 0: one for each core
	Version  string           // of the program; runs of another one are refused
	Speed    float64          // positions a second of one core; 0: unknown
	Registry *agents.Registry // what can be made at all
	Allow    AllowList        // what may be
	Log      *slog.Logger     // nil: nothing is logged
}

// MaxSlots bounds the games at a time.
const MaxSlots = 1024

// Worker takes pairs of whatever runs are announced and plays them.
type Worker struct {
	nc      *nats.Conn
	js      jetstream.JetStream
	options WorkerOptions
	id      string
	sender  *sender
	files   string // folder for the files of runs, each in one of its own
	inline  int    // bytes of games that fit into a message

	mu       sync.Mutex
	runs     map[string]*subscription // by name
	refused  map[string]refused       // by name
	refusal  chan struct{}            // one has been added
	refusing time.Time                // since when they are noted
	changed  chan struct{}            // runs are, or there is room

	// What has been started for announcements. It is added to with mu held, and
	// not after ctx has ended.
	background sync.WaitGroup

	tasks     chan *task
	held      tasksHeld
	alone     sync.RWMutex                       // held by who plays a pair that may bring the process down
	isolating atomic.Int64                       // how many do, or wait for it
	fetching  sync.Mutex                         // held while jobs are asked for
	stopFetch atomic.Pointer[context.CancelFunc] // ends that early
	playing   atomic.Int64
	pairs     atomic.Int64
	nanos     atomic.Int64 // time spent with them
}

// NewWorker returns a worker on a server. The connection stays the caller's.
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
		o.Name, _ = os.Hostname() // one without a name is none the worse
	}
	if err := o.Allow.Check(o.Registry); err != nil {
		return nil, err
	}
	js, err := newJetStream(nc)
	if err != nil {
		return nil, err
	}
	return &Worker{
		nc: nc, js: js, options: o, id: nuid.Next(), inline: maxMessage, sender: newSender(js, o.Log),
		runs: map[string]*subscription{}, refused: map[string]refused{}, refusal: make(chan struct{}, 1), refusing: time.Now(), changed: make(chan struct{}, 1),
		tasks: make(chan *task, o.Workers*maxAhead), held: tasksHeld{tasks: map[*task]bool{}},
	}, nil
}

// Run works until ctx ends. Pairs in hand are given back then.
func (w *Worker) Run(ctx context.Context) error {
	folder, remove, err := files.TempDir("", "gyges-worker")
	if err != nil {
		return err
	}
	w.files = folder
	defer func() { _ = remove() }() // what remains is removed by the next worker
	announced, err := w.nc.Subscribe(announceSubject, func(m *nats.Msg) { w.hear(ctx, m.Data) })
	if err != nil {
		return err
	}
	defer func() { _ = announced.Unsubscribe() }() // at the end

	// Results of pairs that are finished go out even when it is time to stop.
	sending, stopSending := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSending()
	var senders errgroup.Group
	w.sender.start(sending, &senders)

	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { w.fetch(groupCtx); return nil })
	group.Go(func() error { w.keepLeases(groupCtx); return nil })
	group.Go(func() error { w.report(groupCtx); return nil })
	for range w.options.Workers {
		group.Go(func() error { s := workerSlot{worker: w}; s.work(groupCtx, sending); return nil })
	}
	_ = group.Wait() // none fails
	w.sender.close()
	time.AfterFunc(lastWords, stopSending)
	_ = senders.Wait()
	w.giveBack()
	return ctx.Err()
}

// lastWords bounds how long a worker that stops waits for the server.
const lastWords = 5 * time.Second

// giveBack returns the pairs that are not finished to the server, stops what is in
// the background, and reports the worker's end.
func (w *Worker) giveBack() {
	for _, t := range w.held.all() {
		_ = t.message.Nak() // otherwise its lease runs out
	}
	w.mu.Lock()
	for _, r := range w.runs {
		r.cancel()
	}
	w.mu.Unlock()
	w.background.Wait()
	w.tell(true)
	_ = w.nc.FlushTimeout(time.Second) // the same
}

// hear takes note of a run, or of its end.
func (w *Worker) hear(ctx context.Context, text []byte) {
	var a announcement
	if err := a.parse(text); err != nil {
		w.options.Log.Debug("an announcement that can't be understood", "error", err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	r, known := w.runs[a.Run]
	switch {
	case ctx.Err() != nil: // the worker stops
	case a.Ended && known:
		w.background.Go(func() { w.end(r) })
	case a.Ended:
		delete(w.refused, a.Run)
	case known:
		r.update(&a, w.options.Name)
	case w.refused[a.Run].of == a.kind() || len(w.runs) >= maxRuns:
	case a.Version != w.options.Version:
		w.refuse(a.Run, a.kind(), fmt.Sprintf("it is of version %.200q, this worker of %.60q", a.Version, w.options.Version))
	default:
		r := newSubscription(ctx, &a, w.options.Name)
		w.runs[a.Run] = r
		delete(w.refused, a.Run)
		w.background.Go(func() {
			w.prepare(r)
			<-r.ctx.Done()
			if err := r.removeFiles(); err != nil {
				w.options.Log.Warn("removing the files of a run", "run", r.name, "error", err)
			}
		})
	}
	w.wake()
}

// end drops a run whose end has been announced, if the server confirms it.
func (w *Worker) end(r *subscription) {
	if !r.isOver(w.js) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs[r.name] == r {
		w.options.Log.Info("a run has ended", "run", r.name)
		delete(w.runs, r.name)
	}
	r.cancel()
	w.wake()
}

// Bounds of the runs that a worker plays for, and of those that it refuses.
const (
	maxRuns    = 1000
	maxRefused = 100
)

// refused is a run that isn't for a worker.
type refused struct {
	of  runKind
	why string
}

// runKind is what a run is refused for, as announced: another announcement under
// its name may be the true one.
type runKind struct{ config, version string }

func (a *announcement) kind() runKind { return runKind{a.Config, a.Version} }

// refuse notes that a run isn't for this worker. It is called with the lock.
func (w *Worker) refuse(run string, of runKind, why string) {
	w.options.Log.Warn("a run is refused", "run", run, "why", why)
	if len(w.refused) >= maxRefused {
		clear(w.refused) // those that are still there are refused again
	}
	w.refused[run] = refused{of, why}
	select {
	case w.refusal <- struct{}{}:
	default:
	}
}

// prepare makes a run ready to be played, or refuses it. What fails for other
// reasons is tried again with the next announcement.
func (w *Worker) prepare(r *subscription) {
	err := r.prepare(w)
	w.mu.Lock()
	defer w.mu.Unlock()
	var no refusal
	switch {
	case err == nil:
		w.options.Log.Info("a run", "run", r.name)
		r.ready = true
	case errors.As(err, &no):
		w.refuse(r.name, runKind{r.digest, w.options.Version}, no.Error())
		fallthrough
	default:
		w.options.Log.Debug("a run can't be prepared", "run", r.name, "error", err)
		r.cancel()
		if w.runs[r.name] == r {
			delete(w.runs, r.name)
		}
	}
	w.wake()
}

// wake wakes who waits for a run or for room.
func (w *Worker) wake() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// report says every now and then how the worker is.
func (w *Worker) report(ctx context.Context) {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	notice := stallNotice{
		log:  w.options.Log,
		lost: "the NATS server doesn't store results; trying again", recovered: "the NATS server stores results again",
	}
	for {
		w.tell(false)
		notice.update(w.sender.stalled(), time.Now())
		select {
		case <-tick.C:
			w.forget(time.Now())
		case <-w.refusal:
		case <-ctx.Done():
			return
		}
	}
}

// tell says how the worker is.
func (w *Worker) tell(gone bool) {
	w.mu.Lock()
	why := map[string]string{}
	for run, r := range w.refused {
		why[run] = r.why
	}
	text, err := json.Marshal(WorkerInfo{
		ID: w.id, Name: w.options.Name, Version: w.options.Version, Cores: runtime.NumCPU(), Workers: w.options.Workers,
		Speed: w.options.Speed, Playing: int(w.playing.Load()), Pairs: w.pairs.Load(), Refused: why, Gone: gone,
	})
	w.mu.Unlock()
	if err == nil {
		err = w.nc.Publish(workerSubject+"."+w.id, text)
	}
	if err != nil {
		w.options.Log.Debug("saying how we are", "error", err)
	}
}

// forget drops runs that have not been announced for long.
func (w *Worker) forget(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, r := range w.runs {
		if now.Sub(r.announced) > forgetAfter {
			r.cancel()
			delete(w.runs, name)
		}
	}
	if now.Sub(w.refusing) > forgetAfter {
		w.refusing = now
		clear(w.refused) // those that are still there are refused again
	}
}

// forgetAfter is after how long without an announcement a run's pairs in hand are
// dropped.
const forgetAfter = time.Hour

// keepLeases tells the server that the pairs in hand are in good hands.
func (w *Worker) keepLeases(ctx context.Context) {
	for sleep(ctx, minLease/3) {
		now := time.Now()
		for _, t := range w.held.all() {
			if now.Sub(t.renewed) >= t.run.lease/3 {
				t.renewed = now
				_ = t.message.InProgress() // if it doesn't get through, the next one may
			}
		}
	}
}

// tasksHeld are the pairs in hand: being played, waiting for that, or with their
// results on the way.
type tasksHeld struct {
	mu    sync.Mutex
	tasks map[*task]bool
}

func (h *tasksHeld) add(t *task) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tasks[t] = true
}

func (h *tasksHeld) remove(t *task) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.tasks, t)
}

func (h *tasksHeld) len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.tasks)
}

func (h *tasksHeld) all() []*task {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]*task, 0, len(h.tasks))
	for t := range h.tasks {
		list = append(list, t)
	}
	return list
}

// publishResult sends what became of a pair, and then, when the server has it, lets
// it forget the job.
func (w *Worker) publishResult(ctx context.Context, t *task, games []*record.Game, failed error) {
	if t.run.ctx.Err() != nil && w.hasEnded(t.run) {
		w.done(t)
		return
	}
	m := nats.NewMsg(subjectOf(resultsOf(t.run.name), t.job.Pair))
	id := fmt.Sprintf("%s/%d/%d", t.run.name, t.job.Pair, t.number)
	if failed != nil {
		id += "/failed"
		m.Header.Set(errorHeader, oneLine(failed.Error()))
	}
	m.Header.Set(jetstream.MsgIDHeader, id)
	m.Header.Set(workerHeader, w.options.Name)
	m.Data = appendGames(nil, games)
	if len(m.Data) > w.inline {
		name := objectName(t.run.name, digest(m.Data))
		if _, err := t.run.objects.PutBytes(ctx, name, m.Data); err != nil {
			w.options.Log.Warn("storing a long game failed; another worker will play it", "error", err)
			_ = t.message.NakWithDelay(retryWait) // otherwise its lease runs out
			w.done(t)
			return
		}
		m.Header.Set(objectHeader, name)
		m.Data = nil
	}
	w.sender.send(ctx, m, func() {
		acknowledge(t.message)
		w.done(t)
	})
}

// maxMessage is the size beyond which games travel as an object. Servers take
// messages of 1 MB at least.
const maxMessage = 512 << 10

// done forgets a task.
func (w *Worker) done(t *task) {
	w.held.remove(t)
	w.wake()
}
