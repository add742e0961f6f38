package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"gyges/rules/base/textfmt"
)

// Figure is a picture as an svg element, with colours by the classes of [Style].
type Figure struct {
	Name    string        // for files and links: letters, digits and dashes
	Caption string        // its content in words; also its alternative text
	SVG     template.HTML // the svg element
	Narrow  template.HTML // the same for phones; "": there is none

	styles string // of a file of its own, beside chart.css
}

// StandaloneSVG returns a figure as a file of its own.
func (f Figure) StandaloneSVG() string {
	svg := strings.Replace(string(f.SVG), "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1)
	open, rest, _ := strings.Cut(svg, ">")
	return open + ">" + titleElement(f.Caption) + "<style>" + asset("chart.css") + f.styles +
		`</style><rect width="100%" height="100%" ` + paint("paper") + `/>` +
		rest + "\n"
}

type drawing struct {
	strings.Builder
	width, height float64
}

// shape adds an element with a class and a title, which may be empty. names are those of its coordinates.
func (d *drawing) shape(name, class, title, names string, coordinates ...float64) {
	fmt.Fprintf(d, `<%s %s`, name, paint(class))
	for i, key := range strings.Fields(names) {
		fmt.Fprintf(d, ` %s="%s"`, key, coordinate(coordinates[i]))
	}
	fmt.Fprintf(d, ">%s</%s>", titleElement(title), name)
}

func coordinate(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }

func titleElement(title string) string {
	if title == "" {
		return ""
	}
	return "<title>" + html.EscapeString(title) + "</title>"
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	d.shape("line", class, "", "x1 y1 x2 y2", x1, y1, x2, y2)
}

func (d *drawing) rect(class string, x, y, w, h float64, title string) {
	d.shape("rect", class, title, "x y width height", x, y, max(w, 0), max(h, 0))
}

func (d *drawing) circle(class string, x, y, r float64, title string) {
	d.shape("circle", class, title, "cx cy r", x, y, r)
}

// text writes at a point; anchor is start, middle or end.
func (d *drawing) text(class, anchor string, x, y float64, text string) {
	d.label(class, anchor, x, y, text, len(text))
}

// label writes a text, cut to a number of characters; the whole is its title.
func (d *drawing) label(class, anchor string, x, y float64, text string, most int) {
	title, short := "", shorten(text, most)
	if short != text {
		title = text
	}
	fmt.Fprintf(d, `<text %s text-anchor="%s" x="%s" y="%s">%s%s</text>`,
		paint(class), anchor, coordinate(x), coordinate(y), titleElement(title), html.EscapeString(short))
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

func (d *drawing) figure(class, name, caption string) Figure {
	const element = `<svg class="%s" font-family="sans-serif" font-size="13" viewBox="0 0 %s %s" ` +
		`role="img" aria-label="%s">%s</svg>`
	svg := fmt.Sprintf(element, class, coordinate(d.width), coordinate(d.height), html.EscapeString(caption), d.String())
	//nolint:gosec // every text in it is escaped above
	return Figure{Name: name, Caption: caption, SVG: template.HTML(svg)}
}

// axis maps numbers to a range of the drawing.
type axis struct {
	low, high float64 // of the numbers
	from, to  float64 // on the drawing
	ticks     []float64
}

// newAxis returns an axis that holds low and high, with some n ticks at round numbers and both ends at a tick.
func newAxis(low, high, from, to float64, n int) axis {
	const least = 1e-9 // range relative to the numbers: floats can't resolve less
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

// at returns the coordinate of a number, which is clamped to the axis.
func (a *axis) at(x float64) float64 {
	x = max(a.low, min(x, a.high))
	return a.from + (x-a.low)/(a.high-a.low)*(a.to-a.from)
}

func (a *axis) tickText(x float64) string {
	const most = 1e15 // printed without an exponent
	text := strconv.FormatFloat(x, 'g', 6, 64)
	if x == math.Trunc(x) && math.Abs(x) < most {
		text = textfmt.Thousands(int64(x))
	}
	return strings.Replace(text, "-", "−", 1)
}
