package table

import (
	"bytes"
	"fmt"
	"gyges/ratings/textfmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// page is text or Markdown in the making.
type page struct {
	bytes.Buffer
	format Format
	err    error // the first that a part met
}

// writePage writes one part for each table, a blank line between them, and then
// the notes of them all.
func writePage(w io.Writer, f Format, b Tables, part func(*page, Table) error) error {
	p := &page{format: f}
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
	if p.err != nil {
		return fmt.Errorf("write %s: %w", f, p.err)
	}
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("write %s: %w", f, err)
	}
	return nil
}

// cell returns a name, title or sentence escaped for the format.
func (p *page) cell(s string) string {
	if s == "" {
		return ""
	}
	if p.format == Markdown {
		return textfmt.Markdown(s)
	}
	return textfmt.Visible(s)
}

// name is a player's name for a cell; an empty one is visible too.
func (p *page) name(s string) string {
	if s == "" {
		s = `""`
	}
	return p.cell(s)
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
	p.WriteString(p.cell(text) + "\n")
}

// paragraph writes a line of its own.
func (p *page) paragraph(text string) {
	p.gap()
	p.WriteString(p.cell(text) + "\n")
}

func (p *page) list(lines []string) {
	if len(lines) == 0 {
		return
	}
	p.gap()
	for _, l := range lines {
		if p.format == Markdown {
			p.WriteString("- ")
		}
		p.WriteString(p.cell(l) + "\n")
	}
}

// grid is a table's cells, aligned right but for some columns.
type grid struct {
	header []string
	left   map[int]bool
	rows   [][]string
}

// newGrid has the names in its second column.
func newGrid(header ...string) *grid { return &grid{header: header, left: map[int]bool{1: true}} }

func (g *grid) add(row ...string) { g.rows = append(g.rows, row) }

func (p *page) grid(g *grid) {
	p.gap()
	var buf bytes.Buffer
	if err := g.render(&buf, p.format); err != nil && p.err == nil {
		p.err = err
	}
	for line := range strings.Lines(buf.String()) {
		p.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
}

func (g *grid) render(w io.Writer, f Format) error {
	align := make(tw.Alignment, len(g.header))
	for i := range align {
		align[i] = tw.AlignRight
		if g.left[i] {
			align[i] = tw.AlignLeft
		}
	}
	t := tablewriter.NewTable(w,
		tablewriter.WithRenderer(style(f)),
		// The writer would take the widths of ± and the like from the locale.
		tablewriter.WithEastAsian(tw.Off),
		// Headers and names stay as they are: no upper case, trimming, wrapping.
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithTrimTab(tw.Off),
		tablewriter.WithAlignment(align),
	)
	t.Header(g.header)
	if err := t.Bulk(g.rows); err != nil {
		return err
	}
	return t.Render()
}

func style(f Format) tw.Renderer {
	if f == Markdown {
		return renderer.NewMarkdown()
	}
	return renderer.NewBlueprint(tw.Rendition{
		Symbols: tw.NewSymbols(tw.StyleASCII),
		Borders: tw.BorderNone,
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off},
		},
	})
}
