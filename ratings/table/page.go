package table

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// page is a document of text or Markdown.
type page struct {
	bytes.Buffer
	format Format
	layout Layout
	err    error // the first that a part met
}

// usualWidth is that of lines of text for which no other is given.
const usualWidth = 80

func newPage(f Format, l Layout) *page {
	l.Width = cmp.Or(l.Width, usualWidth)
	return &page{format: f, layout: l}
}

// writePage writes the schedules if asked to, and one part for each table, a blank line
// between them, and then the notes of them all.
func writePage(w io.Writer, f Format, b Tables, schedules bool, part func(*page, Table) error) error {
	p := newPage(f, b.Layout)
	if schedules {
		list, left := b.RecentSchedules()
		p.schedules(list)
		if left > 0 {
			p.list([]string{"Earlier rounds: gyges rate RUN --standings."})
		}
	}
	for _, t := range b.Printed() {
		if t.Title != "" {
			p.heading(t.Title)
		}
		if err := part(p, t); err != nil && p.err == nil {
			p.err = err
		}
	}
	var notes []string
	for _, n := range b.Notes {
		notes = append(notes, "Note: "+n+".")
	}
	p.list(notes)
	return p.writeTo(w)
}

// writeTo writes the document, unless a part of it met an error.
func (p *page) writeTo(w io.Writer) error {
	err := p.err
	if err == nil {
		_, err = w.Write(p.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", p.format, err)
	}
	return nil
}

// escape returns a text escaped for the format.
func (p *page) escape(s string) string {
	if p.format == Markdown && s != "" {
		return textfmt.Markdown(s)
	}
	return textfmt.Escape(s)
}

// gap puts a blank line before what follows, but for the first.
func (p *page) gap() {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
}

func (p *page) heading(text string) {
	p.gap()
	if p.format == Markdown {
		p.WriteString("### ")
	}
	p.WriteString(p.escape(text) + "\n")
}

// paragraph writes a line of its own.
func (p *page) paragraph(text string) {
	p.gap()
	p.WriteString(p.escape(text) + "\n")
}

// list writes lines below each other; those of text are wrapped.
func (p *page) list(lines []string) {
	if len(lines) == 0 {
		return
	}
	p.gap()
	for _, l := range lines {
		text := p.escape(l)
		if p.format == Markdown {
			p.WriteString("- " + text + "\n")
			continue
		}
		if note, ok := strings.CutPrefix(text, "Note:"); ok && p.layout.Styles {
			text = "\x1b[33mNote:\x1b[0m" + note // yellow
		}
		p.WriteString(strings.Join(textfmt.Wrap(text, p.layout.Width), "\n") + "\n")
	}
}

// newGrid has the names in its second column.
func newGrid(header ...string) *grid.Grid {
	return &grid.Grid{Header: header, Left: map[int]bool{1: true}, Fold: 2}
}

func (p *page) grid(g *grid.Grid) {
	p.gap()
	g.Width = p.layout.Width
	if err := g.Write(p, p.format == Markdown); err != nil && p.err == nil {
		p.err = err
	}
}
