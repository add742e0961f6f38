package queue

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/nats-io/nats.go/jetstream"

	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
)

// receive handles a result. It is dropped if its pair has one already.
func (r *run) receive(ctx context.Context, m jetstream.Msg) {
	pair, err := pairOf(m.Subject())
	w := r.pending[pair]
	switch {
	case err != nil || m.Headers().Get(tokenHeader) != r.id.token(pair):
		r.drop("a result of no delivered job is dropped", m)
		acknowledge(m)
	case w == nil && pair >= r.next: // of an earlier process
		deliverLater(m)
	case w != nil && !w.done:
		r.accept(ctx, w, m)
	default:
		if meta, err := m.Metadata(); err == nil && meta.NumDelivered < 2 { // it isn't the first one, delivered again
			r.drop("a second result of a pair is dropped", m)
		}
		if w == nil || w.written.Load() { // otherwise it may be the first one
			acknowledge(m)
		}
	}
}

// drop logs that a result is dropped, the first one for a reason as a warning.
func (r *run) drop(why string, m jetstream.Msg) {
	level := slog.LevelDebug
	if !r.dropped[why] {
		level, why, r.dropped[why] = slog.LevelWarn, why+"; later ones are told at level debug", true
	}
	worker := oneLine(m.Headers().Get(workerHeader))
	r.log.Log(context.Background(), level, why, "subject", oneLine(m.Subject()), "worker", worker)
}

// accept passes on the games of a result, or why the pair can't be played.
func (r *run) accept(ctx context.Context, w *pendingJob, m jetstream.Msg) {
	o := tournament.Result{Job: w.job}
	id, text := word(m.Headers().Get(idHeader)), m.Headers().Get(errorHeader)
	worker := r.distinct(m.Headers().Get(workerHeader), id)
	if text != "" {
		o.Err = errors.New(textfmt.Cut(oneLine(text), 1000))
	} else {
		o.Games, o.Err = r.parse(ctx, m, w.job)
	}
	if o.Err != nil {
		o.Err = fmt.Errorf("%w (on %s)", o.Err, oneLine(worker))
	}
	if ctx.Err() != nil || o.Err != nil && !r.isFinal(ctx, w, m, o.Err, text != "") {
		return
	}
	if o.Err != nil {
		o.Games, o.Err = nil, fmt.Errorf("dead-lettered after %d tries: %w", r.options.tries, o.Err)
	} else {
		delete(r.invalid, id)
		r.games += int64(len(o.Games))
		r.countPair(id, worker)
		for _, g := range o.Games {
			g.Timing.Worker = worker
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

// countPair counts a pair that a worker has played.
func (r *run) countPair(id, name string) {
	w, known := r.played[id]
	if !known && len(r.played) >= maxKnownWorkers {
		return
	}
	w.ID, w.Name = id, name
	w.Pairs++
	r.played[id] = w
}

// isFinal reports whether a pair can't be played, after a result without valid games. last: according to the worker the
// pair has been tried often enough. The result is dropped if the server has another one, or the job, which a worker
// acknowledges after the result is stored. While that is unknown, the result is delivered again.
func (r *run) isFinal(ctx context.Context, w *pendingJob, m jetstream.Msg, why error, last bool) bool {
	if !w.published {
		deliverLater(m)
		return false
	}
	pair := w.job.Pair
	meta, errMeta := m.Metadata()
	jobs, errJobs := r.pairsOn(ctx, jobStream, subjectOf(jobsOf(r.id.Run), pair))
	results, err := r.pairsOn(ctx, resultStream, m.Subject())
	if err = cmp.Or(errMeta, errJobs, err); err != nil || jobs[pair] > 0 && meta.NumDelivered < 2 {
		// its worker may not have acknowledged the job yet
		deliverLater(m)
		return false
	}
	if !last {
		r.refuse(pair, word(m.Headers().Get(idHeader)), why)
	}
	switch queued := jobs[pair] > 0 || results[pair] > 1; {
	case !queued && (last || w.tries+1 >= r.options.tries):
		return true
	case !queued:
		w.tries++
		r.send(ctx, w)
	}
	acknowledge(m)
	return false
}

// refuse counts an invalid result, and says why it is one. A worker that has sent too many in a row is left out.
func (r *run) refuse(pair int64, id string, why error) {
	r.invalid[id]++
	r.log.Warn("a result is refused; its pair is played again", "pair", pair, "why", why)
	if r.invalid[id] == maxInvalid {
		r.log.Warn("a worker is left out of the run", "invalid results in a row", maxInvalid, "why", why)
	}
}

func (r *run) parse(ctx context.Context, m jetstream.Msg, job tournament.Job) ([]*record.Record, error) {
	text := m.Data()
	if name := m.Headers().Get(objectHeader); name != "" {
		var err error
		if text, err = getObject(ctx, r.objects, name, 2*record.MaxLine); err != nil {
			return nil, err
		}
	}
	games, err := parseGames(text, "its games")
	if err != nil {
		return nil, err
	}
	return games, r.checker.Check(job, games)
}

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
		if !r.HasSum() {
			return nil, fmt.Errorf("%s: game %d: expected timing.crc32c, found none", source, g.Game)
		}
		if games = append(games, g); len(games) > 2 {
			return nil, fmt.Errorf("%s: expected a pair of games, found more", source)
		}
	}
}
