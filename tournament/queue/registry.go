package queue

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"gyges/rules/base/textfmt"
	"gyges/tournament/queue/status"
)

// How often runs are announced and workers report, and the time without either after
// which one counts as gone.
const (
	announceEvery = 2 * time.Second
	reportEvery   = 5 * time.Second
	goneAfter     = 30 * time.Second
)

// Bounds of the workers in a registry, and of each text from them in bytes.
const (
	maxKnownWorkers = 100_000
	maxWord         = 100
)

// workerRegistry holds the workers that have reported to a coordinator.
type workerRegistry struct {
	run     string // the present one
	version string // of the coordinator's program
	log     *slog.Logger
	notify  func(line string)
	workers map[string]workerEntry // by id
	waiting bool                   // that there is none has been said
}

// begin begins another run. Workers may have reported unseen since the last one.
func (c *workerRegistry) begin(run string, log *slog.Logger, now time.Time) {
	c.run, c.log = run, log
	for id, w := range c.workers {
		w.at = now
		c.workers[id] = w
	}
}

// workerEntry is the last report of a worker.
type workerEntry struct {
	workerReport
	at time.Time
}

// update stores the report of a worker, and reports whether the worker is new.
func (c *workerRegistry) update(report workerReport, now time.Time) bool {
	before, known := c.workers[report.ID]
	if report.Gone || !known && len(c.workers) >= maxKnownWorkers {
		if known {
			c.remove(report.ID, "")
		}
		return false
	}
	if why := report.Refused[c.run]; why != "" && why != before.Refused[c.run] {
		c.log.Warn("a worker doesn't play for this run", "worker", report.Name, "why", why)
	}
	if !known && c.plays(report) {
		c.notify(fmt.Sprintf("worker %s joined: %s at a time", shownName(report.Name),
			textfmt.Plural(int(report.Workers), "game")))
	}
	c.workers[report.ID] = workerEntry{report, now}
	return !known
}

// plays reports whether a worker plays for the run, as far as is known.
func (c *workerRegistry) plays(report workerReport) bool {
	return report.Refused[c.run] == "" && report.Version == c.version
}

// remove removes a worker.
func (c *workerRegistry) remove(id, why string) {
	if w := c.workers[id]; c.plays(w.workerReport) {
		c.notify("worker " + shownName(w.Name) + " left" + why)
	}
	delete(c.workers, id)
}

// shownName returns the name of a worker for people.
func shownName(name string) string { return textfmt.Escape(word(name)) }

// playing removes workers that are gone, and returns how many games at a time the others
// play for the run. If there are none any more, it says so.
func (c *workerRegistry) playing(now time.Time) int64 {
	n := int64(0)
	for id, w := range c.workers {
		switch {
		case now.Sub(w.at) > goneAfter:
			c.remove(id, fmt.Sprintf(": no report for %v", goneAfter))
		case c.plays(w.workerReport):
			n += min(max(w.Workers, 1), MaxSlots)
		}
	}
	if n == 0 && !c.waiting {
		c.notify("waiting for workers")
	}
	c.waiting = n == 0
	return n
}

// list returns the workers that have reported lately, by name.
func (c *workerRegistry) list(now time.Time) []status.Worker {
	list := []status.Worker{}
	for _, entry := range c.workers {
		if now.Sub(entry.at) > goneAfter {
			continue
		}
		w := entry.Worker
		w.Name, w.Version, w.State = word(w.Name), word(w.Version), status.Plays
		if entry.Refused[c.run] != "" {
			w.State = status.Refuses
		}
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b status.Worker) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Pairs, a.Pairs))
	})
	return list
}

// word bounds a text from a worker.
func word(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxWord)], "")
}

// updateWorker handles the report of a worker.
func (r *run) updateWorker(text []byte) {
	var report workerReport
	if err := parseStrictly(text, &report); err != nil {
		r.log.Debug("malformed report of a worker", "error", err)
		return
	}
	if r.workers.update(report, time.Now()) {
		r.announce(announcement{})
	}
}

// announce publishes an announcement of the run.
func (r *run) announce(a announcement) {
	a.runID = runID{Run: r.id.Run, Config: r.id.Config, Version: r.options.Version}
	tell(r.nc, r.log, announceSubject, a)
}

// report announces the run, logs what delays it, and writes the status file.
func (r *run) report(ctx context.Context) {
	maps.DeleteFunc(r.pending, func(_ int64, w *pendingJob) bool { return w.written.Load() })
	r.announce(announcement{})
	now := time.Now()
	r.notice.update(cmp.Or(r.options.Stalled(), r.publisher.stalled()), now)
	slots := r.workers.playing(now)
	switch {
	case slots > 0:
		r.lastWorker = now
	case now.Sub(r.lastWorker) > goneAfter:
		r.log.Warn("no worker plays for this run; start one with gyges worker")
		r.lastWorker = now
	}
	queue := r.depth(ctx)
	if queue != nil {
		r.onWorkers = min(queue.Playing, slots) // some may be prefetched
	}
	r.writeStatus(queue, false)
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
		Waiting: int64(info.NumPending), Playing: int64(info.NumAckPending), Redelivered: int64(info.NumRedelivered),
	}
}

// rateSamples is over how many status files the rates are taken.
const rateSamples = 16

// writeStatus writes the status file. queue is nil at the end of the run.
func (r *run) writeStatus(queue *status.Queue, ended bool) {
	s := status.Run{Time: time.Now().UTC(), Ended: ended, Queue: queue, Pairs: r.pairs, Games: r.games}
	r.samples = append(r.samples, s)
	r.samples = r.samples[max(0, len(r.samples)-rateSamples):]
	s.PairsPerSecond, s.GamesPerSecond = rates(r.samples)
	s.Workers = r.workers.list(s.Time)
	s.Count = int64(len(s.Workers))
	s.Workers = s.Workers[:min(len(s.Workers), status.MaxWorkers)]
	err := s.Write(r.config.Out)
	if err != nil && !r.unwritable {
		r.log.Warn("the status of the run can't be written; the run goes on", "error", withoutPath(err))
	}
	r.unwritable = err != nil
}

// rates returns pairs and games a second from the first sample to the last.
func rates(samples []status.Run) (pairs, games float64) {
	first, last := samples[0], samples[len(samples)-1]
	seconds := last.Time.Sub(first.Time).Seconds()
	if seconds <= 0 {
		return 0, 0
	}
	return float64(last.Pairs-first.Pairs) / seconds, float64(last.Games-first.Games) / seconds
}
