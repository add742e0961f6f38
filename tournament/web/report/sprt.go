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
				"game pairs", "LLR", llrCurve("LLR", test, r.Course))
			c.noPoint = true
			c.levels = bounds(test, "accept H0", "accept H1")
			s.figure(c.plot(fmt.Sprintf("llr-%d", i+1)))
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
	const width, top, height, textMargin = 340, 20, 12, 32
	d := &drawing{width: width, height: top + height + 18}
	a := axis{interval: interval{lower, upper}, to: width}
	zero, at := a.at(0), a.at(llr)
	d.rect("drawn", 0, top, width, height, "")
	d.rect("bar", min(zero, at), top, math.Abs(at-zero), height, "")
	d.line("mark", zero, top-3, zero, top+height+3)
	textAt := max(textMargin, min(at, width-textMargin))
	d.text("", "middle", textAt, top-6, fmt.Sprintf("LLR %.2f", llr))
	d.text("tick", "start", 0, d.height-3, fmt.Sprintf("H0 at %.2f", lower))
	d.text("tick", "end", width, d.height-3, fmt.Sprintf("H1 at %.2f", upper))
	f := d.figure("chart", "gauge", caption)
	return &f
}
