package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/record"
)

// received is a worker's result of a pair that has no outcome.
type received struct {
	jetstream.Msg
	job     *pendingJob
	worker  string // its id
	name    string
	attempt int // at the pair, see run.attempt
}

// receive handles a result. It is dropped if its pair has one already.
func (r *run) receive(ctx context.Context, m jetstream.Msg) {
	pair := pairOf(m.Subject())
	w := r.pending[pair]
	attempt := r.attempt(pair, m.Headers())
	if attempt < 0 {
		r.drop("a result of no delivered job is dropped", m)
		acknowledge(m)
		return
	}
	// The result may have been sent to an earlier process, and its job has not come up in this one.
	if w == nil && pair >= r.next {
		deliverLater(m)
		return
	}
	if w != nil && !w.done {
		id := idOf(m.Headers())
		name := r.distinct(m.Headers().Get(workerHeader), id)
		r.accept(ctx, &received{m, w, id, name, attempt})
		return
	}
	// The pair has an outcome. A result that is delivered again may be the one that it has.
	if meta, err := m.Metadata(); err == nil && meta.NumDelivered < 2 {
		r.drop("a second result of a pair is dropped", m)
	}
	if w == nil || w.written.Load() { // otherwise it may be the first one
		acknowledge(m)
	}
}

// attempt returns the attempt at a pair whose job a worker has received; negative: it has received
// none.
func (r *run) attempt(pair int64, h nats.Header) int {
	for attempt := range r.options.tries {
		if h.Get(tokenHeader) == r.id.token(pair, attempt) {
			return attempt
		}
	}
	return -1
}

// idOf returns the id of the worker that sends a message.
func idOf(h nats.Header) string { return digest([]byte(h.Get(secretHeader))) }

// drop logs that a result is dropped, the first one for a reason as a warning.
func (r *run) drop(why string, m jetstream.Msg) {
	log := r.log.With("subject", oneLine(m.Subject()), "worker",
		oneLine(m.Headers().Get(workerHeader)))
	if r.dropped[why] {
		log.Debug(why)
		return
	}
	r.dropped[why] = true
	log.Warn(why + "; later ones are told at level debug")
}

// accept passes on the games of a result, or why the pair can't be played.
func (r *run) accept(ctx context.Context, a *received) {
	if text := a.Headers().Get(errorHeader); text != "" {
		r.fail(ctx, a, &notPlayed{errors.New(textfmt.Cut(oneLine(text), 1000))})
		return
	}
	hash := a.Headers().Get(longHeader)
	if hash == "" {
		r.acceptGames(ctx, a, a.Data(), nil)
		return
	}
	// Long games are read in the background, a few at a time.
	if r.fetching >= maxFetching {
		deliverLater(a)
		return
	}
	r.fetching++
	r.background.Go(func() {
		games, err := r.longGames(ctx, hash)
		r.later(ctx, func() {
			r.fetching--
			r.acceptGames(ctx, a, games, err)
		})
	})
}

// acceptGames passes on the games of a result. err says why they couldn't be read.
func (r *run) acceptGames(ctx context.Context, a *received, text []byte, err error) {
	// Meanwhile another result may have come; if the server restarts, the parts can be read later.
	if a.job.done || restarting(err) {
		deliverLater(a)
		return
	}
	var games []*record.Record
	if err == nil {
		games, err = parseGames(text)
	}
	if err == nil {
		err = r.checker.Check(a.job.job, games)
	}
	if err != nil {
		r.fail(ctx, a, err)
		return
	}
	delete(r.invalid, a.worker)
	r.games += int64(len(games))
	r.countPair(a.worker, a.name)
	for _, g := range games {
		g.Timing.Worker = a.name
	}
	r.finish(a, tournament.Result{Job: a.job.job, Games: games})
}

// longGames returns the games with a hash, whose parts are messages of their own.
func (r *run) longGames(ctx context.Context, hash string) ([]byte, error) {
	parts := subject(longSubject, r.id.Run, hash)
	games, err := content(ctx, r.js, longStream, parts, 2*record.MaxLine)
	if err != nil {
		return nil, err
	}
	if digest(games) != hash {
		return nil, fmt.Errorf("expected games with the hash %.80q", hash)
	}
	return games, nil
}

// finish passes on the outcome of a pair.
func (r *run) finish(a *received, o tournament.Result) {
	o.Written = func() {
		acknowledge(a)
		a.job.written.Store(true)
	}
	a.job.done = true
	r.unplayed--
	r.outcomes <- o // there is room
}

// countPair counts a pair that a worker has played.
func (r *run) countPair(id, name string) {
	w, known := r.played[id]
	if !known && len(r.played) >= maxKnownWorkers {
		return
	}
	w.ID = id
	w.Name = name
	w.Pairs++
	r.played[id] = w
}

// notPlayed is why a worker says that a pair can't be played.
type notPlayed struct{ error }

// fail handles a result without valid games. Its pair is published again, or dead-lettered. A
// failure that doesn't count is dropped: if its worker has acknowledged the job, repair publishes
// that again.
func (r *run) fail(ctx context.Context, a *received, why error) {
	w := a.job
	why = fmt.Errorf("%w (on %s)", why, oneLine(a.name))
	isLate := a.attempt < len(w.failed) // another attempt at the pair has failed since
	if isLate || !r.counts(w.failed, a.worker) {
		r.drop("a failure that doesn't count is dropped", a)
		acknowledge(a)
		return
	}
	// A worker that has sent too many invalid results in a row is left out.
	if !errors.As(why, new(*notPlayed)) {
		r.invalid[a.worker]++
		r.log.Warn("a result is refused; its pair is played again", "pair", w.job.Pair, "why", why)
		if r.invalid[a.worker] == maxInvalid {
			r.log.Warn("a worker is left out of the run",
				"invalid results in a row", maxInvalid, "why", why)
		}
	}
	w.failed = append(w.failed, a.worker)
	if len(w.failed) < r.options.tries && !r.crashes(w) {
		r.send(ctx, w)
		acknowledge(a)
		return
	}
	err := fmt.Errorf("dead-lettered after %d tries: %w", r.options.tries, why)
	r.finish(a, tournament.Result{Job: w.job, Err: err})
}

// crashes reports whether the workers that played a pair alone were lost too often.
func (r *run) crashes(w *pendingJob) bool {
	return len(w.started) > max(r.options.tries-suspicious, 0)
}

// counts reports whether a worker is added to those that have failed to play a pair: it answers
// questions, and isn't left out. It is added again only if all others have failed, too, so that one
// worker alone can't have a pair dead-lettered.
func (r *run) counts(failed []string, worker string) bool {
	if r.workers[worker] == nil || r.leftOut(worker) {
		return false
	}
	if !slices.Contains(failed, worker) {
		return true
	}
	for id, w := range r.workers {
		if r.plays(&w.workerReport) && !slices.Contains(failed, id) {
			return false
		}
	}
	return true
}

// leftOut reports whether a worker has sent too many invalid results in a row.
func (r *run) leftOut(worker string) bool { return r.invalid[worker] >= maxInvalid }

// countStart answers a worker that wants to play a pair alone, since the pair may be what crashes
// workers.
func (r *run) countStart(m *nats.Msg) {
	pair := pairOf(m.Subject)
	w := r.pending[pair]
	if w == nil || r.attempt(pair, m.Header) < 0 {
		return
	}
	id := idOf(m.Header)
	answer := ""
	if r.crashes(w) {
		answer = tooOften
	} else if r.counts(w.started, id) {
		w.started = append(w.started, id)
	}
	_ = m.Respond([]byte(answer)) // without an answer it plays
}

// parseGames reads the games of a pair, each of which has its checksum.
func parseGames(text []byte) (games []*record.Record, err error) {
	const source = "its games" // in messages
	r := record.NewReader(bytes.NewReader(text), source)
	for {
		g, err := r.Read()
		if errors.Is(err, io.EOF) {
			return games, nil
		}
		if err != nil {
			return nil, err
		}
		if !r.HasSum() {
			return nil, fmt.Errorf("%s: game %d: expected timing.crc32c, found none",
				source, g.Game)
		}
		if len(games) == 2 {
			return nil, fmt.Errorf("%s: expected a pair of games, found more", source)
		}
		games = append(games, g)
	}
}
