package grid

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"gyges/rules/base/textfmt"
)

// layout is a table as text or Markdown, the cells escaped.
type layout struct {
	Options
	columns []Head
	header  []string
	rows    [][]string
}

// newLayout returns the layout of a table, all of whose columns have titles.
func newLayout(t *Table, f Format, o Options) *layout {
	l := &layout{Options: o, columns: t.Columns}
	for _, c := range t.Columns {
		l.header = append(l.header, c.Title)
	}
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = Escape(f, c.Text)
			if _, ok := c.Value.(Markup); ok {
				cells[i] = c.Text
			}
		}
		l.rows = append(l.rows, cells)
	}
	return l
}

// write prints the table without blanks at the ends of lines.
func (l *layout) write(w io.Writer, markdown bool) error {
	blocks := []*layout{l}
	if !markdown {
		blocks = l.fitted()
	}
	var buf bytes.Buffer
	for i, block := range blocks {
		if i > 0 {
			buf.WriteByte('\n')
		}
		if err := block.render(&buf, markdown); err != nil {
			return err
		}
	}
	_, err := w.Write(buf.Bytes())
	return err
}

// render prints the table as it is.
func (l *layout) render(w *bytes.Buffer, markdown bool) error {
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
	align := make(tw.Alignment, len(l.columns))
	for i, c := range l.columns {
		align[i] = tw.AlignRight
		if c.Left {
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
	t.Header(l.header)
	if err := t.Bulk(l.rows); err != nil {
		return err
	}
	if err := t.Render(); err != nil {
		return err
	}
	for line := range strings.Lines(buf.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
	return nil
}

// leastWords is how narrow a column of words may get before words are cut or the table is folded.
const leastWords = 20

// fitted returns the table in blocks whose lines are no longer than Width, if that is possible.
func (l *layout) fitted() []*layout {
	if l.Width == 0 {
		return []*layout{l}
	}
	columns := make([]int, len(l.columns))
	for i := range columns {
		columns[i] = i
	}
	rank := 0
	for _, c := range l.columns {
		rank = max(rank, c.Drop)
	}
	for ; rank > 0 && l.needs(columns, math.MaxInt) > l.Width; rank-- {
		columns = slices.DeleteFunc(columns, func(i int) bool { return l.columns[i].Drop == rank })
	}
	var list []*layout
	for _, block := range l.blocks(columns) {
		list = append(list, l.wrapped(block))
	}
	return list
}

// blocks divides columns into as few blocks as possible, about equally wide. Each begins with the
// first Fold columns.
func (l *layout) blocks(columns []int) [][]int {
	if l.Fold == 0 {
		return [][]int{columns}
	}
	lead := columns[:min(l.Fold, len(columns))]
	in := func(width int) [][]int {
		list := [][]int{slices.Clone(lead)}
		for _, i := range columns[len(lead):] {
			last := &list[len(list)-1]
			if len(*last) > len(lead) && l.needs(append(slices.Clone(*last), i), leastWords) > width {
				list = append(list, slices.Clone(lead))
				last = &list[len(list)-1]
			}
			*last = append(*last, i)
		}
		return list
	}
	list := in(l.Width)
	for width := l.Width - 1; len(list) > 1 && width > 0; width-- {
		narrower := in(width)
		if len(narrower) > len(list) {
			break
		}
		list = narrower
	}
	return list
}

// needs returns how long lines of columns are if headers, and words wider than that, are wrapped.
func (l *layout) needs(columns []int, words int) int {
	sum := 0
	for _, i := range columns {
		sum += l.least(i, words) + 2 // a blank on each side
	}
	return sum
}

// least returns the least width of a column: that of its widest cell, or of words if these are wider,
// and of the widest word of its header.
func (l *layout) least(column, words int) int {
	widest := 0
	for _, row := range l.rows {
		widest = max(widest, lineWidth(row[column]))
	}
	for _, word := range textfmt.Words(l.header[column]) {
		widest = max(widest, textfmt.Width(word))
	}
	if l.columns[column].Left {
		return min(widest, words)
	}
	return widest
}

// lineWidth returns the width of the longest line of a cell.
func lineWidth(cell string) int {
	widest := 0
	for line := range strings.SplitSeq(cell, "\n") {
		widest = max(widest, textfmt.Width(line))
	}
	return widest
}

// wrapped returns the table of some columns with line breaks where a cell doesn't fit, and its first
// row in bold if it is to be.
func (l *layout) wrapped(columns []int) *layout {
	widths := l.widths(columns)
	t := &layout{}
	wrap := func(row []string, bold bool) []string {
		cells := make([]string, len(columns))
		for k, i := range columns {
			lines := []string{strings.ReplaceAll(row[i], textfmt.NoBreak, " ")}
			if strings.Contains(row[i], "\n") || textfmt.Width(row[i]) > widths[k] {
				lines = textfmt.Wrap(row[i], widths[k])
			}
			for n, line := range lines {
				if bold && line != "" {
					lines[n] = "\x1b[1m" + line + "\x1b[0m"
				}
			}
			cells[k] = strings.Join(lines, "\n")
		}
		return cells
	}
	for _, i := range columns {
		t.columns = append(t.columns, l.columns[i])
	}
	t.header = wrap(l.header, false)
	for i, row := range l.rows {
		t.rows = append(t.rows, wrap(row, l.Bold && i == 0))
	}
	return t
}

// widths returns how wide columns may be: as wide as their widest cells if a line is then narrow
// enough. Otherwise the widest column that isn't at its least width is shrunk, again and again; words
// are cut only when all columns are as narrow as their longest word.
func (l *layout) widths(columns []int) []int {
	widths, whole, cut := make([]int, len(columns)), make([]int, len(columns)), make([]int, len(columns))
	left := l.Width - 2*len(columns) // a blank on each side of a column
	for k, i := range columns {
		longest := 1
		for _, row := range append(l.rows, l.header) {
			widths[k] = max(widths[k], lineWidth(row[i]))
			for _, word := range textfmt.Words(row[i]) {
				longest = max(longest, textfmt.Width(word))
			}
		}
		left -= widths[k]
		whole[k], cut[k] = min(longest, leastWords), 1
		if l.Fold > 0 && !l.columns[i].Left {
			cut[k] = max(1, l.least(i, 1))
			whole[k] = max(whole[k], cut[k])
		}
	}
	for _, least := range [][]int{whole, cut} {
		for ; left < 0; left++ {
			widest := -1
			for k, w := range widths {
				if w > least[k] && (widest < 0 || w > widths[widest]) {
					widest = k
				}
			}
			if widest < 0 {
				break
			}
			widths[widest]--
		}
	}
	return widths
}
