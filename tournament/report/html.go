package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed assets
var assets embed.FS

// asset returns a file that is part of the program.
func asset(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// Style returns the style sheet of pages.
func Style() string { return asset("chart.css") + asset("style.css") }

// Script returns the script of pages: the board, which other pages may use by
// itself, and the viewer, which takes hold of a page that has one.
func Script() string { return asset("board.js") + asset("viewer.js") }

// pageTemplate is parsed anew for each page: that takes a fraction of a
// millisecond.
func pageTemplate() *template.Template {
	t := template.New("").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(Style()) }, //nolint:gosec // ours
		"script": func() template.JS { return template.JS(Script()) },  //nolint:gosec // ours
		"left":   func(header []Head, i int) bool { return i < len(header) && header[i].Left },
	})
	return template.Must(t.Parse(asset("page.tmpl")))
}

// WriteHTML writes the page as one file that needs no other.
func WriteHTML(w io.Writer, p *Page) error { return execute(w, "page", p) }

// WriteFragment writes one section of a page as HTML, to be put into a page that
// has [Style].
func WriteFragment(w io.Writer, s Section) error { return execute(w, "section", s) }

func execute(w io.Writer, name string, data any) error {
	var buf bytes.Buffer
	if err := pageTemplate().ExecuteTemplate(&buf, name, data); err != nil {
		return fmt.Errorf("write html: %w", err)
	}
	if _, err := w.Write(buf.Bytes()); err != nil {
		return fmt.Errorf("write html: %w", err)
	}
	return nil
}

// StandaloneSVG returns a figure as a file of its own.
func (f Figure) StandaloneSVG() string {
	svg := strings.Replace(string(f.SVG), "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1)
	style := "<style>" + asset("chart.css") + "</style>" + `<rect width="100%" height="100%" style="fill:var(--paper)"/>`
	at := strings.IndexByte(svg, '>') + 1
	return svg[:at] + style + svg[at:] + "\n"
}
