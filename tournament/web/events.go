package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	heartbeat    = 20 * time.Second // for proxies, which close idle connections
	eventTimeout = 10 * time.Second // for a client to receive an event

	// emptyEvent is a comment, which browsers ignore.
	emptyEvent = ":\n\n"
)

// Events are the server-sent events of a response.
type Events struct {
	ctx    context.Context
	cancel context.CancelFunc
	server *Server
	client string

	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
}

// NewEvents begins to respond with server-sent events, to be closed. It responds with an error and
// returns nil if there are too many, or if the request lacks [PageHeader].
func (s *Server) NewEvents(w http.ResponseWriter, r *http.Request) *Events {
	if r.Header.Get(PageHeader) == "" {
		text := "expected the header " + PageHeader + ": 1, as this server's pages send it"
		s.Fail(w, Error{http.StatusForbidden, text})
		return nil
	}
	if !s.Waits.Acquire(r.RemoteAddr) {
		s.Fail(w, TooMany("too many pages are open at your address; close some"))
		return nil
	}
	if !s.streams.Acquire("") {
		s.Waits.Release(r.RemoteAddr)
		s.Fail(w, Unavailable("too many pages are open"))
		return nil
	}
	// The header is sent at once, with the first empty event.
	e := &Events{server: s, client: r.RemoteAddr, w: w, control: http.NewResponseController(w)}
	e.ctx, e.cancel = context.WithCancel(r.Context())
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	e.write(emptyEvent)
	s.Go(func() {
		tick := time.Tick(heartbeat)
		for {
			select {
			case <-tick:
				e.write(emptyEvent)
			case <-e.ctx.Done():
				return
			}
		}
	})
	return e
}

// Context ends when the client has gone, an event can't be sent or the server is closed.
func (e *Events) Context() context.Context { return e.ctx }

// Close ends the response.
func (e *Events) Close() {
	e.cancel()
	e.mu.Lock() // a heartbeat ends first: the response must not be written to later
	defer e.mu.Unlock()
	e.server.streams.Release("")
	e.server.Waits.Release(e.client)
}

// Send sends a value as JSON.
func (e *Events) Send(kind string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		e.cancel()
		return
	}
	e.write(fmt.Sprintf("event: %s\ndata: %s\n\n", kind, text))
}

// write writes nothing once the context has ended.
func (e *Events) write(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ctx.Err() != nil {
		return
	}
	err := e.control.SetWriteDeadline(time.Now().Add(eventTimeout))
	if err == nil {
		_, err = e.w.Write([]byte(text))
	}
	if err == nil {
		err = e.control.Flush()
	}
	if err != nil {
		e.cancel()
	}
}
