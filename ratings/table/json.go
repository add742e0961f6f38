package table

import (
	"errors"

	"gyges/ratings"
	"gyges/rules/base/textfmt"
)

// tablesObject is the JSON of all that was rated: the fit to all games, and the same
// for each part.
func tablesObject(all Tables) (object, error) {
	o, err := tableObject(all.All, all.Notes)
	parts := make([]object, len(all.Parts))
	for i, t := range all.Parts {
		if err == nil {
			parts[i], err = tableObject(t, nil)
		}
	}
	sheets, errSheets := all.sheets()
	return append(o, field{"parts", parts}, field{"schedules", sheetObjects(sheets)}), errors.Join(err, errSheets)
}

// tableObject is the JSON of a rating table, with further notes. Lists are never null.
func tableObject(t Table, notes []string) (object, error) {
	r, a, fit := t.Ratings, t.Ratings.Advantage, t.Ratings.GoodnessOfFit
	players, err := t.cells(known(playerKeys))
	if err != nil {
		return nil, err
	}
	unrated, err := t.cells(known(unratedKeys))
	if err != nil {
		return nil, err
	}
	pairings, _ := crosstable(t)    // has no errors
	headToHead, _ := headToHeads(t) // has no errors
	o := object{
		{"title", jsonValue(t.Title)},
		{"players", list{keysOf(known(playerKeys)), players[:len(r.Players)]}},
		{"advantage", a.Elo},
		{"advantage_error", orNull(a.Fitted, a.Error)},
		{"advantage_fitted", a.Fitted},
		{"advantage_bootstrap", orNull(a.Fitted && r.Resamples > 0, a.Bootstrap)},
		{"draw_parameter", nil},
		{"prior", priorObject(r.Prior)},
		{"unrated", list{keysOf(known(unratedKeys)), unrated[len(r.Players):]}},
		{"groups", groupObjects(r.Groups)},
		{"games", r.Games},
		{"used_games", r.Used},
		{"pairs", r.Pairs},
		{"self_games", r.SelfGames},
		{"resamples", r.Resamples},
		{"chi_square", fit.ChiSquare},
		{"degrees_of_freedom", fit.Degrees},
		{"p", fit.P},
		{"intransitivity", intransitivityObject(r)},
		{"notes", jsonTexts(append(append([]string{}, r.Notes...), notes...))},
		{"crosstable", list{crosstableKeys, pairings}},
		{"head_to_head", list{headToHeadKeys, headToHead}},
	}
	if d := r.Draws; d != nil {
		o[6].value = object{{"model", d.Model}, {"parameter", d.Parameter}, {"rate", d.Rate}, {"error", d.Error}}
	}
	return o, nil
}

// priorObject is the prior; null without one.
func priorObject(p ratings.Prior) any {
	if p == (ratings.Prior{}) {
		return nil
	}
	return object{{"cause", p.Cause}, {"draws", orNull(p.Draws > 0, p.Draws)}, {"sd", orNull(p.SD > 0, p.SD)}}
}

// intransitivityObject is the cyclic part of the results; null where too little is known.
func intransitivityObject(r *ratings.Ratings) any {
	i, ok := r.Intransitivity()
	if !ok {
		return nil
	}
	found := i.Cycle != nil
	return object{
		{"cyclic_share", i.Share}, {"p", i.P}, {"cycle", jsonTexts(i.Cycle)}, {"cycle_elo", orNull(found, i.Elo)},
		{"cycle_p", orNull(found, i.CycleP)},
	}
}

func groupObjects(groups []ratings.Group) []object {
	list := make([]object, len(groups))
	for i, g := range groups {
		anchors := make([]object, len(g.Anchors))
		for k, a := range g.Anchors {
			anchors[k] = object{{"name", textfmt.JSON(a.Name)}, {"elo", a.Elo}, {"sd", orNull(a.SD > 0, a.SD)}}
		}
		list[i] = object{
			{"group", i + 1}, {"name", textfmt.JSON(g.Name)}, {"players", g.Players}, {"games", g.Games}, {"anchors", anchors},
			{"apart", g.Apart},
		}
	}
	return list
}

// orNull returns a number if there is one.
func orNull(ok bool, v float64) any {
	if !ok {
		return nil
	}
	return v
}

func jsonTexts(texts []string) []textfmt.JSON {
	list := make([]textfmt.JSON, len(texts))
	for i, t := range texts {
		list[i] = textfmt.JSON(t)
	}
	return list
}
