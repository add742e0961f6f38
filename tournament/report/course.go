package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gyges/ratings"
	"gyges/ratings/textfmt"
)

// course builds the section on ratings over time and on tuning and training.
func (b *builder) course(series *ratings.Series) Section {
	s := Section{ID: "course", Title: "Over time"}
	if series != nil {
		s.add(b.seriesBlocks(series)...)
	}
	for i, r := range b.collected.runs {
		for j, c := range r.about.Charts {
			if len(b.collected.runs) > 1 && j == 0 {
				s.add(headingBlock("", textfmt.Visible(r.about.Name)))
			}
			s.add(chartBlocks(fmt.Sprintf("curve-%d-%d", i+1, j+1), c)...)
		}
	}
	return s
}

// seriesBlocks draw ratings over time.
func (b *builder) seriesBlocks(series *ratings.Series) []Block {
	var lines []plotLine
	for _, l := range series.Players {
		if len(lines) == numColours {
			break
		}
		line := plotLine{name: textfmt.Visible(l.Name)}
		for _, p := range l.Points {
			line.points = append(line.points, plotPoint{
				x: float64(p.Step + 1), y: p.Elo, err: p.Error,
				title: fmt.Sprintf("%s, step %d: %s ± %s", line.name, p.Step+1, textfmt.Decimal(p.Elo), textfmt.Decimal(p.Error)),
			})
		}
		lines = append(lines, line)
	}
	steps := &Table{Caption: "Steps", Header: heads(0, "Step", "Run")}
	steps.Header[1].Left = true
	for i, name := range series.Steps {
		steps.row(cell(fmt.Sprint(i+1)), rowHead(textfmt.Visible(name)))
	}
	blocks := []Block{figureBlock(linePlot(plane{name: "over-time", caption: "Ratings over time with their 95 % intervals", xName: "step", yName: "Elo"}, lines))}
	if n := len(series.Players); n > numColours {
		blocks = append(blocks, textBlock(fmt.Sprintf("The %d players with the highest last ratings of %d are drawn; gyges rate --over-time lists all.", numColours, n)))
	}
	for _, n := range series.Notes {
		blocks = append(blocks, textBlock("Note: "+textfmt.Visible(n)+"."))
	}
	return append(blocks, tableBlock(steps))
}

// chartBlocks draw a chart of curves; of many the ones that moved most.
func chartBlocks(name string, c Chart) []Block {
	curves, all := slices.Clone(c.Lines), len(c.Lines)
	if all > numColours {
		slices.SortStableFunc(curves, func(x, y Curve) int { return -compareMoved(x, y) })
		curves = curves[:numColours]
	}
	var lines []plotLine
	for _, l := range curves {
		line := plotLine{name: optional(l.Name)}
		for _, p := range l.Points {
			line.points = append(line.points, plotPoint{x: p.X, y: p.Y, err: p.Error, title: strings.TrimSpace(fmt.Sprintf("%s at %g: %g", line.name, p.X, p.Y))})
		}
		lines = append(lines, line)
	}
	blocks := []Block{figureBlock(linePlot(plane{name: name, caption: textfmt.Visible(c.Title), xName: optional(c.XName), yName: optional(c.YName)}, lines))}
	if all > numColours {
		blocks = append(blocks, textBlock(fmt.Sprintf("Of %d curves the %d that moved most are drawn.", all, numColours)))
	}
	if c.Table != nil {
		blocks = append(blocks, tableBlock(c.Table))
	}
	return blocks
}

// compareMoved orders curves by the distance from their first to their last point.
func compareMoved(x, y Curve) int {
	moved := func(c Curve) float64 {
		if len(c.Points) == 0 {
			return 0
		}
		return math.Abs(c.Points[len(c.Points)-1].Y - c.Points[0].Y)
	}
	switch a, b := moved(x), moved(y); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
