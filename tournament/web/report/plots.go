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
	plotHeight  = 220
	footHeight  = 44  // of the ticks and the name of the axis below a plot
	labelWidth  = 210 // of labels beside rows
	labelGap    = 14
	labelChars  = 27
	tickChar    = 8.0 // width of a character of a tick, at most
	narrowChars = 46  // of labels above rows
	numColours  = 8   // classes k0 to k7
)

// draw returns a figure in two sizes: wide, and narrow for phones, where labels stand above what
// they name.
func draw(name, caption string, plot func(d *drawing)) Figure {
	wide := &drawing{width: wideWidth}
	plot(wide)
	narrow := &drawing{width: narrowWidth}
	plot(narrow)
	f := wide.figure("chart", name, caption)
	f.Narrow = narrow.figure("chart", name, caption).SVG
	return f
}

func (d *drawing) isNarrow() bool { return d.width == narrowWidth }

// right is where plots end.
func (d *drawing) right() float64 { return d.width - pick(d, 20.0, 12) }

// pick returns the first value for a wide picture and the second for a narrow one.
func pick[T any](d *drawing, wide, narrow T) T {
	if d.isNarrow() {
		return narrow
	}
	return wide
}

// ratingPlot draws the ratings of players with their intervals, one below the other, the first
// maxPlotted of them.
func ratingPlot(name, title string, players []ratings.Player) Figure {
	caption := "Ratings with their 95 % intervals"
	if title != "" {
		caption += ", " + textfmt.Visible(title)
	}
	if len(players) > maxPlotted {
		caption += fmt.Sprintf(", the first %d players", maxPlotted)
		players = players[:maxPlotted]
	}
	// The axis holds all intervals.
	elo := noNumbers()
	for _, p := range players {
		elo.add(p.Elo, p.Error)
	}
	return draw(name, caption, func(d *drawing) {
		const top, height = 8.0, 26.0 // of a row, without the label above that a narrow one has
		label := pick(d, 0.0, 12)
		row := height + label
		bottom := top + row*float64(len(players))
		d.height = bottom + footHeight
		// Labels stand left of the plot, in a narrow picture above the rows.
		from := pick(d, labelWidth+labelGap, 12.0)
		x := newAxis(elo, from, d.right(), pick(d, 6, 4))
		for _, t := range x.ticks {
			class := "grid"
			if t == 0 {
				class = "zero"
			}
			d.line(class, x.at(t), top, x.at(t), bottom)
		}
		d.xAxis(&x, bottom, "Elo")
		for i, p := range players {
			name := textfmt.Visible(p.Name)
			y := top + row*float64(i) + height/2 + label
			if d.isNarrow() {
				d.label("label", "start", 2, y-height/2+2, name, narrowChars)
			} else {
				d.label("label", "end", labelWidth, y+4.5, name, labelChars)
			}
			// A whisker over the interval, and a dot at the rating.
			left := x.at(p.Elo - p.Error)
			right := x.at(p.Elo + p.Error)
			d.line("whisker", left, y, right, y)
			d.line("whisker", left, y-4, left, y+4)
			d.line("whisker", right, y-4, right, y+4)
			value := name + ": " + plusMinus(p.Elo, p.Error) + " Elo"
			d.circle("dot", point{x.at(p.Elo), y}, 5, value)
		}
	})
}

// xAxis writes the ticks and the name of an axis below a plot.
func (d *drawing) xAxis(x *axis, bottom float64, name string) {
	for _, t := range x.ticks {
		text := tickText(t)
		half := tickChar / 2 * float64(utf8.RuneCountInString(text))
		at, anchor := x.at(t), "middle"
		if at < half { // not cut at the edge
			anchor = "start"
		} else if at > d.width-half {
			anchor = "end"
		}
		d.text("tick", anchor, at, bottom+17, text)
	}
	d.text("name", "end", d.right(), bottom+36, name)
}

// yAxis draws the lines of the grid at the ticks of an axis, with their values beside the plot.
func (d *drawing) yAxis(y *axis, left float64) {
	for _, t := range y.ticks {
		height := y.at(t)
		d.line("grid", left, height, d.right(), height)
		d.text("tick", "end", left-8, height+4, tickText(t))
	}
}

// plot draws the chart, of which a curve has points, each curve with its colour and its dashes.
func (c Chart) plot(name string) Figure { return draw(name, textfmt.Visible(c.Title), c.draw) }

// draw draws the chart into a picture of one of both sizes.
func (c Chart) draw(d *drawing) {
	const legendRow, legendColumn = 20, 280 // sizes of the legend, which stands above the plot
	left := pick(d, 64.0, 56)
	columns := pick(d, 2, 1)
	top := 26.0
	hasLegend := len(c.Curves) > 1
	if hasLegend {
		rows := (len(c.Curves) + columns - 1) / columns
		top += legendRow * float64(rows)
	}
	bottom := top + plotHeight
	d.height = bottom + footHeight

	// The grid, and the names of both axes.
	x, y := c.axes(d, left, top, bottom)
	d.yAxis(&y, left)
	for _, t := range x.ticks {
		d.line("grid", x.at(t), top, x.at(t), bottom)
	}
	d.xAxis(&x, bottom, textfmt.Escape(c.XName))
	d.text("name", "start", 8, top-10, textfmt.Escape(c.YName))
	// Levels are lines across the plot, with their names above them.
	for _, l := range c.levels {
		height := y.at(l.y)
		d.line("mark", left, height, d.right(), height)
		d.text("tick", "end", d.right()-4, height-5, l.name)
	}
	for i, curve := range c.Curves {
		d.curve(i, &x, &y, curve, c.noPoint)
		if !hasLegend {
			continue
		}
		column, row := i%columns, i/columns
		x := pick(d, left, 8) + legendColumn*float64(column)
		y := 14 + legendRow*float64(row)
		d.line(colour("curve", i), x, y-4, x+28, y-4)
		name := textfmt.Escape(curve.Name)
		d.label("label", "start", x+36, y, name, pick(d, 34, narrowChars-6))
	}
}

// colour returns a class with the colour of a curve by its index.
func colour(class string, i int) string { return fmt.Sprintf("%s k%d", class, i) }

// axes returns axes that hold all points, their intervals and the levels.
func (c Chart) axes(d *drawing, left, top, bottom float64) (x, y axis) {
	xs, ys := noNumbers(), noNumbers()
	isWhole := true // whether all x are
	for _, curve := range c.Curves {
		for _, p := range curve.Points {
			xs.add(p.X, 0)
			ys.add(p.Y, p.Error)
			if p.X != math.Trunc(p.X) {
				isWhole = false
			}
		}
	}
	for _, l := range c.levels {
		ys.add(l.y, 0)
	}
	x = newAxis(xs, left, d.right(), pick(d, 8, 5))
	y = newAxis(ys, bottom, top, 5)
	if xs.size() > x.size()/10 {
		x.interval = xs // curves fill the width
	}
	// Ticks beyond the curves go, and where all x are whole numbers, those between them.
	if isWhole {
		x.ticks = wholeTicks(x.ticks)
	}
	x.ticks = slices.DeleteFunc(x.ticks, func(t float64) bool { return t < x.low || t > x.high })
	return x, y
}

// wholeTicks are the whole numbers of some ticks.
func wholeTicks(ticks []float64) []float64 {
	return slices.DeleteFunc(ticks, func(t float64) bool { return t != math.Trunc(t) })
}

// curve draws a curve by its index in the chart: a path, and a dot on each point unless there are
// many or noPoint is set.
func (d *drawing) curve(i int, x, y *axis, c Curve, noPoint bool) {
	// Of many points every step-th is drawn, and the last one.
	var way []point
	last := len(c.Points) - 1
	step := 1 + len(c.Points)/maxPoints
	for k, p := range c.Points {
		if k%step != 0 && k != last {
			continue
		}
		at := point{x.at(p.X), y.at(p.Y)}
		way = append(way, at)
		if p.Error > 0 {
			low := y.at(p.Y - p.Error)
			high := y.at(p.Y + p.Error)
			d.line(colour("error", i), at.x, low, at.x, high)
		}
	}
	if way == nil {
		return
	}
	d.path(colour("curve", i), way)
	// Dots of many points would hide the curve.
	const mostPoints = 25
	if noPoint || len(c.Points) > mostPoints {
		return
	}
	for k, p := range c.Points { // of so few each is on the way
		title := fmt.Sprintf("%s at %g: %g", textfmt.Escape(c.Name), p.X, p.Y)
		title = cmp.Or(p.title, strings.TrimSpace(title))
		d.circle(colour("point", i), way[k], 3.5, title)
	}
}
