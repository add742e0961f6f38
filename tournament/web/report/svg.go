package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"gyges/rules/base/textfmt"
	"gyges/tournament/web"
)

// Figure is a picture as an svg element, with colours by the classes of [web.Style].
type Figure struct {
	Name    string        // for files and links: letters, digits and dashes
	Caption string        // its content in words; also its alternative text
	SVG     template.HTML // the svg element
	Narrow  template.HTML // the same for phones; "": there is none

	styles string // of a file of its own, beside chart.css
}

// StandaloneSVG returns a figure as a file of its own.
func (f Figure) StandaloneSVG() string {
	// The attributes of the opening tag end at the first ">".
	const namespace = `<svg xmlns="http://www.w3.org/2000/svg" `
	svg := strings.Replace(string(f.SVG), "<svg ", namespace, 1)
	open, content, _ := strings.Cut(svg, ">")
	title := titleElement(f.Caption)
	style := "<style>" + web.Asset("chart.css") + f.styles + "</style>"
	paper := `<rect width="100%" height="100%" ` + paint("paper") + `/>`
	return open + ">" + title + style + paper + content + "\n"
}

// drawing is the content of an svg element, as it is drawn.
type drawing struct {
	strings.Builder
	width, height float64
}

// point is a place on a drawing; y grows downwards.
type point struct{ x, y float64 }

// shape adds an element with a class and a title, which may be empty. names are the names of its
// coordinates, with blanks between them.
func (d *drawing) shape(name, class, title, names string, coordinates ...float64) {
	fmt.Fprintf(d, `<%s %s`, name, paint(class))
	for i, key := range strings.Fields(names) {
		fmt.Fprintf(d, ` %s="%s"`, key, coordinate(coordinates[i]))
	}
	fmt.Fprintf(d, ">%s</%s>", titleElement(title), name)
}

// coordinate returns a coordinate, rounded to one decimal.
func coordinate(x float64) string {
	return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
}

// titleElement is the element that browsers show as a tooltip.
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

func (d *drawing) circle(class string, at point, r float64, title string) {
	d.shape("circle", class, title, "cx cy r", at.x, at.y, r)
}

// path draws lines from each of some points to the next one.
func (d *drawing) path(class string, points []point) {
	var list []string
	for _, p := range points {
		place := coordinate(p.x) + " " + coordinate(p.y)
		list = append(list, place)
	}
	fmt.Fprintf(d, `<path %s d="M%s"/>`, paint(class), strings.Join(list, "L"))
}

// text writes at a point; anchor is start, middle or end.
func (d *drawing) text(class, anchor string, x, y float64, text string) {
	d.label(class, anchor, x, y, text, len(text))
}

// label writes a text, cut to a number of characters; the whole text is its title.
func (d *drawing) label(class, anchor string, x, y float64, text string, most int) {
	short, title := shorten(text, most), ""
	if short != text {
		title = text
	}
	fmt.Fprintf(d, `<text %s text-anchor="%s" x="%s" y="%s">`,
		paint(class), anchor, coordinate(x), coordinate(y))
	d.WriteString(titleElement(title) + html.EscapeString(short) + "</text>")
}

// shorten cuts a text in the middle, where specs differ least.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	// Two thirds of what is left stand before the ellipsis.
	head := most * 2 / 3
	tail := most - head - 1
	return string(runes[:head]) + "…" + string(runes[len(runes)-tail:])
}

// figure returns the drawing as a figure with a class of the style sheet.
func (d *drawing) figure(class, name, caption string) Figure {
	size := coordinate(d.width) + " " + coordinate(d.height)
	svg := fmt.Sprintf(`<svg class="%s" font-family="sans-serif" font-size="13" `+
		`viewBox="0 0 %s" role="img" aria-label="%s">%s</svg>`,
		class, size, html.EscapeString(caption), d.String())
	//nolint:gosec // its texts are escaped
	return Figure{Name: name, Caption: caption, SVG: template.HTML(svg)}
}

// interval is a range of numbers.
type interval struct{ low, high float64 }

// noNumbers is the range of no numbers, to which some are to be added.
func noNumbers() interval { return interval{math.Inf(1), math.Inf(-1)} }

// size is the distance between the ends.
func (r interval) size() float64 { return r.high - r.low }

// add widens the range so that it holds the numbers within a margin of x.
func (r *interval) add(x, margin float64) {
	r.low = min(r.low, x-margin)
	r.high = max(r.high, x+margin)
}

// axis maps numbers to a range of the drawing.
type axis struct {
	interval         // of the numbers
	from, to float64 // on the drawing
	ticks    []float64
}

// newAxis returns an axis that holds a range of numbers, with some n ticks at round numbers and
// both ends at a tick.
func newAxis(r interval, from, to float64, n int) axis {
	// A range that is too small for floating-point numbers to resolve is widened.
	const least = 1e-9 // relative to the numbers
	largest := max(math.Abs(r.low), math.Abs(r.high))
	if r.size() <= least*largest {
		margin := max(1, largest/1000)
		r = interval{r.low - margin, r.high + margin}
	}
	// The ends are rounded away from each other; 1e-9 of a step is a rounding error.
	step := niceStep(r.size() / float64(n))
	first := math.Floor(r.low/step + 1e-9)
	last := math.Ceil(r.high/step - 1e-9)
	a := axis{interval: interval{first * step, last * step}, from: from, to: to}
	for k := first; k <= last; k++ {
		a.ticks = append(a.ticks, k*step)
	}
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
	share := (x - a.low) / a.size() // of the axis
	length := a.to - a.from
	return a.from + share*length
}

// tickText is a number beside an axis, with six significant digits.
func tickText(x float64) string {
	const most = 1e15 // printed without an exponent
	text := strconv.FormatFloat(x, 'g', 6, 64)
	if x == math.Trunc(x) && math.Abs(x) < most {
		text = textfmt.Thousands(int64(x))
	}
	return strings.Replace(text, "-", "−", 1)
}
