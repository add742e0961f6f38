package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
)

// CurvesFile is the file of a run's folder that holds the course of a tuning or
// a training: one [CurvePoint] a line, as JSON, appended as the run goes on.
const CurvesFile = "curves.jsonl"

// CurvePoint is a point of a curve. Points with one Chart are drawn in one
// picture, those with one Line as one curve, in the order they come.
type CurvePoint struct {
	Chart string  `json:"chart"`            // title of the picture: "Loss"
	Line  string  `json:"line,omitempty"`   // name of the curve: "validation"
	X     float64 `json:"x"`                // epoch, step, generation
	Y     float64 `json:"y"`                // the figure
	Error float64 `json:"error,omitempty"`  // half its 95 % interval; 0: none
	XName string  `json:"x_name,omitempty"` // what X counts; the first one given holds
	YName string  `json:"y_name,omitempty"` // what Y measures; likewise
}

// Chart is a picture of curves.
type Chart struct {
	Title, XName, YName string
	Lines               []Curve
}

// Curve is one curve of a chart.
type Curve struct {
	Name   string
	Points []CurvePoint

	seen, stride int // points met; every so many one is kept
}

// Bounds of what is read of a file of curves.
const (
	maxCharts     = 40
	maxCurves     = 2000 // of a chart
	maxPoints     = 1000 // kept of a curve
	maxCurveLine  = 64 << 10
	maxCurveLines = 20_000_000
)

// readCurves reads a file of curves; none if there is no file.
func readCurves(fsys fs.FS, name string) ([]Chart, error) {
	f, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return parseCurves(f)
}

// parseCurves reads curves. With an error come those read until then.
func parseCurves(r io.Reader) ([]Chart, error) {
	var c curves
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxCurveLine)
	for n := 1; lines.Scan(); n++ {
		var p CurvePoint
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			return c.charts, fmt.Errorf("line %d: expected a point of a curve: %w", n, err)
		}
		if err := c.add(p); err != nil || n > maxCurveLines {
			return c.charts, errors.Join(err, fmt.Errorf("line %d: what follows is left out", n))
		}
	}
	return c.charts, lines.Err()
}

// curves are charts in the making.
type curves struct {
	charts []Chart
	places map[[2]string]int // of curves in their charts
	titles map[string]int
}

var errTooManyCurves = fmt.Errorf("expected at most %d charts of %d curves, found more", maxCharts, maxCurves)

func (c *curves) add(p CurvePoint) error {
	if c.titles == nil {
		c.titles, c.places = map[string]int{}, map[[2]string]int{}
	}
	i, ok := c.titles[p.Chart]
	if !ok {
		if len(c.charts) == maxCharts {
			return errTooManyCurves
		}
		i = len(c.charts)
		c.titles[p.Chart] = i
		c.charts = append(c.charts, Chart{Title: p.Chart})
	}
	chart := &c.charts[i]
	if chart.XName == "" {
		chart.XName = p.XName
	}
	if chart.YName == "" {
		chart.YName = p.YName
	}
	key := [2]string{p.Chart, p.Line}
	j, ok := c.places[key]
	if !ok {
		if len(chart.Lines) == maxCurves {
			return errTooManyCurves
		}
		j = len(chart.Lines)
		c.places[key] = j
		chart.Lines = append(chart.Lines, Curve{Name: p.Line, stride: 1})
	}
	chart.Lines[j].add(p)
	return nil
}

// add keeps the point, or only every so many if there are many.
func (c *Curve) add(p CurvePoint) {
	const most = 1e100 // beyond it sums overflow
	if math.Abs(p.X) > most || math.Abs(p.Y) > most || p.Error < 0 || p.Error > most {
		return
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
