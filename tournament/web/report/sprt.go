package report

import (
	"fmt"
	"math"

	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
)

// matches builds the section on runs of two agents, with the course of their sequential tests.
func (b *builder) matches() Section {
	s := Section{ID: "match", Title: "Match"}
	for i, r := range b.runs {
		m := r.Manifest
		if m == nil || len(m.Config.Agents) != 2 || r.Pairs.N() == 0 {
			continue
		}
		b.name(&s, r)
		player := textfmt.Visible(b.label(m.Config.Agents[0].String()))
		// Without a sequential test the facts are those of a match alone.
		test := m.Config.SPRT
		facts := []Fact{{"points of", player}}
		for _, f := range test.Facts(r.Pairs) {
			facts = append(facts, Fact{f[0], f[1]})
		}
		s.facts(facts...)
		for _, note := range r.Identical.Notes(int(r.Pairs.N())) {
			s.note(note)
		}
		if test != (sprt.Test{}) {
			c := newChart("Log-likelihood ratio of H1 to H0, pair by pair, for "+player,
				"game pairs", "LLR", bounds(test, "accept H0", "accept H1"),
				llrCurve("LLR", test, r.Course))
			c.noPoint = true
			s.figure(c.plot(numbered("llr-", i)))
		}
	}
	return s
}

// testOf returns the sequential test of a run of two agents; zero without one.
func testOf(m *tournament.Manifest) sprt.Test {
	if m == nil || len(m.Config.Agents) != 2 {
		return sprt.Test{}
	}
	return m.Config.SPRT
}

// llrCurve is the LLR by the number of pairs, to the last one. course has the half points of the
// first agent in each pair.
func llrCurve(name string, test sprt.Test, course []uint8) Curve {
	c := Curve{Name: name, Points: []Point{{}}}
	step := 1 + len(course)/maxPoints
	var pairs sprt.Pairs
	for i, halfPoints := range course {
		pairs[halfPoints]++
		// The LLR takes long to compute, so only the points that are drawn have one.
		if n := i + 1; n%step == 0 || n == len(course) {
			c.Points = append(c.Points, Point{X: float64(n), Y: test.LLR(pairs)})
		}
	}
	return c
}

// bounds are the log-likelihood ratios at which a test ends, with what they mean.
func bounds(test sprt.Test, h0, h1 string) []level {
	lower, upper := test.Bounds()
	return []level{{lower, h0}, {upper, h1}}
}

// gauge draws the LLR of the test of a single run between the bounds; nil without one.
func (b *builder) gauge() *Figure {
	r := b.runs[0]
	test := testOf(r.Manifest)
	if len(b.runs) > 1 || test == (sprt.Test{}) {
		return nil
	}
	lower, upper := test.Bounds()
	llr := math.Round(100*test.LLR(r.Pairs))/100 + 0 // no -0
	caption := fmt.Sprintf("Test of elo %v against %v, LLR %.2f between %.2f and %.2f: %s",
		test.Elo0, test.Elo1, llr, lower, upper, test.Result(r.Pairs))

	// A bar from 0 to the LLR on a strip from one bound to the other.
	const width, top, bottom, height = 340, 20, 32, 50
	d := &drawing{width: width, height: height}
	a := axis{interval: interval{lower, upper}, to: width}
	zero := a.at(0)
	at := a.at(llr)
	d.rect("drawn", 0, top, width, bottom-top, "")
	d.rect("bar", min(zero, at), top, math.Abs(at-zero), bottom-top, "")
	d.line("mark", zero, top-3, zero, bottom+3)
	// Each number stands at its place, the LLR not beyond the edge.
	const textMargin = 32
	textAt := max(textMargin, min(at, width-textMargin))
	value := fmt.Sprintf("LLR %.2f", llr)
	h0 := fmt.Sprintf("H0 at %.2f", lower)
	h1 := fmt.Sprintf("H1 at %.2f", upper)
	d.text("", "middle", textAt, top-6, value)
	d.text("tick", "start", 0, height-3, h0)
	d.text("tick", "end", width, height-3, h1)
	f := d.figure("chart", "gauge", caption)
	return &f
}
