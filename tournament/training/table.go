package training

import (
	"cmp"
	"fmt"
	"slices"

	"gyges/rules/base/grid"
)

// The table of the generations of a training.

// Row is a generation in a table.
type Row struct {
	Generation
	Minutes float64 // of the generation and those before it
	Rated   *Rated  // nil: it has no rating
	// Reference is the Elo to the reference with its 95 % interval: by the rating of
	// all, and until a generation has one by its games against the reference alone; ""
	// if they have not played.
	Reference string
	relative  bool // the rating is relative to the reference, too
}

// Rows returns the rows of generations, with their ratings, if there are any.
func Rows(generations []Generation, rating []Rated) []Row {
	ratings := map[string]*Rated{} // by player
	for i := range rating {
		ratings[rating[i].Player] = &rating[i]
	}
	relative := ratings[ReferenceName] != nil
	var rows []Row
	minutes := 0.0
	for _, g := range generations {
		minutes += g.Timing.Seconds() / 60
		rated := ratings[GenerationName(g.Number)]
		reference := g.AgainstReference()
		if rated != nil && relative {
			reference = fmt.Sprintf("%+.0f ± %.0f", rated.Elo, rated.Margin)
		}
		rows = append(rows, Row{
			Generation: g, Minutes: minutes, Rated: rated, Reference: reference, relative: relative,
		})
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

// columns are the columns of a table of generations.
var columns = []grid.Column[Row]{
	{Title: "Generation", Value: func(g Row) any { return g.Number }},
	{Title: "Verdict", Left: true, Value: func(g Row) any { return g.Verdict() }},
	{Title: "Pairs", Value: func(g Row) any {
		if g.Pairs.N() == 0 {
			return none
		}
		return g.Pairs.N()
	}},
	{Title: "LLR", Value: func(g Row) any {
		if g.Pairs.N() == 0 {
			return none
		}
		return fmt.Sprintf("%+.2f", g.LLR)
	}},
	{Title: "Elo", Value: func(g Row) any {
		if g.Elo == nil || g.EloMargin == nil {
			return none
		}
		return fmt.Sprintf("%+.1f ± %.1f", *g.Elo, *g.EloMargin)
	}},
	{Title: "Parent", Value: func(g Row) any {
		if g.Pairs.N() == 0 {
			return none
		}
		return g.Parent
	}},
	{Title: "Live units", Value: func(g Row) any {
		if g.LiveUnits == 0 {
			return none
		}
		return g.LiveUnits
	}},
	{Title: "Elo to the reference", Value: func(g Row) any { return cmp.Or(g.Reference, none) }},
	{Title: "Positions", Value: func(g Row) any { return g.Positions }},
	{Title: "Training loss", Value: func(g Row) any { return grid.Fixed(g.Loss, 5) }},
	{Title: "Validation loss", Value: func(g Row) any { return grid.Fixed(g.ValidationLoss, 5) }},
	{Title: "Test loss", Value: func(g Row) any {
		if g.Test == nil {
			return none
		}
		return grid.Fixed(g.Test.Loss, 5)
	}},
	{Title: "Test gain", Value: func(g Row) any {
		if g.Test == nil {
			return none
		}
		return fmt.Sprintf("%+.5f ± %.5f", g.Test.Gain, g.Test.GainMargin)
	}},
	{Title: "Minutes", Value: func(g Row) any { return grid.Fixed(g.Minutes, 1) }},
	{Title: "Rating", Value: func(g Row) any {
		if g.Rated == nil || g.relative {
			return none
		}
		return fmt.Sprintf("%.1f ± %.1f", g.Rated.Elo, g.Rated.Margin)
	}},
}

// Columns returns the columns of a table of generations, but for those that hold nothing.
func Columns(rows []Row) []grid.Column[Row] {
	var filled []grid.Column[Row]
	for _, column := range columns {
		hasValue := func(g Row) bool { return column.Value(g) != none }
		if slices.ContainsFunc(rows, hasValue) {
			filled = append(filled, column)
		}
	}
	return filled
}
