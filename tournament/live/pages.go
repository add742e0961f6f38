package live

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gyges/ratings/textfmt"
	"gyges/tournament/report"
)

//go:embed assets
var assets embed.FS

// pages writes pages.
type pages struct{ templates *template.Template }

func newPages() *pages {
	t := template.New("").Funcs(template.FuncMap{
		"runPath": runPath,
		"count":   textfmt.Thousands,
		"when":    func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") },
		"iso":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	})
	return &pages{template.Must(t.ParseFS(assets, "assets/*.tmpl"))}
}

// runPath is where a run's page is.
func runPath(id string) string {
	parts := strings.Split(id, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// files are what pages ask for, by name: parts of the program, none of the disk.
func (p *pages) files() map[string]http.Handler {
	own := func(name string) string {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		return string(text)
	}
	return map[string]http.Handler{
		"style.css": fixed("text/css; charset=utf-8", report.Style()+own("live.css")),
		"report.js": fixed("text/javascript; charset=utf-8", report.Script()),
		"live.js":   fixed("text/javascript; charset=utf-8", own("live.js")),
		"play.js":   fixed("text/javascript; charset=utf-8", own("play.js")),
	}
}

func fixed(kind, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(text)) // who asked may have gone
	})
}

// write writes a page.
func (p *pages) write(s *Server, w http.ResponseWriter, name string, data any) {
	p.writeStatus(s, w, http.StatusOK, name, data)
}

func (p *pages) writeStatus(s *Server, w http.ResponseWriter, status int, name string, data any) {
	var b bytes.Buffer
	if err := p.templates.ExecuteTemplate(&b, name, data); err != nil {
		s.config.Log.Error("a page can't be written", "page", name, "error", err)
		http.Error(w, "the page can't be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // who asked may have gone
}

// refuse answers with an error, as a page: people see it.
func (s *Server) refuse(w http.ResponseWriter, status int, text string) {
	s.pages.writeStatus(s, w, status, "refusal", struct{ Title, Text string }{http.StatusText(status), text})
}

func (s *Server) serveNothing(w http.ResponseWriter, _ *http.Request) {
	s.refuse(w, http.StatusNotFound, "there is nothing here")
}

// runPage is the data of a run's page.
type runPage struct {
	Title, ID, Version string
	Snapshot           snapshot
	Viewer             *report.Viewer
}

// Part is a part of the page as it is now.
func (p runPage) Part(name string) any { return p.Snapshot.parts[name].value }

// listPage is the data of the list of runs.
type listPage struct {
	Version string
	Table   any
}

func (s *Server) serveList(w http.ResponseWriter, _ *http.Request) {
	now := s.list.now(s.poll)
	s.pages.write(s, w, "list", listPage{s.versionText(now.version), now.parts["table"].value})
}

func (s *Server) serveListEvents(w http.ResponseWriter, r *http.Request) { s.list.serve(w, r) }

// renderList makes the list of runs.
func (s *Server) renderList(context.Context) (parts map[string]any, behind bool) {
	list, more := s.catalog.entries()
	var b bytes.Buffer
	err := s.pages.templates.ExecuteTemplate(&b, "runs", struct {
		Runs    []entry
		More    bool
		Results string
	}{list, more, s.config.Results})
	if err != nil {
		s.config.Log.Error("the list of runs can't be written", "error", err)
		return nil, false
	}
	return map[string]any{"table": html(b.String())}, false //nolint:gosec // written by html/template
}
