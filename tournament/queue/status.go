package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gyges/agents/tuning/files"
	"gyges/tournament"
)

// status is the content of [tournament.WorkersFile]: how a run stands that is
// played elsewhere. It is for people to look at, and nothing depends on it.
type status struct {
	Time  time.Time `json:"time"`
	Ended bool      `json:"ended"` // nobody plays it any more: the last that was known

	Queue *depth `json:"queue,omitempty"` // nil: the run has ended, or the server doesn't answer

	Pairs          int64   `json:"pairs"` // that came back since the coordinator started
	Games          int64   `json:"games"` // in them
	PairsPerSecond float64 `json:"pairs_per_second"`
	GamesPerSecond float64 `json:"games_per_second"` // both of the last half minute

	Count   int            `json:"count"` // of all workers
	Workers []workerStatus `json:"workers"`
}

// depth is what the server says of a run's jobs.
type depth struct {
	Waiting     uint64 `json:"waiting"`     // nobody has taken them
	Playing     int    `json:"playing"`     // played, or waiting for their turn on a worker
	Redelivered int    `json:"redelivered"` // of these, handed out before and not acknowledged
}

// workerStatus is a worker as it said of itself. Why one refuses is in the
// coordinator's log alone.
type workerStatus struct {
	Name    string  `json:"name"`
	Version string  `json:"version"`
	Cores   int     `json:"cores"`
	Workers int     `json:"workers"`
	Speed   float64 `json:"speed"`
	Playing int     `json:"playing"` // of all runs
	Pairs   int64   `json:"pairs"`   // of all runs, since it started
	State   state   `json:"state"`
}

// state says whether a worker plays for a run.
type state string

const (
	plays   state = "plays"
	refuses state = "refuses"
	aside   state = "set aside"
)

// How often the file is written, how far the rates look back, and what bounds it:
// workers listed, and bytes of each of their words.
const (
	statusEvery  = 2 * time.Second
	rateSamples  = 16
	maxListed    = 256
	maxWord      = 100
	statusAnswer = time.Second // that the server has for its answer
)

// sample is how much had come back at a time.
type sample struct {
	at           time.Time
	pairs, games int64
}

// reporter writes the file.
type reporter struct {
	run     *run
	path    string
	samples []sample // the last ones, the latest last
	failed  bool     // it couldn't be written, which has been logged
}

func newReporter(r *run, dir string) *reporter {
	return &reporter{run: r, path: filepath.Join(dir, tournament.WorkersFile)}
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

// end writes it for the last time. It stays, so that one sees who has played.
func (p *reporter) end() {
	s := p.run.known()
	s.Ended = true
	p.write(s)
}

func (p *reporter) write(s status) {
	p.samples = append(p.samples, sample{s.Time, s.Pairs, s.Games})
	p.samples = p.samples[max(0, len(p.samples)-rateSamples):]
	s.PairsPerSecond, s.GamesPerSecond = rates(p.samples)
	text, err := json.Marshal(s)
	if err == nil {
		err = files.Replace(p.path, append(text, '\n'))
	}
	if err != nil && !p.failed {
		p.run.log.Warn("how the run stands can't be written; it goes on", "error", withoutPath(err))
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

// status returns how the run stands.
func (r *run) status(ctx context.Context) status {
	ctx, cancel := context.WithTimeout(ctx, statusAnswer)
	defer cancel()
	jobs, err := r.coordinator.js.Consumer(ctx, jobStream, r.id.Run)
	s := r.known()
	if err != nil {
		r.log.Debug("asking for the queue", "error", err)
		return s
	}
	info := jobs.CachedInfo() // it has just been asked for
	s.Queue = &depth{info.NumPending, info.NumAckPending, info.NumRedelivered}
	return s
}

// known is what can be said without the server.
func (r *run) known() status {
	s := status{Time: time.Now().UTC()}
	r.mu.Lock()
	s.Pairs, s.Games = r.pairs, r.played
	r.mu.Unlock()
	s.Workers = r.workers.list(s.Time)
	s.Count = len(s.Workers)
	s.Workers = s.Workers[:min(s.Count, maxListed)]
	return s
}

// list returns the workers that were heard of lately, by name.
func (c *workerRegistry) list(now time.Time) []workerStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []workerStatus{}
	for _, s := range c.workers {
		if now.Sub(s.at) > goneAfter {
			continue
		}
		w := workerStatus{
			Name: word(s.info.Name), Version: word(s.info.Version), Cores: s.info.Cores, Workers: s.info.Workers,
			Speed: s.info.Speed, Playing: s.info.Playing, Pairs: s.info.Pairs, State: plays,
		}
		switch {
		case s.told != "":
			w.State = refuses
		case c.aside[s.info.Name]:
			w.State = aside
		}
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b workerStatus) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(b.Pairs, a.Pairs))
	})
	return list
}

// word bounds what a worker says.
func word(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxWord)], "")
}
