package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gyges/rules/base/files"
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
	answers   chan *nats.Msg // of workers
	inbox     string         // where they answer: subjects below it, one for each question
	shown     tournament.Shown

	pending    map[int64]*pendingJob // pairs that aren't in the file
	unplayed   int                   // of these, without an outcome
	next       int64                 // the pair after the last job
	left       map[int64]uint64      // pairs whose jobs or results an earlier process left on the server
	publishing int                   // jobs on their way to the server
	results    chan jetstream.Msg
	published  chan *pendingJob // jobs that the server has stored
	background sync.WaitGroup

	games      int64        // received
	onWorkers  int64        // pairs being played, when the queue's state was last known
	samples    []status.Run // the last ones
	unwritable bool         // the status file can't be written, which has been logged

	played map[string]status.Worker // who has played pairs, by id, as it was known last

	invalid map[string]int  // results in a row that were refused, by the id of their worker
	dropped map[string]bool // ways in which results were dropped, which have been logged
}

// pendingJob is a job whose games aren't in the file.
type pendingJob struct {
	job       tournament.Job
	tries     int         // invalid results that the pair has had
	published bool        // the server has stored the job since it was last sent
	done      bool        // the pair has its outcome
	written   atomic.Bool // and the outcome is in the file
}

// newRun returns the run in the folder of a config, without using the server.
func (p *Coordinator) newRun(config *tournament.Config, outcomes chan<- tournament.Result) (*run, error) {
	c := newRunConfig(config, &p.options)
	names, err := filesOf(p.options.Registry, config.Agents)
	if err != nil {
		return nil, err
	}
	var contents [][]byte
	for _, name := range names {
		content, err := files.Read(cmp.Or(config.Files[name], name), maxFile)
		if err != nil {
			return nil, err
		}
		c.Files[name] = digest(content)
		contents = append(contents, content)
	}
	id, text, err := identify(config.Out, c, len(config.Again) > 0)
	if err != nil {
		return nil, err
	}
	log := p.options.Log.With("run", id.Run)
	for _, w := range p.workers { // they may be there, and play
		w.last, w.Refused, w.games = time.Now(), "", nil
	}
	return &run{
		Coordinator: p, id: id, contents: append(contents, text), config: config, log: log,
		publisher: publisher{js: p.js, log: log}, checker: tournament.NewRunner(config, nil), outcomes: outcomes,
		answers: make(chan *nats.Msg, maxAnswers), inbox: p.nc.NewInbox(),
		shown:   tournament.Shown{Config: config},
		pending: map[int64]*pendingJob{}, results: make(chan jetstream.Msg), published: make(chan *pendingJob),
		played: map[string]status.Worker{}, invalid: map[string]int{}, dropped: map[string]bool{},
	}, nil
}

// Consumers of a run.
const (
	unbounded   = -1
	maxPulls    = 100_000     // workers that may request a run's jobs at a time
	resultLease = time.Minute // after which a result that isn't written is delivered again, which does no harm
)

func (r *run) attach(ctx context.Context) error {
	if r.id.previous != "" {
		r.remove(ctx, r.id.previous)
	}
	// The server delivers to a new consumer at once what an earlier process has not acknowledged.
	err := r.js.DeleteConsumer(ctx, resultStream, r.id.Run)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("NATS consumer: %w", err)
	}
	if err = r.provide(ctx); err != nil {
		return err
	}
	if r.id.resumed { // otherwise a job on the server is forged
		r.left, err = r.onServer(ctx)
	}
	return err
}

// onServer returns the pairs of which the server has the job or the result.
func (r *run) onServer(ctx context.Context) (map[int64]uint64, error) {
	jobs, err := r.pairsOn(ctx, jobStream, jobsOf(r.id.Run)+".*")
	if err != nil {
		return nil, err
	}
	results, err := r.pairsOn(ctx, resultStream, resultsOf(r.id.Run)+".*")
	maps.Copy(jobs, results)
	return jobs, err
}

// provide creates the streams, the objects and the consumers of the run that the server lacks.
func (r *run) provide(ctx context.Context) error {
	// Without a deadline each request has the default of the client, 5 s.
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
	config := jetstream.ConsumerConfig{
		Durable: r.id.Run, FilterSubject: resultsOf(r.id.Run) + ".*", AckPolicy: jetstream.AckExplicitPolicy,
		AckWait: resultLease, MaxDeliver: unbounded, MaxAckPending: unbounded, InactiveThreshold: messageAge,
	}
	_, err := r.js.CreateOrUpdateConsumer(ctx, resultStream, config)
	if err == nil {
		config.FilterSubject, config.AckWait, config.MaxWaiting = jobsOf(r.id.Run)+".*", r.options.lease, maxPulls
		_, err = r.js.CreateOrUpdateConsumer(ctx, jobStream, config)
	}
	if err != nil {
		return fmt.Errorf("NATS consumer: %w", err)
	}
	return nil
}

// Bounds of messages in memory or on their way: jobs to the server, results beside those of the window, answers.
const (
	maxPublishing = 256
	maxPrefetched = 512
	maxAnswers    = 1 << 16
)

// play publishes jobs and passes on their outcomes until all have one, or ctx ends. It
// asks the workers, which also tells them of the run, and writes the run's status every statusEvery.
func (r *run) play(ctx context.Context, jobs <-chan tournament.Job) error {
	ctx, cancel := context.WithCancel(ctx)
	defer r.background.Wait()
	defer cancel()
	subscription, err := r.nc.ChanSubscribe(r.inbox+".*", r.answers)
	if err != nil {
		return err
	}
	defer func() { _ = subscription.Unsubscribe() }() // the connection is lost otherwise
	r.background.Go(func() {
		for ok := true; ok; ok = sleep(ctx, retryWait) {
			r.log.Debug("waiting for results", "error", r.consume(ctx))
		}
	})
	tick, repair := time.Tick(r.options.statusEvery), time.Tick(r.options.repairEvery)
	r.report(ctx)
	for jobs != nil || r.unplayed > 0 {
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
		case w := <-r.published:
			r.publishing--
			w.published = true
		case m := <-r.results:
			r.receive(ctx, m)
		case m := <-r.answers:
			r.updateWorker(m.Data, time.Now())
		case <-tick:
			if r.options.Server != nil {
				if err := r.options.Server.Failed(); err != nil {
					return err
				}
			}
			r.report(ctx)
		case <-repair:
			if err := r.repair(ctx); err != nil && ctx.Err() == nil {
				r.log.Debug("looking for what is lost on the server", "error", err)
			}
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// consume passes results from the server to play until there is an error. repair creates a consumer that was lost.
func (r *run) consume(ctx context.Context) error {
	consumer, err := r.consumer(ctx, resultStream)
	if err != nil {
		return err
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(maxPrefetched),
		jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(2*time.Second))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		select {
		case r.results <- m:
		case <-ctx.Done():
		}
	}
}

// consumer returns a consumer of the run, with the server's information on it.
func (r *run) consumer(ctx context.Context, stream string) (jetstream.Consumer, error) {
	if !r.nc.IsConnected() {
		return nil, nats.ErrDisconnected
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return r.js.Consumer(ctx, stream, r.id.Run)
}

// add publishes a job, unless it or its result is on the server.
func (r *run) add(ctx context.Context, job tournament.Job) {
	w := &pendingJob{job: job, published: r.left[job.Pair] > 0}
	r.pending[job.Pair], r.next = w, job.Pair+1
	r.unplayed++
	if !w.published {
		r.send(ctx, w)
	}
}

func (r *run) send(ctx context.Context, w *pendingJob) {
	w.published = false
	r.publishing++
	m := nats.NewMsg(subjectOf(jobsOf(r.id.Run), w.job.Pair))
	// It is plain data.
	m.Data, _ = json.Marshal(job{Job: w.job, Config: r.id.Config, Token: r.id.token(w.job.Pair)})
	stored := r.publisher.start(m) // here, since workers should receive jobs in order
	r.background.Go(func() {
		if stored(ctx) != nil {
			return
		}
		select {
		case r.published <- w:
		case <-ctx.Done():
		}
	})
}

// repair creates what the server has lost of the run, because it was purged, has expired or was on a lost disk. Jobs
// that the server has stored and of which it has neither the job nor the result are published again.
func (r *run) repair(ctx context.Context) error {
	if !r.nc.IsConnected() {
		return nats.ErrDisconnected
	}
	if err := r.provide(ctx); err != nil {
		return err
	}
	stored, err := r.onServer(ctx)
	if err != nil {
		return err
	}
	lost := 0
	for _, pair := range slices.Sorted(maps.Keys(r.pending)) { // the first ones hold up the file
		if w := r.pending[pair]; w.published && !w.done && stored[pair] == 0 {
			lost++
			r.send(ctx, w)
		}
	}
	if lost > 0 {
		r.log.Warn("jobs are lost on the server; they are published again", "pairs", lost)
	}
	return nil
}

const settleTime = 250 * time.Millisecond // for which results of a stopped run may be on their way

// end writes the last status, removes the run from the server and tells workers of its end. state is that of the run.
func (r *run) end(ctx context.Context, state status.State) {
	r.writeStatus(nil, state)
	r.shown.Show(new(tournament.Playing), time.Now())
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
