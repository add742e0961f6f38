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
	"gyges/agents/files"
	"gyges/tournament"
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
	refusal  chan struct{}            // a refusal has been added
	refusing time.Time                // when they were last cleared
	changed  chan struct{}            // the runs or the free capacity have changed

	// Goroutines started for announcements. Added to with mu held, and not after
	// ctx has ended.
	background sync.WaitGroup

	tasks     chan *task
	held      tasksHeld
	alone     sync.RWMutex                       // write-locked while a pair is played that may crash the process
	isolating atomic.Int64                       // pairs that hold alone, or wait for it
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

// Run plays until ctx ends. Pairs that are not finished are returned to the server
// then.
func (w *Worker) Run(ctx context.Context) error {
	folder, remove, err := files.TempDir("", "gyges-worker")
	if err != nil {
		return err
	}
	w.files = folder
	defer func() { _ = remove() }() // what remains is removed by the next worker
	announced, err := w.nc.Subscribe(announceSubject, func(m *nats.Msg) { w.onAnnouncement(ctx, m.Data) })
	if err != nil {
		return err
	}
	defer func() { _ = announced.Unsubscribe() }() // at the end

	// Results of finished pairs are sent even after ctx has ended.
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
	time.AfterFunc(stopTimeout, stopSending)
	_ = senders.Wait()
	w.giveBack()
	return ctx.Err()
}

// stopTimeout bounds how long a worker that stops waits for the server.
const stopTimeout = 5 * time.Second

// giveBack returns unfinished pairs to the server, ends the background goroutines,
// and reports the worker's end.
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
	w.publishInfo(true)
	_ = w.nc.FlushTimeout(time.Second) // the same
}

// onAnnouncement handles the announcement of a run, or of its end.
func (w *Worker) onAnnouncement(ctx context.Context, text []byte) {
	var a announcement
	if err := a.parse(text); err != nil {
		w.options.Log.Debug("malformed announcement", "error", err)
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
		r.announced = time.Now()
	case w.refused[a.Run].of == a.kind() || len(w.runs) >= maxRuns:
	case a.Version != w.options.Version:
		w.refuse(a.Run, a.kind(), fmt.Sprintf("it is of version %.200q, this worker of %.60q", a.Version, w.options.Version))
	default:
		r := newSubscription(ctx, &a)
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

// refused is a run that the worker doesn't play.
type refused struct {
	of  runKind
	why string
}

// runKind identifies the announcement that is refused: another one under the same
// run name may be genuine.
type runKind struct{ config, version string }

func (a *announcement) kind() runKind { return runKind{a.Config, a.Version} }

// refuse records why the worker doesn't play a run. The caller holds the lock.
func (w *Worker) refuse(run string, of runKind, why string) {
	w.options.Log.Warn("a run is refused", "run", run, "why", why)
	if len(w.refused) >= maxRefused {
		clear(w.refused) // runs that still exist are refused again
	}
	w.refused[run] = refused{of, why}
	select {
	case w.refusal <- struct{}{}:
	default:
	}
}

// prepare makes a run ready to be played, or refuses it. Other errors are retried
// with the next announcement.
func (w *Worker) prepare(r *subscription) {
	err := r.prepare(w)
	w.mu.Lock()
	defer w.mu.Unlock()
	var no refusal
	switch {
	case err == nil:
		w.options.Log.Info("joined a run", "run", r.name)
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

// wake wakes the goroutine that waits for a run or for capacity.
func (w *Worker) wake() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// report publishes the state of the worker every reportEvery.
func (w *Worker) report(ctx context.Context) {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	notice := stallNotice{
		log:  w.options.Log,
		lost: "the NATS server doesn't store results; trying again", recovered: "the NATS server stores results again",
	}
	for {
		w.publishInfo(false)
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

// publishInfo publishes the state of the worker.
func (w *Worker) publishInfo(gone bool) {
	w.mu.Lock()
	why := map[string]string{}
	for run, r := range w.refused {
		why[run] = r.why
	}
	text, err := json.Marshal(workerReport{
		ID: w.id, Refused: why, Gone: gone,
		Worker: status.Worker{
			Name: w.options.Name, Version: w.options.Version, Cores: int64(runtime.NumCPU()), Workers: int64(w.options.Workers),
			Speed: w.options.Speed, Playing: w.playing.Load(), Pairs: w.pairs.Load(),
		},
	})
	w.mu.Unlock()
	if err == nil {
		err = w.nc.Publish(workerSubject+"."+w.id, text)
	}
	if err != nil {
		w.options.Log.Debug("publishing the worker's state", "error", err)
	}
}

// forget removes runs that have not been announced for forgetAfter.
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
		clear(w.refused) // runs that still exist are refused again
	}
}

// forgetAfter is the time without an announcement after which a run's pairs are
// dropped.
const forgetAfter = time.Hour

// keepLeases extends the leases of all tasks.
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

// tasksHeld are the received pairs: waiting, being played, or with their results
// being sent.
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

// publishResult sends the result of a pair, and acknowledges its job when the server
// has stored the result.
func (w *Worker) publishResult(ctx context.Context, t *task, games []*record.Game, failed error) {
	if t.run.ctx.Err() != nil && w.hasEnded(t.run) {
		w.done(t)
		return
	}
	m := nats.NewMsg(subjectOf(resultsOf(t.run.name), t.job.Pair))
	var err error
	m.Data, err = record.Lines(games...)
	failed = errors.Join(failed, err)
	id := fmt.Sprintf("%s/%d/%d", t.run.name, t.job.Pair, t.number)
	if failed != nil {
		id += "/failed"
		m.Header.Set(errorHeader, oneLine(failed.Error()))
	}
	m.Header.Set(jetstream.MsgIDHeader, id)
	m.Header.Set(workerHeader, w.options.Name)
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

// maxMessage is the size beyond which games are sent as an object, in bytes. Servers take
// messages of 1 MB at least.
const maxMessage = 512 << 10

// done removes a task.
func (w *Worker) done(t *task) {
	w.held.remove(t)
	w.wake()
}

// maxAhead is how many pairs a worker may hold for each game at a time, and aheadTime
// how long they may take to play. Prefetching keeps quick games from waiting for the
// network; the time bound keeps long ones free for other workers.
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
	if w.isolating.Load() > 0 {
		return 0
	}
	return w.options.Workers*ahead - w.held.len()
}

// How long a worker waits on the server for jobs when it has one run, and between
// two requests when it has several.
const (
	waitForJobs = 3 * time.Second
	betweenRuns = 100 * time.Millisecond
)

// fetch receives jobs from the server as there is room for them, from all runs in
// turn.
func (w *Worker) fetch(ctx context.Context) {
	turn := 0
	for ctx.Err() == nil {
		runs := w.open(time.Now())
		room := w.room()
		if len(runs) == 0 || room <= 0 {
			select {
			case <-w.changed:
			case <-time.After(time.Second): // a run may no longer be announced
			case <-ctx.Done():
			}
			continue
		}
		if len(runs) == 1 {
			w.fetchFrom(ctx, runs[0], room, waitForJobs)
			continue
		}
		found := 0
		for range runs {
			turn++
			found += w.fetchFrom(ctx, runs[turn%len(runs)], max(w.room(), 0), 0)
		}
		if found == 0 {
			sleep(ctx, betweenRuns)
		}
	}
}

// open returns the runs whose jobs may be fetched.
func (w *Worker) open(now time.Time) []*subscription {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []*subscription
	for _, r := range w.runs {
		if r.ready && now.Sub(r.announced) < goneAfter {
			list = append(list, r)
		}
	}
	return list
}

// fetchFrom fetches up to n jobs of a run and returns how many there were. It waits
// for the first one, and for more, up to the given time.
func (w *Worker) fetchFrom(ctx context.Context, r *subscription, n int, wait time.Duration) int {
	w.fetching.Lock()
	defer w.fetching.Unlock()
	if n == 0 || w.isolating.Load() > 0 {
		return 0
	}
	var batch jetstream.MessageBatch
	var err error
	if wait > 0 {
		once, cancel := context.WithTimeout(r.ctx, wait)
		defer cancel()
		w.stopFetch.Store(&cancel)
		batch, err = r.jobs.Fetch(n, jetstream.FetchContext(once))
	} else {
		batch, err = r.jobs.FetchNoWait(n)
	}
	found := 0
	if err == nil {
		for m := range batch.Messages() {
			found++
			w.take(ctx, r, m)
		}
		err = batch.Error()
	}
	if err != nil && r.ctx.Err() == nil && !errors.Is(err, jetstream.ErrNoMessages) {
		w.options.Log.Debug("asking for jobs", "error", err)
		sleep(ctx, retryWait)
	}
	return found
}

// take queues a job for the slots.
func (w *Worker) take(ctx context.Context, r *subscription, m jetstream.Msg) {
	t, err := newTask(r, m)
	if err != nil {
		w.options.Log.Debug("a malformed job is removed", "run", r.name, "error", err)
		_ = m.Term() // otherwise it comes again
		return
	}
	w.held.add(t)
	if w.isolating.Load() > 0 && t.begun.CompareAndSwap(false, true) {
		w.handBack(ctx, t)
		return
	}
	select {
	case w.tasks <- t:
	case <-ctx.Done():
	}
}

// workerSlot plays one game at a time. It belongs to one goroutine.
type workerSlot struct {
	worker  *Worker
	runners map[*subscription]*tournament.Runner
}

// sweepEvery is how often a slot closes agents that it no longer needs.
const sweepEvery = 10 * time.Second

// work plays until ctx ends. Results are sent until sending does.
func (s *workerSlot) work(ctx, sending context.Context) {
	s.runners = map[*subscription]*tournament.Runner{}
	defer s.sweep(true)
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case t := <-s.worker.tasks:
			s.handle(sending, t)
		case <-tick.C:
			s.sweep(false)
		case <-ctx.Done():
			return
		}
	}
}

// suspicious is the delivery from which on a pair is played alone on its worker, since
// it may be what crashes workers.
const suspicious = 3

// settleTime is how long jobs that the server has sent may take to arrive.
const settleTime = 250 * time.Millisecond

// isolate blocks until t is the worker's only task: games in progress are finished,
// waiting pairs are returned without counting as tried. The caller calls release. If
// t itself has been returned meanwhile, ok is false.
func (w *Worker) isolate(ctx context.Context, t *task) (release func(), ok bool) {
	w.isolating.Add(1)
	w.alone.Lock()
	if stop := w.stopFetch.Load(); stop != nil {
		timer := time.AfterFunc(settleTime, *stop)
		defer timer.Stop()
	}
	w.fetching.Lock() // from now on nothing is fetched
	defer w.fetching.Unlock()
	release = func() {
		w.alone.Unlock()
		w.isolating.Add(-1)
		w.wake()
	}
	if !t.begun.CompareAndSwap(false, true) {
		return release, false
	}
	var wait sync.WaitGroup
	for _, t := range w.held.all() {
		if t.begun.CompareAndSwap(false, true) {
			wait.Go(func() { w.handBack(ctx, t) })
		}
	}
	wait.Wait()
	for deadline := time.Now().Add(stopTimeout); w.held.len() > 1 && time.Now().Before(deadline); {
		if !sleep(ctx, 10*time.Millisecond) { // results are being sent
			break
		}
	}
	return release, true
}

// handBack puts a job at the end of the queue as if it had not been delivered.
func (w *Worker) handBack(ctx context.Context, t *task) {
	defer w.done(t)
	again := t.job
	again.Tries = t.tries - 1
	text, err := json.Marshal(again)
	if err == nil {
		m := nats.NewMsg(t.message.Subject())
		m.Data = text
		m.Header.Set(jetstream.MsgIDHeader, fmt.Sprintf("%s/%d/%d/again", t.run.name, t.job.Pair, t.number))
		once, cancel := context.WithTimeout(ctx, stopTimeout)
		defer cancel()
		_, err = w.js.PublishMsg(once, m)
	}
	if err != nil {
		w.options.Log.Debug("handing back a job", "error", err)
		_ = t.message.Nak() // otherwise its lease runs out
		return
	}
	acknowledge(t.message)
}

// handle plays a pair and sends the result.
func (s *workerSlot) handle(sending context.Context, t *task) {
	w := s.worker
	if t.run.ctx.Err() != nil {
		w.dropped(t)
		return
	}
	var ok bool
	if t.tries >= suspicious && t.tries <= t.run.tries {
		var release func()
		release, ok = w.isolate(sending, t)
		defer release()
	} else {
		w.alone.RLock()
		defer w.alone.RUnlock()
		ok = t.begun.CompareAndSwap(false, true)
	}
	if !ok {
		return
	}
	if t.tries > t.run.tries {
		w.publishResult(sending, t, nil, errors.New("the worker was lost each time"))
		return
	}
	w.playing.Add(1)
	start := time.Now()
	games, err := s.runner(t.run).Play(t.run.ctx, t.job.Job, t.run.timeScale)
	w.nanos.Add(int64(time.Since(start)))
	w.playing.Add(-1)
	w.pairs.Add(1)
	switch {
	case t.run.ctx.Err() != nil:
		w.dropped(t)
	case err == nil:
		w.publishResult(sending, t, games, nil)
	case t.tries >= t.run.tries:
		w.publishResult(sending, t, nil, err)
	default:
		w.options.Log.Warn("a pair can't be played; it is given back", "run", t.run.name, "pair", t.job.Pair, "error", err)
		_ = t.message.NakWithDelay(retryWait) // otherwise its lease runs out
		w.done(t)
	}
}

// dropped removes a task whose run has ended. If the worker itself stops, the task
// is kept, to be returned.
func (w *Worker) dropped(t *task) {
	if w.hasEnded(t.run) {
		w.done(t)
	}
}

// hasEnded reports whether a run is over, or forgotten.
func (w *Worker) hasEnded(r *subscription) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runs[r.name] != r
}

// runner returns the slot's runner for a run.
func (s *workerSlot) runner(r *subscription) *tournament.Runner {
	p := s.runners[r]
	if p == nil {
		s.sweep(false)
		p = tournament.NewRunner(&r.config, r.registry.New)
		s.runners[r] = p
	}
	return p
}

// sweep closes the agents of runs that have ended, or of all.
func (s *workerSlot) sweep(all bool) {
	for r, p := range s.runners {
		if !all && r.ctx.Err() == nil {
			continue
		}
		if err := p.Close(); err != nil {
			s.worker.options.Log.Warn("closing agents", "run", r.name, "error", err)
		}
		delete(s.runners, r)
	}
}
