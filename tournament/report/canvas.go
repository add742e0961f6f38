package report

import (
	"fmt"
	"gyges/ratings/textfmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Figure is a picture as an svg element. It takes its colours from classes,
// which [Style] defines.
type Figure struct {
	Name    string        // for files and links: letters, digits and dashes
	Caption string        // what it shows, in words; also its alternative text
	SVG     template.HTML // the svg element
}

// canvas draws an svg element, text by text. All that comes from outside goes
// through text, which escapes it.
type canvas struct {
	strings.Builder
	height float64 // the width is plotWidth
}

func newCanvas(height float64) *canvas { return &canvas{height: height} }

// num prints a coordinate.
func num(x float64) string {
	return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
}

// escape makes a text fit for the inside of elements and attributes.
func escape(text string) string { return html.EscapeString(text) }

func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(c, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, num(x1), num(y1), num(x2), num(y2))
}

func (c *canvas) rect(class string, x, y, w, h float64, title string) {
	fmt.Fprintf(c, `<rect class="%s" x="%s" y="%s" width="%s" height="%s">%s</rect>`, class, num(x), num(y), num(max(w, 0)), num(max(h, 0)), titleOf(title))
}

func (c *canvas) circle(class string, x, y, r float64, title string) {
	fmt.Fprintf(c, `<circle class="%s" cx="%s" cy="%s" r="%s">%s</circle>`, class, num(x), num(y), num(r), titleOf(title))
}

// text writes at a point; anchor is start, middle or end.
func (c *canvas) text(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(c, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, num(x), num(y), escape(text))
}

// label writes a text of at most so many characters; the whole is its title.
func (c *canvas) label(class, anchor string, x, y float64, text string, most int) {
	short := shorten(text, most)
	if short == text {
		c.text(class, anchor, x, y, text)
		return
	}
	fmt.Fprintf(c, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s%s</text>`, class, anchor, num(x), num(y), titleOf(text), escape(short))
}

func titleOf(title string) string {
	if title == "" {
		return ""
	}
	return "<title>" + escape(title) + "</title>"
}

// shorten cuts a text in the middle, where specs differ least.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	head := most * 2 / 3
	return string(runes[:head]) + "…" + string(runes[len(runes)-(most-head-1):])
}

// figure closes the picture.
func (c *canvas) figure(name, caption string) Figure {
	svg := fmt.Sprintf(`<svg class="chart" viewBox="0 0 %d %s" role="img" aria-label="%s">%s</svg>`,
		plotWidth, num(c.height), escape(caption), c.String())
	return Figure{Name: name, Caption: caption, SVG: template.HTML(svg)} //nolint:gosec // every text in it is escaped above
}

// axis maps figures to a range of the canvas.
type axis struct {
	low, high float64 // of the figures
	from, to  float64 // on the canvas
	log       bool
	ticks     []float64
}

// newAxis returns an axis that holds low and high, with some n ticks at round
// figures and both ends at a tick.
func newAxis(low, high, from, to float64, n int) axis {
	const least = 1e-9 // of the range to the figures: floats can't tell less apart
	if size := max(math.Abs(low), math.Abs(high)); !(high-low > least*size) {
		low, high = low-max(1, size/1000), high+max(1, size/1000)
	}
	step := niceStep((high - low) / float64(n))
	a := axis{from: from, to: to}
	first, last := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	for k := first; k <= last; k++ {
		a.ticks = append(a.ticks, k*step)
	}
	a.low, a.high = first*step, last*step
	return a
}

// newLogAxis returns an axis for positive figures, with ticks at powers of ten.
func newLogAxis(low, high, from, to float64) axis {
	if !(low > 0) {
		low = 1e-3
	}
	first, last := math.Floor(math.Log10(low)+1e-9), math.Ceil(math.Log10(max(high, low))-1e-9)
	if last <= first {
		last = first + 1
	}
	a := axis{low: first, high: last, from: from, to: to, log: true}
	for k := first; k <= last; k++ {
		a.ticks = append(a.ticks, math.Pow(10, k))
	}
	return a
}

// holds reports whether two figures are far enough apart to be ends of the axis.
func (a *axis) holds(low, high float64) bool { return high-low > (a.high-a.low)/10 }

// niceStep is 1, 2 or 5 times a power of ten, not below x.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, k := range []float64{1, 2, 5} {
		if k*power >= x*(1-1e-9) {
			return k * power
		}
	}
	return 10 * power
}

// at returns the place of a figure, held inside the axis.
func (a *axis) at(x float64) float64 {
	if a.log {
		x = math.Log10(max(x, 1e-300))
	}
	x = max(a.low, min(x, a.high))
	return a.from + (x-a.low)/(a.high-a.low)*(a.to-a.from)
}

// tickText prints the figure at a tick.
func (a *axis) tickText(x float64) string {
	if a.log {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	text := strconv.FormatFloat(x, 'g', 6, 64)
	const most = 1e15 // of those printed in full
	if x == math.Trunc(x) && math.Abs(x) < most {
		text = textfmt.Thousands(int64(x))
	}
	return strings.Replace(text, "-", "−", 1)
}
