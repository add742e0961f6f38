package table

import (
	"fmt"
	"io"
	"strconv"

	"gyges/ratings"
	"gyges/rules/base/textfmt"
)

// WriteHistory writes ratings over time. Text and Markdown have a row for
// each player and a column for each step, of at most 50 steps; CSV and JSON list
// the points. Steps are numbered from 1.
func WriteHistory(w io.Writer, f Format, l Layout, s *ratings.Series) error {
	switch f {
	case Text, Markdown:
		return writePage(w, f, Tables{Notes: s.Notes, Layout: l}, false, func(p *page, _ Table) error {
			p.series(s)
			return nil
		})
	case CSV:
		lines := [][]string{{"name", "step", "run", "elo", "error", "games"}}
		for _, l := range s.Players {
			for _, p := range l.Points {
				lines = append(lines, []string{
					exact(name(l.Name)), exact(p.Step + 1), exact(name(s.Steps[p.Step])), exact(p.Elo), exact(p.Error), exact(p.Games),
				})
			}
		}
		return writeCSV(w, lines)
	case JSON:
		return writeJSON(w, historyObject(s))
	}
	return fmt.Errorf("write ratings: %w %.60q", errFormat, f)
}

func historyObject(s *ratings.Series) object {
	steps, series := list{keys: []string{"step", "name", "advantage", "advantage_error"}}, []object{}
	for i, step := range s.Steps {
		a := s.Advantages[i]
		steps.rows = append(steps.rows, []any{i + 1, name(step), a.Elo, orNull(a.Fitted, a.Error)})
	}
	for _, l := range s.Players {
		points := list{keys: []string{"step", "elo", "error", "games"}}
		for _, p := range l.Points {
			points.rows = append(points.rows, []any{p.Step + 1, p.Elo, p.Error, p.Games})
		}
		series = append(series, object{{"name", textfmt.JSON(l.Name)}, {"points", points}})
	}
	return object{{"steps", steps}, {"series", series}, {"notes", jsonTexts(s.Notes)}}
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
		lines = append(lines, fmt.Sprintf("%d: %s; South's first-move advantage %s", i+1, name,
			advantageText(s.Advantages[i])))
	}
	g := newGrid(header...)
	for i, l := range s.Players {
		row := append([]any{i + 1, name(l.Name)}, make([]any, len(s.Steps))...)
		for _, q := range l.Points {
			row[2+q.Step] = estimate{q.Elo, q.Error}
		}
		p.row(g, row...)
	}
	p.grid(g)
	p.list(lines)
}
