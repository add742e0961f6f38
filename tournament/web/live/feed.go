package live

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"gyges/tournament/web"
)

const pollInterval = time.Second

// part is a part of a page as JSON, and the version of the page in which it changed last.
type part struct {
	text  string
	since int64
}

// content is what a page shows, by part.
type content interface{ parts() map[string]any }

// snapshot is a version of a page. Versions ascend, also from one server to the next: they are
// times in microseconds.
type snapshot[C content] struct {
	version int64
	page    C
	parts   map[string]part // those that change, by name; nil: there is no page yet
	behind  bool            // records are left to be read
}

// feed renders a page for those who look at it, and sends them the parts that change.
type feed[C content] struct {
	pages *Pages
	// render returns the page, whether it may have changed, otherwise it is not used, and whether
	// records are left to be read, so that it is to be called again at once.
	render func(context.Context) (page C, changed, behind bool)

	mu       sync.Mutex // held while the page is rendered
	current  snapshot[C]
	rendered time.Time
}

// errNoPage is the error of a page that can't be made.
var errNoPage = web.Unavailable("the page can't be made now; the server's log has the reason")

// asked returns the page for a request, of at most that age, when it is the client's turn. The
// error is errNoPage, or the context's.
func (f *feed[C]) asked(
	ctx context.Context, client string, age time.Duration,
) (now snapshot[C], err error) {
	end, err := f.pages.server.Reads.Turn(ctx, client)
	if err != nil {
		return now, err
	}
	defer end()
	now = f.now(age)
	if now.parts == nil {
		err = errNoPage
	}
	return now, err
}

// now returns the page, of at most that age.
func (f *feed[C]) now(age time.Duration) snapshot[C] {
	f.mu.Lock()
	defer f.mu.Unlock()
	isComplete := f.current.parts != nil && !f.current.behind
	if isComplete && time.Since(f.rendered) < age {
		return f.current
	}
	page, changed, behind := f.render(f.pages.server.Context())
	f.rendered = time.Now()
	if changed {
		f.update(page)
	}
	f.current.behind = behind
	return f.current
}

// update makes the page the current one if a part has changed.
func (f *feed[C]) update(page C) {
	// A part that has not changed keeps the version in which it changed last.
	parts := page.parts()
	version := max(f.current.version+1, time.Now().UnixMicro())
	next := snapshot[C]{version: version, page: page, parts: map[string]part{}}
	changed := len(parts) != len(f.current.parts)
	for name, value := range parts {
		text, err := json.Marshal(value)
		if err != nil {
			f.pages.server.Log.Error("a part of a page can't be sent", "part", name, "error", err)
			continue
		}
		p := f.current.parts[name] // without a text if there is none
		if p.text != string(text) {
			p = part{string(text), version}
			changed = true
		}
		next.parts[name] = p
	}
	if changed {
		f.current = next
	}
}

// serve sends the parts that change as server-sent events, of versions later than the request's
// "after".
func (f *feed[C]) serve(w http.ResponseWriter, r *http.Request) {
	to := f.pages.server.NewEvents(w, r)
	if to == nil {
		return
	}
	defer to.Close()
	// The page names the version that it shows.
	after, _ := strconv.ParseInt(r.FormValue("after"), 10, 64) // 0 if it is no version
	// The page is rendered at each tick, for all who look at it, or at once while records are left
	// to be read.
	tick := time.Tick(f.pages.pollInterval)
	for {
		now, err := f.asked(to.Context(), r.RemoteAddr, f.pages.pollInterval/2)
		if err != nil || to.Context().Err() != nil {
			return
		}
		if now.version > after {
			changed := map[string]json.RawMessage{}
			for name, p := range now.parts {
				if p.since > after {
					changed[name] = json.RawMessage(p.text)
				}
			}
			to.Send("page", map[string]any{"version": now.version, "parts": changed})
			after = now.version
		}
		if !now.behind {
			select {
			case <-tick:
			case <-to.Context().Done():
			}
		}
	}
}
