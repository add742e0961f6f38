package gamestats

import (
	"io"
	"math"
	"strings"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

var columns = []grid.Column[Figure]{
	{Key: "statistic", Value: func(f Figure) any { return f.Key }},
	{Title: "Statistic", Left: true, Value: func(f Figure) any { return f.Label }},
	{Key: "value", Title: "Value", Value: func(f Figure) any {
		if math.IsNaN(f.Value) {
			return grid.Cell{Text: "-"}
		}
		return f.cell(f.Value)
	}},
	{Title: "95 % interval", Value: func(f Figure) any {
		if math.IsNaN(f.Low) {
			return nil
		}
		return f.cell(f.Low).Text + " to " + f.cell(f.High).Text
	}},
	{Key: "low", Value: func(f Figure) any { return f.Low }},
	{Key: "high", Value: func(f Figure) any { return f.High }},
	{Key: "n", Title: "Of", Value: func(f Figure) any { return grid.Thousands(f.N) }},
}

// cell returns a value of the figure's unit.
func (f *Figure) cell(v float64) grid.Cell {
	switch f.unit {
	case share:
		return grid.Percent(v)
	case mean:
		return grid.Fixed(v, 2)
	}
	return grid.Cell{Text: textfmt.Thousands(int64(v)), Value: v}
}

// Write writes the figures of all rule sets. The lines of text have at most width columns; title is what follows
// the name of each rule set in its heading.
func (r Result) Write(w io.Writer, f grid.Format, width int, title string) error {
	switch f {
	case grid.JSON:
		var list []grid.Object
		for _, s := range r.Rules {
			o := grid.Object{{Key: "rules", Value: s.Rules}, {Key: "figures", Value: grid.Objects(columns, s.Figures)}}
			if s.Notes != nil {
				o = append(o, grid.Object{{Key: "notes", Value: s.Notes}}...)
			}
			list = append(list, o)
		}
		return grid.WriteJSON(w, list)
	case grid.CSV:
		var all []Figure
		for _, s := range r.Rules {
			all = append(all, s.Figures...)
		}
		rules := grid.Column[Figure]{Key: "rules", Value: func(f Figure) any { return f.rules }}
		return grid.Write(w, f, grid.Options{}, append([]grid.Column[Figure]{rules}, columns...), all)
	}
	for i, s := range r.Rules {
		heading := "Rules " + textfmt.Escape(s.Rules+title) + "\n\n"
		if f == grid.Markdown {
			heading = "## " + heading
		}
		if i > 0 {
			heading = "\n" + heading
		}
		if _, err := io.WriteString(w, heading); err != nil {
			return err
		}
		if err := grid.Write(w, f, grid.Options{Width: width}, columns, s.Figures); err != nil {
			return err
		}
		for _, note := range s.Notes {
			if _, err := io.WriteString(w, "\n"+strings.Join(textfmt.Wrap(note, width), "\n")+"\n"); err != nil {
				return err
			}
		}
	}
	return nil
}
