package report

import (
	"fmt"
	"math"

	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

func (b *builder) matches() Section {
	s := Section{ID: "match", Title: "Match"}
	for i, r := range b.collected.runs {
		m := r.about.Manifest
		if m == nil || len(m.Config.Agents) != 2 || r.Pairs.N() == 0 {
			continue
		}
		b.name(&s, r)
		player := textfmt.Visible(b.label(m.Config.Agents[0].String()))
		facts, test := []Fact{{"points of", player}}, m.Config.SPRT
		for _, f := range test.Facts(r.Pairs) {
			facts = append(facts, Fact{f[0], f[1]})
		}
		s.facts(facts...)
		for _, note := range r.Identical.Notes(int(r.Pairs.N())) {
			s.note(note)
		}
		if test != (sprt.Test{}) {
			s.figure(Chart{
				Title: "Log-likelihood ratio of H1 to H0, pair by pair, for " + player, XName: "game pairs", YName: "LLR",
				Curves: []Curve{llrCurve("LLR", test, r.Course)}, noPoint: true,
				levels: bounds(test, "accept H0", "accept H1"),
			}.plot(fmt.Sprintf("llr-%d", i+1)))
		}
	}
	return s
}

// testOf returns the sequential test of a run of two agents; zero without one.
func testOf(m *tournament.Manifest) (test sprt.Test) {
	if m != nil && len(m.Config.Agents) == 2 {
		test = m.Config.SPRT
	}
	return test
}

// llrCurve is the LLR by the number of pairs, whose half points of the first agent are given, to the last one.
func llrCurve(name string, test sprt.Test, course []uint8) Curve {
	c, step := Curve{Name: name, Points: []Point{{}}}, 1+len(course)/maxPoints
	var pairs sprt.Pairs
	for i, halfPoints := range course {
		pairs[halfPoints]++
		if n := i + 1; n%step == 0 || n == len(course) {
			c.Points = append(c.Points, Point{X: float64(n), Y: test.LLR(pairs)})
		}
	}
	return c
}

func bounds(test sprt.Test, h0, h1 string) []level {
	lower, upper := test.Bounds()
	return []level{{lower, h0}, {upper, h1}}
}

// gauge draws the LLR of the test of a single run between the bounds; nil without one.
func (b *builder) gauge() *Figure {
	r := b.collected.runs[0]
	test := testOf(r.about.Manifest)
	if len(b.collected.runs) > 1 || test == (sprt.Test{}) {
		return nil
	}
	const width, top, high = 340, 20, 12
	lower, upper := test.Bounds()
	llr := math.Round(100*test.LLR(r.Pairs))/100 + 0 // no -0
	d, a := &drawing{width: width, height: top + high + 18}, axis{low: lower, high: upper, to: width}
	zero, at := a.at(0), a.at(llr)
	d.rect("drawn", 0, top, width, high, "")
	d.rect("bar", min(zero, at), top, math.Abs(at-zero), high, "")
	d.line("mark", zero, top-3, zero, top+high+3)
	d.text("", "middle", max(32, min(at, width-32)), top-6, fmt.Sprintf("LLR %.2f", llr))
	d.text("tick", "start", 0, d.height-3, fmt.Sprintf("H0 at %.2f", lower))
	d.text("tick", "end", width, d.height-3, fmt.Sprintf("H1 at %.2f", upper))
	f := d.figure("chart", "gauge", fmt.Sprintf("Test of elo %v against %v, LLR %.2f between %.2f and %.2f: %s", test.Elo0,
		test.Elo1, llr, lower, upper, test.Result(r.Pairs)))
	return &f
}
