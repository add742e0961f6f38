package table

import (
	"fmt"
	"io"
	"strconv"

	"gyges/ratings"
	"gyges/ratings/textfmt"
)

// seriesJSON is the JSON of ratings over time.
type seriesJSON struct {
	Steps  []stepJSON     `json:"steps"`
	Series []lineJSON     `json:"series"`
	Notes  []textfmt.JSON `json:"notes"`
}

type stepJSON struct {
	Step           int          `json:"step"`
	Name           textfmt.JSON `json:"name"`
	Advantage      float64      `json:"advantage"`
	AdvantageError *float64     `json:"advantage_error"`
}

type lineJSON struct {
	Name   textfmt.JSON `json:"name"`
	Points []pointJSON  `json:"points"`
}

type pointJSON struct {
	Step  int     `json:"step"`
	Elo   float64 `json:"elo"`
	Error float64 `json:"error"`
	Games int     `json:"games"`
}

// WriteHistory writes ratings over time. Text and Markdown have a row for
// each player and a column for each step, of at most 50 steps; CSV and JSON list
// the points. Steps are numbered from 1.
func WriteHistory(w io.Writer, f Format, s *ratings.Series) error {
	switch {
	case f == CSV:
		var lines [][]string
		for _, l := range s.Players {
			for _, p := range l.Points {
				lines = append(lines, []string{textfmt.Visible(l.Name), strconv.Itoa(p.Step + 1), textfmt.Visible(s.Steps[p.Step]), digits(p.Elo), digits(p.Error), strconv.Itoa(p.Games)})
			}
		}
		return writeCSV(w, []string{"name", "step", "run", "elo", "error", "games"}, []Table{{}}, func(Table) ([][]string, error) { return lines, nil })
	case f == JSON:
		return writeJSON(w, newSeriesJSON(s))
	case f.rounded():
		return writePage(w, f, Tables{Notes: s.Notes}, func(p *page, _ Table) error { p.series(s); return nil })
	}
	return fmt.Errorf("write ratings: %w %.60q", errFormat, f)
}

func newSeriesJSON(s *ratings.Series) seriesJSON {
	j := seriesJSON{Steps: make([]stepJSON, len(s.Steps)), Series: make([]lineJSON, len(s.Players)), Notes: make([]textfmt.JSON, len(s.Notes))}
	for i, name := range s.Steps {
		j.Steps[i] = stepJSON{Step: i + 1, Name: textfmt.JSON(name), Advantage: s.Advantages[i].Elo}
		if s.Advantages[i].Fitted {
			j.Steps[i].AdvantageError = &s.Advantages[i].Error
		}
	}
	for i, l := range s.Players {
		j.Series[i] = lineJSON{Name: textfmt.JSON(l.Name), Points: make([]pointJSON, len(l.Points))}
		for k, p := range l.Points {
			j.Series[i].Points[k] = pointJSON{p.Step + 1, p.Elo, p.Error, p.Games}
		}
	}
	for i, n := range s.Notes {
		j.Notes[i] = textfmt.JSON(n)
	}
	return j
}

// series writes a row for each player.
func (p *page) series(s *ratings.Series) {
	if len(s.Steps) > maxColumns {
		p.paragraph(fmt.Sprintf("Ratings at %d steps are too wide to print; csv and json have them.", len(s.Steps)))
		return
	}
	header := []string{"#", "Player"}
	var lines []string
	for i, name := range s.Steps {
		header = append(header, strconv.Itoa(i+1))
		lines = append(lines, fmt.Sprintf("%d: %s; South's first-move advantage %s", i+1, name, advantageText(s.Advantages[i])))
	}
	g := newGrid(header...)
	for i, l := range s.Players {
		row := append([]string{strconv.Itoa(i + 1), p.name(l.Name)}, make([]string, len(s.Steps))...)
		for _, q := range l.Points {
			row[2+q.Step] = textfmt.Decimal(q.Elo) + " ± " + textfmt.Decimal(q.Error)
		}
		g.Add(row...)
	}
	p.grid(g)
	p.list(lines)
}
