package analysis

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gyges/agents"
)

// ErrYielded is the cause of the end of a search that made room for another one.
var ErrYielded = errors.New("the search was ended as another one was waiting")

// yieldTime is how long a search that yields waits until another one yields to it.
const yieldTime = 10 * time.Second

// Pool runs a bounded number of concurrent searches. Each slot keeps the agent of its last
// search: agents may have large tables. It is safe for concurrent use.
type Pool struct {
	registry *agents.Registry
	log      *slog.Logger
	maxTime  time.Duration
	free     chan struct{} // a value for each slot that is not busy
	waiting  atomic.Int64  // searches that don't yield, and have no slot yet

	mu    sync.Mutex
	slots []*slot // the one used longest ago first
}

type slot struct {
	spec  string
	agent agents.Agent // nil: none
	busy  bool
	yield context.CancelCauseFunc // ends a search that yields; nil: it doesn't
}

// NewPool returns a pool of n concurrent searches, each ended after maxTime; 0: no
// bound. It must be closed.
func NewPool(registry *agents.Registry, searches int, maxTime time.Duration, log *slog.Logger) *Pool {
	p := &Pool{registry: registry, log: log, maxTime: maxTime, free: make(chan struct{}, searches)}
	for range searches {
		p.slots = append(p.slots, new(slot))
		p.free <- struct{}{}
	}
	return p
}

// Use calls search with an agent of that spec, which is used by nothing else meanwhile. It
// blocks while too many others search; if some of them yield, one of those ends. An agent is
// not used again after an error.
func (p *Pool) Use(ctx context.Context, spec agents.Spec, search func(context.Context, agents.Agent) error) error {
	p.waiting.Add(1)
	select {
	case <-p.free:
	default:
		p.interrupt()
		select {
		case <-p.free:
		case <-ctx.Done():
			p.waiting.Add(-1)
			return context.Cause(ctx)
		}
	}
	p.waiting.Add(-1)
	return p.run(ctx, spec, nil, search)
}

// UseYielding is Use, except that others end for this search only after some seconds, and that
// its context is cancelled, with the cause [ErrYielded], when it must end for another one.
func (p *Pool) UseYielding(
	ctx context.Context, spec agents.Spec, search func(context.Context, agents.Agent) error,
) error {
	if err := p.wait(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return p.run(ctx, spec, cancel, search)
}

// wait takes a slot for a search that yields.
func (p *Pool) wait(ctx context.Context) error {
	turn := time.NewTicker(yieldTime)
	defer turn.Stop()
	for {
		select {
		case <-p.free:
			if p.waiting.Load() == 0 {
				return nil
			}
			p.free <- struct{}{} // for one that doesn't yield
		case <-turn.C:
			p.interrupt()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// interrupt ends a search that yields, the one that began first, if there is one.
func (p *Pool) interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if s.busy && s.yield != nil {
			s.yield(ErrYielded)
			s.yield = nil
			return
		}
	}
}

// run searches in a slot that the caller has taken, and frees it.
func (p *Pool) run(
	ctx context.Context, spec agents.Spec, yield context.CancelCauseFunc,
	search func(context.Context, agents.Agent) error,
) (err error) {
	s := p.acquire(spec.String(), yield)
	failed := true // also by a panic
	defer func() {
		p.release(s, failed)
		p.free <- struct{}{}
	}()
	if s.agent == nil {
		if s.agent, err = p.registry.New(spec); err != nil {
			return err
		}
	}
	if p.maxTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.maxTime)
		defer cancel()
	}
	err = search(ctx, s.agent)
	failed = err != nil
	return err
}

// acquire returns a free slot: one with that agent, or else the one used longest ago,
// without an agent.
func (p *Pool) acquire(spec string, yield context.CancelCauseFunc) *slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.slots, func(s *slot) bool { return !s.busy && s.spec == spec })
	if i < 0 {
		i = slices.IndexFunc(p.slots, func(s *slot) bool { return !s.busy })
		p.closeAgent(p.slots[i])
	}
	s := p.slots[i]
	p.slots = append(slices.Delete(p.slots, i, i+1), s)
	s.spec, s.busy, s.yield = spec, true, yield
	return s
}

// release frees a slot. An agent that failed is not used again.
func (p *Pool) release(s *slot, failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.busy, s.yield = false, nil; failed {
		p.closeAgent(s)
	}
}

func (p *Pool) closeAgent(s *slot) {
	if err := agents.Close(s.agent); err != nil {
		p.log.Warn("closing an agent", "error", err)
	}
	s.spec, s.agent = "", nil
}

// Busy lists the agents that search, by their specs.
func (p *Pool) Busy() (specs []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if s.busy {
			specs = append(specs, s.spec)
		}
	}
	slices.Sort(specs)
	return slices.Compact(specs)
}

// Close closes the idle agents.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if !s.busy {
			p.closeAgent(s)
		}
	}
}
