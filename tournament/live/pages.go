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

	"gyges/rules/base/textfmt"
	"gyges/tournament/report"
)

//go:embed assets
var assets embed.FS

func parsePages() *template.Template {
	t := template.New("").Funcs(template.FuncMap{
		"runPath": runPath,
		"count":   textfmt.Thousands,
		"when":    func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") },
		"clock":   clockLabel,
		"iso":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	})
	return template.Must(t.ParseFS(assets, "assets/*.tmpl"))
}

// clockLabel is one of clockTexts in words.
func clockLabel(text string) string {
	return strings.NewReplacer("m+", " min + ", "s", " s a move").Replace(text)
}

// runPath escapes the id of a run for addresses.
func runPath(id string) string { return strings.ReplaceAll(url.PathEscape(id), "%2F", "/") }

// assetHandlers returns the handlers of the embedded style sheet and scripts, by name.
func assetHandlers() map[string]http.Handler {
	handler := func(kind, before, name string) http.Handler {
		text := []byte(before)
		if name != "" {
			own, err := assets.ReadFile("assets/" + name)
			if err != nil {
				panic(err) // it is embedded
			}
			text = append(text, own...)
		}
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind+"; charset=utf-8")
			_, _ = w.Write(text) // the client may have gone
		})
	}
	return map[string]http.Handler{
		"style.css":  handler("text/css", report.Style(), "live.css"),
		"report.js":  handler("text/javascript", report.Script(), ""),
		"live.js":    handler("text/javascript", "", "live.js"),
		"page.js":    handler("text/javascript", "", "page.js"),
		"motion.js":  handler("text/javascript", "", "motion.js"),
		"input.js":   handler("text/javascript", "", "input.js"),
		"form.js":    handler("text/javascript", "", "form.js"),
		"play.js":    handler("text/javascript", "", "play.js"),
		"analyse.js": handler("text/javascript", "", "analyse.js"),
	}
}

// html executes a template.
func (s *Server) html(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	err := s.pages.ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err //nolint:gosec // written by html/template
}

// write responds with a page.
func (s *Server) write(w http.ResponseWriter, status int, name string, data any) {
	page, err := s.html(name, data)
	if err != nil {
		s.config.Log.Error("a page can't be written", "page", name, "error", err)
		http.Error(w, "the page can't be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(page)) // the client may have gone
}

// refuse responds with an error as a page.
func (s *Server) refuse(w http.ResponseWriter, status int, text string) {
	text = strings.ToUpper(text[:1]) + text[1:]
	s.write(w, status, "refusal", struct{ Title, Text string }{http.StatusText(status), text})
}

// livePage is the data of a page with parts that change.
type livePage struct {
	ID      string // of the run
	Version int64
	parts   map[string]part
	Viewer  *report.Viewer
}

// Part returns the value of a part.
func (p livePage) Part(name string) any { return p.parts[name].value }

// Games returns the games under way by their IDs.
func (p livePage) Games() map[string]any {
	games := map[string]any{}
	for name, part := range p.parts {
		if id, ok := strings.CutPrefix(name, gamePart); ok {
			games[id] = part.value
		}
	}
	return games
}

func (s *Server) serveList(w http.ResponseWriter, _ *http.Request) {
	now := s.list.now(s.pollInterval)
	s.write(w, http.StatusOK, "list", livePage{Version: now.version, parts: now.parts})
}

// renderList makes the list of runs.
func (s *Server) renderList(context.Context) (parts map[string]any, behind bool) {
	list, more := s.catalog.entries()
	table, err := s.html("runs", struct {
		Runs    []entry
		More    bool
		Results string
	}{list, more, s.config.Results})
	if err != nil {
		s.config.Log.Error("the list of runs can't be written", "error", err)
		return nil, false
	}
	return map[string]any{"table": table}, false
}
