package gamestats

import (
	"io"
	"math"
	"strings"

	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// row is a figure of a rule set.
type row struct {
	rules string
	Figure
}

var columns = []grid.Column[row]{
	{Key: "statistic", Value: func(r row) any { return r.Key }},
	{Title: "Statistic", Left: true, Value: func(r row) any { return r.Label }},
	{Key: "value", Title: "Value", Value: func(r row) any {
		if math.IsNaN(r.Value) {
			return grid.Cell{Text: "-"}
		}
		return r.cell(r.Value)
	}},
	{Title: "95 % interval", Value: func(r row) any {
		if math.IsNaN(r.Low) {
			return nil
		}
		return r.cell(r.Low).Text + " to " + r.cell(r.High).Text
	}},
	{Key: "low", Value: func(r row) any { return r.Low }},
	{Key: "high", Value: func(r row) any { return r.High }},
	{Key: "n", Title: "Of", Value: func(r row) any { return grid.Thousands(r.N) }},
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
			o := grid.Object{{Key: "rules", Value: s.Rules}, {Key: "figures", Value: grid.Objects(columns, s.rows())}}
			if s.Notes != nil {
				o = append(o, grid.Object{{Key: "notes", Value: s.Notes}}...)
			}
			list = append(list, o)
		}
		return grid.WriteJSON(w, list)
	case grid.CSV:
		var all []row
		for _, s := range r.Rules {
			all = append(all, s.rows()...)
		}
		rules := grid.Column[row]{Key: "rules", Value: func(r row) any { return r.rules }}
		return grid.Write(w, f, grid.Options{}, append([]grid.Column[row]{rules}, columns...), all)
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
		if err := grid.Write(w, f, grid.Options{Width: width}, columns, s.rows()); err != nil {
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

// rows returns the figures as rows of a table.
func (s *Stats) rows() []row {
	rows := make([]row, len(s.Figures))
	for i, f := range s.Figures {
		rows[i] = row{s.Rules, f}
	}
	return rows
}
