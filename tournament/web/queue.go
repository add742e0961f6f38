package web

import (
	"context"
	"sync"
)

// Queue lets a bounded number of things be done at a time, such as searches, and at most share of
// them for each client. Calls of a client beyond its share wait by themselves, the others in one
// queue: whoever comes to its end waits for at most share things of each other client. It is safe
// for concurrent use.
type Queue struct {
	share   int
	turns   chan struct{} // has a place for each thing; those that wait get places in their order
	mu      sync.Mutex
	clients map[string]*queued // those with calls of Turn that have not ended
}

// queued is what a client has under way or in the queue.
type queued struct {
	room  chan struct{} // has a place for each thing of the client's share
	calls int
}

// NewQueue returns a queue of n things at a time.
func NewQueue(n, share int) *Queue {
	return &Queue{share: share, turns: make(chan struct{}, n), clients: map[string]*queued{}}
}

// Turn blocks until it is the client's turn. end must be called when the thing is done. After an
// error, which is the cause of the end of ctx, end does nothing.
func (q *Queue) Turn(ctx context.Context, client string) (end func(), err error) {
	// A client is known while it has calls.
	q.mu.Lock()
	c := q.clients[client]
	if c == nil {
		c = &queued{room: make(chan struct{}, q.share)}
		q.clients[client] = c
	}
	c.calls++
	q.mu.Unlock()
	leave := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		c.calls--
		if c.calls == 0 {
			delete(q.clients, client)
		}
	}
	// First a place in the client's share, then one of all.
	select {
	case c.room <- struct{}{}:
		select {
		case q.turns <- struct{}{}:
			end = func() {
				<-q.turns
				<-c.room
				leave()
			}
			return end, nil
		case <-ctx.Done():
			<-c.room
		}
	case <-ctx.Done():
	}
	leave()
	return func() {}, context.Cause(ctx)
}
