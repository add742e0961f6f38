package play

import (
	"context"
	"fmt"
	"sync"

	"gyges/agents"
)

// pool runs a bounded number of searches at a time, and at most share for each client. Those of a client beyond that
// wait by themselves, the others in one queue: whoever comes to its end waits for at most share searches of each other
// client. It is safe for concurrent use.
type pool struct {
	registry *agents.Registry
	share    int
	idle     chan *slot // which serves those that wait in their order
	mu       sync.Mutex
	clients  map[string]*client // those with calls of turn that have not ended
}

// client is the searches of one, under way or in the queue: room has a place for each of its share.
type client struct {
	room  chan struct{}
	calls int
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

func newPool(registry *agents.Registry, n, share int) *pool {
	p := &pool{registry: registry, share: share, idle: make(chan *slot, n), clients: map[string]*client{}}
	for range n {
		p.idle <- new(slot)
	}
	return p
}

// turn blocks until it is the client's turn to search. end must be called when the search has ended.
func (p *pool) turn(ctx context.Context, name string) (s *slot, end func(), err error) {
	p.mu.Lock()
	c := p.clients[name]
	if c == nil {
		c = &client{room: make(chan struct{}, p.share)}
		p.clients[name] = c
	}
	c.calls++
	p.mu.Unlock()
	leave := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if c.calls--; c.calls == 0 {
			delete(p.clients, name)
		}
	}
	select {
	case c.room <- struct{}{}:
		select {
		case s := <-p.idle:
			return s, func() { p.idle <- s; <-c.room; leave() }, nil
		case <-ctx.Done():
			<-c.room
		}
	case <-ctx.Done():
	}
	leave()
	return nil, func() {}, context.Cause(ctx)
}

// use calls search with an agent of that spec when it is the client's turn. After an error the agent is not used again.
// One that can't be made is an [agents.HostFailure].
func (p *pool) use(
	ctx context.Context, client string, spec agents.Spec, search func(context.Context, agents.Agent) error,
) error {
	s, end, err := p.turn(ctx, client)
	if err != nil {
		return err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, maxSearchTime)
	defer cancel()
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
