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
)

// Grid is a table. Its cells are printed as they are: the caller escapes them.
type Grid struct {
	Header []string
	Left   map[int]bool // the columns aligned left, from 0; nil: all
	Rows   [][]string
	Bold   map[int]bool // the rows of a text in bold, from 0

	// Width is how long the lines of a text may be; 0: as long as needed. In a wider table the
	// columns of Drop are left out, the first group first, until it fits. If it doesn't, cells of
	// words are wrapped and then, unless Fold is 0, the columns are printed in blocks one below
	// the other, each with the first Fold columns; columns that aren't aligned left are then not
	// wrapped but for their headers.
	Width int
	Drop  [][]int
	Fold  int
}

// Add appends a row.
func (g *Grid) Add(row ...string) { g.Rows = append(g.Rows, row) }

// Write prints the table without blanks at the ends of lines.
func (g *Grid) Write(w io.Writer, markdown bool) error {
	if markdown || g.Width == 0 {
		return g.write(w, markdown)
	}
	for i, block := range g.fitted() {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := block.write(w, false); err != nil {
			return err
		}
	}
	return nil
}

// write prints the table as it is.
func (g *Grid) write(w io.Writer, markdown bool) error {
	var style tw.Renderer = renderer.NewBlueprint(tw.Rendition{
		Symbols: tw.NewSymbols(tw.StyleASCII),
		Borders: tw.BorderNone,
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off},
		},
	})
	if markdown {
		style = renderer.NewMarkdown()
	}
	align := make(tw.Alignment, len(g.Header))
	for i := range align {
		align[i] = tw.AlignRight
		if g.left(i) {
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
	t.Header(g.Header)
	if err := t.Bulk(g.Rows); err != nil {
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

func (g *Grid) left(column int) bool { return g.Left == nil || g.Left[column] }
