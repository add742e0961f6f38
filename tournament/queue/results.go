package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nats.go/jetstream"

	"gyges/tournament"
	"gyges/tournament/record"
)

// receive handles a result. It is dropped if its pair has one already.
func (r *run) receive(ctx context.Context, m jetstream.Msg) {
	pair, err := pairOf(m.Subject())
	w := r.pending[pair]
	switch {
	case err != nil || m.Headers().Get(tokenHeader) != r.id.token(pair):
		r.log.Debug("a result of no delivered job is dropped", "subject", oneLine(m.Subject()))
		acknowledge(m)
	case w == nil && pair >= r.next: // of an earlier process
		deliverLater(m)
	case w != nil && !w.done:
		r.accept(ctx, w, m)
	default:
		r.log.Debug("a second result is dropped", "pair", pair)
		if w == nil || w.written.Load() { // otherwise it may be the first one, delivered again
			acknowledge(m)
		}
	}
}

// accept passes on the games of a result, or why the pair can't be played.
func (r *run) accept(ctx context.Context, w *pendingJob, m jetstream.Msg) {
	o := tournament.Result{Job: w.job}
	worker, text := m.Headers().Get(workerHeader), m.Headers().Get(errorHeader)
	if text != "" {
		o.Err = fmt.Errorf("%.1000s (on %.100s)", oneLine(text), oneLine(worker))
	} else {
		o.Games, o.Err = r.parse(ctx, m, w.job, worker)
	}
	if ctx.Err() != nil || o.Err != nil && !r.isFinal(ctx, w, m, o.Err, text != "") {
		return
	}
	if o.Err != nil {
		o.Games, o.Err = nil, fmt.Errorf("dead-lettered after %d tries: %w", r.options.tries, o.Err)
	} else {
		r.pairs++
		r.games += int64(len(o.Games))
		for _, g := range o.Games {
			g.Timing.Worker = word(worker)
		}
	}
	o.Written = func() {
		acknowledge(m)
		w.written.Store(true)
	}
	w.done = true
	r.unplayed--
	r.outcomes <- o // there is room
}

// isFinal reports whether a pair can't be played, after a result without valid games. last: according to the worker the
// pair has been tried often enough. The result is dropped if the server has another one, or the job, which a worker
// acknowledges after the result is stored. While that is unknown, the result is delivered again.
func (r *run) isFinal(ctx context.Context, w *pendingJob, m jetstream.Msg, why error, last bool) bool {
	if !w.published {
		deliverLater(m)
		return false
	}
	meta, err := m.Metadata()
	var jobs, results map[string]uint64
	if err == nil {
		jobs, err = r.stored(ctx, jobStream, subjectOf(jobsOf(r.id.Run), w.job.Pair))
	}
	if err == nil {
		results, err = r.stored(ctx, resultStream, m.Subject())
	}
	switch {
	case err != nil || len(jobs) > 0 && meta.NumDelivered < 2: // its worker may not have acknowledged the job yet
		deliverLater(m)
		return false
	case len(jobs) > 0 || results[m.Subject()] > 1:
		r.log.Debug("an invalid result is dropped; its job or another result is queued", "pair", w.job.Pair, "error", why)
		acknowledge(m)
		return false
	case last || w.tries+1 >= r.options.tries:
		return true
	}
	r.log.Warn("an invalid result is dropped; the pair is played again", "pair", w.job.Pair, "error", why)
	w.tries++
	r.send(ctx, w)
	acknowledge(m)
	return false
}

// parse returns the games of a result, checked against its job.
func (r *run) parse(ctx context.Context, m jetstream.Msg, job tournament.Job, worker string) ([]*record.Record, error) {
	text := m.Data()
	if name := m.Headers().Get(objectHeader); name != "" {
		var err error
		if text, err = getObject(ctx, r.objects, name, 2*record.MaxLine); err != nil {
			return nil, err
		}
	}
	games, err := parseGames(text, fmt.Sprintf("the games of worker %.100s", worker))
	if err != nil {
		return nil, err
	}
	return games, r.checker.Check(job, games)
}

// parseGames reads records, two at most.
func parseGames(text []byte, source string) ([]*record.Record, error) {
	var games []*record.Record
	for r := record.NewReader(bytes.NewReader(text), source); ; {
		g, err := r.Read()
		if errors.Is(err, io.EOF) {
			return games, nil
		}
		if err != nil {
			return nil, err
		}
		if games = append(games, g); len(games) > 2 {
			return nil, fmt.Errorf("%s: expected a pair of games, found more", source)
		}
	}
}
