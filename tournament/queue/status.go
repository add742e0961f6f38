package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"gyges/tournament/queue/status"
)

// How often the file is written, over how many samples the rates are taken, and
// the bytes of each text from a worker.
const (
	statusEvery  = 2 * time.Second
	rateSamples  = 16
	maxWord      = 100
	statusAnswer = time.Second // that the server has for its answer
)

// sample is how many pairs and games had been received at a time.
type sample struct {
	at           time.Time
	pairs, games int64
}

// reporter writes the file.
type reporter struct {
	run     *run
	dir     string
	samples []sample // the last ones, the latest last
	failed  bool     // it couldn't be written, which has been logged
}

func newReporter(r *run, dir string) *reporter {
	return &reporter{run: r, dir: dir}
}

// start writes the file now and then until ctx ends.
func (p *reporter) start(ctx context.Context) {
	tick := time.NewTicker(p.run.coordinator.statusEvery)
	defer tick.Stop()
	for {
		p.write(p.run.status(ctx))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// end writes the file for the last time.
func (p *reporter) end() {
	s := p.run.known()
	s.Ended = true
	p.write(s)
}

func (p *reporter) write(s status.Run) {
	p.samples = append(p.samples, sample{s.Time, s.Pairs, s.Games})
	p.samples = p.samples[max(0, len(p.samples)-rateSamples):]
	s.PairsPerSecond, s.GamesPerSecond = rates(p.samples)
	err := s.Write(p.dir)
	if err != nil && !p.failed {
		p.run.log.Warn("the status of the run can't be written; the run goes on", "error", withoutPath(err))
	}
	p.failed = err != nil
}

// withoutPath leaves the name of a temporary file out.
func withoutPath(err error) error {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// rates returns pairs and games a second from the first sample to the last.
func rates(samples []sample) (pairs, games float64) {
	first, last := samples[0], samples[len(samples)-1]
	seconds := last.at.Sub(first.at).Seconds()
	if seconds <= 0 {
		return 0, 0
	}
	return float64(last.pairs-first.pairs) / seconds, float64(last.games-first.games) / seconds
}

// status returns the status of the run.
func (r *run) status(ctx context.Context) status.Run {
	ctx, cancel := context.WithTimeout(ctx, statusAnswer)
	defer cancel()
	jobs, err := r.coordinator.js.Consumer(ctx, jobStream, r.id.Run)
	s := r.known()
	if err != nil {
		r.log.Debug("asking for the queue", "error", err)
		return s
	}
	info := jobs.CachedInfo() // it has just been asked for
	s.Queue = &status.Queue{Waiting: int64(info.NumPending), Playing: int64(info.NumAckPending), Redelivered: int64(info.NumRedelivered)}
	return s
}

// known returns the part of the status that needs no answer of the server.
func (r *run) known() status.Run {
	s := status.Run{Time: time.Now().UTC()}
	r.mu.Lock()
	s.Pairs, s.Games = r.pairs, r.played
	r.mu.Unlock()
	s.Workers = r.workers.list(s.Time)
	s.Count = int64(len(s.Workers))
	s.Workers = s.Workers[:min(len(s.Workers), status.MaxWorkers)]
	return s
}

// list returns the workers that have reported lately, by name.
func (c *workerRegistry) list(now time.Time) []status.Worker {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []status.Worker{}
	for _, s := range c.workers {
		if now.Sub(s.at) > goneAfter {
			continue
		}
		w := s.info.Worker
		w.Name, w.Version, w.State = word(w.Name), word(w.Version), status.Plays
		if s.refusal != "" {
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

// How often runs are announced and workers report, and after how long without
// either one counts as gone.
const (
	announceEvery = 2 * time.Second
	reportEvery   = 5 * time.Second
	goneAfter     = 30 * time.Second
)

// workerRegistry holds the workers that a coordinator has heard of.
type workerRegistry struct {
	log  *slog.Logger
	news chan struct{} // a worker is new, so that the run is announced at once

	mu      sync.Mutex
	workers map[string]workerEntry // by id
}

// workerEntry is a worker as it last reported.
type workerEntry struct {
	info    workerReport
	at      time.Time
	refusal string // why it refuses the run, as logged; "": it plays
}

// maxKnownWorkers bounds the registry.
const maxKnownWorkers = 100_000

func newWorkerRegistry(log *slog.Logger) *workerRegistry {
	return &workerRegistry{log: log, news: make(chan struct{}, 1), workers: map[string]workerEntry{}}
}

// heard stores the report of a worker.
func (c *workerRegistry) heard(run string, info workerReport, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, known := c.workers[info.ID]
	if info.Gone || !known && len(c.workers) >= maxKnownWorkers {
		delete(c.workers, info.ID)
		return
	}
	s := workerEntry{info: info, at: now, refusal: before.refusal}
	if why := info.Refused[run]; why != s.refusal {
		s.refusal = why
		if why != "" {
			c.log.Warn("a worker doesn't play for this run", "worker", info.Name, "why", why)
		}
	}
	if !known {
		c.log.Info("a worker", "worker", info.Name, "cores", info.Cores, "workers", info.Workers, "speed", info.Speed, "version", info.Version)
		select {
		case c.news <- struct{}{}:
		default:
		}
	}
	c.workers[info.ID] = s
}

// willing returns how many workers play for the run, and removes those that are
// gone.
func (c *workerRegistry) willing(now time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for id, s := range c.workers {
		switch {
		case now.Sub(s.at) > goneAfter:
			c.log.Info("a worker is gone", "worker", s.info.Name)
			delete(c.workers, id)
		case s.refusal == "":
			n++
		}
	}
	return n
}

// announce announces the run and receives the reports of workers, until ctx ends.
func (r *run) announce(ctx context.Context) error {
	listening, err := r.coordinator.nc.Subscribe(workerSubject+".*", func(m *nats.Msg) {
		var info workerReport
		if err := parseStrictly(m.Data, &info); err != nil {
			r.log.Debug("malformed report of a worker", "error", err)
			return
		}
		r.workers.heard(r.id.Run, info, time.Now())
	})
	if err != nil {
		return err
	}
	defer func() { _ = listening.Unsubscribe() }() // at the end of the run
	tick := time.NewTicker(announceEvery)
	defer tick.Stop()
	idle := time.Now() // since when no worker plays
	notice := r.coordinator.stallNotice()
	for {
		if err := r.sendAnnouncement(false); err != nil {
			r.log.Debug("announcing the run", "error", err)
		}
		notice.update(cmp.Or(r.coordinator.stalled(), r.sender.stalled()), time.Now())
		if now := time.Now(); r.workers.willing(now) > 0 {
			idle = now
		} else if now.Sub(idle) > goneAfter {
			r.log.Warn("no worker plays for this run; start one with gyges worker")
			idle = now
		}
		select {
		case <-tick.C:
		case <-r.workers.news:
		case <-ctx.Done():
			return nil
		}
	}
}

// sendAnnouncement announces the run or its end.
func (r *run) sendAnnouncement(ended bool) error {
	text, err := json.Marshal(announcement{
		Run: r.id.Run, Config: r.id.Config, Version: r.coordinator.options.Version, Ended: ended,
	})
	if err != nil {
		return err
	}
	return r.coordinator.nc.Publish(announceSubject, text)
}
