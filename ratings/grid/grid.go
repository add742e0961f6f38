// Package grid prints cells in rows and columns, as text or as a Markdown table.
package grid

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"gyges/ratings/textfmt"
)

// Grid is a table. Its cells are printed as they are: the caller escapes them.
type Grid struct {
	Header []string
	Left   map[int]bool // the columns aligned left, from 0; nil: all
	Rows   [][]string
	Width  int // the cells of a text are wrapped so that no line is longer; 0: they are not
}

// Add appends a row.
func (g *Grid) Add(row ...string) { g.Rows = append(g.Rows, row) }

// Write prints the table without blanks at the ends of lines.
func (g *Grid) Write(w io.Writer, markdown bool) error {
	var style tw.Renderer = renderer.NewBlueprint(tw.Rendition{
		Symbols: tw.NewSymbols(tw.StyleASCII),
		Borders: tw.BorderNone,
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off},
		},
	})
	header, rows := g.Header, g.Rows
	if markdown {
		style = renderer.NewMarkdown()
	} else if g.Width > 0 {
		header, rows = g.wrapped()
	}
	align := make(tw.Alignment, len(g.Header))
	for i := range align {
		align[i] = tw.AlignRight
		if g.Left == nil || g.Left[i] {
			align[i] = tw.AlignLeft
		}
	}
	var buf bytes.Buffer
	t := tablewriter.NewTable(&buf,
		tablewriter.WithRenderer(style),
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
	t.Header(header)
	if err := t.Bulk(rows); err != nil {
		return err
	}
	if err := t.Render(); err != nil {
		return err
	}
	for line := range strings.Lines(buf.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// wrapped returns the header and the rows with line breaks where a cell doesn't fit.
func (g *Grid) wrapped() (header []string, rows [][]string) {
	widths := widths(append([][]string{g.Header}, g.Rows...), g.Width)
	wrap := func(row []string) []string {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.Join(textfmt.Wrap(cell, widths[i]), "\n")
		}
		return cells
	}
	for _, row := range g.Rows {
		rows = append(rows, wrap(row))
	}
	return wrap(g.Header), rows
}
