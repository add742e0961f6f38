package table

import (
	"cmp"
	"fmt"
	"io"
	"math"

	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/textfmt"
)

// crossedRow is what openings, or those with a row of pieces of a side, are worth to that side.
type crossedRow struct {
	ratings.Crossed
	side string
	fit  *ratings.CrossedFit
}

var crossedColumns = []grid.Column[crossedRow]{
	{Key: "side", Title: "Side", Left: true, Value: func(r crossedRow) any { return r.side }},
	{Key: "row", Title: "Row", Left: true, Value: func(r crossedRow) any {
		return grid.Cell{Text: cmp.Or(r.Name, "all openings"), Value: r.Name}
	}},
	{Key: "agents", Title: "Agents", Value: func(r crossedRow) any { return r.fit.Agents }},
	{Key: "pairs", Title: "Pairs", Value: func(r crossedRow) any { return r.Pairs }},
	{Key: "elo", Title: "Elo", Value: func(r crossedRow) any { return grid.Fixed(r.Elo, 1) }},
	{Key: "error", Title: "95 %", Value: func(r crossedRow) any { return grid.Margin(r.Error) }},
	{Key: "sd_agents", Title: "SD of agents", Value: func(r crossedRow) any { return grid.Fixed(r.SD, 1) }},
	{Key: "shrunk", Title: "Best guess", Value: func(r crossedRow) any {
		if r.Name == "" {
			return nil
		}
		return grid.Fixed(r.Shrunk, 1)
	}},
	{Key: "opening_sd", Value: func(r crossedRow) any { return r.known(r.fit.OpeningSD) }},
	{Key: "south_sd", Value: func(r crossedRow) any { return r.fit.SouthSD }},
	{Key: "north_sd", Value: func(r crossedRow) any { return r.fit.NorthSD }},
	{Key: "common", Value: func(r crossedRow) any { return r.known(r.fit.Common) }},
	{Key: "common_error", Value: func(r crossedRow) any { return r.known(r.fit.CommonError) }},
}

// known is a number that needs openings played by pairs that have no agent in common.
func (r crossedRow) known(x float64) any {
	if math.IsInf(r.fit.CommonError, 1) {
		return nil
	}
	return x
}

// WriteCrossed writes what openings are worth for agents and openings drawn at random, see [ratings.CrossedFit].
func WriteCrossed(w io.Writer, f grid.Format, all Tables) error {
	rows := map[*ratings.Ratings][]crossedRow{}
	for _, t := range all.Printed() {
		fit, err := t.Ratings.Crossed()
		if err != nil {
			return fmt.Errorf("--crossed: %w", err)
		}
		sides := t.Sides
		if sides == (ratings.Sides{}) {
			sides = ratings.SouthNorth
		}
		list := []crossedRow{{fit.All, sides[0], fit}}
		for side, of := range [][]ratings.Crossed{fit.South, fit.North} {
			for _, row := range of {
				list = append(list, crossedRow{row, sides[side], fit})
			}
		}
		rows[t.Ratings] = list
	}
	return writeSection(w, f, all, crossedColumns, func(t Table) []crossedRow { return rows[t.Ratings] },
		func(p *page, t Table) { p.crossed(rows[t.Ratings]) })
}

// crossed writes the rows and what they are.
func (p *page) crossed(rows []crossedRow) {
	writeGrid(p, 2, false, crossedColumns, rows)
	f := rows[0].fit
	lines := []string{
		fmt.Sprintf("Elo of all openings is %s's first-move advantage; ± is half the 95 %% interval for an agent drawn "+
			"as these %d were.", rows[0].side, f.Agents),
	}
	if !math.IsInf(f.CommonError, 1) {
		lines = append(lines, fmt.Sprintf("Of the variance of a pair's result %s ± %s comes from the opening, "+
			"whoever plays it, which is worth %.0f Elo (standard deviation).", textfmt.Percent(f.Common),
			textfmt.Percent(f.CommonError), f.OpeningSD))
	}
	if len(rows) > 1 {
		lines = append(lines, fmt.Sprintf("Elo of a row is what it is worth to its side beyond that; the highest are so by "+
			"luck, too, and the best guess is not. Rows differ by %.0f Elo as South's and by %.0f as North's (standard "+
			"deviation).", f.SouthSD, f.NorthSD))
	}
	p.list(lines)
}
