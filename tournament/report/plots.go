package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gyges/ratings/textfmt"
)

// Sizes of pictures, in units of their view box.
const (
	plotWidth  = 640
	plotHeight = 300
	plotRight  = plotWidth - 20 // where axes end
	rowHeight  = 26
	labelWidth = 210
	labelChars = 27
	numColours = 8 // classes k0 to k7
)

// interval is a row of an intervalPlot.
type interval struct {
	label, title   string
	low, mid, high float64
}

// intervalPlot draws numbers with intervals, one below the other.
func intervalPlot(name, caption, unit string, rows []interval, log bool) Figure {
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		low, high = min(low, r.low), max(high, r.high)
	}
	top, bottom := 8.0, 8+rowHeight*float64(len(rows))
	d := &drawing{height: bottom + 44}
	x := newAxis(low, high, labelWidth+14, plotRight, 6)
	if log {
		x = newLogAxis(low, high, labelWidth+14, plotRight)
	}
	for _, t := range x.ticks {
		class := "grid"
		if t == 0 {
			class = "zero"
		}
		d.line(class, x.at(t), top, x.at(t), bottom)
	}
	d.xAxis(&x, bottom, unit, x.ticks)
	for i, r := range rows {
		y := top + rowHeight*(float64(i)+0.5)
		d.label("label", "end", labelWidth, y+4.5, r.label, labelChars)
		d.line("whisker", x.at(r.low), y, x.at(r.high), y)
		for _, end := range []float64{r.low, r.high} {
			d.line("whisker", x.at(end), y-4, x.at(end), y+4)
		}
		d.circle("dot", x.at(r.mid), y, 5, r.label+": "+r.title)
	}
	return d.figure(name, caption)
}

// xAxis writes the numbers and the name of a horizontal axis.
func (d *drawing) xAxis(x *axis, bottom float64, name string, ticks []float64) {
	for _, t := range ticks {
		d.text("tick", "middle", x.at(t), bottom+17, x.tickText(t))
	}
	d.text("name", "end", plotRight, bottom+36, name)
}

// stackedBar is a row of stacked shares: South won, drawn, North won.
type stackedBar struct {
	label string
	parts [3]int64
}

// stackedPlot draws how shares add up to the whole, one row below the other.
func stackedPlot(name, caption string, names [3]string, rows []stackedBar) Figure {
	const top, height = 30.0, 30.0
	bottom := top + height*float64(len(rows))
	d := &drawing{height: bottom + 24}
	x := axis{low: 0, high: 1, from: labelWidth + 14, to: plotRight}
	classes := [...]string{"south", "drawn", "north"}
	for i, n := range names {
		at := x.from + float64(i)*140
		d.rect(classes[i], at, 6, 12, 12, "")
		d.text("tick", "start", at+18, 16, n)
	}
	var texts drawing // above everything else
	for i, r := range rows {
		y := top + height*float64(i)
		d.label("label", "end", labelWidth, y+19, r.label, labelChars)
		sum, from := r.parts[0]+r.parts[1]+r.parts[2], 0.0
		for k, n := range r.parts {
			share := float64(n) / max(float64(sum), 1)
			width := (x.to - x.from) * share
			if n > 0 {
				d.rect(classes[k], x.at(from), y+4, width, 22, fmt.Sprintf("%s: %s of %s, %s",
					names[k], textfmt.Thousands(n), textfmt.Thousands(sum), textfmt.Percent(share)))
			}
			if width > 44 { // room for the text
				texts.text("inside on-"+classes[k], "middle", x.at(from+share/2), y+19.5, textfmt.Percent(share))
			}
			from += share
		}
	}
	for _, t := range []float64{0, 0.25, 0.5, 0.75, 1} {
		if t == 0.5 {
			d.line("half", x.at(t), top, x.at(t), bottom)
		}
		d.text("tick", "middle", x.at(t), bottom+17, fmt.Sprintf("%.0f %%", 100*t))
	}
	d.WriteString(texts.String())
	return d.figure(name, caption)
}

// histogram draws counts of numbers from 0, by classes of a width, with a mark at
// the median.
func histogram(name, caption, unit string, width int, counts []int64, median int) Figure {
	const left, top, bottom = 56.0, 14.0, 196.0
	d := &drawing{height: bottom + 44}
	y := newAxis(0, float64(max(slices.Max(counts), 1)), bottom, top, 4)
	x := newAxis(0, float64(width*len(counts)), left, plotRight, 8)
	for _, t := range y.ticks {
		if t == math.Trunc(t) {
			d.line("grid", left, y.at(t), plotRight, y.at(t))
			d.text("tick", "end", left-8, y.at(t)+4, textfmt.Thousands(int64(t)))
		}
	}
	for i, n := range counts {
		if n == 0 {
			continue
		}
		from, to := float64(i*width), float64((i+1)*width)
		class := strconv.Itoa(i * width)
		if width > 1 {
			class = fmt.Sprintf("%d–%d", i*width, (i+1)*width-1)
		}
		d.rect("bar", x.at(from)+0.5, y.at(float64(n)), x.at(to)-x.at(from)-1, bottom-y.at(float64(n)),
			fmt.Sprintf("%s %s: %s", class, unit, games(n)))
	}
	d.line("zero", left, bottom, plotRight, bottom)
	mark := x.at(float64(median) + 0.5)
	d.line("mark", mark, top-4, mark, bottom)
	d.text("tick", "start", mark+5, top+6, "median "+strconv.Itoa(median))
	d.xAxis(&x, bottom, unit, x.ticks)
	return d.figure(name, caption)
}

// plot draws the chart, each curve with its colour and its dashes.
func (c Chart) plot(name string) Figure {
	const left = 64.0
	legend := 0.0
	if len(c.Curves) > 1 {
		legend = 20 * math.Ceil(float64(len(c.Curves))/2)
	}
	top := 26 + legend
	bottom := top + plotHeight - 80
	d := &drawing{height: bottom + 44}
	x, y := c.axes(left, top, bottom)
	for _, t := range y.ticks {
		d.line("grid", left, y.at(t), plotRight, y.at(t))
		text := y.tickText(t)
		if c.shares {
			text = fmt.Sprintf("%.0f %%", 100*t)
		}
		d.text("tick", "end", left-8, y.at(t)+4, text)
	}
	for _, t := range x.ticks {
		d.line("grid", x.at(t), top, x.at(t), bottom)
	}
	d.xAxis(&x, bottom, textfmt.Escape(c.XName), x.ticks)
	d.text("name", "start", 8, top-10, textfmt.Escape(c.YName))
	for _, l := range c.levels {
		d.line("mark", left, y.at(l.y), plotRight, y.at(l.y))
		d.text("tick", "end", plotRight-4, y.at(l.y)-5, l.name)
	}
	for i, curve := range c.Curves {
		d.curve(i, &x, &y, curve, c.noPoint)
		if len(c.Curves) > 1 { // the legend: two in a row above the plot
			x, y := left+float64(i%2)*280, 14+20*float64(i/2)
			d.line(fmt.Sprintf("curve k%d", i), x, y-4, x+28, y-4)
			d.label("label", "start", x+36, y, textfmt.Escape(curve.Name), 34)
		}
	}
	return d.figure(name, textfmt.Visible(c.Title))
}

// axes returns axes that hold all curves and levels.
func (c Chart) axes(left, top, bottom float64) (x, y axis) {
	xLow, xHigh, yLow, yHigh := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	whole := true // all x are
	for _, curve := range c.Curves {
		for _, p := range curve.Points {
			xLow, xHigh = min(xLow, p.X), max(xHigh, p.X)
			yLow, yHigh = min(yLow, p.Y-p.Error), max(yHigh, p.Y+p.Error)
			whole = whole && p.X == math.Trunc(p.X)
		}
	}
	for _, l := range c.levels {
		yLow, yHigh = min(yLow, l.y), max(yHigh, l.y)
	}
	if xLow > xHigh {
		xLow, xHigh = 0, 1
	}
	if yLow > yHigh || c.shares {
		yLow, yHigh = 0, 1
	}
	x, y = newAxis(xLow, xHigh, left, plotRight, 8), newAxis(yLow, yHigh, bottom, top, 5)
	if xHigh-xLow > (x.high-x.low)/10 {
		x.low, x.high = xLow, xHigh // curves fill the width
	}
	x.ticks = slices.DeleteFunc(x.ticks, func(t float64) bool {
		return t < x.low || t > x.high || whole && t != math.Trunc(t)
	})
	return x, y
}

// curve draws one curve of a chart, by its index.
func (d *drawing) curve(i int, x, y *axis, c Curve, noPoint bool) {
	var path []string
	for _, p := range c.Points {
		path = append(path, coordinate(x.at(p.X))+" "+coordinate(y.at(p.Y)))
		if p.Error > 0 {
			d.line(fmt.Sprintf("error k%d", i), x.at(p.X), y.at(p.Y-p.Error), x.at(p.X), y.at(p.Y+p.Error))
		}
	}
	if path == nil {
		return
	}
	fmt.Fprintf(d, `<path class="curve k%d" d="M%s"/>`, i, strings.Join(path, "L"))
	const mostPoints = 25
	if noPoint || len(c.Points) > mostPoints {
		return
	}
	for _, p := range c.Points {
		size := p.size
		if size == 0 {
			size = 3.5
		}
		d.circle(fmt.Sprintf("point k%d", i), x.at(p.X), y.at(p.Y), size, c.pointTitle(p))
	}
}
