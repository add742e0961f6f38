package report

import (
	"bytes"
	"embed"
	"fmt"
	"html"
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
func Style() string {
	return asset("chart.css") + asset("board.css") + asset("style.css") + asset("review.css")
}

// Script returns the script of pages: the board, which other pages may use by
// itself, and the viewer with the reviews of its games, which fills the page's viewer
// element, if there is one.
func Script() string { return asset("board.js") + asset("review.js") + asset("viewer.js") }

// WriteHTML writes the page as one file that needs no other.
func WriteHTML(w io.Writer, p *Page) error { return execute(w, "page", p) }

// WriteFragment writes one section of a page as HTML, to be put into a page that
// has [Style].
func WriteFragment(w io.Writer, s Section) error { return execute(w, "section", s) }

// execute parses the templates each time, in a fraction of a millisecond.
func execute(w io.Writer, name string, data any) error {
	t := template.New("").Funcs(template.FuncMap{
		"style":     func() template.CSS { return template.CSS(Style()) }, //nolint:gosec // ours
		"script":    func() template.JS { return template.JS(Script()) },  //nolint:gosec // ours
		"breakable": breakable,
		"left":      func(header []Head, i int) bool { return i < len(header) && header[i].Left },
	})
	var buf bytes.Buffer
	err := template.Must(t.Parse(asset("page.tmpl"))).ExecuteTemplate(&buf, name, data)
	if err == nil {
		_, err = w.Write(buf.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write html: %w", err)
	}
	return nil
}

// breakable returns a name as HTML that browsers may break after punctuation.
func breakable(name string) template.HTML {
	marks := strings.NewReplacer(":", ":<wbr>", ",", ",<wbr>", "=", "=<wbr>")
	return template.HTML(marks.Replace(html.EscapeString(name))) //nolint:gosec // it is escaped
}

func mapped[T any](list []T, f func(T) string) []string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = f(x)
	}
	return texts
}
