package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"gyges/agents"
	"gyges/agents/files"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
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

// giveBack returns unfinished pairs to the server, ends the goroutines of runs, and
// reports the worker's end.
func (w *Worker) giveBack() {
	for _, t := range w.heldTasks() {
		_ = t.message.Nak() // otherwise its lease expires
	}
	w.mu.Lock()
	for _, r := range w.runs {
		r.cancel()
	}
	w.mu.Unlock()
	w.background.Wait()
	w.publishReport(true)
	_ = w.nc.FlushTimeout(time.Second) // otherwise the worker counts as gone later
}

// maxRuns bounds the runs that a worker plays for or refuses.
const maxRuns = 200

// onAnnouncement handles the announcement of a run, or of its end.
func (w *Worker) onAnnouncement(ctx context.Context, text []byte) {
	var a announcement
	if err := a.parse(text); err != nil {
		w.options.Log.Debug("malformed announcement", "error", err)
		return
	}
	if r := w.note(ctx, &a); r != nil && a.Below > 0 {
		w.answer(r, a.Below)
	}
}

// note notes that a run goes on or has ended, and returns it if the worker knew it.
func (w *Worker) note(ctx context.Context, a *announcement) *subscription {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, known := w.runs[a.runID]
	switch {
	case ctx.Err() != nil: // the worker stops
	case known && a.Ended:
		w.background.Go(func() { w.end(r) })
	case known:
		r.announced = time.Now()
	case !a.Ended:
		if len(w.runs) >= maxRuns { // refused runs that still exist are refused again
			maps.DeleteFunc(w.runs, func(_ runID, r *subscription) bool { return r.refused != "" })
		}
		if len(w.runs) >= maxRuns {
			break
		}
		r := newSubscription(ctx, a.runID)
		w.runs[a.runID] = r
		w.background.Go(func() { w.join(r) })
	}
	w.wake()
	return r
}

// join prepares a run, blocks until it ends, and releases its resources.
func (w *Worker) join(r *subscription) {
	err := r.prepare(w)
	if err == nil {
		w.publishReport(false) // before any result, so that the coordinator lists the worker from the start
	}
	w.setReady(r, err)
	<-r.ctx.Done()
	if err := r.close(); err != nil {
		w.options.Log.Warn("closing a run", "run", r.Run, "error", err)
	}
}

// setReady stores the result of a run's preparation. After an error that isn't a
// refusal the next announcement starts another one.
func (w *Worker) setReady(r *subscription, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var no refusal
	switch {
	case err == nil:
		w.options.Log.Info("joined a run", "run", r.Run)
		r.ready, r.joined = true, time.Now()
		w.wake()
		return
	case errors.As(err, &no):
		w.options.Log.Warn("a run is refused", "run", r.Run, "why", no.Error())
		r.refused = no.Error()
		notify(w.refused)
	case w.runs[r.runID] == r:
		w.options.Log.Debug("a run can't be prepared", "run", r.Run, "error", err)
		delete(w.runs, r.runID)
	}
	r.cancel()
}

// end drops a run whose end has been announced, unless the server still has the
// consumer of its jobs.
func (w *Worker) end(r *subscription) {
	ctx, cancel := context.WithTimeout(r.ctx, answerTime)
	defer cancel()
	if _, err := w.js.Consumer(ctx, jobStream, r.Run); err == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs[r.runID] == r {
		if r.ready {
			w.options.Log.Info("a run has ended", "run", r.Run, "pairs", r.pairs.Load(), "games", r.games.Load(),
				"time", time.Since(r.joined).Round(100*time.Millisecond))
		}
		w.drop(r)
	}
}

// forgetAfter is the time without an announcement after which a run is dropped.
const forgetAfter = time.Hour

// forget drops runs that are not announced any more.
func (w *Worker) forget(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		if now.Sub(r.announced) > forgetAfter {
			w.drop(r)
		}
	}
}

// drop removes a run. The caller holds the lock.
func (w *Worker) drop(r *subscription) {
	delete(w.runs, r.runID)
	r.cancel()
	w.wake()
}

// hasEnded reports whether a run is dropped.
func (w *Worker) hasEnded(r *subscription) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runs[r.runID] != r
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
	text, err := json.Marshal(report)
	if err == nil {
		err = w.nc.Publish(workerSubject+"."+w.id, text)
	}
	if err != nil {
		w.options.Log.Debug("publishing the worker's state", "error", err)
	}
}

// keepLeases extends the leases of all tasks.
func (w *Worker) keepLeases(ctx context.Context) {
	for sleep(ctx, minLease/3) {
		now := time.Now()
		for _, t := range w.heldTasks() {
			if now.Sub(t.renewed) >= t.run.lease/3 {
				t.renewed = now
				_ = t.message.InProgress() // otherwise the next one may reach the server
			}
		}
	}
}

func (w *Worker) heldTasks() []*task {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.held))
}

// done removes a task.
func (w *Worker) done(t *task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.held, t)
	w.wake()
}

// maxAhead is how many pairs a worker may hold for each game at a time, and aheadTime
// how long they may take to play. Prefetching hides the latency of the network from
// quick games; the time bound leaves long ones to other workers.
const (
	maxAhead  = 64
	aheadTime = 200 * time.Millisecond
)

// room returns how many more pairs the worker should fetch.
func (w *Worker) room() int {
	ahead := 1
	if n := w.pairs.Load(); n > 0 {
		mean := max(time.Duration(w.nanos.Load()/n), 1)
		ahead = int(min(max(aheadTime/mean, 1), maxAhead))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.options.Workers*ahead - len(w.held)
}

// How long a worker with one run waits for jobs in one request, and one with several
// runs between two requests.
const (
	waitForJobs = time.Second
	betweenRuns = 100 * time.Millisecond
)

// fetch receives jobs from the server as there is room for them, from all runs in
// turn.
func (w *Worker) fetch(ctx context.Context) {
	for turn := 0; ctx.Err() == nil; {
		runs := w.readyRuns(time.Now())
		if len(runs) == 0 || w.room() <= 0 {
			select {
			case <-w.changed:
			case <-time.After(time.Second): // a run may no longer be announced
			case <-ctx.Done():
			}
			continue
		}
		found := 0
		for range runs {
			turn++
			found += w.fetchFrom(ctx, runs[turn%len(runs)], len(runs) == 1)
		}
		if found == 0 && len(runs) > 1 {
			sleep(ctx, betweenRuns)
		}
	}
}

// readyRuns returns the runs whose jobs may be fetched.
func (w *Worker) readyRuns(now time.Time) []*subscription {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Collect(maps.Values(w.runs)), func(r *subscription) bool {
		return !r.ready || now.Sub(r.announced) >= goneAfter
	})
}

// fetchFrom fetches jobs of a run as there is room for them, and returns how many there
// were. wait: it waits for them.
func (w *Worker) fetchFrom(ctx context.Context, r *subscription, wait bool) int {
	n := w.room()
	if n <= 0 {
		return 0
	}
	var batch jetstream.MessageBatch
	var err error
	if wait {
		// A stopping worker waits for the answer: jobs on their way to it when it cancels
		// the request would come back only when their leases expire.
		once, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), waitForJobs)
		defer cancel()
		batch, err = r.jobs.Fetch(n, jetstream.FetchContext(once))
	} else {
		batch, err = r.jobs.FetchNoWait(n)
	}
	found := 0
	if err == nil {
		for m := range batch.Messages() {
			found++
			w.add(ctx, r, m)
		}
		err = batch.Error()
	}
	if err != nil && r.ctx.Err() == nil && !errors.Is(err, jetstream.ErrNoMessages) {
		w.options.Log.Debug("fetching jobs", "error", err)
		sleep(ctx, retryWait)
	}
	return found
}

// add queues a job for the slots.
func (w *Worker) add(ctx context.Context, r *subscription, m jetstream.Msg) {
	t, err := newTask(r, m)
	if err != nil {
		w.options.Log.Debug("a malformed job is removed", "run", r.Run, "error", err)
		_ = m.Term() // otherwise it comes again
		return
	}
	w.mu.Lock()
	w.held[t] = true
	w.mu.Unlock()
	select {
	case w.tasks <- t:
	case <-ctx.Done():
	}
}

// work plays pairs one after another until ctx ends. Results are published until
// sending ends.
func (w *Worker) work(ctx, sending context.Context) {
	for {
		select {
		case t := <-w.tasks:
			w.handle(sending, t)
		case <-ctx.Done():
			return
		}
	}
}

// handle plays a pair and publishes the result.
func (w *Worker) handle(sending context.Context, t *task) {
	games, err := w.play(t)
	switch {
	case t.run.ctx.Err() != nil && w.hasEnded(t.run):
		w.done(t)
	case t.run.ctx.Err() != nil: // the worker stops, and gives it back
	case err == nil || t.deliveries >= t.run.tries || errors.Is(err, errLost):
		w.sending.Go(func() {
			w.publishResult(sending, t, games, err)
			w.done(t)
		})
	default:
		w.options.Log.Warn("a pair can't be played; it is given back", "run", t.run.Run, "pair", t.job.Pair, "error", err)
		deliverLater(t.message)
		w.done(t)
	}
}

// suspicious is the delivery from which on a pair is played alone on its worker, since
// it may be what crashes workers.
const suspicious = 3

// play plays a pair, alone if it is suspicious: other games are finished before, and
// wait until it has ended.
func (w *Worker) play(t *task) ([]*record.Game, error) {
	if t.deliveries < min(suspicious, t.run.tries+1) {
		w.alone.RLock()
		defer w.alone.RUnlock()
	} else {
		w.alone.Lock()
		defer w.alone.Unlock()
		if err := t.run.countStart(t.job.Pair); err != nil {
			return nil, err
		}
	}
	w.playing.Add(1)
	start := time.Now()
	games, err := t.run.play(t.job.Job)
	w.nanos.Add(int64(time.Since(start)))
	w.playing.Add(-1)
	w.pairs.Add(1)
	return games, err
}

// maxMessage is the size beyond which games are sent as an object, in bytes. Servers
// accept messages of 1 MB at least.
const maxMessage = 512 << 10

// publishResult publishes the games of a pair, or why it can't be played, and
// acknowledges its job when the server has stored the result.
func (w *Worker) publishResult(ctx context.Context, t *task, games []*record.Game, failed error) {
	m := nats.NewMsg(subjectOf(resultsOf(t.run.Run), t.job.Pair))
	m.Header.Set(workerHeader, w.options.Name)
	text, err := record.Lines(games...)
	if err = errors.Join(failed, err); err != nil {
		m.Header.Set(errorHeader, oneLine(err.Error()))
	} else {
		m.Data = text
	}
	if len(m.Data) > w.inline {
		name := objectName(t.run.Run, digest(m.Data))
		if _, err := t.run.objects.PutBytes(ctx, name, m.Data); err != nil {
			w.options.Log.Warn("storing a long game failed; another worker will play it", "error", err)
			deliverLater(t.message)
			return
		}
		m.Header.Set(objectHeader, name)
		m.Data = nil
	}
	if err == nil { // before the run can end
		t.run.pairs.Add(1)
		t.run.games.Add(int64(len(games)))
	}
	if w.publisher.publish(ctx, m) == nil {
		acknowledge(t.message)
	}
}
