package table

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"gyges/rules/base/grid"
	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
)

// page is a document of text or Markdown.
type page struct {
	bytes.Buffer
	format grid.Format
	layout Layout
}

// usualWidth is the width of lines of text for which no other is given.
const usualWidth = 80

func newPage(f grid.Format, l Layout) *page {
	l.Width = cmp.Or(l.Width, usualWidth)
	return &page{format: f, layout: l}
}

// writePage writes the standings if asked to, a section for each table, and the notes of them all.
func writePage(
	w io.Writer, f grid.Format, all Tables, standings bool, section func(*page, Table),
) error {
	if f != grid.Text && f != grid.Markdown {
		return fmt.Errorf("write ratings: unknown format %.60q", f)
	}
	p := newPage(f, all.Layout)
	if standings {
		list, left := all.RecentStandings()
		p.allStandings(list)
		if left > 0 {
			p.list([]string{"Earlier rounds: gyges rate RUN --standings."})
		}
	}
	for _, t := range all.Printed() {
		if t.Title != "" {
			p.heading(t.Title)
		}
		section(p, t)
	}
	p.list(lists.Map(all.Notes, func(n string) string { return "Note: " + n + "." }))
	return p.writeTo(w)
}

func (p *page) writeTo(w io.Writer) error {
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("write %s: %w", p.format, err)
	}
	return nil
}

// gap puts a blank line before what follows, but for the first.
func (p *page) gap() {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
}

func (p *page) heading(text string) {
	p.gap()
	if p.format == grid.Markdown {
		p.WriteString("### ")
	}
	p.line(text)
}

// line writes a line, in text no wider than its tables.
func (p *page) line(text string) {
	text = grid.Escape(p.format, text)
	if p.format == grid.Text {
		text = textfmt.Fit(text, p.layout.Width)
		if note, ok := strings.CutPrefix(text, "Note:"); ok && p.layout.Styles {
			text = "\x1b[33mNote:\x1b[0m" + note // yellow
		}
	}
	p.WriteString(text + "\n")
}

// paragraph writes a line of its own.
func (p *page) paragraph(text string) {
	p.gap()
	p.line(text)
}

// list writes lines below each other; those of text are wrapped.
func (p *page) list(lines []string) {
	if len(lines) == 0 {
		return
	}
	p.gap()
	for _, l := range lines {
		if p.format == grid.Markdown {
			p.WriteString("- ")
		}
		p.line(l)
	}
}

// grid writes a table, the first row bold if asked to and allowed. A table that is too wide is
// parted into blocks, each with the first columns, fold of them.
func (p *page) grid(fold int, bold bool, t *grid.Table) {
	p.gap()
	o := grid.Options{Width: p.layout.Width, Fold: fold, Bold: bold && p.layout.Styles}
	_ = t.Write(p, p.format, o) // a buffer has no errors
}
