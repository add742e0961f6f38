package report

import (
	"bytes"
	"embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"strings"

	"gyges/rules/base/textfmt"
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

// WriteMarkdown writes the page as Markdown, but for the games. save stores a
// figure as a file and returns the path to it for the Markdown.
func WriteMarkdown(w io.Writer, p *Page, save func(Figure) (path string, err error)) error {
	m := &markdown{save: save}
	m.paragraph("# " + textfmt.Markdown(p.Title))
	for _, text := range p.Summary {
		m.paragraph(escape(text))
	}
	m.facts(p.Facts)
	for _, s := range p.Sections {
		if len(s.Blocks) == 0 {
			continue // the viewer's
		}
		m.paragraph("## " + escape(s.Title))
		for _, b := range s.Blocks {
			m.block(b)
		}
	}
	if m.err == nil {
		_, m.err = io.WriteString(w, strings.TrimLeft(m.String(), "\n"))
	}
	if m.err != nil {
		return fmt.Errorf("write markdown: %w", m.err)
	}
	return nil
}

// markdown is a page in the making.
type markdown struct {
	strings.Builder
	save func(Figure) (string, error)
	err  error // the first
}

func (m *markdown) paragraph(text string) { m.WriteString("\n" + text + "\n") }

// escape escapes a text that may be empty.
func escape(text string) string {
	if text == "" {
		return ""
	}
	return textfmt.Markdown(text)
}

func (m *markdown) block(b Block) {
	switch {
	case b.Heading != "":
		m.paragraph("### " + escape(b.Heading))
	case b.Text != "":
		m.paragraph(escape(b.Text))
	case b.List != nil:
		m.paragraph("- " + strings.Join(mapped(b.List, escape), "\n- "))
	case b.Facts != nil:
		m.facts(b.Facts)
	case b.Table != nil:
		m.table(b.Table)
	case b.Figure != nil:
		path, err := m.save(*b.Figure)
		if m.err == nil {
			m.err = err
		}
		m.paragraph("![" + escape(b.Figure.Caption) + "](" + path + ")")
	case b.Code != nil:
		m.code("sh", strings.Join(b.Code, "\n"))
	case b.Details != nil:
		m.paragraph(escape(b.Details.Title) + ":")
		m.code("json", b.Details.Text)
	}
}

func mapped[T any](list []T, f func(T) string) []string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = f(x)
	}
	return texts
}

func (m *markdown) facts(list []Fact) {
	if len(list) > 0 {
		items := mapped(list, func(f Fact) string { return "- " + escape(f.Name) + ": " + escape(f.Value) })
		m.paragraph(strings.Join(items, "\n"))
	}
}

// code writes a fenced block. Its fence is longer than any in the text.
func (m *markdown) code(language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	m.paragraph(fence + language + "\n" + text + "\n" + fence)
}

func (m *markdown) table(t *Table) {
	m.paragraph(escape(t.Caption) + ":")
	line := func(cells []string) { m.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	m.WriteString("\n")
	line(mapped(t.Header, func(h Head) string { return escape(h.Text) }))
	line(mapped(t.Header, func(h Head) string {
		if h.Left {
			return ":---"
		}
		return "---:"
	}))
	for _, row := range t.Rows {
		line(mapped(row, func(c Cell) string {
			if c.Small != "" {
				return escape(c.Text + " (" + c.Small + ")")
			}
			return escape(c.Text)
		}))
	}
}
