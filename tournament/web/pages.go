package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

//go:embed assets
var assets embed.FS

// Asset returns a style sheet or script that pages share, which can also be a part of a file.
func Asset(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// Style returns the style sheet of reports, to which the server adds its own.
func Style() string {
	return Asset("chart.css") + Asset("board.css") + Asset("style.css") + Asset("review.css")
}

// RunPath escapes the id of a run for addresses.
func RunPath(id string) string { return strings.ReplaceAll(url.PathEscape(id), "%2F", "/") }

// AddAssets adds the templates and scripts of the folder assets, which is embedded.
func (s *Server) AddAssets(embedded fs.FS) {
	template.Must(s.pages.ParseFS(embedded, "assets/*.tmpl"))
	scripts, _ := fs.Glob(embedded, "assets/*.js") // the pattern is valid
	for _, name := range scripts {
		text, err := fs.ReadFile(embedded, name)
		if err != nil {
			panic(err) // it is embedded
		}
		s.addFile(path.Base(name), "text/javascript", string(text))
	}
}

// addFile adds a script or style sheet. Browsers keep it, and ask whether it has changed.
func (s *Server) addFile(name, kind, text string) {
	digest := sha256.Sum256([]byte(text))
	tag := fmt.Sprintf(`"%x"`, digest)
	s.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind+"; charset=utf-8")
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", tag)
		content := strings.NewReader(text)
		http.ServeContent(w, r, name, time.Time{}, content)
	})
}

// HTML executes a template.
func (s *Server) HTML(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	err := s.pages.ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err //nolint:gosec // written by html/template
}

// AddPage adds a page at the name of its template, with data that stay the same.
func (s *Server) AddPage(name string, data any) {
	s.HandleFunc("GET /"+name, func(w http.ResponseWriter, _ *http.Request) {
		s.WritePage(w, http.StatusOK, name, data)
	})
}

// WritePage responds with a template.
func (s *Server) WritePage(w http.ResponseWriter, status int, name string, data any) {
	page, err := s.HTML(name, data)
	if err != nil {
		s.Log.Error("a page can't be written", "page", name, "error", err)
		http.Error(w, "the page can't be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(page)) // the client may have gone
}

// Refuse responds with an error as a page.
func (s *Server) Refuse(w http.ResponseWriter, status int, text string) {
	s.WritePage(w, status, "refusal", map[string]string{
		"Title": http.StatusText(status),
		"Text":  strings.ToUpper(text[:1]) + text[1:],
	})
}
