package report

import (
	"fmt"
	"math"

	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/standings"
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
		facts, test, path := []Fact{{"points of", player}}, sprt.Test{}, newLLRPath(m, r.Run)
		if path != nil {
			test = path.test
		}
		for _, f := range test.Facts(r.Pairs) {
			facts = append(facts, Fact{f[0], f[1]})
		}
		s.facts(facts...)
		for _, note := range r.Identical.Notes(int(r.Pairs.N())) {
			s.note(note)
		}
		if path != nil {
			s.figure(Chart{
				Title: "Log-likelihood ratio of H1 to H0, pair by pair, for " + player, XName: "game pairs", YName: "LLR",
				Curves: []Curve{path.curve("LLR")}, noPoint: true, levels: path.bounds("accept H0", "accept H1"),
			}.plot(fmt.Sprintf("llr-%d", i+1)))
		}
	}
	return s
}

// llrPath is the course of the test of a run's two players.
type llrPath struct {
	test sprt.Test
	*standings.Run
}

// newLLRPath returns the course of a run's test; nil without one.
func newLLRPath(m *tournament.Manifest, r *standings.Run) *llrPath {
	if m == nil || m.Config.SPRT == (sprt.Test{}) || len(m.Config.Agents) != 2 {
		return nil
	}
	return &llrPath{m.Config.SPRT, r}
}

// curve is the LLR by the number of pairs, to the last one.
func (p *llrPath) curve(name string) Curve {
	c, step := Curve{Name: name, Points: []Point{{}}}, 1+len(p.Course)/maxPoints
	var pairs sprt.Pairs
	for i, halfPoints := range p.Course {
		pairs[halfPoints]++
		if n := i + 1; n%step == 0 || n == len(p.Course) {
			c.Points = append(c.Points, Point{X: float64(n), Y: p.test.LLR(pairs)})
		}
	}
	return c
}

func (p *llrPath) bounds(h0, h1 string) []level {
	lower, upper := p.test.Bounds()
	return []level{{lower, h0}, {upper, h1}}
}

// gauge draws the LLR of the test of a single run between the bounds; nil without one.
func (b *builder) gauge() *Figure {
	r := b.collected.runs[0]
	p := newLLRPath(r.about.Manifest, r.Run)
	if len(b.collected.runs) > 1 || p == nil {
		return nil
	}
	const width, top, high = 340, 20, 12
	lower, upper := p.test.Bounds()
	llr := math.Round(100*p.test.LLR(r.Pairs))/100 + 0 // no -0
	d, a := &drawing{width: width, height: top + high + 18}, axis{low: lower, high: upper, to: width}
	zero, at := a.at(0), a.at(llr)
	d.rect("drawn", 0, top, width, high, "")
	d.rect("bar", min(zero, at), top, math.Abs(at-zero), high, "")
	d.line("mark", zero, top-3, zero, top+high+3)
	d.text("", "middle", max(32, min(at, width-32)), top-6, fmt.Sprintf("LLR %.2f", llr))
	d.text("tick", "start", 0, d.height-3, fmt.Sprintf("H0 at %.2f", lower))
	d.text("tick", "end", width, d.height-3, fmt.Sprintf("H1 at %.2f", upper))
	f := d.figure("chart", "gauge", fmt.Sprintf("Test of elo %v against %v, LLR %.2f between %.2f and %.2f: %s", p.test.Elo0,
		p.test.Elo1, llr, lower, upper, p.test.Result(r.Pairs)))
	return &f
}
