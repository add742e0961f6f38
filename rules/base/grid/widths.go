package grid

import (
	"math"
	"slices"
	"strings"

	"gyges/rules/base/textfmt"
)

// leastWords is how narrow a column of words may get before the table is folded.
const leastWords = 20

// fitted returns the table in blocks whose lines are no longer than Width, if that is possible.
func (g *Grid) fitted() []*Grid {
	t := g.dropped()
	var blocks []*Grid
	for _, columns := range t.blocks() {
		blocks = append(blocks, t.columns(columns).wrapped())
	}
	return blocks
}

// columns returns the table with some of its columns.
func (g *Grid) columns(chosen []int) *Grid {
	t := &Grid{Left: map[int]bool{}, Bold: g.Bold, Width: g.Width, Fold: g.Fold}
	pick := func(row []string) []string {
		cells := make([]string, len(chosen))
		for k, i := range chosen {
			if i < len(row) {
				cells[k] = row[i]
			}
		}
		return cells
	}
	for k, i := range chosen {
		t.Left[k] = g.left(i)
	}
	t.Header = pick(g.Header)
	for _, row := range g.Rows {
		t.Add(pick(row)...)
	}
	return t
}

// dropped returns the table without the columns that are left out.
func (g *Grid) dropped() *Grid {
	all := make([]int, len(g.Header))
	for i := range all {
		all[i] = i
	}
	t := g.columns(all)
	for _, group := range g.Drop {
		if t.needs(math.MaxInt) <= g.Width {
			break
		}
		all = slices.DeleteFunc(all, func(i int) bool { return slices.Contains(group, i) })
		t = g.columns(all)
	}
	return t
}

// blocks returns the columns of each block: as few blocks as possible, about equally wide.
func (g *Grid) blocks() [][]int {
	list := g.blocksOf(g.Width)
	for width := g.Width - 1; len(list) > 1 && width > 0; width-- {
		narrower := g.blocksOf(width)
		if len(narrower) > len(list) {
			break
		}
		list = narrower
	}
	return list
}

// blocksOf returns the columns of each block in a width.
func (g *Grid) blocksOf(width int) [][]int {
	var lead, block []int
	var list [][]int
	used := 0
	for i := range g.Header {
		w := g.least(i, leastWords) + 2
		if i >= g.Fold && g.Fold > 0 && used+w > width && len(block) > g.Fold {
			list = append(list, block)
			block, used = slices.Clone(lead), 0
			for _, k := range lead {
				used += g.least(k, leastWords) + 2
			}
		}
		block, used = append(block, i), used+w
		if i < g.Fold {
			lead = append(lead, i)
		}
	}
	return append(list, block)
}

// needs returns how long the lines are if headers and words, from so many columns on, are wrapped.
func (g *Grid) needs(words int) int {
	sum := 0
	for i := range g.Header {
		sum += g.least(i, words) + 2 // a blank on each side
	}
	return sum
}

// least returns the least width of a column: that of its widest cell, or of words if these are wider,
// and of the widest word of its header.
func (g *Grid) least(column, words int) int {
	widest := 0
	for _, row := range g.Rows {
		for line := range strings.SplitSeq(row[column], "\n") {
			widest = max(widest, textfmt.Width(line))
		}
	}
	if g.left(column) {
		widest = min(widest, words)
	}
	for _, word := range textfmt.Words(g.Header[column]) {
		w := textfmt.Width(word)
		if g.left(column) {
			w = min(w, words)
		}
		widest = max(widest, w)
	}
	return widest
}

// wrapped returns the table with line breaks where a cell doesn't fit.
func (g *Grid) wrapped() *Grid {
	widths := g.widths()
	wrap := func(row []string, bold bool) []string {
		cells := make([]string, len(row))
		for i, cell := range row {
			if bold && cell != "" {
				cell = "\x1b[1m" + cell + "\x1b[0m"
			}
			cells[i] = strings.ReplaceAll(cell, textfmt.NoBreak, " ")
			if strings.Contains(cell, "\n") || textfmt.Width(cell) > widths[i] {
				cells[i] = strings.Join(textfmt.Wrap(cell, widths[i]), "\n")
			}
		}
		return cells
	}
	t := &Grid{Header: wrap(g.Header, false), Left: g.Left}
	for i, row := range g.Rows {
		t.Add(wrap(row, g.Bold && i == 0)...)
	}
	return t
}

// widths returns how wide the columns may be: as wide as their widest cells if a line is then narrow
// enough. Otherwise the widest column that isn't at its least width is shrunk, again and again; words
// are cut only when all columns are as narrow as their longest word.
func (g *Grid) widths() []int {
	widths := make([]int, len(g.Header))
	left := g.Width - 2*len(widths) // a blank on each side of a column
	for i := range widths {
		for _, row := range append(g.Rows, g.Header) {
			for line := range strings.SplitSeq(row[i], "\n") {
				widths[i] = max(widths[i], textfmt.Width(line))
			}
		}
		left -= widths[i]
	}
	whole, cut := make([]int, len(widths)), make([]int, len(widths))
	for i := range widths {
		whole[i], cut[i] = g.longestWord(i), 1
		if g.Fold > 0 && !g.left(i) {
			cut[i] = max(1, g.least(i, 1))
			whole[i] = max(whole[i], cut[i])
		}
	}
	for _, least := range [][]int{whole, cut} {
		for ; left < 0; left++ {
			widest := -1
			for i, w := range widths {
				if w > least[i] && (widest < 0 || w > widths[widest]) {
					widest = i
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

// longestWord returns the width of the longest word of a column, leastWords at most.
func (g *Grid) longestWord(column int) int {
	longest := 1
	for _, row := range append(g.Rows, g.Header) {
		for _, word := range textfmt.Words(row[column]) {
			longest = max(longest, textfmt.Width(word))
		}
	}
	return min(longest, leastWords)
}
