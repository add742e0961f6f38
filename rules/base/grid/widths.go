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

// columns returns the table with some of its columns, with bold rows styled.
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
	least := make([]int, len(g.Header))
	for i := range least {
		least[i] = 1
		if g.Fold > 0 && !g.left(i) {
			least[i] = max(1, g.least(i, 1))
		}
	}
	widths := widths(append([][]string{g.Header}, g.Rows...), least, g.Width)
	wrap := func(row []string) []string {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.ReplaceAll(cell, textfmt.NoBreak, " ")
			if strings.Contains(cell, "\n") || textfmt.Width(cell) > widths[i] {
				cells[i] = strings.Join(textfmt.Wrap(cell, widths[i]), "\n")
			}
		}
		return cells
	}
	t := &Grid{Header: wrap(g.Header), Left: g.Left}
	for i, row := range g.Rows {
		if g.Bold[i] {
			row = bold(row)
		}
		t.Add(wrap(row)...)
	}
	return t
}

// bold returns cells in bold.
func bold(row []string) []string {
	cells := slices.Clone(row)
	for i, cell := range cells {
		if cell != "" {
			cells[i] = "\x1b[1m" + cell + "\x1b[0m"
		}
	}
	return cells
}

// widths returns how wide the columns may be: as wide as their longest cells, if a line
// is then narrow enough. Else the tallness of all columns together is the least, and none is
// narrower than its least width.
func widths(rows [][]string, least []int, width int) []int {
	n := len(rows[0])
	cells := make([][]cell, n)
	most, all, needed := make([]int, n), 0, 0
	for i := range n {
		for _, row := range rows {
			if i < len(row) {
				c := newCell(row[i])
				cells[i] = append(cells[i], c)
				most[i] = max(most[i], c.width)
			}
		}
		all += most[i]
		needed += least[i]
	}
	left := width - 2*n // a blank on each side of a column
	if all <= left {
		return most
	}
	left = max(left, needed)

	// best[x] is the least tallness of the columns so far in a width of x; chosen[i][x]
	// is the width of column i then.
	best := make([]float64, left+1)
	chosen := make([][]int, n)
	for i := range n {
		next := make([]float64, left+1)
		chosen[i] = make([]int, left+1)
		for x := range next {
			next[x] = math.Inf(1)
		}
		for w := least[i]; w <= max(least[i], min(most[i], left)); w++ {
			t := 0.0
			for _, c := range cells[i] {
				t += c.tallness(w)
			}
			for x := w; x <= left; x++ {
				if sum := best[x-w] + t; sum <= next[x] {
					next[x], chosen[i][x] = sum, w
				}
			}
		}
		best = next
	}
	found := make([]int, n)
	for i := n - 1; i >= 0; i-- {
		found[i] = chosen[i][left]
		left -= found[i]
	}
	return found
}

// cell is a text with the widths of its words.
type cell struct {
	words  []string
	widths []int
	width  int // of the longest line
}

func newCell(text string) cell {
	c := cell{words: textfmt.Words(text)}
	for _, w := range c.words {
		c.widths = append(c.widths, textfmt.Width(w))
	}
	for line := range strings.SplitSeq(text, "\n") {
		c.width = max(c.width, textfmt.Width(line))
	}
	return c
}

// tallness grows faster than the number of lines of a cell in a width, so that lines
// are saved in the tallest cells first. A word that is cut counts as so many more lines
// squared.
func (c cell) tallness(width int) float64 {
	const cutAtMark, cutAtNoBreak, cutElsewhere = 25, 64, 144
	lines, used, cuts := 1, 0, 0
	for i, w := range c.widths {
		if used > 0 && used+1+w > width {
			lines++
			used = 0
		}
		if w > width {
			pieces := textfmt.Wrap(c.words[i], width)
			last := len(pieces) - 1
			lines += last
			w = textfmt.Width(pieces[last])
			for _, piece := range pieces[:last] {
				switch {
				case strings.Contains(c.words[i], textfmt.NoBreak):
					cuts += cutAtNoBreak
				case strings.ContainsAny(piece[len(piece)-1:], textfmt.Marks):
					cuts += cutAtMark
				default:
					cuts += cutElsewhere
				}
			}
		}
		if used > 0 {
			used++
		}
		used += w
	}
	return float64(lines*lines + cuts)
}
