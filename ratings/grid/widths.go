package grid

import (
	"math"
	"strings"

	"gyges/ratings/textfmt"
)

// widths returns how wide the columns may be: as wide as their longest cells, if a line
// is then narrow enough. Else the tallness of all columns together is the least.
func widths(rows [][]string, width int) []int {
	n := len(rows[0])
	cells := make([][]cell, n)
	most, all := make([]int, n), 0
	for i := range n {
		for _, row := range rows {
			if i < len(row) {
				c := newCell(row[i])
				cells[i] = append(cells[i], c)
				most[i] = max(most[i], c.width)
			}
		}
		all += most[i]
	}
	left := width - 2*n // a blank on each side of a column
	if all <= left {
		return most
	}
	left = max(left, n)

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
		for w := 1; w <= max(1, min(most[i], left)); w++ {
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
