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

// layout is a table as text or Markdown, the cells escaped.
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
	sides := map[bool]tw.Align{true: tw.AlignLeft, false: tw.AlignRight}
	align := lists.Map(l.columns, func(c Head) tw.Align { return sides[c.Left] })
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

// leastWords is how narrow a column of words may get before words are cut or the table is folded.
const leastWords = 20

// fitted returns the table in blocks whose lines are no longer than Width, if that is possible.
func (l *layout) fitted() []*layout {
	columns, rank := make([]int, len(l.columns)), 0
	for i, c := range l.columns {
		columns[i], rank = i, max(rank, c.Drop)
	}
	for ; rank > 0 && l.needs(columns, math.MaxInt) > l.Width; rank-- {
		columns = slices.DeleteFunc(columns, func(i int) bool { return l.columns[i].Drop == rank })
	}
	return lists.Map(l.blocks(columns), l.wrapped)
}

// blocks divides columns into as few blocks as possible, about equally wide. Each begins with the first Fold columns.
func (l *layout) blocks(columns []int) [][]int {
	if l.Fold == 0 {
		return [][]int{columns}
	}
	lead := min(l.Fold, len(columns))
	within := func(width int) (list [][]int) {
		block := slices.Clone(columns[:lead])
		for _, i := range columns[lead:] {
			if len(block) > lead && l.needs(append(block, i), leastWords) > width {
				list, block = append(list, block), slices.Clone(columns[:lead])
			}
			block = append(block, i)
		}
		return append(list, block)
	}
	list := within(l.Width)
	for width := l.Width - 1; len(list) > 1 && width > 0; width-- {
		narrower := within(width)
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
	most := widest(textfmt.Words(l.rows[0][column]))
	for _, row := range l.rows[1:] {
		most = max(most, widest(strings.Split(row[column], "\n")))
	}
	if l.columns[column].Left {
		return min(most, words)
	}
	return most
}

func widest(texts []string) (most int) {
	for _, text := range texts {
		most = max(most, textfmt.Width(text))
	}
	return most
}

// wrapped returns the table of some columns, with line breaks where a cell doesn't fit, and bold as it is to be.
func (l *layout) wrapped(columns []int) *layout {
	widths := l.widths(columns)
	t := &layout{rows: make([][]string, len(l.rows))}
	for k, i := range columns {
		t.columns = append(t.columns, l.columns[i])
		for r, row := range l.rows {
			lines := []string{strings.ReplaceAll(row[i], textfmt.NoBreak, " ")}
			if strings.Contains(row[i], "\n") || textfmt.Width(row[i]) > widths[k] {
				lines = textfmt.Wrap(row[i], widths[k])
			}
			for n, line := range lines {
				if l.Bold && r == 1 && line != "" {
					lines[n] = "\x1b[1m" + line + "\x1b[0m"
				}
			}
			t.rows[r] = append(t.rows[r], strings.Join(lines, "\n"))
		}
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
		for _, row := range l.rows {
			widths[k] = max(widths[k], widest(strings.Split(row[i], "\n")))
			longest = max(longest, widest(textfmt.Words(row[i])))
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
			shrunk := -1
			for k, w := range widths {
				if w > least[k] && (shrunk < 0 || w > widths[shrunk]) {
					shrunk = k
				}
			}
			if shrunk < 0 {
				break
			}
			widths[shrunk]--
		}
	}
	return widths
}
