package report

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"gyges/agents/tuning/history"
	"gyges/ratings/textfmt"
)

// Chart is a picture of curves: the course of a tuning or a training.
type Chart struct {
	Title, XName, YName string
	Lines               []Curve
	Table               *Table // the figures behind it; nil: none
}

// Curve is one curve of a chart. Of many points it keeps some, evenly.
type Curve struct {
	Name   string
	Points []CurvePoint

	seen, stride int // points met; every so many one is kept
}

// CurvePoint is a point of a curve.
type CurvePoint struct {
	X, Y  float64
	Error float64 // half the 95 % interval of Y; 0: none
}

// maxPoints is how many points of a curve are kept.
const maxPoints = 1000

// Add adds a point. Figures that are no numbers, or too large to be drawn, are
// passed over.
func (c *Curve) Add(p CurvePoint) {
	const most = 1e100 // beyond it sums overflow
	if !(math.Abs(p.X) <= most && math.Abs(p.Y) <= most && p.Error >= 0 && p.Error <= most) {
		return
	}
	if c.stride == 0 {
		c.stride = 1
	}
	if c.seen++; (c.seen-1)%c.stride != 0 {
		return
	}
	c.Points = append(c.Points, p)
	if len(c.Points) < maxPoints {
		return
	}
	c.stride *= 2
	kept := c.Points[:0]
	for i := 0; i < len(c.Points); i += 2 {
		kept = append(kept, c.Points[i])
	}
	c.Points = kept
}

// historyCharts are the curves of a tuning run.
func historyCharts(steps []history.Line) []Chart {
	loss := Chart{Title: "Loss: mean cross-entropy", XName: "step", YName: "nats", Lines: []Curve{{Name: "training"}, {Name: "validation"}}}
	score := Chart{Title: "Games that the parameters moved one way won, less those they lost", XName: "step", YName: "games", Lines: []Curve{{Name: "score"}}}
	elo := Chart{Title: "Elo against the parent, with 95 % intervals", XName: "step", YName: "Elo", Lines: []Curve{{Name: "Elo"}}}
	parameters := map[string]*Curve{}
	add := func(c *Curve, step int, y, margin *float64) {
		if y == nil {
			return
		}
		p := CurvePoint{X: float64(step), Y: *y}
		if margin != nil {
			p.Error = *margin
		}
		c.Add(p)
	}
	for _, l := range steps {
		add(&loss.Lines[0], l.Step, l.Loss, nil)
		add(&loss.Lines[1], l.Step, l.ValidationLoss, nil)
		add(&score.Lines[0], l.Step, l.Score, nil)
		add(&elo.Lines[0], l.Step, l.Elo, l.EloMargin)
		for name, value := range l.Parameters {
			c, ok := parameters[name]
			if !ok {
				c = &Curve{Name: name}
				parameters[name] = c
			}
			add(c, l.Step, &value, nil)
		}
	}
	values := Chart{Title: "Parameters, each in units of its largest size", XName: "step"}
	table := &Table{Caption: "Parameters after the first step recorded and after the last", Header: heads(1, "Parameter", "First", "Last")}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		c := parameters[name]
		values.Lines = append(values.Lines, c.scaled())
		if n := len(steps); len(table.Rows) < maxAgentRows {
			table.row(rowHead(textfmt.Visible(name)), cell(parameterText(steps[0], name)), cell(parameterText(steps[n-1], name)))
		}
	}
	if len(table.Rows) > 0 {
		values.Table = table
	}
	var list []Chart
	for _, c := range []Chart{loss, elo, score, values} {
		c.Lines = slices.DeleteFunc(c.Lines, func(l Curve) bool { return len(l.Points) == 0 })
		if len(c.Lines) > 0 {
			list = append(list, c)
		}
	}
	return list
}

// parameterText prints a parameter's value at a step.
func parameterText(l history.Line, name string) string {
	value, ok := l.Parameters[name]
	if !ok {
		return "–"
	}
	return strconv.FormatFloat(value, 'g', 5, 64)
}

// scaled divides a curve by its largest size, so that curves of other units can
// stand beside it.
func (c *Curve) scaled() Curve {
	size := 0.0
	for _, p := range c.Points {
		size = max(size, math.Abs(p.Y))
	}
	s := Curve{Name: c.Name, seen: c.seen, stride: c.stride}
	for _, p := range c.Points {
		if size > 0 {
			p.Y /= size
		}
		s.Points = append(s.Points, p)
	}
	return s
}
