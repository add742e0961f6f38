package grid

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"gyges/rules/base/lists"
	"gyges/rules/base/textfmt"
)

// layout is a table as text or Markdown, the cells escaped. A text that is wider than it may be is
// made narrower in this order: columns are dropped, the table is divided into blocks of columns,
// cells are wrapped.
type layout struct {
	Options
	columns []Head
	rows    [][]string // the first one is the header
}

// newLayout returns the layout of a table, all of whose columns have titles.
func newLayout(t *Table, f Format, o Options) *layout {
	titles := lists.Map(t.Columns, func(c Head) string { return c.Title })
	l := &layout{Options: o, columns: t.Columns, rows: [][]string{titles}}
	for _, row := range t.Rows {
		l.rows = append(l.rows, lists.Map(row, func(c Cell) string {
			if _, ok := c.Value.(Markup); ok {
				return c.Text
			}
			return Escape(f, c.Text)
		}))
	}
	return l
}

// write prints the table without blanks at the ends of lines.
func (l *layout) write(w io.Writer, markdown bool) error {
	blocks := []*layout{l}
	if !markdown && l.Width > 0 {
		blocks = l.fitted()
	}
	var buf, trimmed bytes.Buffer
	for i, block := range blocks {
		if i > 0 {
			buf.WriteByte('\n')
		}
		if err := block.render(&buf, markdown); err != nil {
			return err
		}
	}
	for line := range strings.Lines(buf.String()) {
		trimmed.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	_, err := trimmed.WriteTo(w)
	return err
}

func (l *layout) render(w io.Writer, markdown bool) error {
	var style tw.Renderer
	if markdown {
		style = renderer.NewMarkdown()
	} else {
		style = renderer.NewBlueprint(tw.Rendition{
			Symbols: tw.NewSymbols(tw.StyleASCII),
			Borders: tw.BorderNone,
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off},
				Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off},
			},
		})
	}
	align := lists.Map(l.columns, func(c Head) tw.Align {
		if c.Left {
			return tw.AlignLeft
		}
		return tw.AlignRight
	})
	t := tablewriter.NewTable(w,
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
	t.Header(l.rows[0])
	if err := t.Bulk(l.rows[1:]); err != nil {
		return err
	}
	return t.Render()
}

// leastWords is how narrow a column of words may get, in characters, before words are cut or the
// table is divided.
const leastWords = 20

// fitted returns the table in blocks whose lines are no longer than Width, if that is possible.
func (l *layout) fitted() []*layout {
	columns := make([]int, len(l.columns))
	rank := 0 // the highest Drop
	for i, c := range l.columns {
		columns[i] = i
		rank = max(rank, c.Drop)
	}
	for rank > 0 && l.needs(columns, math.MaxInt) > l.Width {
		columns = slices.DeleteFunc(columns, func(i int) bool { return l.columns[i].Drop == rank })
		rank--
	}
	return lists.Map(l.blocks(columns), l.wrapped)
}

// blocks divides columns into as few blocks as possible, about equally wide.
func (l *layout) blocks(columns []int) [][]int {
	if l.Fold == 0 {
		return [][]int{columns}
	}
	list := l.divide(columns, l.Width)
	for width := l.Width - 1; len(list) > 1 && width > 0; width-- {
		narrower := l.divide(columns, width)
		if len(narrower) > len(list) {
			break
		}
		list = narrower
	}
	return list
}

// divide fills blocks of lines of at most width characters with columns. Each begins with the first
// Fold columns.
func (l *layout) divide(columns []int, width int) [][]int {
	lead := min(l.Fold, len(columns))
	block := slices.Clone(columns[:lead])
	var list [][]int
	for _, i := range columns[lead:] {
		isBegun := len(block) > lead
		if isBegun && l.needs(append(block, i), leastWords) > width {
			list = append(list, block)
			block = slices.Clone(columns[:lead])
		}
		block = append(block, i)
	}
	return append(list, block)
}

// needs returns how long lines of columns are if headers, and cells of words wider than the given
// width, are wrapped.
func (l *layout) needs(columns []int, words int) int {
	sum := 0
	for _, i := range columns {
		sum += l.least(i, words) + 2 // a blank on each side
	}
	return sum
}

// least returns the least width of a column: the width of its widest cell, or the given width of
// words if the cells are words and wider than that, and at least the width of the widest word of
// its header.
func (l *layout) least(column, words int) int {
	most := widest(textfmt.Words(l.rows[0][column]))
	for _, row := range l.rows[1:] {
		most = max(most, widest(strings.Split(row[column], "\n")))
	}
	if l.columns[column].Left {
		return min(most, words)
	}
	return most
}

func widest(texts []string) int {
	most := 0
	for _, text := range texts {
		most = max(most, textfmt.Width(text))
	}
	return most
}

// wrapped returns the table of some columns, with line breaks where a cell doesn't fit, and bold as
// it is to be.
func (l *layout) wrapped(columns []int) *layout {
	widths := l.widths(columns)
	t := &layout{rows: make([][]string, len(l.rows))}
	for k, i := range columns {
		t.columns = append(t.columns, l.columns[i])
		for r, row := range l.rows {
			lines := textfmt.Wrap(row[i], widths[k])
			// A cell of one line that fits keeps all its blanks.
			if !strings.Contains(row[i], "\n") && textfmt.Width(row[i]) <= widths[k] {
				lines = []string{strings.ReplaceAll(row[i], textfmt.NoBreak, " ")}
			}
			isBold := l.Bold && r == 1 // the first row below the header
			for n, line := range lines {
				if isBold && line != "" {
					lines[n] = "\x1b[1m" + line + "\x1b[0m"
				}
			}
			t.rows[r] = append(t.rows[r], strings.Join(lines, "\n"))
		}
	}
	return t
}

// widths returns how wide columns may be: as wide as their widest cells if a line is then narrow
// enough. Otherwise the widest column that isn't at its least width is shrunk, again and again;
// words are cut only when all columns are as narrow as their longest word.
func (l *layout) widths(columns []int) []int {
	widths := make([]int, len(columns))
	whole := make([]int, len(columns)) // the least widths without words that are cut
	cut := make([]int, len(columns))   // the least widths with them
	left := l.Width - 2*len(columns)   // a blank on each side of a column
	for k, i := range columns {
		longest := 1
		for _, row := range l.rows {
			widths[k] = max(widths[k], widest(strings.Split(row[i], "\n")))
			longest = max(longest, widest(textfmt.Words(row[i])))
		}
		left -= widths[k]
		cut[k] = 1
		if l.Fold > 0 && !l.columns[i].Left { // numbers stay whole
			cut[k] = max(1, l.least(i, 1))
		}
		whole[k] = max(cut[k], min(longest, leastWords))
	}
	left = shrink(widths, whole, left)
	shrink(widths, cut, left)
	return widths
}

// shrink makes the widest columns narrower while less than nothing is left of a line, but none
// narrower than its least width. It returns what is left then.
func shrink(widths, least []int, left int) int {
	for ; left < 0; left++ {
		widestAt := -1
		most := 0
		for k, width := range widths {
			if width > max(most, least[k]) {
				widestAt = k
				most = width
			}
		}
		if widestAt < 0 {
			break
		}
		widths[widestAt]--
	}
	return left
}
