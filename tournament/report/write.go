package report

import (
	"embed"
	"html"
	"html/template"
	"io"
	"strings"

	"gyges/rules/base/textfmt"
)

//go:embed assets
var assets embed.FS

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

// modules are the scripts of pages, each after those that it imports.
var modules = []string{"dom.js", "board.js", "review.js", "viewer.js"}

// Modules returns the scripts of pages by their names, as modules of JavaScript.
func Modules() map[string]string {
	list := map[string]string{}
	for _, name := range modules {
		list[name] = asset(name)
	}
	return list
}

// script returns modules as one. Their top-level names differ, and each import is a line.
func script(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		for line := range strings.Lines(asset(name)) {
			if !strings.HasPrefix(line, "import ") {
				b.WriteString(strings.TrimPrefix(line, "export "))
			}
		}
	}
	return b.String()
}

// WriteHTML writes the page as one file that needs no other.
func WriteHTML(w io.Writer, p *Page) error {
	page, err := execute("page", p)
	if err == nil {
		_, err = io.WriteString(w, string(page))
	}
	return err
}

// HTML returns the section as a part of a page that has [Style].
func (s Section) HTML() (template.HTML, error) { return execute("section", s) }

// execute parses the templates each time, in a fraction of a millisecond.
func execute(name string, data any) (template.HTML, error) {
	t := template.New("").Funcs(template.FuncMap{
		"style":     func() template.CSS { return template.CSS(Style()) },          //nolint:gosec // ours
		"script":    func() template.JS { return template.JS(script(modules...)) }, //nolint:gosec // ours
		"breakable": breakable,
		"escape":    textfmt.Escape,
		"lines":     func(text string) []string { return strings.Split(text, "\n") },
	})
	var b strings.Builder
	err := template.Must(t.Parse(asset("page.tmpl"))).ExecuteTemplate(&b, name, data)
	return template.HTML(b.String()), err //nolint:gosec // written by html/template
}

// breakable returns an escaped name as HTML that browsers may break after punctuation.
func breakable(name string) template.HTML {
	marks := strings.NewReplacer(":", ":<wbr>", ",", ",<wbr>", "=", "=<wbr>")
	return template.HTML(marks.Replace(html.EscapeString(textfmt.Escape(name)))) //nolint:gosec // it is escaped
}
