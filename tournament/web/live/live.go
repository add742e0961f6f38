// Package live serves pages of runs as package report shows them, which change while a run goes
// on.
//
// A run in progress is read from its files alone: complete lines that were appended to its
// records, and the file of games under way, are read every second while a page is open, and pages
// get what changed by server-sent events. The program that plays the run is not involved.
//
// Names of runs lead to folders below those that the operator has named and nowhere else (see
// [os.Root]).
package live

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"time"

	"gyges/tournament/web"
)

//go:embed assets
var assets embed.FS

// Pages are the pages of runs, and the first page.
type Pages struct {
	server  *web.Server
	catalog *catalog
	list    *feed[listing]

	pollInterval time.Duration // constants but in tests
	maxRead      int64         // bytes of a run's records that are read at a time
}

// New adds the pages of the runs below a folder of results, "" for none, and of further runs, which
// must open.
func New(s *web.Server, results string, runs []string) (*Pages, error) {
	p := &Pages{
		server:       s,
		pollInterval: pollInterval,
		maxRead:      readAtOnce,
	}
	p.catalog = &catalog{pages: p, path: results, runs: map[string]*run{}}
	s.OnClose(p.catalog.close)
	var errs []error
	for _, dir := range runs {
		errs = append(errs, p.catalog.add(dir))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	p.list = &feed[listing]{pages: p, render: p.renderList}
	s.AddAssets(assets)
	s.HandleFunc("GET /{$}", p.serveList)
	s.HandleFunc("GET /events", p.list.serve)
	s.HandleFunc("GET /run/{id...}", p.onRun((*run).serve))
	s.HandleFunc("GET /run-events/{id...}", p.onRun((*run).serveEvents))
	return p, nil
}

// renderList renders the list of runs for its feed.
func (p *Pages) renderList(context.Context) (list listing, changed, behind bool) {
	list, err := p.catalog.entries()
	if err != nil {
		p.server.Log.Error("the runs can't be listed", "error", err)
	}
	return list, err == nil, false
}

// onRun handles requests that name a run.
func (p *Pages) onRun(serve func(*run, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		r, err := p.catalog.open(q.PathValue("id"))
		if err != nil {
			p.server.FailPage(w, err)
			return
		}
		serve(r, w, q)
	}
}
