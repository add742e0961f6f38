package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"gyges/tournament/record"
)

// How often runs and workers say that they are there, and after how long a silent
// one is taken to be gone.
const (
	announceEvery = 2 * time.Second
	reportEvery   = 5 * time.Second
	goneAfter     = 30 * time.Second
)

// crew is what a coordinator knows of its workers.
type workerRegistry struct {
	log  *slog.Logger
	news chan struct{} // somebody new is there, or should be told something

	mu      sync.Mutex
	workers map[string]workerEntry // by id
	tallies map[string]*tally      // by machine
	aside   map[string]bool        // machines that lose on time too often
}

// seen is a worker when it was last heard of.
type workerEntry struct {
	info WorkerInfo
	at   time.Time
	told string // why it refuses, as it has been logged
}

// tally counts a machine's games.
type tally struct{ games, late int }

// maxCrew bounds how many workers are remembered.
const maxKnownWorkers = 100_000

func newWorkerRegistry(log *slog.Logger) *workerRegistry {
	return &workerRegistry{log: log, news: make(chan struct{}, 1), workers: map[string]workerEntry{}, tallies: map[string]*tally{}, aside: map[string]bool{}}
}

// heard takes note of what a worker says of itself.
func (c *workerRegistry) heard(run string, info WorkerInfo, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, known := c.workers[info.ID]
	if info.Gone || !known && len(c.workers) >= maxKnownWorkers {
		delete(c.workers, info.ID)
		return
	}
	s := workerEntry{info: info, at: now, told: before.told}
	if why := info.Refused[run]; why != s.told {
		s.told = why
		if why != "" {
			c.log.Warn("a worker doesn't play for this run", "worker", info.Name, "why", why)
		}
	}
	if !known {
		c.log.Info("a worker", "worker", info.Name, "cores", info.Cores, "workers", info.Workers, "speed", info.Speed, "version", info.Version)
		c.tell()
	}
	c.workers[info.ID] = s
}

// tell makes the run be announced at once.
func (c *workerRegistry) tell() {
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// willing returns how many workers play for the run, and forgets those that are
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
		case s.told == "" && !c.aside[s.info.Name]:
			n++
		}
	}
	return n
}

// A machine is set aside when it lost minLate games on time, out of minGames or
// more, which are more than one in lateShare, and more than lateFactor times the
// share of all others, who have played as many. With true shares of one in a
// hundred everywhere chance does that to fewer than one machine in two hundred.
const (
	minGames   = 20
	minLate    = 5
	lateShare  = 20
	lateFactor = 3
)

// played counts a machine's games, and sets it aside if it must be.
func (c *workerRegistry) played(machine string, games []*record.Game) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tallies[machine]
	if t == nil {
		if len(c.tallies) >= maxKnownWorkers {
			return
		}
		t = &tally{}
		c.tallies[machine] = t
	}
	late := 0
	for _, g := range games {
		if g.Fault != nil && g.Fault.Kind == record.FaultTimeout {
			late++
		}
	}
	t.games += len(games)
	t.late += late
	if late == 0 || c.aside[machine] {
		return
	}
	others := tally{}
	for name, o := range c.tallies {
		if name != machine {
			others.games += o.games
			others.late += o.late
		}
	}
	if t.tooLate(others) {
		c.log.Warn("a machine loses too often on time and gets no more pairs of this run; is it busy with something else?",
			"worker", machine, "games", t.games, "lost on time", t.late, "others' games", others.games, "others' lost on time", others.late)
		c.aside[machine] = true
		c.tell()
	}
}

// tooLate tells whether a machine must be set aside.
func (t tally) tooLate(others tally) bool {
	return t.games >= minGames && t.late >= minLate && t.late*lateShare > t.games &&
		others.games >= minGames && t.late*others.games > lateFactor*others.late*t.games
}

// setAside lists the machines that are.
func (c *workerRegistry) setAside() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.aside))
}

// announce announces the run, and listens to its workers.
func (r *run) announce(ctx context.Context) error {
	listening, err := r.coordinator.nc.Subscribe(workerSubject+".*", func(m *nats.Msg) {
		var info WorkerInfo
		if err := parseStrictly(m.Data, &info); err != nil {
			r.log.Debug("a worker that can't be understood", "error", err)
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
	idle := time.Now() // since when nobody plays
	notice := r.coordinator.stallNotice()
	for {
		if err := r.say(false); err != nil {
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

// say announces the run or its end.
func (r *run) say(ended bool) error {
	text, err := json.Marshal(announcement{
		Run: r.id.Run, Config: r.id.Config, Version: r.coordinator.options.Version, Ended: ended, Aside: r.workers.setAside(),
	})
	if err != nil {
		return err
	}
	return r.coordinator.nc.Publish(announceSubject, text)
}
