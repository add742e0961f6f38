package live

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"gyges/agents"
	"gyges/rules"
)

// maxSearchTime bounds a search, in addition to the agent's own bounds.
const maxSearchTime = time.Minute

// pool runs a bounded number of concurrent searches. Each slot keeps the agent of its last
// search: agents may have large tables.
type pool struct {
	registry *agents.Registry
	log      *slog.Logger
	free     chan struct{} // a value for each slot that is not busy

	mu    sync.Mutex
	slots []*slot // the one used longest ago first
}

type slot struct {
	spec  string
	agent agents.Agent // nil: none
	busy  bool
}

func newPool(registry *agents.Registry, searches int, log *slog.Logger) *pool {
	p := &pool{registry: registry, log: log, free: make(chan struct{}, searches)}
	for range searches {
		p.slots = append(p.slots, new(slot))
		p.free <- struct{}{}
	}
	return p
}

// choose returns the move of an agent.
func (p *pool) choose(
	ctx context.Context, spec agents.Spec, setup agents.Setup, g *rules.Game,
) (d agents.Decision, err error) {
	err = p.use(ctx, spec, func(ctx context.Context, a agents.Agent) error {
		if err := a.NewGame(ctx, setup); err != nil {
			return err
		}
		d, err = a.Choose(ctx, g, agents.Limits{})
		return err
	})
	return d, err
}

// use calls search with an agent of that spec, which is used by nothing else meanwhile. It
// blocks while too many others search.
func (p *pool) use(
	ctx context.Context, spec agents.Spec, search func(context.Context, agents.Agent) error,
) (err error) {
	select {
	case <-p.free:
	case <-ctx.Done():
		return ctx.Err()
	}
	s := p.acquire(spec.String())
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
	limited, cancel := context.WithTimeout(ctx, maxSearchTime)
	defer cancel()
	err = search(limited, s.agent)
	failed = err != nil
	return err
}

// acquire returns a free slot: one with that agent, or else the one used longest ago,
// without an agent.
func (p *pool) acquire(spec string) *slot {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.slots, func(s *slot) bool { return !s.busy && s.spec == spec })
	if i < 0 {
		i = slices.IndexFunc(p.slots, func(s *slot) bool { return !s.busy })
		p.closeAgent(p.slots[i])
	}
	s := p.slots[i]
	p.slots = append(slices.Delete(p.slots, i, i+1), s)
	s.spec, s.busy = spec, true
	return s
}

// release frees a slot. An agent that failed is not used again.
func (p *pool) release(s *slot, failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.busy = false; failed {
		p.closeAgent(s)
	}
}

func (p *pool) closeAgent(s *slot) {
	if c, ok := s.agent.(io.Closer); ok {
		if err := c.Close(); err != nil {
			p.log.Warn("closing an agent", "error", err)
		}
	}
	s.spec, s.agent = "", nil
}

// searching lists the agents that search, by their specs.
func (p *pool) searching() (specs []string) {
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

// close closes the idle agents.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if !s.busy {
			p.closeAgent(s)
		}
	}
}
