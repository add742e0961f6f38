package live

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// pollEvery is how often a page that is looked at is brought up to date.
	pollEvery = time.Second
	// heartbeat keeps connections open through what closes idle ones.
	heartbeat = 20 * time.Second
	// eventTime bounds how long a reader may take over an event.
	eventTime = 10 * time.Second
)

// part is a part of a page, and since when it is as it is.
type part struct {
	value any
	text  string // value as JSON
	since int64  // the version of the page in which it changed
}

// snapshot is a version of a page: its parts by name.
type snapshot struct {
	version int64
	parts   map[string]part
}

// feed brings a page up to date while somebody looks at it, and tells who does.
type feed struct {
	server *Server
	// render returns the parts as they are now, nil if as they were, and whether
	// it is to be called again at once: there was too much to read.
	render func(context.Context) (parts map[string]any, behind bool)

	mu       sync.Mutex // held while the page is rendered
	current  snapshot
	rendered time.Time

	watchMu  sync.Mutex
	watchers map[chan struct{}]bool
	behind   bool               // not all is read: the polling goes on without viewers
	stop     context.CancelFunc // of the polling; nil: there is none
}

func newFeed(s *Server, render func(context.Context) (map[string]any, bool)) *feed {
	return &feed{server: s, render: render, watchers: map[chan struct{}]bool{}}
}

// now returns the page as it is, at most so old.
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
	f.watchMu.Lock()
	defer f.watchMu.Unlock()
	if f.behind = behind; behind {
		f.start()
	}
	return f.current
}

// update takes new parts in.
func (f *feed) update(parts map[string]any) {
	next := snapshot{version: f.current.version + 1, parts: map[string]part{}}
	changed := len(parts) != len(f.current.parts)
	for name, value := range parts {
		text, err := json.Marshal(value)
		if err != nil {
			f.server.config.Log.Error("a part of a page can't be sent", "part", name, "error", err)
			continue
		}
		old, ok := f.current.parts[name]
		if ok && old.text == string(text) {
			next.parts[name] = part{value, old.text, old.since}
			continue
		}
		next.parts[name] = part{value, string(text), next.version}
		changed = true
	}
	if changed {
		f.current = next
	}
}

func (f *feed) watched() bool {
	f.watchMu.Lock()
	defer f.watchMu.Unlock()
	return len(f.watchers) > 0
}

// watch returns a channel that is sent to when the page has changed.
func (f *feed) watch() (changed <-chan struct{}, leave func()) {
	c := make(chan struct{}, 1)
	f.watchMu.Lock()
	defer f.watchMu.Unlock()
	f.watchers[c] = true
	f.start()
	return c, func() {
		f.watchMu.Lock()
		defer f.watchMu.Unlock()
		delete(f.watchers, c)
		if len(f.watchers) == 0 && !f.behind {
			f.halt()
		}
	}
}

// start starts the polling. The caller holds watchMu, as for halt.
func (f *feed) start() {
	if f.stop == nil && f.server.ctx.Err() == nil {
		var ctx context.Context
		ctx, f.stop = context.WithCancel(f.server.ctx)
		f.server.work.Go(func() { f.poll(ctx) })
	}
}

// end ends the polling of a page without viewers.
func (f *feed) end() {
	f.watchMu.Lock()
	defer f.watchMu.Unlock()
	f.halt()
}

// halt ends the polling.
func (f *feed) halt() {
	if f.stop != nil {
		f.stop()
		f.stop = nil
	}
}

// poll brings the page up to date until ctx is cancelled, or the page is up to
// date and has no viewers.
func (f *feed) poll(ctx context.Context) {
	tick := time.NewTicker(f.server.poll)
	defer tick.Stop()
	last := int64(0)
	for {
		behind, ended := f.standing(ctx)
		if ended {
			return
		}
		age := time.Duration(0)
		if !behind {
			age = f.server.poll / 2
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
		if s := f.now(age); s.version != last {
			last = s.version
			f.tell()
		}
	}
}

// standing reports whether the page is behind, and whether the polling with that
// context is to end.
func (f *feed) standing(ctx context.Context) (behind, ended bool) {
	f.watchMu.Lock()
	defer f.watchMu.Unlock()
	if ctx.Err() != nil {
		return false, true
	}
	if !f.behind && len(f.watchers) == 0 {
		f.halt()
		return false, true
	}
	return f.behind, false
}

func (f *feed) tell() {
	f.watchMu.Lock()
	defer f.watchMu.Unlock()
	for c := range f.watchers {
		select {
		case c <- struct{}{}:
		default: // it hasn't looked since the last time
		}
	}
}

// serve sends what changes, as server-sent events. The request says by "after"
// which version its page has.
func (f *feed) serve(w http.ResponseWriter, r *http.Request) {
	s, who := f.server, client(r.RemoteAddr)
	if !s.waits.take(who) {
		w.Header().Set("Retry-After", retryAfter)
		s.refuse(w, http.StatusTooManyRequests, "too many pages are open at your address; close some")
		return
	}
	defer s.waits.give(who)
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		w.Header().Set("Retry-After", retryAfter)
		s.refuse(w, http.StatusServiceUnavailable, "too many pages are open")
		return
	}
	after := s.versionOf(r.FormValue("after"))
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		after = s.versionOf(id)
	}
	patient(w)
	control := http.NewResponseController(w)
	send := func(format string, args ...any) bool {
		if control.SetWriteDeadline(time.Now().Add(eventTime)) != nil {
			return false
		}
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	changed, leave := f.watch()
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	if !send("retry: 2000\n\n") {
		return
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		now := f.now(s.poll)
		if text := now.since(after); text != "" {
			after = now.version
			if !send("id: %s\nevent: page\ndata: %s\n\n", s.versionText(after), text) {
				return
			}
		}
		select {
		case <-changed:
		case <-beat.C:
			if !send(": still here\n\n") {
				return
			}
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// since returns the parts that changed after a version as a JSON object, "" if
// there are none.
func (s snapshot) since(version int64) string {
	list := map[string]json.RawMessage{}
	for name, p := range s.parts {
		if p.since > version {
			list[name] = json.RawMessage(p.text)
		}
	}
	if len(list) == 0 {
		return ""
	}
	text, err := json.Marshal(list)
	if err != nil {
		return "" // the parts are JSON already
	}
	return string(text)
}

// versionText names a version of a page of this server.
func (s *Server) versionText(version int64) string {
	return s.epoch + "-" + strconv.FormatInt(version, 10)
}

// versionOf reads it back; 0, before all, for one of another server.
func (s *Server) versionOf(text string) int64 {
	number, ok := strings.CutPrefix(text, s.epoch+"-")
	if !ok {
		return 0
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
