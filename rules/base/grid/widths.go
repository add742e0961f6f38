package grid

import (
	"math"
	"slices"
	"strings"

	"gyges/rules/base/textfmt"
)

// leastWords is how narrow a column of words may get before words are cut or the table is folded.
const leastWords = 20

// fitted returns the table in blocks whose lines are no longer than Width, if that is possible.
func (g *Grid) fitted() []*Grid {
	columns := make([]int, len(g.Header))
	for i := range columns {
		columns[i] = i
	}
	for _, group := range g.Drop {
		if g.needs(columns, math.MaxInt) <= g.Width {
			break
		}
		columns = slices.DeleteFunc(columns, func(i int) bool { return slices.Contains(group, i) })
	}
	var list []*Grid
	for _, block := range g.blocks(columns) {
		list = append(list, g.wrapped(block))
	}
	return list
}

// blocks divides columns into as few blocks as possible, about equally wide. Each begins with the
// first Fold columns.
func (g *Grid) blocks(columns []int) [][]int {
	if g.Fold == 0 {
		return [][]int{columns}
	}
	lead := columns[:min(g.Fold, len(columns))]
	in := func(width int) [][]int {
		list := [][]int{slices.Clone(lead)}
		for _, i := range columns[len(lead):] {
			last := &list[len(list)-1]
			if len(*last) > len(lead) && g.needs(append(slices.Clone(*last), i), leastWords) > width {
				list = append(list, slices.Clone(lead))
				last = &list[len(list)-1]
			}
			*last = append(*last, i)
		}
		return list
	}
	list := in(g.Width)
	for width := g.Width - 1; len(list) > 1 && width > 0; width-- {
		narrower := in(width)
		if len(narrower) > len(list) {
			break
		}
		list = narrower
	}
	return list
}

// needs returns how long lines of columns are if headers, and words wider than that, are wrapped.
func (g *Grid) needs(columns []int, words int) int {
	sum := 0
	for _, i := range columns {
		sum += g.least(i, words) + 2 // a blank on each side
	}
	return sum
}

// least returns the least width of a column: that of its widest cell, or of words if these are wider,
// and of the widest word of its header.
func (g *Grid) least(column, words int) int {
	widest := 0
	for _, row := range g.Rows {
		widest = max(widest, lineWidth(row[column]))
	}
	for _, word := range textfmt.Words(g.Header[column]) {
		widest = max(widest, textfmt.Width(word))
	}
	if g.left(column) {
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
func (g *Grid) wrapped(columns []int) *Grid {
	widths := g.widths(columns)
	t := &Grid{Left: map[int]bool{}}
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
	for k, i := range columns {
		t.Left[k] = g.left(i)
	}
	t.Header = wrap(g.Header, false)
	for i, row := range g.Rows {
		t.Add(wrap(row, g.Bold && i == 0)...)
	}
	return t
}

// widths returns how wide columns may be: as wide as their widest cells if a line is then narrow
// enough. Otherwise the widest column that isn't at its least width is shrunk, again and again; words
// are cut only when all columns are as narrow as their longest word.
func (g *Grid) widths(columns []int) []int {
	widths, whole, cut := make([]int, len(columns)), make([]int, len(columns)), make([]int, len(columns))
	left := g.Width - 2*len(columns) // a blank on each side of a column
	for k, i := range columns {
		longest := 1
		for _, row := range append(g.Rows, g.Header) {
			widths[k] = max(widths[k], lineWidth(row[i]))
			for _, word := range textfmt.Words(row[i]) {
				longest = max(longest, textfmt.Width(word))
			}
		}
		left -= widths[k]
		whole[k], cut[k] = min(longest, leastWords), 1
		if g.Fold > 0 && !g.left(i) {
			cut[k] = max(1, g.least(i, 1))
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
