package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gyges/rules/base/problems"
	"gyges/tournament"
	"gyges/tournament/queue/status"
)

// run is a run of a coordinator. One goroutine, that of play, uses its fields.
type run struct {
	*Coordinator
	id        identity
	contents  [][]byte // the config and the files, for the object store
	config    *tournament.Config
	log       *slog.Logger
	publisher publisher
	checker   *tournament.Runner
	outcomes  chan<- tournament.Result
	inbox     string // where workers answer: subjects below it, one for each question
	shown     tournament.Shown
	claim     string // since when which process is the coordinator of the run
	lost      error  // the run has another one

	pending  map[int64]*pendingJob // pairs that aren't in the file
	unplayed int                   // of these, without an outcome
	next     int64                 // the pair after the last job
	// pairs whose jobs or results an earlier process left on the server
	left       map[int64]bool
	publishing int // jobs on their way to the server
	fetching   int // long games
	// what play calls: it handles a message, or what the server has answered
	todo       chan func()
	background sync.WaitGroup

	games int64                        // received
	queue atomic.Pointer[status.Queue] // nil: the server doesn't answer
	// pairs being played, when the queue's state was last known
	onWorkers int64
	samples   []status.Run // the last ones
	// the status file can't be written, which has been logged
	unwritable bool

	played map[string]status.Worker // who has played pairs, by id, as it was known last

	invalid map[string]int  // results in a row that were refused, by the id of their worker
	dropped map[string]bool // ways in which results were dropped, which have been logged
}

// pendingJob is a job whose games aren't in the file.
type pendingJob struct {
	job     tournament.Job
	failed  []string // the ids of workers that have failed, one for each attempt at the pair
	started []string // likewise of those that have played it alone
	// when the server was known to have stored the job that was last sent; zero: it isn't
	published time.Time
	done      bool        // the pair has its outcome
	written   atomic.Bool // and the outcome is in the file
}

// newRun returns the run in the folder of a config, without using the server.
func (p *Coordinator) newRun(
	config *tournament.Config, outcomes chan<- tournament.Result,
) (*run, error) {
	c := newRunConfig(config, &p.options)
	if err := p.options.Check(config); err != nil {
		return nil, err
	}
	var contents [][]byte
	for _, file := range config.Read {
		c.Files[file.Name] = file.SHA256
		contents = append(contents, file.Content)
	}
	id, text, err := identify(config.Out, c, len(config.Again) > 0)
	if err != nil {
		return nil, err
	}
	// Workers of the run before may be there still, and play for this one. What they said of that
	// run doesn't count.
	for _, w := range p.workers {
		w.last = time.Now()
		w.Refused = ""
		w.games = nil
	}
	log := p.options.Log.With("run", id.Run)
	// The claim tells two coordinators of the run apart: the older one goes on.
	host, _ := os.Hostname() // it is only displayed
	since := time.Now().UTC().Format(claimStart + "2006-01-02 15:04:05.000000 UTC")
	return &run{
		Coordinator: p,
		id:          id,
		contents:    append(contents, text),
		config:      config,
		log:         log,
		publisher:   publisher{js: p.js, log: log},
		checker:     tournament.NewRunner(config, nil),
		outcomes:    outcomes,
		inbox:       p.nc.NewInbox(),
		shown:       tournament.Shown{Config: config},
		claim:       fmt.Sprintf("%s by process %d on %s", since, os.Getpid(), host),
		pending:     map[int64]*pendingJob{},
		todo:        make(chan func()),
		played:      map[string]status.Worker{},
		invalid:     map[string]int{},
		dropped:     map[string]bool{},
	}, nil
}

// Consumers of a run.
const (
	unbounded = -1
	maxPulls  = 100_000 // workers that may request a run's jobs at a time
	// after which a result that isn't written is delivered again, which does no harm
	resultLease = time.Minute
)

// attach makes what the run needs on the server, and finds what an earlier process left there.
func (r *run) attach(ctx context.Context) error {
	// A run that another coordinator plays stays: the folder is a copy of that run's.
	if r.id.previous != "" && r.coordinator(r.id.previous) == nil {
		r.remove(ctx, r.id.previous)
	}
	// The server delivers to a new consumer at once what an earlier process has not acknowledged.
	err := r.js.DeleteConsumer(ctx, resultStream, r.id.Run)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("NATS consumer: %w", err)
	}
	if err := r.provide(ctx); err != nil {
		return err
	}
	if !r.id.resumed {
		return nil // a job that is on the server is forged
	}
	r.left, err = r.onServer(ctx)
	return err
}

// onServer returns the pairs of which the server has the job or the result.
func (r *run) onServer(ctx context.Context) (map[int64]bool, error) {
	pairs, err := r.pairsOn(ctx, jobStream, r.id.Run)
	if err != nil {
		return nil, err
	}
	results, err := r.pairsOn(ctx, resultStream, r.id.Run)
	maps.Copy(pairs, results)
	return pairs, err
}

// provide creates the streams, the objects and the consumers of the run that the server lacks.
func (r *run) provide(ctx context.Context) error {
	// Requests without a deadline of their own have the client's, 5 s.
	if _, err := setUp(ctx, r.js); err != nil {
		return err
	}
	for _, content := range r.contents {
		name := objectName(r.id.Run, digest(content))
		_, err := r.objects.GetInfo(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			upload, cancel := context.WithTimeout(ctx, setupTime)
			_, err = r.objects.PutBytes(upload, name, content)
			cancel()
		}
		if err != nil {
			return fmt.Errorf("NATS object store: %w", err)
		}
	}
	// Both consumers are named after the run.
	results := jetstream.ConsumerConfig{
		Durable:           r.id.Run,
		FilterSubject:     subject(resultSubject, r.id.Run, "*"),
		AckPolicy:         jetstream.AckExplicitPolicy,
		AckWait:           resultLease,
		MaxDeliver:        unbounded,
		MaxAckPending:     unbounded,
		InactiveThreshold: messageAge,
	}
	jobs := results
	jobs.FilterSubject = subject(jobSubject, r.id.Run, "*")
	jobs.AckWait = r.options.lease
	jobs.MaxWaiting = maxPulls
	_, err := r.js.CreateOrUpdateConsumer(ctx, resultStream, results)
	if err == nil {
		_, err = r.js.CreateOrUpdateConsumer(ctx, jobStream, jobs)
	}
	return problems.Prefix("NATS consumer", err)
}

// Bounds of what is in memory or on its way: jobs to the server, results beside those of the
// window, long games.
const (
	maxPublishing = 256
	maxPrefetched = 512
	maxFetching   = 4 // of up to 32 MiB
)

// play publishes jobs and passes on their outcomes until all have one, or ctx ends. It asks the
// workers, which also tells them of the run, and writes the run's status every statusEvery.
func (r *run) play(ctx context.Context, jobs <-chan tournament.Job) error {
	ctx, cancel := context.WithCancel(ctx)
	defer r.background.Wait()
	defer cancel()

	// What workers and other coordinators say.
	for subject, handle := range map[string]func(*nats.Msg){
		r.inbox + ".*": func(m *nats.Msg) { r.updateWorker(m.Data, time.Now()) },

		subject(startSubject, r.id.Run, "*"): r.countStart,
		subject(claimSubject, r.id.Run):      r.contest,
	} {
		subscription, err := r.nc.Subscribe(subject, func(m *nats.Msg) {
			r.later(ctx, func() { handle(m) })
		})
		if err != nil {
			return err
		}
		defer func() { _ = subscription.Unsubscribe() }() // the connection is lost otherwise
	}

	// What the server has: results, the state of the queue, and what it has lost.
	r.background.Go(func() {
		for ok := true; ok; ok = sleep(ctx, retryWait) {
			r.log.Debug("waiting for results", "error", r.consume(ctx))
		}
	})
	r.background.Go(func() {
		for ok := true; ok; ok = sleep(ctx, r.options.statusEvery) {
			r.queue.Store(r.depth(ctx))
		}
	})
	r.background.Go(func() {
		for sleep(ctx, r.options.repairEvery) {
			if err := r.repair(ctx); err != nil {
				r.log.Debug("looking for what is lost on the server", "error", err)
			}
		}
	})

	// All that changes the run's fields happens in this loop.
	tick := time.Tick(r.options.statusEvery)
	r.report()
	for jobs != nil || r.unplayed > 0 {
		if r.lost != nil {
			return r.lost
		}
		// A nil channel is never ready: no more jobs are taken while many are on their way.
		next := jobs
		if r.publishing >= maxPublishing {
			next = nil
		}
		select {
		case job, ok := <-next:
			if ok {
				r.add(ctx, job)
			} else {
				jobs = nil
			}
		case f := <-r.todo:
			f()
		case <-tick:
			if err := r.options.Server.Failed(); err != nil {
				return err
			}
			r.report()
		case <-ctx.Done():
			return nil
		}
	}
	return r.lost
}

// later lets play call a function, unless ctx ends before.
func (r *run) later(ctx context.Context, f func()) {
	select {
	case r.todo <- f:
	case <-ctx.Done():
	}
}

// consume passes results from the server to play until there is an error. repair creates a consumer
// that was lost.
func (r *run) consume(ctx context.Context) error {
	consumer, err := r.consumer(ctx, resultStream)
	if err != nil {
		return err
	}
	const expiry, heartbeat = 10 * time.Second, 2 * time.Second
	messages, err := consumer.Messages(
		jetstream.PullMaxMessages(maxPrefetched),
		jetstream.PullExpiry(expiry),
		jetstream.PullHeartbeat(heartbeat),
	)
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		r.later(ctx, func() { r.receive(ctx, m) })
	}
}

// consumer returns a consumer of the run, with the server's information on it.
func (r *run) consumer(ctx context.Context, stream string) (jetstream.Consumer, error) {
	if !r.nc.IsConnected() {
		return nil, nats.ErrDisconnected
	}
	return r.js.Consumer(ctx, stream, r.id.Run)
}

// add publishes a job, unless it or its result is on the server.
func (r *run) add(ctx context.Context, job tournament.Job) {
	w := &pendingJob{job: job}
	r.pending[job.Pair] = w
	r.next = job.Pair + 1
	r.unplayed++
	if r.left[job.Pair] {
		w.published = time.Now()
	} else {
		r.send(ctx, w)
	}
}

// send publishes a job.
func (r *run) send(ctx context.Context, w *pendingJob) {
	w.published = time.Time{}
	r.publishing++
	m := nats.NewMsg(subjectOf(jobSubject, r.id.Run, w.job.Pair))
	token := r.id.token(w.job.Pair, len(w.failed))
	m.Data, _ = json.Marshal(job{Job: w.job, Config: r.id.Config, Token: token}) // it is plain data
	// here: workers should receive jobs in order
	stored := r.publisher.start(m)
	r.background.Go(func() {
		if stored(ctx) != nil {
			return
		}
		r.later(ctx, func() {
			r.publishing--
			w.published = time.Now()
		})
	})
}

// repair creates what the server has lost of the run, because it was purged, has expired or was on
// a lost disk. Jobs that the server has stored and of which it has neither the job nor the result
// are published again.
func (r *run) repair(ctx context.Context) error {
	if !r.nc.IsConnected() {
		return nats.ErrDisconnected
	}
	if err := r.provide(ctx); err != nil {
		return err
	}
	start := time.Now()
	stored, err := r.onServer(ctx)
	if err != nil {
		return err
	}
	r.later(ctx, func() { r.sendLost(ctx, stored, start) })
	return nil
}

// sendLost publishes the jobs again that the server had stored at a time and of which it has
// nothing.
func (r *run) sendLost(ctx context.Context, stored map[int64]bool, start time.Time) {
	lost := 0
	for _, pair := range slices.Sorted(maps.Keys(r.pending)) { // the first ones hold up the file
		w := r.pending[pair]
		if w.done || stored[pair] {
			continue
		}
		if w.published.IsZero() || !w.published.Before(start) {
			continue // it is on its way, or has arrived since
		}
		lost++
		r.send(ctx, w)
	}
	if lost > 0 {
		r.log.Warn("jobs are lost on the server; they are published again", "pairs", lost)
	}
}

// coordinator returns the claim of the coordinator of a run; nil: it has none. One that was killed
// doesn't answer.
func (r *run) coordinator(run string) *nats.Msg {
	m, _ := r.nc.Request(subject(claimSubject, run), []byte(r.claim), answerTime)
	return m
}

const claimStart = "since " // of each claim; its time follows, in a form that sorts by time

// contest handles the claim of a coordinator of the run. Another one that starts asks for an
// answer, and is refused. Of two that couldn't see each other at their starts, since one was cut
// off from the server, the older one goes on.
func (r *run) contest(m *nats.Msg) {
	claim := string(m.Data)
	if m.Reply != "" {
		_ = m.Respond([]byte(r.claim)) // otherwise the next claim tells it
		return
	}
	// Who may ask the server for anything can have its answer sent here, which is no claim.
	if strings.HasPrefix(claim, claimStart) && claim < r.claim {
		r.lost = r.taken(m)
	}
}

// taken returns that a run has another coordinator.
func (r *run) taken(claim *nats.Msg) error {
	return fmt.Errorf("%s: another coordinator plays this run %s; "+
		"stop that, or remove %s here to play another run",
		r.config.Out, oneLine(string(claim.Data)), identityFile)
}

const settleTime = 250 * time.Millisecond // for which results of a stopped run may be on their way

// end writes the last status, removes the run from the server and tells workers of its end. state
// is the run's.
func (r *run) end(ctx context.Context, state status.State) {
	r.writeStatus(nil, state)
	r.shown.Show(new(tournament.Playing), time.Now())
	if r.lost != nil {
		return
	}
	if !r.nc.IsConnected() {
		r.log.Warn("the connection to NATS is lost at the end of the run; " +
			"its jobs stay queued until it goes on or they expire")
		return
	}
	r.remove(ctx, r.id.Run) // before workers are told, as they check that the run is gone
	r.publishQuestion(question{Ended: true})
	if r.unplayed > 0 && sleep(ctx, settleTime) {
		r.remove(ctx, r.id.Run)
	}
}
