package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"gyges/tournament"
	"gyges/tournament/record"
)

// run is a run that a coordinator lets workers play.
type run struct {
	coordinator *Coordinator
	id          identity
	contents    [][]byte // the description and the files, for the object store
	session     string   // distinguishes this process from earlier ones
	log         *slog.Logger
	sender      *sender
	checker     *tournament.Runner
	results     jetstream.Consumer
	outcomes    chan<- tournament.PairResult
	finish      func()                  // ends the run
	workers     *workerRegistry         // who works
	left        map[int64]bool          // pairs whose jobs were on the server before; until they are handed out
	early       map[int64]jetstream.Msg // results of pairs that haven't been handed out yet

	mu        sync.Mutex
	next      int64 // the pair that is handed out next, at least
	closed    bool  // no more are
	pending   map[int64]*pendingJob
	unwritten map[int64]bool // pairs whose outcomes are not in the file yet
	pairs     int64          // that came back
	played    int64          // games in them
}

// waiting is a job that has no outcome yet.
type pendingJob struct {
	job       tournament.Job
	tries     int  // results that were no good
	busy      bool // a result is being looked at
	sends     int  // how often the job has been sent
	published bool // the server has had the job since it was sent last
}

func newRun(p *Coordinator, id identity, contents [][]byte, config *tournament.Config, outcomes chan<- tournament.PairResult) *run {
	log := p.options.Log.With("run", id.Run)
	return &run{
		coordinator: p, id: id, contents: contents, session: nuid.Next(), log: log,
		sender: newSender(p.js, log), checker: tournament.NewRunner(config, nil), outcomes: outcomes,
		workers: newWorkerRegistry(log), left: map[int64]bool{}, early: map[int64]jetstream.Msg{},
		pending: map[int64]*pendingJob{}, unwritten: map[int64]bool{},
	}
}

// never is for numbers that the server should not bound.
const never = -1

// maxPulls is how many workers may ask for a run's jobs at a time.
const maxPulls = 100_000

// attach makes what the run needs on the server, and looks for jobs that an earlier process left.
func (r *run) attach(ctx context.Context) error {
	if err := r.provide(ctx); err != nil {
		return err
	}
	// A new one is given all that an earlier process has not acknowledged, at once.
	if err := r.coordinator.js.DeleteConsumer(ctx, resultStream, r.id.Run); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("NATS consumer: %w", err)
	}
	if err := r.listen(ctx); err != nil {
		return err
	}
	pairs, err := r.coordinator.pairsOn(ctx, jobStream, jobsOf(r.id.Run))
	for _, pair := range pairs {
		r.left[pair] = true
	}
	return err
}

// listen makes the consumer of results, if need be.
func (r *run) listen(ctx context.Context) error {
	c, err := r.coordinator.js.CreateOrUpdateConsumer(ctx, resultStream, jetstream.ConsumerConfig{
		Durable: r.id.Run, FilterSubject: resultsOf(r.id.Run) + ".*", AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: resultLease, MaxDeliver: never, MaxAckPending: never, InactiveThreshold: keepMessages,
	})
	if err != nil {
		return fmt.Errorf("NATS consumer: %w", err)
	}
	r.results = c
	return nil
}

// resultLease is how long a result may be on its way to the coordinator, or wait
// there for an earlier one, before it is sent again; that does no harm.
const resultLease = time.Minute

// publish hands out the jobs.
func (r *run) publish(ctx context.Context, jobs <-chan tournament.Job) {
	for {
		select {
		case job, ok := <-jobs:
			if !ok {
				r.close()
				return
			}
			r.handOut(ctx, job)
		case <-ctx.Done():
			return
		}
	}
}

// handOut publishes a job, unless it or its result is on the server already.
func (r *run) handOut(ctx context.Context, job tournament.Job) {
	r.mu.Lock()
	known, came := r.early[job.Pair]
	delete(r.early, job.Pair)
	left := r.left[job.Pair]
	delete(r.left, job.Pair)
	w := &pendingJob{job: job, published: left}
	r.pending[job.Pair] = w
	r.next = job.Pair + 1
	r.mu.Unlock()
	switch {
	case came:
		r.take(ctx, known)
	case !left:
		r.send(ctx, w)
	}
}

// send publishes a job. Its id is its own: the server must not take it for one
// that is done with.
func (r *run) send(ctx context.Context, w *pendingJob) {
	text, err := json.Marshal(job{Job: w.job, Config: r.id.Config})
	if err != nil { // can't happen: it is plain data
		return
	}
	r.mu.Lock()
	w.sends++
	sends := w.sends
	r.mu.Unlock()
	m := nats.NewMsg(subjectOf(jobsOf(r.id.Run), w.job.Pair))
	m.Data = text
	m.Header.Set(jetstream.MsgIDHeader, fmt.Sprintf("%s/%d/%s/%d", r.id.Run, w.job.Pair, r.session, sends))
	r.sender.send(ctx, m, func() {
		r.mu.Lock()
		w.published = w.sends == sends
		r.mu.Unlock()
	})
}

// close notes that there are no more jobs.
func (r *run) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.endIfDone()
}

// endIfDone ends the run when every job has its outcome.
func (r *run) endIfDone() {
	if r.closed && len(r.pending) == 0 {
		r.finish()
	}
}

// receive takes results until the run ends.
func (r *run) receive(ctx context.Context) {
	for ctx.Err() == nil {
		r.receiveSome(ctx)
		if !sleep(ctx, retryWait) {
			break
		}
		once, cancel := context.WithTimeout(ctx, 5*time.Second)
		if err := r.listen(once); err != nil { // it is gone if the server lost it
			r.log.Debug("waiting for results", "error", err)
		}
		cancel()
	}
}

// prefetched is how many results may be in memory beside those of the window.
const prefetched = 512

// receiveSome takes results until something goes wrong.
func (r *run) receiveSome(ctx context.Context) {
	messages, err := r.results.Messages(jetstream.PullMaxMessages(prefetched), jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(2*time.Second))
	if err != nil {
		r.log.Debug("waiting for results", "error", err)
		return
	}
	stop := context.AfterFunc(ctx, messages.Stop)
	defer stop()
	defer messages.Stop()
	for {
		m, err := messages.Next()
		if err != nil {
			r.log.Debug("waiting for results", "error", err)
			return
		}
		r.take(ctx, m)
	}
}

// take looks at a result. It is dropped if its pair has one already.
func (r *run) take(ctx context.Context, m jetstream.Msg) {
	pair, err := pairOf(m.Subject())
	if err != nil {
		r.log.Warn("a result that can't be used", "error", err)
		acknowledge(m)
		return
	}
	r.mu.Lock()
	w, ok := r.pending[pair]
	held, ahead := r.unwritten[pair], pair >= r.next
	busy := ok && w.busy
	if ok {
		ok = !w.busy
		w.busy = true
	}
	if ahead && len(r.early) < r.coordinator.options.Window {
		r.early[pair] = m
	}
	r.mu.Unlock()
	switch {
	case ok:
		r.accept(ctx, w, m)
	case busy: // the other one may be no good
		_ = m.NakWithDelay(retryWait) // otherwise its lease runs out
	case ahead: // its turn comes
	case held: // it is acknowledged when it comes again and the pair is in the file
		r.log.Debug("a second result is dropped", "pair", pair)
	default:
		r.log.Debug("a second result is dropped", "pair", pair)
		acknowledge(m)
	}
}

// acknowledge lets the server forget a message. If that doesn't get through, the
// message comes again.
func acknowledge(m jetstream.Msg) { _ = m.Ack() }

// accept checks a result and hands it on, or why the pair can't be played.
func (r *run) accept(ctx context.Context, w *pendingJob, m jetstream.Msg) {
	o := tournament.PairResult{Pair: w.job.Pair}
	worker := m.Headers().Get(workerHeader)
	text := m.Headers().Get(errorHeader)
	if text != "" {
		o.Err = fmt.Errorf("%.1000s (on %.100s)", oneLine(text), oneLine(worker))
	} else {
		o.Games, o.Err = r.games(ctx, m, w.job, worker)
	}
	if ctx.Err() != nil {
		return
	}
	if o.Err != nil {
		if !r.isFinal(ctx, w, m, o.Err, text != "") {
			r.mu.Lock()
			w.busy = false
			r.mu.Unlock()
			return
		}
		o.Games, o.Err = nil, fmt.Errorf("dead-lettered after %d tries: %w", r.coordinator.options.Tries, o.Err)
	}
	r.mu.Lock()
	delete(r.pending, o.Pair)
	r.unwritten[o.Pair] = true
	if o.Err == nil {
		r.pairs++
		r.played += int64(len(o.Games))
	}
	r.mu.Unlock()
	o.Written = func() {
		acknowledge(m)
		r.mu.Lock()
		delete(r.unwritten, o.Pair)
		r.mu.Unlock()
	}
	r.outcomes <- o // there is room
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endIfDone()
}

// isFinal reports whether a pair can't be played, after a result without its games.
// last: the worker says that it has been tried often enough. Such a result counts
// only if the server has neither its job, which a worker removes when the result is
// stored, nor another result. Otherwise it is dropped: it isn't from a worker that
// had the job, or another one has it.
func (r *run) isFinal(ctx context.Context, w *pendingJob, m jetstream.Msg, why error, last bool) bool {
	r.mu.Lock()
	published, sends := w.published, w.sends
	r.mu.Unlock()
	if !published {
		acknowledge(m)
		if sends == 0 { // the result came before the job was to be sent
			r.send(ctx, w)
		}
		return false
	}
	meta, err := m.Metadata()
	var jobs, results uint64
	if err == nil {
		jobs, err = r.coordinator.count(ctx, jobStream, subjectOf(jobsOf(r.id.Run), w.job.Pair))
	}
	if err == nil {
		results, err = r.coordinator.count(ctx, resultStream, m.Subject())
	}
	switch {
	case err != nil || jobs > 0 && meta.NumDelivered < 2: // the worker may be about to remove it
		_ = m.NakWithDelay(retryWait) // otherwise its lease runs out
		return false
	case jobs > 0 || results > 1:
		r.log.Debug("a result is no good; its job or another result is queued", "pair", w.job.Pair, "error", why)
		acknowledge(m)
		return false
	case last || w.tries+1 >= r.coordinator.options.Tries:
		return true
	}
	r.log.Warn("a result is no good; the pair is played again", "pair", w.job.Pair, "error", why)
	r.mu.Lock()
	w.tries++
	w.published = false
	r.mu.Unlock()
	r.send(ctx, w)
	acknowledge(m)
	return false
}

// games returns the games of a result that are as its job asks.
func (r *run) games(ctx context.Context, m jetstream.Msg, job tournament.Job, worker string) ([]*record.Game, error) {
	text := m.Data()
	if name := m.Headers().Get(objectHeader); name != "" {
		var err error
		if text, err = getObject(ctx, r.coordinator.objects, name, 2*record.MaxLine); err != nil {
			return nil, err
		}
	}
	games, err := parseGames(text, fmt.Sprintf("the games of worker %.100s", worker))
	if err != nil {
		return nil, err
	}
	return games, r.checker.Check(job, games)
}

// getObject reads an object of at most so many bytes.
func getObject(ctx context.Context, objects jetstream.ObjectStore, name string, bound uint64) ([]byte, error) {
	info, err := objects.GetInfo(ctx, name)
	if err != nil {
		return nil, err
	}
	if info.Size > bound {
		return nil, fmt.Errorf("object %s: expected at most %d bytes, found %d", name, bound, info.Size)
	}
	return objects.GetBytes(ctx, name)
}

// end removes the run from the server and announces its end.
func (r *run) end(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, setupTime)
	defer cancel()
	if !r.coordinator.nc.IsConnected() {
		r.log.Warn("the connection to NATS is lost at the end of the run; its jobs stay queued until it goes on or they are too old")
		return
	}
	r.coordinator.remove(ctx, r.id.Run) // before the announcement: workers check that the run is gone
	if err := r.sendAnnouncement(true); err != nil {
		r.log.Debug("announcing the end", "error", err)
	}
	r.mu.Lock()
	stopped := len(r.pending) > 0
	r.mu.Unlock()
	for range lateTries { // results may have been on their way
		if !stopped || !sleep(ctx, settleTime) || !r.coordinator.purgeResults(ctx, r.id.Run) {
			return
		}
	}
}

// lateTries bounds how often late results are looked for.
const lateTries = 8

// repairEvery is how often a coordinator looks for what is lost on the server, and
// how long no pair must have come back before it looks for lost jobs.
const repairEvery = time.Minute

// answerTime bounds how long the server may take for an answer.
const answerTime = 5 * time.Second

// repair makes anew what the server no longer has of the run, because it was
// purged, has expired or was on a disk that is gone, until ctx ends.
func (r *run) repair(ctx context.Context) {
	tick := time.NewTicker(r.coordinator.repairEvery)
	defer tick.Stop()
	var before int64
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		r.mu.Lock()
		pairs := r.pairs
		r.mu.Unlock()
		err := r.restore(ctx, pairs == before)
		if err != nil && ctx.Err() == nil {
			r.log.Debug("looking for what is lost on the server", "error", err)
		}
		before = pairs
	}
}

// restore makes streams, objects and consumer anew if they are lost, and publishes
// lost jobs again if it is asked to look for them.
func (r *run) restore(ctx context.Context, jobs bool) error {
	ctx, cancel := context.WithTimeout(ctx, setupTime)
	defer cancel()
	if _, err := setUp(ctx, r.coordinator.js, r.coordinator.options.Replicas); err != nil {
		return err
	}
	if err := r.provide(ctx); err != nil || !jobs {
		return err
	}
	lost, err := r.lost(ctx)
	if err != nil || len(lost) == 0 {
		return err
	}
	r.log.Warn("jobs are lost on the server; they are published again", "pairs", len(lost))
	for _, w := range lost {
		r.send(ctx, w)
	}
	return nil
}

// provide stores what the run's jobs have in common, and makes the consumer that
// workers take them from, where the server lacks them.
func (r *run) provide(ctx context.Context) error {
	for _, content := range r.contents {
		name := objectName(r.id.Run, digest(content))
		_, err := r.coordinator.objects.GetInfo(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			_, err = r.coordinator.objects.PutBytes(ctx, name, content)
		}
		if err != nil {
			return fmt.Errorf("NATS object store: %w", err)
		}
	}
	_, err := r.coordinator.js.CreateOrUpdateConsumer(ctx, jobStream, jetstream.ConsumerConfig{
		Durable: r.id.Run, FilterSubject: jobsOf(r.id.Run) + ".*", AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: r.coordinator.options.Lease, MaxDeliver: never, MaxAckPending: never, MaxWaiting: maxPulls, InactiveThreshold: keepMessages,
	})
	if err != nil {
		return fmt.Errorf("NATS consumer: %w", err)
	}
	return nil
}

// lost returns the pairs whose jobs the server had, and of which it has neither the
// job nor the result now. They are marked as not published.
func (r *run) lost(ctx context.Context) ([]*pendingJob, error) {
	published := map[*pendingJob]int{}
	r.mu.Lock()
	for _, w := range r.pending {
		if w.published {
			published[w] = w.sends
		}
	}
	r.mu.Unlock()
	// The jobs first: a worker's result is stored before its job is removed.
	stored := map[int64]bool{}
	for _, at := range [][2]string{{jobStream, jobsOf(r.id.Run)}, {resultStream, resultsOf(r.id.Run)}} {
		pairs, err := r.coordinator.pairsOn(ctx, at[0], at[1])
		if err != nil {
			return nil, err
		}
		for _, pair := range pairs {
			stored[pair] = true
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var lost []*pendingJob
	for w, sends := range published {
		if r.pending[w.job.Pair] == w && !w.busy && w.published && w.sends == sends && !stored[w.job.Pair] {
			w.published = false
			lost = append(lost, w)
		}
	}
	return lost, nil
}

// pairsOn returns the pairs that a stream has messages of, below a subject.
func (p *Coordinator) pairsOn(ctx context.Context, stream, subject string) ([]int64, error) {
	s, err := p.js.Stream(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("NATS stream %s: %w", stream, err)
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject+".*"))
	if err != nil {
		return nil, fmt.Errorf("NATS stream %s: %w", stream, err)
	}
	var pairs []int64
	for subject := range info.State.Subjects {
		if pair, err := pairOf(subject); err == nil {
			pairs = append(pairs, pair)
		}
	}
	return pairs, nil
}

// count returns how many messages a stream has with a subject.
func (p *Coordinator) count(ctx context.Context, stream, subject string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	s, err := p.js.Stream(ctx, stream)
	if err != nil {
		return 0, err
	}
	info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil {
		return 0, err
	}
	return info.State.Subjects[subject], nil
}
