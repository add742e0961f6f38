package analysis

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"gyges/agents"
)

// ErrYielded is the cause of the end of a search that made room for another one.
var ErrYielded = errors.New("the search was ended as another one was waiting")

// yieldTime is how long a search that yields keeps its slot while other clients wait for one.
const yieldTime = 5 * time.Second

// Pool runs a bounded number of concurrent searches. A slot that becomes free goes to the client that has the
// fewest, of several to the one that has waited longest since it came or since its last search ended. Each slot
// keeps the agent of its last search: agents may have large tables. It is safe for concurrent use.
type Pool struct {
	registry *agents.Registry
	log      *slog.Logger
	maxTime  time.Duration
	share    int

	mu      sync.Mutex
	slots   []*slot // the one used longest ago first
	waiting []*turn // those of a client come last once a search of it has ended
}

type slot struct {
	spec  string
	agent agents.Agent // nil: none
	turn  *turn        // nil: it is idle
}

// turn is a search that waits for a slot or has one.
type turn struct {
	client, spec string
	slot         chan *slot
	yield        context.CancelCauseFunc // ends a search that yields; nil: it doesn't
	until        time.Time               // when it yields to other clients
	yielded      bool
}

// NewPool returns a pool of n concurrent searches, at most share of one client, each ended after maxTime; 0: no
// bound. It must be closed.
func NewPool(registry *agents.Registry, n, share int, maxTime time.Duration, log *slog.Logger) *Pool {
	p := &Pool{registry: registry, log: log, maxTime: maxTime, share: share}
	for range n {
		p.slots = append(p.slots, new(slot))
	}
	return p
}

// Use calls search with an agent of that spec, which is used by nothing else meanwhile. It
// blocks until it is the client's turn. An agent is not used again after an error.
func (p *Pool) Use(
	ctx context.Context, client string, spec agents.Spec, search func(context.Context, agents.Agent) error,
) error {
	return p.use(ctx, spec, &turn{client: client}, search)
}

// UseYielding is Use, except that the search's context is cancelled, with the cause [ErrYielded], when it must end
// for another one: at once for one of Use by the same client, after some seconds for any.
func (p *Pool) UseYielding(
	ctx context.Context, client string, spec agents.Spec, search func(context.Context, agents.Agent) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return p.use(ctx, spec, &turn{client: client, yield: cancel}, search)
}

func (p *Pool) use(
	ctx context.Context, spec agents.Spec, t *turn, search func(context.Context, agents.Agent) error,
) (err error) {
	t.spec = spec.String()
	s, err := p.wait(ctx, t)
	if err != nil {
		return err
	}
	failed := true // also by a panic
	defer func() {
		if failed {
			p.closeAgent(s)
		}
		p.release(s)
	}()
	if s.spec != t.spec {
		p.closeAgent(s)
		if s.agent, err = p.registry.New(spec); err != nil {
			return err
		}
		s.spec = t.spec
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

// Turn blocks until it is the client's turn to search without an agent of the pool. end must be called when the
// search has ended.
func (p *Pool) Turn(ctx context.Context, client string) (end func(), err error) {
	s, err := p.wait(ctx, &turn{client: client})
	if err != nil {
		return func() {}, err
	}
	return func() { p.release(s) }, nil
}

// wait takes a slot when it is the client's turn.
func (p *Pool) wait(ctx context.Context, t *turn) (*slot, error) {
	t.slot = make(chan *slot, 1)
	p.mu.Lock()
	p.waiting = append(p.waiting, t)
	p.schedule()
	p.mu.Unlock()
	select {
	case s := <-t.slot:
		return s, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	i := slices.Index(p.waiting, t)
	if i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
	p.mu.Unlock()
	if i < 0 { // it has got one at the same time
		p.release(<-t.slot)
	}
	return nil, context.Cause(ctx)
}

// release frees a slot. Its client comes after the others that wait.
func (p *Pool) release(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	client := s.turn.client
	s.turn = nil
	place := func(t *turn) int {
		if t.client == client {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(p.waiting, func(a, b *turn) int { return place(a) - place(b) })
	p.schedule()
}

// schedule gives idle slots to those whose turn it is, and lets a search yield to those that wait further. The
// caller holds the lock.
func (p *Pool) schedule() {
	held := map[string]int{} // slots by client
	isIdle := func(s *slot) bool { return s.turn == nil }
	for _, s := range p.slots {
		if !isIdle(s) {
			held[s.turn.client]++
		}
	}
	for slices.ContainsFunc(p.slots, isIdle) {
		t := p.next(held)
		if t == nil {
			break
		}
		i := slices.IndexFunc(p.slots, func(s *slot) bool { return isIdle(s) && s.spec == t.spec })
		if i < 0 {
			i = slices.IndexFunc(p.slots, isIdle)
		}
		s := p.slots[i]
		p.slots = append(slices.Delete(p.slots, i, i+1), s)
		p.waiting = slices.DeleteFunc(p.waiting, func(w *turn) bool { return w == t })
		held[t.client]++
		s.turn, t.until = t, time.Now().Add(yieldTime)
		t.slot <- s
		if t.yield != nil {
			time.AfterFunc(yieldTime, func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.schedule()
			})
		}
	}
	p.interrupt(held)
}

// next returns the turn that comes next; nil: none may have a slot.
func (p *Pool) next(held map[string]int) (found *turn) {
	for _, t := range p.waiting {
		n := held[t.client]
		if n < p.share && (found == nil || n < held[found.client] ||
			t.client == found.client && t.yield == nil && found.yield != nil) {
			found = t
		}
	}
	return found
}

// interrupt ends a search that yields, the one that began first, unless one is ending: at once for a search of its
// client that doesn't yield, after yieldTime for others.
func (p *Pool) interrupt(held map[string]int) {
	if slices.ContainsFunc(p.slots, func(s *slot) bool { return s.turn != nil && s.turn.yielded }) {
		return
	}
	for _, s := range p.slots {
		t := s.turn
		if t != nil && t.yield != nil && slices.ContainsFunc(p.waiting, func(w *turn) bool {
			over, same := !time.Now().Before(t.until), w.client == t.client
			return same && (over || w.yield == nil) || over && held[w.client] < p.share
		}) {
			t.yielded = true
			t.yield(ErrYielded)
			return
		}
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
		if s.turn != nil {
			specs = append(specs, s.turn.spec)
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
		if s.turn == nil {
			p.closeAgent(s)
		}
	}
}
