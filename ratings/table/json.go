package table

import (
	"math"

	"gyges/ratings"
	"gyges/rules/base/grid"
	"gyges/rules/base/lists"
)

// object is the JSON of all that was rated: the fit to all games, and the same for each part.
func (t Tables) object() grid.Object {
	parts := make([]grid.Object, len(t.Parts))
	for i, part := range t.Parts {
		parts[i] = part.object(nil)
	}
	rest := grid.Object{
		{"moves", t.Moves},
		{"parts", parts},
		{"schedules", standingsObjects(t.standings())},
	}
	all := t.All.object(t.Notes)
	return append(all, rest...)
}

// object is the JSON of a rating table, with further notes. Lists are never null.
func (t Table) object(notes []string) grid.Object {
	r := t.Ratings
	rows := t.Rows()
	rated, unrated := rows[:len(r.Players)], rows[len(r.Players):]
	fit := r.GoodnessOfFit()
	allNotes := append([]string{}, r.Notes...)
	allNotes = append(allNotes, notes...)
	return grid.Object{
		{"title", t.Title},
		{"players", grid.Make(shown(inJSON, forUnrated), rated)},
		{"advantage", r.Advantage.Elo},
		{"advantage_error", t.advantageError()},
		{"advantage_fitted", r.Advantage.Fitted},
		{"prior", priorObject(r.Prior)},
		{"unrated", grid.Make(unratedObject(), unrated)},
		{"groups", groupObjects(r.Groups)},
		{"games", r.Games},
		{"used_games", r.Used},
		{"pairs", r.Pairs},
		{"pairs_one_game", r.Identical.OneGame},
		{"pairs_repeated", r.Identical.Pairs},
		{"games_repeated", r.Identical.Games},
		{"self_games", r.SelfGames},
		{"chi_square", fit.ChiSquare},
		{"degrees_of_freedom", fit.Degrees},
		{"p", fit.P},
		{"notes", allNotes},
		{"crosstable", grid.Make(crosstableColumns, crosstableRows(r))},
		{"head_to_head", grid.Make(headToHeadColumns, headToHeadRows(r))},
	}
}

// priorObject is the prior; null without one.
func priorObject(p ratings.Prior) any {
	if p == (ratings.Prior{}) {
		return nil
	}
	return grid.Object{
		{"cause", p.Cause},
		{"draws", orNaN(p.Draws > 0, p.Draws)},
		{"sd", orNaN(p.SD > 0, p.SD)},
	}
}

func groupObjects(groups []ratings.Group) []grid.Object {
	list := make([]grid.Object, len(groups))
	for i, g := range groups {
		list[i] = grid.Object{
			{"group", i + 1},
			{"name", g.Name},
			{"players", g.Players},
			{"games", g.Games},
			{"anchors", lists.Map(g.Anchors, anchorObject)},
			{"apart", g.Apart},
		}
	}
	return list
}

func anchorObject(a ratings.Anchor) grid.Object {
	return grid.Object{{"name", a.Name}, {"elo", a.Elo}}
}

// advantageError is NaN if the advantage wasn't fitted.
func (t Table) advantageError() float64 {
	return orNaN(t.Ratings.Advantage.Fitted, t.Ratings.Advantage.Error)
}

// orNaN returns a number if there is one.
func orNaN(ok bool, v float64) float64 {
	if !ok {
		return math.NaN()
	}
	return v
}
