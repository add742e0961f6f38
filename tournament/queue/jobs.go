package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"gyges/rules/base/strictjson"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
)

// task is a job that the worker has received.
type task struct {
	run        *subscription
	message    jetstream.Msg
	job        job
	deliveries int // of the job, this one included
	renewed    time.Time
}

// newTask reads a job that the server has delivered, and checks that it belongs to the run.
func newTask(r *subscription, m jetstream.Msg) (*task, error) {
	t := &task{run: r, message: m, renewed: time.Now()}
	if err := strictjson.Unmarshal(m.Data(), maxText, &t.job); err != nil {
		return nil, err
	}
	meta, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	t.deliveries = int(min(meta.NumDelivered, math.MaxInt32))
	if t.job.Config != r.Config {
		return nil, errors.New("it belongs to another config")
	}
	if m.Subject() != subjectOf(jobSubject, r.Run, t.job.Pair) {
		return nil, fmt.Errorf("its subject %.100q isn't that of pair %d", m.Subject(), t.job.Pair)
	}
	return t, nil
}

// batch returns how many pairs are fetched at a time: those of aheadTime, 1 at least and maxAhead
// at most. That hides the latency of the network from quick games, and leaves long ones to other
// workers.
func (w *Worker) batch() int {
	const maxAhead, aheadTime = 64, 200 * time.Millisecond
	n := w.pairs.Load()
	if n == 0 {
		return 1
	}
	mean := max(time.Duration(w.nanos.Load()/n), 1)
	ahead := int64(aheadTime / mean)
	return int(min(max(ahead, 1), maxAhead))
}

const (
	waitForJobs = time.Second            // in one request, of a worker with one run
	betweenRuns = 100 * time.Millisecond // two looks of one with none, or without jobs in several
)

// work fetches pairs of all runs in turn and plays them until ctx ends. Results are published until
// sending ends.
func (w *Worker) work(ctx, sending context.Context) {
	empty := 0 // fetches in a row that had no pair
	for turn := 0; ctx.Err() == nil; turn++ {
		// Runs take turns, so that a long one doesn't hold up the others.
		runs := w.readyRuns(time.Now())
		if empty >= len(runs) && len(runs) != 1 {
			sleep(ctx, betweenRuns)
			empty = 0
		}
		if len(runs) == 0 {
			continue
		}
		empty++
		for _, t := range w.fetch(runs[turn%len(runs)], len(runs) == 1) {
			empty = 0
			w.handle(sending, t)
		}
	}
}

// readyRuns returns the runs whose jobs may be fetched, and drops those of which nothing is heard
// any more.
func (w *Worker) readyRuns(now time.Time) (runs []*subscription) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		silent := now.Sub(r.heard)
		if silent >= forgetAfter {
			w.drop(r)
		} else if r.ready && silent < goneAfter {
			runs = append(runs, r)
		}
	}
	return runs
}

// fetch fetches jobs of a run. wait: if there are none, it waits for the next one.
func (w *Worker) fetch(r *subscription, wait bool) []*task {
	batch, err := r.jobs.FetchNoWait(w.batch())
	tasks := w.hold(r, batch, err)
	if len(tasks) > 0 || !wait || r.ctx.Err() != nil {
		return tasks
	}
	// A stopping worker waits for the answer: jobs on their way to it when it cancels
	// the request would come back only when their leases expire.
	batch, err = r.jobs.Fetch(1, jetstream.FetchMaxWait(waitForJobs))
	return w.hold(r, batch, err)
}

// hold returns the tasks of a batch, whose leases are kept from now on.
func (w *Worker) hold(r *subscription, batch jetstream.MessageBatch, err error) (tasks []*task) {
	if err == nil {
		for m := range batch.Messages() {
			t, err := newTask(r, m)
			if err != nil {
				w.options.Log.Debug("a malformed job is removed", "run", r.Run, "error", err)
				_ = m.Term() // otherwise it comes again
				continue
			}
			w.held.Store(t, true)
			tasks = append(tasks, t)
		}
		err = batch.Error()
	}
	if !isAny(err, nil, jetstream.ErrNoMessages, nats.ErrTimeout) {
		w.options.Log.Debug("fetching jobs", "error", err)
		sleep(r.ctx, retryWait)
	}
	return tasks
}

// keepLeases tells the server of the tasks that the worker still has, so that no other worker gets
// them.
func (w *Worker) keepLeases(ctx context.Context) {
	for sleep(ctx, minLease/3) {
		now := time.Now()
		for held := range w.held.Range {
			t := held.(*task)
			if now.Sub(t.renewed) < t.run.lease/3 {
				continue
			}
			t.renewed = now
			_ = t.message.InProgress() // otherwise the next one may reach the server
		}
	}
}

// handle plays a pair, and sends its games or why there are none.
func (w *Worker) handle(sending context.Context, t *task) {
	games, err := w.play(t)
	// the run has ended; if it is the worker that stops, it gives the pair back
	if t.run.ctx.Err() != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.runs[t.run.runID] != t.run {
			w.held.Delete(t)
		}
		return
	}
	// The run is prepared anew, which compares the engine with the coordinator's. Another worker
	// gets the pair.
	if errors.As(err, new(*tournament.EngineError)) {
		w.options.Log.Warn("a run is prepared anew", "run", t.run.Run, "why", err)
		w.leave(t.run)
		_ = t.message.Nak() // otherwise its lease expires
		w.held.Delete(t)
		return
	}
	if err != nil {
		w.options.Log.Warn("a pair can't be played",
			"run", t.run.Run, "pair", t.job.Pair, "error", err)
	}
	w.sending.Go(func() {
		w.publishResult(sending, t, games, err)
		w.held.Delete(t)
	})
}

// leave drops a run, unless that has been done. The coordinator's next question prepares it again.
func (w *Worker) leave(r *subscription) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.runs[r.runID] == r {
		w.drop(r)
	}
}

// the delivery from which on a pair is played alone, since it may be what crashes workers
const suspicious = 3

// play plays a pair, alone if it is suspicious: other games are finished before, and wait until it
// has ended.
func (w *Worker) play(t *task) ([]*record.Record, error) {
	if t.deliveries < suspicious {
		w.alone.RLock()
		defer w.alone.RUnlock()
	} else {
		w.alone.Lock()
		defer w.alone.Unlock()
		if err := w.countStart(t); err != nil {
			return nil, err
		}
	}
	// The mean time of a pair decides how many are fetched at a time.
	w.playing.Add(1)
	start := time.Now()
	games, err := t.run.play(t.job.Job)
	w.nanos.Add(int64(time.Since(start)))
	w.playing.Add(-1)
	w.pairs.Add(1)
	return games, err
}

// bytes beyond which games are sent in parts; servers accept messages of 1 MB at least
const maxMessage = 512 << 10

// message returns a message on a task to the coordinator; prefix is the one of its subject.
func (w *Worker) message(t *task, prefix string) *nats.Msg {
	m := nats.NewMsg(subjectOf(prefix, t.run.Run, t.job.Pair))
	m.Header.Set(tokenHeader, t.job.Token)
	m.Header.Set(secretHeader, w.secret)
	return m
}

// publishResult publishes the games of a pair, or why it can't be played, and acknowledges the job
// when that is stored.
func (w *Worker) publishResult(ctx context.Context, t *task, games []*record.Record, failed error) {
	m := w.message(t, resultSubject)
	m.Header.Set(jetstream.MsgIDHeader, nuid.Next())
	m.Header.Set(workerHeader, w.options.Name)
	// A result has one of three forms: an error, the games, or a hash of games that are sent apart.
	text, err := record.Lines(games...)
	err = errors.Join(failed, err)
	switch {
	case err != nil:
		m.Header.Set(errorHeader, oneLine(err.Error()))
	case len(text) <= w.inline:
		m.Data = text
	default:
		hash := digest(text)
		if w.publishParts(ctx, subject(longSubject, t.run.Run, hash), text) != nil {
			return // ctx has ended; the pair is delivered to another worker
		}
		m.Header.Set(longHeader, hash)
	}
	if err == nil { // before the run can end
		t.run.pairs.Add(1)
		t.run.games.Add(int64(len(games)))
	}
	if w.publisher.publish(ctx, m) == nil {
		acknowledge(t.message)
	}
}

// publishParts publishes a text that is too long for a message.
func (w *Worker) publishParts(ctx context.Context, subject string, text []byte) error {
	for data := range slices.Chunk(text, w.inline) {
		part := nats.NewMsg(subject)
		part.Header.Set(jetstream.MsgIDHeader, nuid.Next())
		part.Data = data
		if err := w.publisher.publish(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

const maxError = 2000 // bytes of a worker's error that are read

// oneLine returns a text as one printable line, for a header or a terminal.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(textfmt.Cut(s, maxError)), " ")
	return textfmt.Escape(cmp.Or(s, "unknown"))
}
