// Package manage lets the pages of the server change things: rename and remove runs, and play a tournament that is
// begun on a page. It is for servers that other machines don't reach.
//
// Requests name no program and no file: agents are those that the operator has listed, or of kinds that run none.
package manage

import (
	"cmp"
	"context"
	"embed"
	"net/http"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"gyges/agents"
	"gyges/configs"
	"gyges/rules"
	"gyges/rules/base/settings"
	"gyges/tournament"
	"gyges/tournament/live"
	"gyges/tournament/play"
	"gyges/tournament/web"
)

//go:embed assets
var assets embed.FS

// Config is the configuration of the pages.
type Config struct {
	Results  string           // folder of runs
	Runs     *live.Pages      // of that folder
	Registry *agents.Registry // of the kinds of all agents
	Kinds    *agents.Registry // of the kinds that requests may name; none of them runs a program
	Players  []play.Player    // further agents, which requests name
	Workers  int              // games of a tournament at a time; 0: half the cores, at least one
}

// pages are the pages, and the tournament that is played.
type pages struct {
	Config
	server *web.Server
	now    atomic.Pointer[session] // nil: none is played
}

// session is a tournament that is played.
type session struct {
	id    string
	stop  context.CancelFunc
	ended chan struct{} // closed at the end
}

// request is the body of a request about a run.
type request struct {
	ID string `json:"id"`
	To string `json:"to,omitempty"` // its new id
}

// New adds the pages to a server.
func New(s *web.Server, c Config) {
	c.Workers = cmp.Or(c.Workers, max(1, runtime.GOMAXPROCS(0)/2))
	p := &pages{Config: c, server: s}
	s.AddAssets(assets)
	s.HandleFunc("GET /new", func(w http.ResponseWriter, _ *http.Request) {
		defaults := tournament.DefaultConfig()
		s.WritePage(w, http.StatusOK, "new", struct {
			Config
			Fields []settings.Field
			Rules  []rules.Preset
		}{p.Config, fields(&defaults), rules.Presets()})
	})
	s.HandleFunc("GET /api/manage/run/{id...}", web.Get(s, p.getRun))
	s.HandleFunc("POST /api/manage/rename", web.Post(s, http.StatusOK, func(_ *http.Request, q request) (any, error) {
		return q, c.Runs.Rename(q.ID, q.To)
	}))
	s.HandleFunc("POST /api/manage/remove", web.Post(s, http.StatusOK, func(_ *http.Request, q request) (any, error) {
		folder, err := c.Runs.Remove(q.ID)
		return request{q.ID, folder}, err
	}))
	s.HandleFunc("POST /api/manage/check", web.Post(s, http.StatusOK, p.check))
	s.HandleFunc("POST /api/manage/begin", web.Post(s, http.StatusCreated, p.begin))
	s.HandleFunc("POST /api/manage/stop", web.Post(s, http.StatusOK, func(_ *http.Request, q request) (any, error) {
		now := p.playing(q.ID)
		if now == nil {
			return nil, web.Conflict("this server doesn't play %.60q", q.ID)
		}
		now.stop()
		<-now.ended
		return q, nil
	}))
	s.OnClose(func() error {
		if now := p.now.Load(); now != nil {
			<-now.ended // as the server's context has
		}
		return nil
	})
}

// getRun returns whether a run is played here, and the YAML and the command line of its settings, if there are some.
func (p *pages) getRun(r *http.Request) (any, error) {
	id := r.PathValue("id")
	folder, ok := p.Runs.Run(id)
	if !ok {
		return nil, web.Error{Status: http.StatusNotFound, Text: "there is no such run"}
	}
	answer := map[string]any{"playing": p.playing(id) != nil}
	if m, err := tournament.ReadManifest(folder); err == nil && m != nil && m.Status != tournament.Imported {
		if c, err := m.Config.Settings(); err == nil {
			answer["yaml"], _ = configs.TournamentText(c) // "" says that there is none
			answer["command"] = p.Runs.Command(id, m)
		}
	}
	return answer, nil
}

// begin plays the tournament of the form. It responds when its folder has a manifest, and plays on.
func (p *pages) begin(_ *http.Request, texts map[string]string) (any, error) {
	c, err := p.config(texts)
	if err != nil {
		return nil, err
	}
	c.Workers, c.Log, c.Out = p.Workers, p.server.Log, tournament.DefaultOut(p.Results, c.Name, time.Now())
	begun := make(chan struct{})
	c.OnBegin = func(int64) { close(begun) }
	ctx, stop := context.WithCancel(p.server.Context())
	s := &session{filepath.Base(c.Out), stop, make(chan struct{})}
	if !p.now.CompareAndSwap(nil, s) {
		stop()
		return nil, web.Conflict("a tournament is being played, and one is at a time; stop it on its page first")
	}
	go func() {
		defer stop()
		var summary tournament.Summary
		if summary, err = tournament.Run(ctx, c, p.Registry, nil); summary.Status == tournament.Failed {
			p.server.Log.Error("a tournament failed", "run", s.id, "error", err)
		}
		p.now.Store(nil)
		close(s.ended)
	}()
	select {
	case <-begun:
	case <-s.ended:
		if err != nil {
			return nil, web.Unprocessable("%v", err)
		}
	}
	return request{ID: s.id}, nil
}

// playing returns the tournament with an id that is played; nil: none.
func (p *pages) playing(id string) *session {
	if s := p.now.Load(); s != nil && s.id == id {
		return s
	}
	return nil
}
