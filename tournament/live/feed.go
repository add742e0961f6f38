package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	// pollInterval is how often an open page is brought up to date.
	pollInterval = time.Second
	// heartbeat keeps connections open through proxies that close idle ones.
	heartbeat = 20 * time.Second
	// eventTimeout bounds how long a client may take to receive an event.
	eventTimeout = 10 * time.Second
)

// part is a part of a page, and the version of the page in which it changed last.
type part struct {
	value any
	text  string // value as JSON
	since int64
}

// snapshot is a version of a page: its parts by name. Versions are ascending, also
// from one server to the next: they are times in microseconds.
type snapshot struct {
	version int64
	parts   map[string]part
}

// feed renders a page while it has viewers, and sends them the parts that change.
type feed struct {
	server *Server
	// render returns the parts of the page, nil if nothing has changed, and whether
	// records are left to be read, so that it is to be called again at once.
	render func(context.Context) (parts map[string]any, behind bool)

	mu       sync.Mutex // held while the page is rendered
	current  snapshot
	rendered time.Time

	viewMu  sync.Mutex
	viewers int
	changed chan struct{} // closed when the page has changed
	behind  bool          // records are left to be read: polling continues without viewers
	polling bool
	ended   bool
}

func newFeed(s *Server, render func(context.Context) (map[string]any, bool)) *feed {
	return &feed{server: s, render: render, changed: make(chan struct{})}
}

// now returns the page, at most as old as given.
func (f *feed) now(age time.Duration) snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.current.parts != nil && time.Since(f.rendered) < age {
		return f.current
	}
	parts, behind := f.render(f.server.ctx)
	f.rendered = time.Now()
	if parts != nil {
		f.update(parts)
	}
	f.viewMu.Lock()
	defer f.viewMu.Unlock()
	if f.behind = behind; behind {
		f.poll()
	}
	return f.current
}

// update replaces the parts that differ.
func (f *feed) update(parts map[string]any) {
	next := snapshot{version: max(f.current.version+1, time.Now().UnixMicro()), parts: map[string]part{}}
	changed := len(parts) != len(f.current.parts)
	for name, value := range parts {
		text, err := json.Marshal(value)
		if err != nil {
			f.server.config.Log.Error("a part of a page can't be sent", "part", name, "error", err)
			continue
		}
		p, ok := f.current.parts[name]
		if !ok || p.text != string(text) {
			p = part{value, string(text), next.version}
			changed = true
		}
		next.parts[name] = p
	}
	if changed {
		f.current = next
	}
}

func (f *feed) viewed() bool {
	f.viewMu.Lock()
	defer f.viewMu.Unlock()
	return f.viewers > 0
}

// view adds a viewer until leave is called.
func (f *feed) view() (leave func()) {
	f.viewMu.Lock()
	defer f.viewMu.Unlock()
	f.viewers++
	f.poll()
	return func() {
		f.viewMu.Lock()
		defer f.viewMu.Unlock()
		f.viewers--
	}
}

// nextChange returns a channel that is closed at the next change.
func (f *feed) nextChange() <-chan struct{} {
	f.viewMu.Lock()
	defer f.viewMu.Unlock()
	return f.changed
}

// end ends the polling of a page without viewers.
func (f *feed) end() {
	f.viewMu.Lock()
	defer f.viewMu.Unlock()
	f.ended = true
}

// poll starts updating the page, until it is up to date and has no viewers. The caller
// holds viewMu.
func (f *feed) poll() {
	if f.polling || f.server.ctx.Err() != nil {
		return
	}
	f.polling = true
	f.server.work.Go(func() {
		tick := time.NewTicker(f.server.pollInterval)
		defer tick.Stop()
		last := int64(0)
		for {
			behind, polling := f.state()
			if !polling {
				return
			}
			age := time.Duration(0)
			if !behind {
				age = f.server.pollInterval / 2
				select {
				case <-f.server.ctx.Done():
				case <-tick.C:
				}
			}
			if s := f.now(age); s.version != last {
				last = s.version
				f.notify()
			}
		}
	})
}

// state reports whether the page is behind, and whether to continue polling.
func (f *feed) state() (behind, polling bool) {
	f.viewMu.Lock()
	defer f.viewMu.Unlock()
	f.polling = f.server.ctx.Err() == nil && (f.viewers > 0 || f.behind && !f.ended)
	return f.behind, f.polling
}

// notify wakes the viewers.
func (f *feed) notify() {
	f.viewMu.Lock()
	defer f.viewMu.Unlock()
	close(f.changed)
	f.changed = make(chan struct{})
}

// serve sends the parts that change as server-sent events. The request's "after" is the
// version of its page.
func (f *feed) serve(w http.ResponseWriter, r *http.Request) {
	release, err := f.server.openStream(client(r.RemoteAddr))
	if err != nil {
		f.server.fail(w, err)
		return
	}
	defer release()
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		id = r.FormValue("after")
	}
	after, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		after = 0 // before all versions
	}
	defer f.view()()
	f.stream(r.Context(), newEvents(w), after)
}

// stream sends the parts that change after a version, until ctx ends or they can't
// be sent.
func (f *feed) stream(ctx context.Context, to events, after int64) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for ok := to.send("retry: 2000\n\n"); ok; {
		changed := f.nextChange()
		if now := f.now(f.server.pollInterval); now.version > after {
			ok = to.send("id: %d\nevent: page\ndata: %s\n\n", now.version, now.since(after))
			after = now.version
		}
		select {
		case <-changed:
		case <-beat.C:
			ok = ok && to.send(": heartbeat\n\n")
		case <-ctx.Done():
			return
		case <-f.server.ctx.Done():
			return
		}
	}
}

// openStream takes a place among the responses that send events to a client, until release is
// called.
func (s *Server) openStream(client string) (release func(), err error) {
	if !s.waits.acquire(client) {
		return nil, requestError{http.StatusTooManyRequests, "too many pages are open at your address; close some"}
	}
	select {
	case s.streams <- struct{}{}:
	default:
		s.waits.release(client)
		return nil, requestError{http.StatusServiceUnavailable, "too many pages are open"}
	}
	return func() {
		<-s.streams
		s.waits.release(client)
	}, nil
}

// events are server-sent events of a response.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newEvents(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	return events{w, http.NewResponseController(w)}
}

// send sends a text, and reports whether the client can take more.
func (e events) send(format string, args ...any) bool {
	if e.control.SetWriteDeadline(time.Now().Add(eventTimeout)) != nil {
		return false
	}
	_, err := fmt.Fprintf(e.w, format, args...)
	return err == nil && e.control.Flush() == nil
}

// since returns the parts that changed after a version as a JSON object.
func (s snapshot) since(version int64) []byte {
	list := map[string]json.RawMessage{}
	for name, p := range s.parts {
		if p.since > version {
			list[name] = json.RawMessage(p.text)
		}
	}
	text, _ := json.Marshal(list) // the parts are JSON already
	return text
}
