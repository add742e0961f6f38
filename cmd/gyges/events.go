package main

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"gyges/agents"
	"gyges/ratings"
	"gyges/ratings/sprt"
	"gyges/rules/base/grid"
	"gyges/tournament"
	"gyges/tournament/record"
)

// The fields of the events of --events jsonl, as the manual of tournaments describes them.

// startFields say what is to be played.
func startFields(c *tournament.Config) grid.Object {
	m := c.Manifest()
	labels := []string{}
	for _, a := range c.Agents {
		labels = append(labels, a.Label())
	}
	return append(grid.Object{
		{"time", time.Now().UTC()}, {"out", c.Out}, {"games", c.Games()}, {"pairs", c.Pairs}, {"agents", m.Agents},
		{"labels", labels}, {"rules", m.Rules}, {"seed", strconv.FormatUint(m.Seed, 10)},
	}, given(grid.Object{{"sprt", m.SPRT}, {"until_error", m.UntilError}})...)
}

// gameFields are those of a recorded game, the one of number done.
func gameFields(g *record.Game, done, of int64) grid.Object {
	return slices.Concat(grid.Object{
		{"game", g.Game}, {"pair", g.Pair}, {"rules", g.Rules}, {"south", g.South.Agent}, {"north", g.North.Agent},
		{"labels", []string{agents.LabelOf(g.South.Agent), agents.LabelOf(g.North.Agent)}},
		{"result", g.Result}, {"reason", g.Reason}, {"plies", g.Plies},
	}, given(grid.Object{{"fault", g.Fault}}), grid.Object{{"seconds", g.Timing.Seconds}, {"done", done}, {"of", of}})
}

// matchFields are the state of a match.
func matchFields(t sprt.Test, p sprt.Pairs, i ratings.Identical) grid.Object {
	e := t.Estimate(p)
	fields := append(grid.Object{{"pairs", p}}, estimateFields(e)...)
	if e.Corrected {
		fields = append(fields, grid.Object{{"uncorrected", estimateFields(p.Estimate())}}...)
	}
	fields = append(fields, grid.Object{{"pairs_one_game", i.OneGame}, {"pairs_repeated", i.Pairs}}...)
	if t == (sprt.Test{}) {
		return fields
	}
	lower, upper := t.Bounds()
	fields = append(fields, grid.Object{{"llr", t.LLR(p)}, {"lower", lower}, {"upper", upper}}...)
	if left, known := t.PairsLeft(p); known {
		fields = append(fields, grid.Object{{"games_left", 2 * math.Ceil(left)}}...)
	}
	return fields
}

// estimateFields are the strength of the first player of a match; what has no value is null.
func estimateFields(e sprt.Estimate) grid.Object {
	return grid.Object{
		{"elo", e.Elo.Value}, {"elo_low", e.Elo.Low}, {"elo_high", e.Elo.High},
		{"normalized_elo", e.Normalized.Value}, {"normalized_elo_low", e.Normalized.Low},
		{"normalized_elo_high", e.Normalized.High}, {"los", e.LOS},
	}
}

// endFields say how a run has ended.
func endFields(s tournament.Summary, err error) grid.Object {
	if s.Status == tournament.Running || s.Status == "" { // it has not begun
		s.Status = tournament.Failed
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	return append(grid.Object{
		{"time", time.Now().UTC()}, {"status", s.Status}, {"games", s.Played}, {"faults", s.Faults},
	}, given(grid.Object{{"decided", s.Decided}, {"error", text}})...)
}

// given leaves out the fields whose values are zero.
func given(fields grid.Object) (list grid.Object) {
	for _, f := range fields {
		if !reflect.ValueOf(f.Value).IsZero() {
			list = append(list, f)
		}
	}
	return list
}
