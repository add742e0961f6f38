package report

import (
	"fmt"
	"gyges/ratings/textfmt"
	"io"
	"strings"
)

// WriteMarkdown writes the page as Markdown, but for the games. Each figure is
// handed to save, which stores it as a file and returns the path to it as the
// Markdown is to have it.
func WriteMarkdown(w io.Writer, p *Page, save func(Figure) (path string, err error)) error {
	m := &markdownPage{save: save}
	m.line("# " + textfmt.Markdown(p.Title))
	for _, text := range p.Lead {
		m.line(markdownText(text))
	}
	m.facts(p.Facts)
	for _, s := range p.Sections {
		m.line("## " + markdownText(s.Title))
		for _, b := range s.Blocks {
			m.block(b)
		}
	}
	if m.err != nil {
		return fmt.Errorf("write markdown: %w", m.err)
	}
	if _, err := io.WriteString(w, strings.TrimLeft(m.String(), "\n")); err != nil {
		return fmt.Errorf("write markdown: %w", err)
	}
	return nil
}

// markdownPage is Markdown in the making.
type markdownPage struct {
	strings.Builder
	save func(Figure) (string, error)
	err  error
}

// line writes a paragraph.
func (m *markdownPage) line(text string) { m.WriteString("\n" + text + "\n") }

// markdownText escapes a text that isn't empty.
func markdownText(text string) string {
	if text == "" {
		return ""
	}
	return textfmt.Markdown(text)
}

func (m *markdownPage) block(b Block) {
	switch {
	case b.Heading != "":
		m.line("### " + markdownText(b.Heading))
	case b.Text != "":
		m.line(markdownText(b.Text))
	case b.List != nil:
		m.WriteString("\n")
		for _, l := range b.List {
			m.WriteString("- " + markdownText(l) + "\n")
		}
	case b.Facts != nil:
		m.facts(b.Facts)
	case b.Table != nil:
		m.table(b.Table)
	case b.Figure != nil:
		m.figure(*b.Figure)
	case b.Code != nil:
		m.code("sh", b.Code)
	case b.Details != nil:
		m.line(markdownText(b.Details.Title) + ":")
		m.code("json", strings.Split(b.Details.Text, "\n"))
	}
}

func (m *markdownPage) facts(list []Fact) {
	if len(list) == 0 {
		return
	}
	m.WriteString("\n")
	for _, f := range list {
		m.WriteString("- " + markdownText(f.Name) + ": " + markdownText(f.Value) + "\n")
	}
}

// code writes a fenced block. Its fence is longer than any in the text.
func (m *markdownPage) code(language string, text []string) {
	fence := "```"
	for _, l := range text {
		for strings.Contains(l, fence) {
			fence += "`"
		}
	}
	m.line(fence + language + "\n" + strings.Join(text, "\n") + "\n" + fence)
}

func (m *markdownPage) figure(f Figure) {
	path, err := m.save(f)
	if err != nil && m.err == nil {
		m.err = err
	}
	m.line("![" + markdownText(f.Caption) + "](" + path + ")")
}

func (m *markdownPage) table(t *Table) {
	m.line(markdownText(t.Caption) + ":")
	var head, rule strings.Builder
	for _, h := range t.Header {
		head.WriteString("| " + markdownText(h.Text) + " ")
		if h.Left {
			rule.WriteString("|:---")
		} else {
			rule.WriteString("|---:")
		}
	}
	m.line(head.String() + "|\n" + rule.String() + "|")
	for _, row := range t.Rows {
		for _, c := range row {
			text := c.Text
			if c.Small != "" {
				text += " (" + c.Small + ")"
			}
			m.WriteString("| " + markdownText(text) + " ")
		}
		m.WriteString("|\n")
	}
}
