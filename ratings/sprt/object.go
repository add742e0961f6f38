package sprt

import "gyges/rules/base/grid"

// Object returns what is known of a match, as [Test.Facts] does, for programs: README.md has its
// keys. stopped says that the match was stopped before its end.
func (t Test) Object(p Pairs, stopped bool) grid.Object {
	var verdict any // null without a test
	if t != (Test{}) {
		verdict = t.Verdict(p)
	}
	if stopped && t.Verdict(p) == Undecided {
		verdict = Stopped
	}
	lower, upper := t.Bounds() // infinite without a test, and so null
	e := t.Estimate(p)
	return grid.Object{
		{"verdict", verdict},
		{"llr", t.LLR(p)},
		{"bounds", grid.Object{{"lower", lower}, {"upper", upper}}},
		{"test", t},
		{"pairs", p.N()},
		{"pentanomial", p},
		{"elo", e.Elo.Value},
		{"elo_margin", e.Elo.Half()},
		{"nelo", e.Normalized.Value},
		{"nelo_margin", e.Normalized.Half()},
		{"los", e.LOS},
		{"corrected", e.Corrected},
	}
}
