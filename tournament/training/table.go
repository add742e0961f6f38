package training

import (
	"cmp"
	"fmt"
	"slices"

	"gyges/rules/base/grid"
)

// Row is a generation in a table.
type Row struct {
	Generation
	Minutes float64 // of the generation and those before it
	Rated   *Rated  // nil: it has no rating
	// Reference is the Elo to the reference with its 95 % interval: by the rating of all, and
	// until a generation has one by its games against the reference alone; "" if they have not
	// played.
	Reference string
	relative  bool // the rating is relative to the reference, too
}

// Rows returns the rows of generations, with their ratings, if there are any.
func Rows(generations []Generation, rating []Rated) []Row {
	rows, minutes := make([]Row, len(generations)), 0.0
	relative := slices.ContainsFunc(rating, func(r Rated) bool { return r.Player == ReferenceName })
	for i, g := range generations {
		minutes += g.Timing.Seconds() / 60
		rows[i] = Row{Generation: g, Minutes: minutes, Reference: g.AgainstReference(), relative: relative}
		if k := slices.IndexFunc(rating, func(r Rated) bool { return r.Player == GenerationName(g.Number) }); k >= 0 {
			rows[i].Rated = &rating[k]
			if relative {
				rows[i].Reference = fmt.Sprintf("%+.0f ± %.0f", rating[k].Elo, rating[k].Margin)
			}
		}
	}
	return rows
}

// AgainstReference returns the Elo of a generation by its games against the reference with its 95
// % interval, or its points if there is no finite estimate; "" if they have not played.
func (g *Generation) AgainstReference() string {
	if g.ReferencePairs.N() == 0 {
		return ""
	}
	if elo, margin := finiteElo(g.ReferencePairs.Estimate()); elo != nil {
		return fmt.Sprintf("%+.0f ± %.0f", *elo, *margin)
	}
	points := 0.0
	for half, n := range g.ReferencePairs {
		points += float64(half) / 2 * float64(n)
	}
	return fmt.Sprintf("%.0f %% of the points", 50*points/float64(g.ReferencePairs.N()))
}

// OfFit reports whether a column, by its title, is on the fit of a generation.
func OfFit(title string) bool {
	return slices.Contains([]string{
		"Live units", "Positions", "Training loss", "Validation loss", "Test loss", "Test gain",
	}, title)
}

const none = "-" // the value of a column that a generation doesn't have

// Columns returns the columns of a table of generations, but for those that hold nothing.
func Columns(rows []Row) []grid.Column[Row] {
	column := func(title string, has func(g Row) bool, value func(g Row) any) grid.Column[Row] {
		return grid.Column[Row]{Title: title, Value: func(g Row) any {
			if !has(g) {
				return none
			}
			return value(g)
		}}
	}
	always := func(Row) bool { return true }
	match := func(g Row) bool { return g.Pairs.N() > 0 }
	test := func(g Row) bool { return g.Test != nil }
	columns := []grid.Column[Row]{
		column("Generation", always, func(g Row) any { return g.Number }),
		{Title: "Verdict", Left: true, Value: func(g Row) any { return g.Verdict() }},
		column("Pairs", match, func(g Row) any { return g.Pairs.N() }),
		column("LLR", match, func(g Row) any { return fmt.Sprintf("%+.2f", g.LLR) }),
		column("Elo", func(g Row) bool { return g.Elo != nil && g.EloMargin != nil }, func(g Row) any {
			return fmt.Sprintf("%+.1f ± %.1f", *g.Elo, *g.EloMargin)
		}),
		column("Parent", match, func(g Row) any { return g.Parent }),
		column("Live units", func(g Row) bool { return g.LiveUnits > 0 }, func(g Row) any { return g.LiveUnits }),
		column("Elo to the reference", always, func(g Row) any { return cmp.Or(g.Reference, none) }),
		column("Positions", always, func(g Row) any { return g.Positions }),
		column("Training loss", always, func(g Row) any { return grid.Fixed(g.Loss, 5) }),
		column("Validation loss", always, func(g Row) any { return grid.Fixed(g.ValidationLoss, 5) }),
		column("Test loss", test, func(g Row) any { return grid.Fixed(g.Test.Loss, 5) }),
		column("Test gain", test, func(g Row) any { return fmt.Sprintf("%+.5f ± %.5f", g.Test.Gain, g.Test.GainMargin) }),
		column("Minutes", always, func(g Row) any { return grid.Fixed(g.Minutes, 1) }),
		column("Rating", func(g Row) bool { return g.Rated != nil && !g.relative }, func(g Row) any {
			return fmt.Sprintf("%.1f ± %.1f", g.Rated.Elo, g.Rated.Margin)
		}),
	}
	return slices.DeleteFunc(columns, func(c grid.Column[Row]) bool {
		return !slices.ContainsFunc(rows, func(g Row) bool { return c.Value(g) != none })
	})
}
