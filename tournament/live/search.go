package live

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"gyges/agents"
	"gyges/rules"
)

// longestSearch bounds a search, whatever bounds the agent has itself.
const longestSearch = time.Minute

// pool searches, so many positions at a time. It keeps idle agents, as many as may
// search together: they may have large tables.
type pool struct {
	registry *agents.Registry
	log      *slog.Logger
	slots    chan struct{}

	mu   sync.Mutex
	idle []idleAgent    // the one idle for longest first
	busy map[string]int // searches under way, by the agent's spec
}

type idleAgent struct {
	spec  string
	agent agents.Agent
}

func newPool(registry *agents.Registry, searches int, log *slog.Logger) *pool {
	return &pool{registry: registry, log: log, slots: make(chan struct{}, searches), busy: map[string]int{}}
}

// choose returns the move of an agent. It blocks while too many others search.
func (p *pool) choose(
	ctx context.Context, spec agents.Spec, setup agents.Setup, g *rules.Game,
) (d agents.Decision, err error) {
	select {
	case p.slots <- struct{}{}:
		p.count(spec, 1)
		defer func() { p.count(spec, -1); <-p.slots }()
	case <-ctx.Done():
		return d, ctx.Err()
	}
	a, err := p.take(spec)
	if err != nil {
		return d, err
	}
	sound := false // not after a panic or an error
	defer func() {
		if sound {
			p.put(spec, a)
		} else {
			p.end(a)
		}
	}()
	limited, cancel := context.WithTimeout(ctx, longestSearch)
	defer cancel()
	if err := a.NewGame(limited, setup); err != nil {
		return d, err
	}
	d, err = a.Choose(limited, g, agents.Limits{})
	sound = err == nil
	return d, err
}

// count counts searches of an agent.
func (p *pool) count(spec agents.Spec, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy[spec.String()] += n
	if p.busy[spec.String()] == 0 {
		delete(p.busy, spec.String())
	}
}

// searching lists the agents that search, by their specs.
func (p *pool) searching() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.busy))
}

// take returns an agent for the caller alone.
func (p *pool) take(spec agents.Spec) (agents.Agent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, x := range p.idle {
		if x.spec == spec.String() {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			return x.agent, nil
		}
	}
	if len(p.idle) > 0 && len(p.idle)+len(p.slots) > cap(p.slots) {
		p.end(p.idle[0].agent)
		p.idle = p.idle[1:]
	}
	return p.registry.New(spec)
}

func (p *pool) put(spec agents.Spec, a agents.Agent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, idleAgent{spec.String(), a})
	if len(p.idle) > cap(p.slots) {
		p.end(p.idle[0].agent)
		p.idle = p.idle[1:]
	}
}

// end closes an agent.
func (p *pool) end(a agents.Agent) {
	c, ok := a.(io.Closer)
	if !ok {
		return
	}
	if err := c.Close(); err != nil {
		p.log.Warn("closing an agent", "error", err)
	}
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.idle {
		p.end(x.agent)
	}
	p.idle = nil
}
