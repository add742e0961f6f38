package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nuid"

	"gyges/rules/base/strictjson"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/queue/status"
	"gyges/tournament/record"
)

// of silence a worker counts as gone, and one fetches no more pairs of a run
const goneAfter = 15 * time.Second

// Bounds of what workers report.
const (
	maxKnownWorkers = 100_000
	maxWord         = 100 // bytes of a name or a version that are shown
	// first pairs whose games are asked for: several times those that are shown
	maxAsked = 32
	// bytes of games that are read after a question: replaying them takes time
	maxGames = 512 << 10
)

const gamesFresh = 5 * time.Second // the age at which games under way are no longer shown

const maxInvalid = 10 // results in a row after which a worker is left out

// workerEntry is what a coordinator knows of a worker.
type workerEntry struct {
	workerReport // its name is distinct
	last         time.Time
	games        []*record.Record // under way, checked
}

// ask tells workers of the run, and asks for their state and the games of the first pairs that have
// no outcome.
func (r *run) ask() {
	// What has no outcome yet is not done, whether it is queued, played or on its way.
	q := question{Done: 2 * (r.next - int64(r.unplayed)), Scheduled: r.config.Games()}
	for id := range r.invalid {
		if r.leftOut(id) {
			q.LeftOut = append(q.LeftOut, id)
		}
	}
	var played []int64 // pairs that workers may be playing
	for pair, w := range r.pending {
		if !w.published.IsZero() && !w.done {
			played = append(played, pair)
		}
	}
	slices.Sort(played)
	if n := min(len(played), maxAsked); n > 0 {
		q.Below = played[n-1] + 1
	}
	r.unread = maxGames
	r.publishQuestion(q)
}

// publishQuestion sends a question on the run to all workers.
func (r *run) publishQuestion(q question) {
	q.runID = runID{Run: r.id.Run, Config: r.id.Config, Version: r.options.Version}
	text, _ := json.Marshal(q) // it is plain data
	// Each question has a subject for its answers: a user with allow_responses may send one to
	// each.
	answers := r.inbox + "." + nuid.Next()
	if err := r.nc.PublishRequest(runSubject, answers, text); err != nil {
		r.log.Debug("workers can't be asked", "error", err)
	}
}

// updateWorker handles the answer of a worker. Of its games none is shown if one isn't a legal game
// of the run.
func (r *run) updateWorker(text []byte, now time.Time) {
	var report workerReport
	if err := strictjson.Unmarshal(text, maxText, &report); err != nil {
		r.log.Debug("malformed report of a worker", "error", err)
		return
	}
	// What a worker says of its own id is not believed: the id follows from the secret.
	report.ID = digest([]byte(report.Secret))
	w := r.workers[report.ID]
	if w == nil {
		if len(r.workers) >= maxKnownWorkers {
			return
		}
		w = new(workerEntry)
		r.workers[report.ID] = w
	}
	report.Name = r.distinct(report.Name, report.ID)
	if report.Refused != "" && report.Refused != w.Refused {
		r.log.Warn("a worker doesn't play for this run",
			"worker", report.Name, "why", report.Refused)
	}
	if report.OtherBuild != "" && report.OtherBuild != w.OtherBuild {
		r.log.Warn("a worker has another build of an engine",
			"worker", report.Name, "engine", word(report.OtherBuild))
	}
	played := !w.last.IsZero() && r.plays(&w.workerReport)
	if r.plays(&report) && !played {
		slots := textfmt.Plural(int(report.Workers), "game")
		r.options.Notify(fmt.Sprintf("worker %s joined: %s at a time",
			textfmt.Escape(report.Name), slots))
	}
	// The new report replaces the last one, its games too.
	w.workerReport = report
	w.last = now
	w.games = nil
	r.unread -= len(report.Playing)
	if len(report.Playing) == 0 || r.unread < 0 {
		return
	}
	games, err := r.checkGames(report.Playing)
	if err != nil {
		r.log.Debug("unusable games under way", "worker", report.Name, "error", err)
	}
	w.games = games
}

// checkGames returns the games that a worker has under way, without those of pairs that have ended.
func (r *run) checkGames(text []byte) (games []*record.Record, err error) {
	p, err := tournament.ParsePlaying(text)
	if err != nil {
		return nil, err
	}
	for _, g := range p.Games {
		w := r.pending[g.Pair]
		if w == nil || w.done {
			continue
		}
		if err := r.checker.CheckPlaying(w.job, g); err != nil {
			return nil, err
		}
		games = append(games, g)
	}
	return games, nil
}

// distinct returns a worker's name, with a number if another worker that is there has that. It
// stays the same as long as no other worker took it while this one was away.
func (p *Coordinator) distinct(name, id string) string {
	const most = 1000 // of one name
	left := ""        // a name whose owner is away
	try := word(name)
	for n := 2; n <= most; n++ {
		owner := p.owners[try]
		if owner == "" {
			break
		}
		if owner == id {
			return try
		}
		if left == "" && p.workers[owner] == nil {
			left = try
		}
		try = fmt.Sprintf("%s-%d", word(name), n)
	}
	free := cmp.Or(left, try)
	if len(p.owners) < maxKnownWorkers {
		p.owners[free] = id
	}
	return free
}

// plays reports whether a worker plays for the run.
func (r *run) plays(w *workerReport) bool {
	return w.Refused == "" && w.Version == r.options.Version
}

// word returns the start of a name or a version of a worker.
func word(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxWord)], "") }

// report asks the workers, and passes on what is known of them and of the queue.
func (r *run) report() {
	// Pairs are forgotten when their games are in the file.
	maps.DeleteFunc(r.pending, func(_ int64, w *pendingJob) bool { return w.written.Load() })
	now := time.Now()
	slots := r.countWorkers(now)
	queue := r.queue.Load()
	if queue != nil {
		r.onWorkers = min(queue.Playing, slots) // some may be prefetched
	}
	r.showGames(now)
	r.ask()
	if err := r.nc.Publish(subject(claimSubject, r.id.Run), []byte(r.claim)); err != nil {
		r.log.Debug("other coordinators can't be told of this one", "error", err)
	}
	r.writeStatus(queue, status.Plays)
}

// countWorkers removes workers that are gone, and returns how many games at a time the others play;
// it reports none.
func (r *run) countWorkers(now time.Time) (slots int64) {
	for id, w := range r.workers {
		plays := r.plays(&w.workerReport)
		if now.Sub(w.last) <= r.options.goneAfter {
			if plays {
				slots += min(max(w.Workers, 1), MaxSlots)
			}
			continue
		}
		if plays {
			name := textfmt.Escape(w.Name)
			r.options.Notify(fmt.Sprintf("worker %s left: no answer for %v",
				name, r.options.goneAfter))
		}
		// The status file goes on to list those that have played.
		if before, ok := r.played[id]; ok {
			left := w.Worker
			left.Pairs = before.Pairs
			r.played[id] = left
		}
		delete(r.workers, id)
	}
	if slots == 0 && !r.waiting {
		r.options.Notify("waiting for workers")
	}
	r.waiting = slots == 0
	return slots
}

// showGames shows the games under way, which it returns.
func (r *run) showGames(now time.Time) *tournament.Playing {
	p := new(tournament.Playing)
	for _, w := range r.workers {
		if now.Sub(w.last) > gamesFresh {
			continue
		}
		for _, g := range w.games {
			if r.pending[g.Pair] != nil {
				p.Games = append(p.Games, g)
			}
		}
	}
	p.Count = max(len(p.Games), int(r.onWorkers))
	r.shown.Show(p, now)
	return p
}

// depth returns how many jobs are queued; nil: the server doesn't answer.
func (r *run) depth(ctx context.Context) *status.Queue {
	jobs, err := r.consumer(ctx, jobStream)
	if err != nil {
		r.log.Debug("no state of the queue", "error", err)
		return nil
	}
	info := jobs.CachedInfo() // the server's answer
	return &status.Queue{
		Waiting:     int64(info.NumPending),
		Playing:     int64(info.NumAckPending),
		Redelivered: int64(info.NumRedelivered),
	}
}

const rateSamples = 30 // status files over which the rate is taken

// writeStatus writes the status file. queue is nil, and state isn't [status.Plays], at the end of
// the run.
func (r *run) writeStatus(queue *status.Queue, state status.State) {
	s := status.Run{
		Time: time.Now().UTC(), Ended: state != status.Plays, Queue: queue, Games: r.games,
	}
	// The speed is that since the oldest sample.
	if len(r.samples) == rateSamples {
		r.samples = r.samples[1:]
	}
	r.samples = append(r.samples, s)
	first := r.samples[0]
	if seconds := s.Time.Sub(first.Time).Seconds(); seconds > 0 {
		s.GamesPerSecond = float64(s.Games-first.Games) / seconds
	}
	// Workers are in the order of their names; of those with one name, the busiest comes first.
	list := r.listWorkers(state)
	slices.SortFunc(list, func(a, b status.Worker) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Pairs, a.Pairs))
	})
	s.Count = int64(len(list))
	s.Workers = list[:min(len(list), status.MaxWorkers)]
	err := s.Write(r.config.Out)
	if err != nil && !r.unwritable {
		r.log.Warn("the status of the run can't be written; the run goes on", "error", err)
	}
	r.unwritable = err != nil
}

// listWorkers returns the workers that are there, which are in a state unless they refuse, and
// those that have played.
func (r *run) listWorkers(state status.State) []status.Worker {
	list := []status.Worker{}
	for id, entry := range r.workers {
		w := entry.Worker
		w.Pairs = r.played[id].Pairs
		w.State = state
		if entry.Refused != "" {
			w.State = status.Refuses
		}
		list = append(list, w)
	}
	for id, w := range r.played {
		if r.workers[id] == nil {
			w.State = status.Left
			list = append(list, w)
		}
	}
	// Names are bounded already, see distinct, and ids are digests.
	for i := range list {
		w := &list[i]
		w.Version = word(w.Version)
		w.OtherBuild = word(w.OtherBuild)
		if state != status.Plays {
			w.Playing = 0
		}
	}
	return list
}
