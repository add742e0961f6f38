package report

import (
	"fmt"
	"gyges/ratings/textfmt"
	"math"
)

// Sizes of pictures, in units of their view box.
const (
	plotWidth  = 640
	plotHeight = 300
	rowHeight  = 26
	labelWidth = 210
	labelChars = 27
	numColours = 8 // classes k0 to k7
)

// rowMark is a row of a plot: a figure with an interval.
type rowMark struct {
	label, title   string
	low, mid, high float64
}

// rowPlot draws figures with intervals, one below the other.
func rowPlot(name, caption, unit string, rows []rowMark, log bool) Figure {
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		low, high = min(low, r.low), max(high, r.high)
	}
	top, bottom := 8.0, 8+rowHeight*float64(len(rows))
	c := newCanvas(bottom + 44)
	x := newAxis(low, high, labelWidth+14, plotWidth-20, 6)
	if log {
		x = newLogAxis(low, high, labelWidth+14, plotWidth-20)
	}
	for _, t := range x.ticks {
		class := "grid"
		if t == 0 {
			class = "zero"
		}
		c.line(class, x.at(t), top, x.at(t), bottom)
		c.text("tick", "middle", x.at(t), bottom+17, x.tickText(t))
	}
	c.text("name", "end", plotWidth-20, bottom+36, unit)
	for i, r := range rows {
		y := top + rowHeight*(float64(i)+0.5)
		c.label("label", "end", labelWidth, y+4.5, r.label, labelChars)
		c.line("whisker", x.at(r.low), y, x.at(r.high), y)
		for _, end := range []float64{r.low, r.high} {
			c.line("whisker", x.at(end), y-4, x.at(end), y+4)
		}
		c.circle("dot", x.at(r.mid), y, 5, r.title)
	}
	return c.figure(name, caption)
}

// stack is a row of stacked shares: South won, drawn, North won.
type stack struct {
	label string
	parts [3]int64
}

// stackPlot draws how shares add up to the whole, one row below the other.
func stackPlot(name, caption string, names [3]string, rows []stack) Figure {
	top := 30.0
	bottom := top + 30*float64(len(rows))
	c := newCanvas(bottom + 24)
	x := axis{low: 0, high: 1, from: labelWidth + 14, to: plotWidth - 20}
	for i, n := range names {
		at := x.from + float64(i)*140
		c.rect(shareClass(i), at, 6, 12, 12, "")
		c.text("tick", "start", at+18, 16, n)
	}
	for i, r := range rows {
		y := top + 30*float64(i)
		c.label("label", "end", labelWidth, y+19, r.label, labelChars)
		sum := float64(r.parts[0] + r.parts[1] + r.parts[2])
		from := 0.0
		for k, n := range r.parts {
			share := float64(n) / max(sum, 1)
			if n > 0 {
				c.rect(shareClass(k), x.at(from), y+4, (x.to-x.from)*share, 22, fmt.Sprintf("%s: %s of %s, %s %%", names[k], textfmt.Thousands(n), textfmt.Thousands(int64(sum)), percent(share)))
			}
			from += share
		}
	}
	for _, t := range []float64{0, 0.25, 0.5, 0.75, 1} {
		if t == 0.5 {
			c.line("half", x.at(t), top, x.at(t), bottom)
		}
		c.text("tick", "middle", x.at(t), bottom+17, fmt.Sprintf("%.0f %%", 100*t))
	}
	for i, r := range rows {
		c.shareTexts(&x, top+30*float64(i)+19.5, r.parts)
	}
	return c.figure(name, caption)
}

// shareTexts writes shares into their parts of a row, where there is room.
func (c *canvas) shareTexts(x *axis, y float64, parts [3]int64) {
	sum, from := float64(parts[0]+parts[1]+parts[2]), 0.0
	for k, n := range parts {
		share := float64(n) / max(sum, 1)
		if (x.to-x.from)*share > 44 {
			c.text("inside on-"+shareClass(k), "middle", x.at(from+share/2), y, percent(share)+" %")
		}
		from += share
	}
}

func shareClass(i int) string { return [...]string{"south", "drawn", "north"}[i] }

// histogram draws counts by equal classes of figures from 0.
func histogram(name, caption, unit string, width int, counts []int64, mark float64, markName string) Figure {
	const left, top, bottom = 56.0, 14.0, 196.0
	c := newCanvas(bottom + 44)
	most := int64(1)
	for _, n := range counts {
		most = max(most, n)
	}
	y := newAxis(0, float64(most), bottom, top, 4)
	x := newAxis(0, float64(width*len(counts)), left, plotWidth-20, 8)
	for _, t := range y.ticks {
		if t != math.Trunc(t) {
			continue
		}
		c.line("grid", left, y.at(t), plotWidth-20, y.at(t))
		c.text("tick", "end", left-8, y.at(t)+4, textfmt.Thousands(int64(t)))
	}
	for _, t := range x.ticks {
		c.text("tick", "middle", x.at(t), bottom+17, x.tickText(t))
	}
	for i, n := range counts {
		if n > 0 {
			from, to := float64(i*width), float64((i+1)*width)
			span := fmt.Sprintf("%d–%d", i*width, (i+1)*width-1)
			if width == 1 {
				span = fmt.Sprint(i)
			}
			c.rect("bar", x.at(from)+0.5, y.at(float64(n)), x.at(to)-x.at(from)-1, bottom-y.at(float64(n)), fmt.Sprintf("%s %s: %s", span, unit, games(n)))
		}
	}
	c.line("zero", left, bottom, plotWidth-20, bottom)
	if mark > 0 {
		c.line("mark", x.at(mark), top-4, x.at(mark), bottom)
		c.text("tick", "start", x.at(mark)+5, top+6, markName)
	}
	c.text("name", "end", plotWidth-20, bottom+36, unit)
	return c.figure(name, caption)
}

// plotLine is a curve of a linePlot.
type plotLine struct {
	name   string
	points []plotPoint
}

type plotPoint struct {
	x, y  float64
	err   float64 // half the interval; 0: none
	size  float64 // of the dot; 0: the usual one
	title string
}

// level is a line across a linePlot.
type level struct {
	y    float64
	name string
}

// plane says how a linePlot is laid out.
type plane struct {
	name, caption string
	xName, yName  string
	levels        []level
	yFrom, yTo    *float64 // ends of the axis; nil: from the points
	percent       bool     // y is a share
	bare          bool     // no dots
}

// linePlot draws curves, each with its colour and its dashes.
func linePlot(p plane, lines []plotLine) Figure {
	const left, right = 64.0, plotWidth - 20.0
	legend := 0.0
	if len(lines) > 1 {
		legend = 20 * math.Ceil(float64(len(lines))/2)
	}
	top := 26 + legend
	bottom := top + plotHeight - 80
	c := newCanvas(bottom + 44)
	xLow, xHigh, yLow, yHigh := bounds(lines, p.levels)
	if p.yFrom != nil {
		yLow, yHigh = *p.yFrom, *p.yTo
	}
	x, y := newAxis(xLow, xHigh, left, right, 8), newAxis(yLow, yHigh, bottom, top, 5)
	if x.holds(xLow, xHigh) {
		x.low, x.high = xLow, xHigh // curves fill the width
	}
	for _, t := range y.ticks {
		c.line("grid", left, y.at(t), right, y.at(t))
		text := y.tickText(t)
		if p.percent {
			text = fmt.Sprintf("%.0f %%", 100*t)
		}
		c.text("tick", "end", left-8, y.at(t)+4, text)
	}
	for _, t := range x.ticks {
		if t >= x.low && t <= x.high && (t == math.Trunc(t) || !whole(lines)) {
			c.line("grid", x.at(t), top, x.at(t), bottom)
			c.text("tick", "middle", x.at(t), bottom+17, x.tickText(t))
		}
	}
	c.text("name", "start", 8, top-10, p.yName)
	c.text("name", "end", right, bottom+36, p.xName)
	for _, l := range p.levels {
		c.line("mark", left, y.at(l.y), right, y.at(l.y))
		c.text("tick", "end", right-4, y.at(l.y)-5, l.name)
	}
	for i, l := range lines {
		c.curve(i%numColours, &x, &y, l, p.bare)
	}
	if len(lines) > 1 {
		c.legend(left, lines)
	}
	return c.figure(p.name, p.caption)
}

// whole reports whether all curves have points at whole numbers only.
func whole(lines []plotLine) bool {
	for _, l := range lines {
		for _, p := range l.points {
			if p.x != math.Trunc(p.x) {
				return false
			}
		}
	}
	return true
}

// legend names the curves above the plot, two in a row.
func (c *canvas) legend(left float64, lines []plotLine) {
	for i, l := range lines {
		x, y := left+float64(i%2)*280, 14+20*float64(i/2)
		c.line(fmt.Sprintf("curve k%d", i%numColours), x, y-4, x+28, y-4)
		c.label("label", "start", x+36, y, l.name, 34)
	}
}

func (c *canvas) curve(colour int, x, y *axis, l plotLine, bare bool) {
	path, sep := "", "M"
	for _, p := range l.points {
		path += sep + num(x.at(p.x)) + " " + num(y.at(p.y))
		sep = "L"
		if p.err > 0 {
			c.line(fmt.Sprintf("error k%d", colour), x.at(p.x), y.at(p.y-p.err), x.at(p.x), y.at(p.y+p.err))
		}
	}
	if path == "" {
		return
	}
	fmt.Fprintf(c, `<path class="curve k%d" d="%s"/>`, colour, path)
	const mostDots = 25
	if bare || len(l.points) > mostDots {
		return
	}
	for _, p := range l.points {
		size := p.size
		if size == 0 {
			size = 3.5
		}
		c.circle(fmt.Sprintf("point k%d", colour), x.at(p.x), y.at(p.y), size, p.title)
	}
}

// bounds returns the ends of all curves and levels.
func bounds(lines []plotLine, levels []level) (xLow, xHigh, yLow, yHigh float64) {
	xLow, xHigh, yLow, yHigh = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		for _, p := range l.points {
			xLow, xHigh = min(xLow, p.x), max(xHigh, p.x)
			yLow, yHigh = min(yLow, p.y-p.err), max(yHigh, p.y+p.err)
		}
	}
	for _, l := range levels {
		yLow, yHigh = min(yLow, l.y), max(yHigh, l.y)
	}
	if xLow > xHigh {
		xLow, xHigh = 0, 1
	}
	if yLow > yHigh {
		yLow, yHigh = 0, 1
	}
	return xLow, xHigh, yLow, yHigh
}
