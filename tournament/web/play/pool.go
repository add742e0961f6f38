package play

import (
	"context"
	"fmt"

	"gyges/agents"
	"gyges/tournament/web"
)

// pool runs searches in a queue, each with the agent of a slot. It is safe for concurrent use.
type pool struct {
	*web.Queue
	registry *agents.Registry
	idle     chan *slot
}

// slot keeps the agent of its last search, as agents may have large tables.
type slot struct {
	spec  string
	agent agents.Agent // nil: none
}

// close gives the agent up, even if it panics.
func (s *slot) close() {
	agent := s.agent
	s.spec, s.agent = "", nil
	if agent != nil {
		_ = agent.Close() // nothing depends on it
	}
}

// newPool returns a pool of n searches at a time, of which a client has at most share.
func newPool(registry *agents.Registry, n, share int) *pool {
	p := &pool{Queue: web.NewQueue(n, share), registry: registry, idle: make(chan *slot, n)}
	for range n {
		p.idle <- new(slot)
	}
	return p
}

// use calls search with an agent of that spec when it is the client's turn. After an error the
// agent is not used again. One that can't be made is an [agents.HostFailure].
func (p *pool) use(
	ctx context.Context, client string, spec agents.Spec,
	search func(context.Context, agents.Agent) error,
) error {
	end, err := p.Turn(ctx, client)
	if err != nil {
		return err
	}
	defer end()
	s := <-p.idle
	defer func() { p.idle <- s }()
	ctx, cancel := context.WithTimeout(ctx, maxSearchTime)
	defer cancel()
	// The agent of the slot is used again if it is of the same spec.
	if s.spec != spec.String() {
		err := recovered(func() (err error) {
			s.close()
			s.agent, err = p.registry.Start(ctx, spec)
			return err
		})
		if err != nil {
			return &agents.HostFailure{Err: err}
		}
	}
	// An agent whose search has failed is not used again.
	s.spec = "" // also by a panic
	if err = search(ctx, s.agent); err == nil {
		s.spec = spec.String()
	}
	return err
}

// recovered calls a function. A panic is an error.
func recovered(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	return f()
}
