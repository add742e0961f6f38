package queue

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"time"

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

// workerRegistry holds the workers that have reported to the coordinator of a run.
type workerRegistry struct {
	run     string
	log     *slog.Logger
	workers map[string]workerEntry // by id
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
		delete(c.workers, report.ID)
		return false
	}
	if why := report.Refused[c.run]; why != "" && why != before.Refused[c.run] {
		c.log.Warn("a worker doesn't play for this run", "worker", report.Name, "why", why)
	}
	if !known {
		c.log.Info("a worker", "worker", report.Name, "cores", report.Cores, "workers", report.Workers,
			"speed", report.Speed, "version", report.Version)
	}
	c.workers[report.ID] = workerEntry{report, now}
	return !known
}

// playing removes workers that are gone, and returns how many play for the run.
func (c *workerRegistry) playing(now time.Time) int {
	n := 0
	for id, w := range c.workers {
		switch {
		case now.Sub(w.at) > goneAfter:
			c.log.Info("a worker is gone", "worker", w.Name)
			delete(c.workers, id)
		case w.Refused[c.run] == "":
			n++
		}
	}
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
