// Package grid writes tables as text, Markdown, CSV and JSON.
//
// A table is a list of columns of a row type R, each with a value per row:
//
//	var columns = []grid.Column[*Level]{
//		{Key: "level", Title: "Level", Value: func(l *Level) any { return l.Level }},
//		{Key: "name", Title: "Name", Left: true, Value: func(l *Level) any { return grid.Name(l.Name) }},
//		{Key: "share", Title: "Won", Value: func(l *Level) any { return grid.Percent(l.Share) }},
//		{Key: "doc", Value: func(l *Level) any { return l.Doc }}, // in CSV and JSON alone
//	}
//	err := grid.Write(w, format, grid.Options{Width: 80, Fold: 2}, columns, levels)
//
// A column with a key is in CSV and JSON; one with a title is in text and Markdown, and a title of
// one blank is an empty header. Key and title may belong to different columns where people and
// programs get different values or another order.
//
// Values are strings, integers, booleans, float64s (one decimal for people), [Name], nil or NaN for
// none (an empty cell, null in JSON), or a [Cell], which holds a text for people beside the value for
// programs: [Percent], [Margin], [Fixed], [Thousands], or one of the caller's. In JSON a value may
// also be whatever encoding/json takes, such as [Objects] of another table. Texts are escaped for each
// format: the caller gives them as they are.
//
//   - [Write] writes a list of rows in any format, [Writer] a row at a time.
//   - [Choose] selects columns by a list of keys, such as that of a flag --columns.
//   - [Objects] and [ObjectOf] are rows inside a larger JSON value; [Object] keeps the order of its
//     fields; [WriteJSON] writes any value.
//   - [Cells] is for rows that are lists of ready cells, where the columns depend on the data.
//   - [Grid] is what text and Markdown are printed by: cells of text that the caller has escaped.
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
	Bold   bool // the first row of a text

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
