package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
	"gyges/tournament/training"
)

// Chart is a picture of curves.
type Chart struct {
	Title, XName, YName string
	Curves              []Curve
	Table               *grid.Table // the figures drawn; nil: none

	levels   []level
	noPoint  bool // no dot on each point
	constant int  // curves left out, as they never change
}

type level struct {
	y    float64
	name string
}

// Curve is one curve of a chart.
type Curve struct {
	Name   string
	Points []Point
}

// Point is a point of a curve.
type Point struct {
	X, Y  float64
	Error float64 // half the 95 % interval of Y; 0: none

	title string // "": from the name and the coordinates
}

const maxPoints = 1000 // of a curve that are drawn, about: every second, third and so on of more

// Add adds a point. Numbers that are not finite, or too large to be drawn, are left out.
func (c *Curve) Add(p Point) {
	const most = 1e100 // beyond it sums overflow
	if math.Abs(p.X) <= most && math.Abs(p.Y) <= most && p.Error >= 0 && p.Error <= most {
		c.Points = append(c.Points, p)
	}
}

// newChart returns a chart of the curves that have points.
func newChart(title, x, y string, curves ...Curve) Chart {
	empty := func(c Curve) bool { return len(c.Points) == 0 }
	return Chart{Title: title, XName: x, YName: y, Curves: slices.DeleteFunc(curves, empty)}
}

// historyCharts are the curves of a tuning run, of which t may be nil. Charts without curves are left out.
func historyCharts(steps []training.Line, t *Tuning) []Chart {
	x := "step"
	if t != nil && t.Method == "train" {
		x = "generation"
	}
	curve := func(name string, value func(training.Line) (y, margin *float64)) Curve {
		c := Curve{Name: name}
		for _, l := range steps {
			if y, margin := value(l); y != nil {
				c.Add(Point{X: float64(l.Step), Y: *y, Error: *cmp.Or(margin, new(float64))})
			}
		}
		return c
	}
	charts := []Chart{
		newChart("Loss: mean cross-entropy", x, "nats",
			curve("training", func(l training.Line) (y, margin *float64) { return l.Loss, nil }),
			curve("validation", func(l training.Line) (y, margin *float64) { return l.ValidationLoss, nil }),
			curve("test", func(l training.Line) (y, margin *float64) { return l.TestLoss, nil })),
		newChart("Games that the parameters moved one way won, less those they lost", x, "games",
			curve("score", func(l training.Line) (y, margin *float64) { return l.Score, nil })),
		newChart("Elo against the parent, with 95 % intervals", x, "Elo",
			curve("Elo", func(l training.Line) (y, margin *float64) { return l.Elo, l.EloMargin })),
	}
	charts[0].nameAlone()
	var first, last map[string]float64
	parameters := map[string]float64{}
	for i, l := range steps {
		if last = l.Parameters; i == 0 {
			first = last
		}
		maps.Copy(parameters, last)
	}
	table := grid.New("Parameters after the first step recorded and after the last", 1, "Parameter", "First", "Last")
	if t != nil {
		charts = append(charts, t.charts()...)
		if t.kept != nil {
			last = t.kept
			table = grid.New("Weights after the first step recorded, and those kept", 1, "Weight", "First", "Kept")
		}
		if t.kept != nil && t.Config.Weights != nil {
			first = t.Config.Weights
			table = grid.New("Initial weights, and those kept", 1, "Weight", "Initial", "Kept")
		}
	}
	var curves []Curve
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		c := curve(name, func(l training.Line) (y, margin *float64) {
			if value, ok := l.Parameters[name]; ok {
				y = &value
			}
			return y, nil
		})
		if initial, ok := first[name]; ok && steps[0].Step > 0 {
			c.Points = append([]Point{{Y: initial}}, c.Points...)
		}
		size := 0.0 // curves of other units fit into the same chart
		for _, p := range c.Points {
			size = max(size, math.Abs(p.Y))
		}
		for i := range c.Points {
			c.Points[i].Y /= cmp.Or(size, 1)
		}
		curves = append(curves, c)
	}
	slices.SortStableFunc(curves, func(a, b Curve) int { return cmp.Compare(b.change(), a.change()) })
	for _, c := range curves {
		table.Add(grid.Name(c.Name), parameterText(first, c.Name), parameterText(last, c.Name))
	}
	values := newChart("Parameters, each in units of its largest size", x, "", curves...)
	values.Table = firstRows(table)
	changed := slices.IndexFunc(values.Curves, func(c Curve) bool { return c.change() == 0 })
	if changed > 0 {
		values.constant = len(values.Curves) - changed
		values.Curves = values.Curves[:changed]
	}
	return slices.DeleteFunc(append(charts, values), func(c Chart) bool { return len(c.Curves) == 0 })
}

// change is the largest value of a curve less the smallest.
func (c *Curve) change() float64 {
	if len(c.Points) == 0 {
		return 0
	}
	low, high := c.Points[0].Y, c.Points[0].Y
	for _, p := range c.Points {
		low = min(low, p.Y)
		high = max(high, p.Y)
	}
	return high - low
}

// nameAlone adds the name of a single curve, which has no legend, to the title.
func (c *Chart) nameAlone() {
	if len(c.Curves) == 1 {
		c.Title += " (" + c.Curves[0].Name + ")"
	}
}

func parameterText(values map[string]float64, name string) string {
	if value, ok := values[name]; ok {
		return strconv.FormatFloat(value, 'g', 5, 64)
	}
	return "–"
}

// history builds the section with the charts of tuning; of many curves in one the first, which
// changed most.
func (b *builder) history() Section {
	s := Section{ID: "history", Title: "Over time"}
	for i, r := range b.collected.runs {
		for j, c := range r.about.Charts {
			if j == 0 {
				b.name(&s, r)
			}
			all := len(c.Curves)
			c.Curves = c.Curves[:min(all, numColours)]
			s.figure(c.plot(fmt.Sprintf("curve-%d-%d", i+1, j+1)))
			if all > numColours {
				s.text(fmt.Sprintf("Of the %d that changed the %d that changed most are drawn.", all, numColours))
			}
			if c.constant > 0 {
				s.text(fmt.Sprintf("%s never changed.", textfmt.Plural(c.constant, "parameter")))
			}
			if c.Table != nil {
				s.table("", c.Table)
			}
		}
	}
	return s
}
