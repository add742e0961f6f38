package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gyges/ratings"
	"gyges/rules/base/textfmt"
)

// Sizes of pictures, in units of their view box.
const (
	wideWidth   = 640
	narrowWidth = 360 // of a phone's screen
	plotHeight  = 300
	labelWidth  = 210 // of labels beside rows
	labelGap    = 14
	labelChars  = 27
	tickChar    = 8.0 // width of a character of a tick, at most
	narrowChars = 46  // of labels above rows
	numColours  = 8   // classes k0 to k7
)

// draw returns a figure in two sizes: wide, and narrow for phones, where labels stand above what they name.
func draw(name, caption string, plot func(d *drawing)) Figure {
	wide, narrow := &drawing{width: wideWidth}, &drawing{width: narrowWidth}
	plot(wide)
	plot(narrow)
	f := wide.figure("chart", name, caption)
	f.Narrow = narrow.figure("chart", name, caption).SVG
	return f
}

func (d *drawing) narrow() bool { return d.width == narrowWidth }

func (d *drawing) right() float64 { return d.width - pick(d, 20.0, 12) }

// pick returns the first value for a wide picture and the second for a narrow one.
func pick[T any](d *drawing, wide, narrow T) T {
	if d.narrow() {
		return narrow
	}
	return wide
}

// ratingPlot draws the ratings of players with their intervals, one below the other, the first maxPlotted of them.
func ratingPlot(name, title string, players []ratings.Player) Figure {
	caption := "Ratings with their 95 % intervals"
	if title != "" {
		caption += ", " + textfmt.Visible(title)
	}
	if len(players) > maxPlotted {
		caption += fmt.Sprintf(", the first %d players", maxPlotted)
		players = players[:maxPlotted]
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range players {
		low, high = min(low, p.Elo-p.Error), max(high, p.Elo+p.Error)
	}
	const top, height = 8.0, 26.0 // of a row, without a label above
	return draw(name, caption, func(d *drawing) {
		row := pick(d, height, height+12)
		bottom := top + row*float64(len(players))
		d.height = bottom + 44
		from := pick(d, labelWidth+labelGap, 12.0)
		x := newAxis(low, high, from, d.right(), pick(d, 6, 4))
		for _, t := range x.ticks {
			class := "grid"
			if t == 0 {
				class = "zero"
			}
			d.line(class, x.at(t), top, x.at(t), bottom)
		}
		d.xAxis(&x, bottom, "Elo")
		for i, p := range players {
			label := textfmt.Visible(p.Name)
			y := top + row*float64(i) + height/2
			if d.narrow() {
				y += 12
				d.label("label", "start", 2, y-height/2+2, label, narrowChars)
			} else {
				d.label("label", "end", labelWidth, y+4.5, label, labelChars)
			}
			left, right := x.at(p.Elo-p.Error), x.at(p.Elo+p.Error)
			d.line("whisker", left, y, right, y)
			d.line("whisker", left, y-4, left, y+4)
			d.line("whisker", right, y-4, right, y+4)
			d.circle("dot", x.at(p.Elo), y, 5, label+": "+plusMinus(p.Elo, p.Error)+" Elo")
		}
	})
}

func (d *drawing) xAxis(x *axis, bottom float64, name string) {
	for _, t := range x.ticks {
		text, at, anchor := x.tickText(t), x.at(t), "middle"
		half := tickChar / 2 * float64(utf8.RuneCountInString(text))
		if at < half { // not cut at the edge
			anchor = "start"
		} else if at > d.width-half {
			anchor = "end"
		}
		d.text("tick", anchor, at, bottom+17, text)
	}
	d.text("name", "end", d.right(), bottom+36, name)
}

// plot draws the chart, of which a curve has points, each curve with its colour and its dashes.
func (c Chart) plot(name string) Figure { return draw(name, textfmt.Visible(c.Title), c.draw) }

func (c Chart) draw(d *drawing) {
	left, columns := pick(d, 64.0, 56.0), pick(d, 2, 1) // of the legend
	legend := 0.0
	if len(c.Curves) > 1 {
		legend = 20 * math.Ceil(float64(len(c.Curves))/float64(columns))
	}
	top := 26 + legend
	bottom := top + plotHeight - 80
	d.height = bottom + 44
	x, y := c.axes(d, left, top, bottom)
	for _, t := range y.ticks {
		d.line("grid", left, y.at(t), d.right(), y.at(t))
		d.text("tick", "end", left-8, y.at(t)+4, y.tickText(t))
	}
	for _, t := range x.ticks {
		d.line("grid", x.at(t), top, x.at(t), bottom)
	}
	d.xAxis(&x, bottom, textfmt.Escape(c.XName))
	d.text("name", "start", 8, top-10, textfmt.Escape(c.YName))
	for _, l := range c.levels {
		d.line("mark", left, y.at(l.y), d.right(), y.at(l.y))
		d.text("tick", "end", d.right()-4, y.at(l.y)-5, l.name)
	}
	for i, curve := range c.Curves {
		d.curve(i, &x, &y, curve, c.noPoint)
		if len(c.Curves) > 1 { // the legend above the plot
			x, y := pick(d, left, 8)+float64(i%columns)*280, 14+20*float64(i/columns)
			d.line(fmt.Sprintf("curve k%d", i), x, y-4, x+28, y-4)
			d.label("label", "start", x+36, y, textfmt.Escape(curve.Name), pick(d, 34, narrowChars-6))
		}
	}
}

func (c Chart) axes(d *drawing, left, top, bottom float64) (x, y axis) {
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
	x, y = newAxis(xLow, xHigh, left, d.right(), pick(d, 8, 5)), newAxis(yLow, yHigh, bottom, top, 5)
	if xHigh-xLow > (x.high-x.low)/10 {
		x.low, x.high = xLow, xHigh // curves fill the width
	}
	x.ticks = slices.DeleteFunc(x.ticks, func(t float64) bool {
		return t < x.low || t > x.high || whole && t != math.Trunc(t)
	})
	return x, y
}

func (d *drawing) curve(i int, x, y *axis, c Curve, noPoint bool) {
	var path []string
	step := 1 + len(c.Points)/maxPoints
	for k, p := range c.Points {
		if k%step != 0 && k != len(c.Points)-1 {
			continue
		}
		path = append(path, coordinate(x.at(p.X))+" "+coordinate(y.at(p.Y)))
		if p.Error > 0 {
			d.line(fmt.Sprintf("error k%d", i), x.at(p.X), y.at(p.Y-p.Error), x.at(p.X), y.at(p.Y+p.Error))
		}
	}
	if path == nil {
		return
	}
	fmt.Fprintf(d, `<path %s d="M%s"/>`, paint(fmt.Sprint("curve k", i)), strings.Join(path, "L"))
	const mostPoints = 25
	if noPoint || len(c.Points) > mostPoints {
		return
	}
	for _, p := range c.Points {
		title := strings.TrimSpace(fmt.Sprintf("%s at %g: %g", textfmt.Escape(c.Name), p.X, p.Y))
		d.circle(fmt.Sprintf("point k%d", i), x.at(p.X), y.at(p.Y), 3.5, cmp.Or(p.title, title))
	}
}
