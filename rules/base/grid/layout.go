package grid

import (
	"io"
	"math"
	"slices"
	"strings"

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
	if !markdown && l.Width > 0 {
		blocks = l.fitted()
	}
	var b strings.Builder
	for i, block := range blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		block.render(&b, markdown)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// render prints the table as it is: a blank on each side of a cell, in Markdown bars between them.
func (l *layout) render(b *strings.Builder, markdown bool) {
	edge := ""
	if markdown {
		edge = "|"
	}
	rule, widths := edge, make([]int, len(l.columns))
	for i, c := range l.columns {
		for _, row := range append(l.rows, l.header) {
			widths[i] = max(widths[i], lineWidth(row[i]))
		}
		line := []byte(strings.Repeat("-", widths[i]+2))
		switch {
		case markdown && c.Left:
			line[0] = ':'
		case markdown:
			line[len(line)-1] = ':'
		}
		rule += string(line) + edge
	}
	l.renderRow(b, l.header, widths, edge, false)
	if markdown || len(l.rows) > 0 {
		b.WriteString(rule + "\n")
	}
	for i, row := range l.rows {
		l.renderRow(b, row, widths, edge, l.Bold && !markdown && i == 0)
	}
}

// renderRow prints a row, whose cells may have several lines.
func (l *layout) renderRow(b *strings.Builder, row []string, widths []int, edge string, bold bool) {
	for more := true; more; {
		more = false
		rest, text := make([]string, len(row)), edge
		for i, cell := range row {
			line, below, found := strings.Cut(cell, "\n")
			rest[i], more = below, more || found
			blank := strings.Repeat(" ", widths[i]-textfmt.Width(line))
			if bold && line != "" {
				line = "\x1b[1m" + line + "\x1b[0m"
			}
			if l.columns[i].Left {
				line += blank
			} else {
				line = blank + line
			}
			text += " " + line + " " + edge
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
		row = rest
	}
}

// leastWords is how narrow a column of words may get before words are cut or the table is folded.
const leastWords = 20

// fitted returns the table in blocks whose lines are no longer than Width, if that is possible.
func (l *layout) fitted() []*layout {
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

// wrapped returns the table of some columns with line breaks where a cell doesn't fit.
func (l *layout) wrapped(columns []int) *layout {
	widths := l.widths(columns)
	t := &layout{Options: Options{Bold: l.Bold}}
	wrap := func(row []string) []string {
		cells := make([]string, len(columns))
		for k, i := range columns {
			lines := []string{strings.ReplaceAll(row[i], textfmt.NoBreak, " ")}
			if strings.Contains(row[i], "\n") || textfmt.Width(row[i]) > widths[k] {
				lines = textfmt.Wrap(row[i], widths[k])
			}
			cells[k] = strings.Join(lines, "\n")
		}
		return cells
	}
	for _, i := range columns {
		t.columns = append(t.columns, l.columns[i])
	}
	t.header = wrap(l.header)
	for _, row := range l.rows {
		t.rows = append(t.rows, wrap(row))
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
