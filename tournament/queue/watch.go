package queue

import (
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"gyges/tournament"
	"gyges/tournament/record"
)

// How often a coordinator asks for the games under way, the least time between two answers of a
// worker, and the age at which an answer no longer counts: its worker is gone.
const (
	askEvery    = 1200 * time.Millisecond
	answerEvery = time.Second
	watchFresh  = 5 * time.Second
)

// Bounds of what workers answer.
const (
	maxAsked   = 32        // pairs, the first ones: several times those that are shown
	maxAnswers = 512 << 10 // bytes of all answers to a question
)

// watched holds the games that workers have under way, for a run's [tournament.PlayingFile]. It may
// be used concurrently.
type watched struct {
	log   *slog.Logger
	check func(tournament.Job, *record.Game) error

	mu     sync.Mutex
	asked  map[int64]tournament.Job // by pair; not changed
	unread int                      // bytes that are read until the next question
	pairs  int64                    // that workers play
	games  map[int64]watchedGame    // of the pairs asked for, by the games' numbers
}

// watchedGame is a game as a worker last had it.
type watchedGame struct {
	*record.Game
	at time.Time
}

// ask begins a question for the games of pairs. Of others none is shown any more.
func (w *watched) ask(jobs map[int64]tournament.Job, pairs int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked, w.unread, w.pairs = jobs, maxAnswers, pairs
	maps.DeleteFunc(w.games, func(_ int64, g watchedGame) bool {
		_, ok := jobs[g.Pair]
		return !ok
	})
}

// receive handles the answer of a worker. None of it is shown if it has anything else than legal
// games of the run.
func (w *watched) receive(text []byte, now time.Time) {
	w.mu.Lock()
	w.unread -= len(text)
	asked, tooMuch := w.asked, w.unread < 0
	w.mu.Unlock()
	if tooMuch {
		return
	}
	p, err := tournament.ParsePlaying(text)
	if err != nil {
		w.log.Debug("malformed games under way", "error", err)
		return
	}
	games := map[int64]watchedGame{}
	for _, g := range p.Games {
		job, ok := asked[g.Pair]
		if !ok { // the pair has ended
			continue
		}
		if err := w.check(job, g); err != nil {
			w.log.Debug("unusable games under way", "error", err)
			return
		}
		games[g.Game] = watchedGame{g, now}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.Copy(w.games, games)
}

// playing returns the games that workers have under way.
func (w *watched) playing(now time.Time) *tournament.Playing {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := new(tournament.Playing)
	for _, g := range w.games {
		if now.Sub(g.at) > watchFresh {
			continue
		}
		p.Games = append(p.Games, g.Game)
		if g.Result == "" {
			p.Count++
		}
	}
	p.Count = max(p.Count, int(w.pairs))
	return p
}

// ask asks all workers for the games under way of the first pairs without an outcome.
func (r *run) ask() {
	var pairs []int64
	for pair, p := range r.pending {
		if p.published && !p.done {
			pairs = append(pairs, pair)
		}
	}
	slices.Sort(pairs)
	jobs := map[int64]tournament.Job{}
	for _, pair := range pairs[:min(len(pairs), maxAsked)] {
		jobs[pair] = r.pending[pair].job
	}
	r.watched.ask(jobs, r.onWorkers)
	if len(jobs) > 0 {
		r.announce(announcement{Below: pairs[len(jobs)-1] + 1})
	}
}

// answer publishes the games under way of a run's pairs below one, if there are any.
func (w *Worker) answer(r *subscription, below int64) {
	p := r.underWay(time.Now())
	p.Games = slices.DeleteFunc(p.Games, func(g *record.Game) bool { return g.Pair >= below })
	if len(p.Games) > 0 {
		tell(w.nc, w.options.Log, resultsOf(r.Run), p)
	}
}
