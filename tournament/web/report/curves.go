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

// level is a line across a chart.
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

// maxPoints is about how many points of a curve are drawn: every second, third and so on of more.
const maxPoints = 1000

// Add adds a point. Numbers that are not finite, or too large to be drawn, are left out.
func (c *Curve) Add(p Point) {
	const most = 1e100 // beyond it sums overflow
	isInRange := math.Abs(p.X) <= most && math.Abs(p.Y) <= most
	isValidError := p.Error >= 0 && p.Error <= most
	if isInRange && isValidError {
		c.Points = append(c.Points, p)
	}
}

// addStep adds the value at a step with its margin, each of which may be nil: not known.
func (c *Curve) addStep(step int, value, margin *float64) {
	if value == nil {
		return
	}
	p := Point{X: float64(step), Y: *value}
	if margin != nil {
		p.Error = *margin
	}
	c.Add(p)
}

// change is the largest value of a curve less the smallest.
func (c *Curve) change() float64 {
	values := noNumbers()
	for _, p := range c.Points {
		values.add(p.Y, 0)
	}
	return max(0, values.size()) // of no points -∞
}

// newChart returns a chart of the curves that have points, and of levels.
func newChart(title, x, y string, levels []level, curves ...Curve) Chart {
	isEmpty := func(c Curve) bool { return len(c.Points) == 0 }
	return Chart{
		Title:  title,
		XName:  x,
		YName:  y,
		Curves: slices.DeleteFunc(curves, isEmpty),
		levels: levels,
	}
}

// historyCharts are the curves of a tuning run, of which t may be nil. Charts without curves are
// left out.
func historyCharts(steps []training.Line, t *Tuning) []Chart {
	xName := "step"
	if t != nil && t.isTraining() {
		xName = "generation"
	}
	// Each method records some of these.
	fit := Curve{Name: "training"}
	validation := Curve{Name: "validation"}
	test := Curve{Name: "test"}
	score := Curve{Name: "score"}
	elo := Curve{Name: "Elo"}
	for _, l := range steps {
		fit.addStep(l.Step, l.Loss, nil)
		validation.addStep(l.Step, l.ValidationLoss, nil)
		test.addStep(l.Step, l.TestLoss, nil)
		score.addStep(l.Step, l.Score, nil)
		elo.addStep(l.Step, l.Elo, l.EloMargin)
	}
	loss := newChart("Loss: mean cross-entropy", xName, "nats", nil, fit, validation, test)
	loss.nameAlone()
	charts := []Chart{
		loss,
		newChart("Games that the parameters moved one way won, less those they lost",
			xName, "games", nil, score),
		newChart("Elo against the parent, with 95 % intervals", xName, "Elo", nil, elo),
	}
	if t != nil {
		charts = append(charts, t.charts()...)
	}
	if len(steps) > 0 {
		charts = append(charts, parameterChart(steps, t, xName))
	}
	return slices.DeleteFunc(charts, func(c Chart) bool { return len(c.Curves) == 0 })
}

// parameterChart is the course of the parameters, those that changed most first, with a table of
// their first and last values.
func parameterChart(steps []training.Line, t *Tuning, xName string) Chart {
	first, last := steps[0].Parameters, steps[len(steps)-1].Parameters
	table := grid.New("Parameters after the first step recorded and after the last", 1,
		"Parameter", "First", "Last")
	if t != nil && t.kept != nil {
		last = t.kept
		table = grid.New("Weights after the first step recorded, and those kept", 1,
			"Weight", "First", "Kept")
		if t.Config.Weights != nil {
			first = t.Config.Weights
			table = grid.New("Initial weights, and those kept", 1, "Weight", "Initial", "Kept")
		}
	}
	// The course of each parameter, from its initial value on if that is known.
	byName := map[string]Curve{}
	for _, l := range steps {
		for name, value := range l.Parameters {
			c := byName[name]
			c.addStep(l.Step, &value, nil)
			byName[name] = c
		}
	}
	var curves []Curve
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		c := byName[name]
		c.Name = name
		if initial, ok := first[name]; ok && steps[0].Step > 0 {
			c.Points = slices.Insert(c.Points, 0, Point{Y: initial})
		}
		c.scale()
		curves = append(curves, c)
	}
	// The table has all parameters in this order, the picture those that changed at all.
	slices.SortStableFunc(curves, func(a, b Curve) int {
		return cmp.Compare(b.change(), a.change())
	})
	for _, c := range curves {
		name := c.Name
		table.Add(grid.Name(name), parameterText(first, name), parameterText(last, name))
	}
	chart := newChart("Parameters, each in units of its largest size", xName, "", nil, curves...)
	chart.Table = firstRows(table)
	constant := func(c Curve) bool { return c.change() == 0 }
	if changed := slices.IndexFunc(chart.Curves, constant); changed > 0 {
		chart.constant = len(chart.Curves) - changed
		chart.Curves = chart.Curves[:changed]
	}
	return chart
}

// scale divides the values by the largest size, so that curves of other units fit into the same
// chart.
func (c *Curve) scale() {
	size := 0.0
	for _, p := range c.Points {
		size = max(size, math.Abs(p.Y))
	}
	if size == 0 {
		return
	}
	for i := range c.Points {
		c.Points[i].Y /= size
	}
}

// nameAlone adds the name of a single curve, which has no legend, to the title.
func (c *Chart) nameAlone() {
	if len(c.Curves) == 1 {
		c.Title += " (" + c.Curves[0].Name + ")"
	}
}

// parameterText is the value of a parameter, a dash if it isn't known.
func parameterText(values map[string]float64, name string) string {
	if value, ok := values[name]; ok {
		return strconv.FormatFloat(value, 'g', 5, 64)
	}
	return "–"
}

// history builds the section with the charts of tuning. Of many curves in a chart the first ones
// are drawn, which changed most.
func (b *builder) history() Section {
	s := Section{ID: "history", Title: "Over time"}
	for i, r := range b.runs {
		if len(r.Charts) > 0 {
			b.name(&s, r)
		}
		for j, c := range r.Charts {
			all := len(c.Curves)
			c.Curves = c.Curves[:min(all, numColours)]
			s.figure(c.plot(fmt.Sprintf("curve-%d-%d", i+1, j+1)))
			if all > numColours {
				s.text(fmt.Sprintf("Of the %d that changed the %d that changed most are drawn.",
					all, numColours))
			}
			if c.constant > 0 {
				s.text(textfmt.Plural(c.constant, "parameter") + " never changed.")
			}
			if c.Table != nil {
				s.table("", c.Table)
			}
		}
	}
	return s
}
