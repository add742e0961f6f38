package report

import (
	"fmt"

	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
	"gyges/tournament"
	"gyges/tournament/standings"
)

// tests builds the section on sequential tests.
func (b *builder) tests() Section {
	s := Section{ID: "test", Title: "Sequential test"}
	for i, r := range b.collected.runs {
		path := newLLRPath(r.about.Manifest, r.Run)
		if path == nil || r.Pairs.N() == 0 {
			continue
		}
		if len(b.collected.runs) > 1 {
			s.heading("", textfmt.Visible(r.about.Name))
		}
		path.add(&s, i+1, b.visibleLabel(path.player))
	}
	return s
}

// llrPath is the course of the test of a run's two players.
type llrPath struct {
	test   sprt.Test
	player string // whose points are counted
	*standings.Run
}

// newLLRPath returns the course of a run's test; nil without one.
func newLLRPath(m *tournament.Manifest, r *standings.Run) *llrPath {
	if m == nil || m.Config.SPRT == "" || len(m.Config.Agents) != 2 {
		return nil
	}
	t, err := sprt.Parse(m.Config.SPRT)
	if err != nil {
		return nil
	}
	return &llrPath{t, m.Config.Agents[0], r}
}

// curve is the LLR by the number of pairs, to the last one.
func (p *llrPath) curve(name string) Curve {
	c, step := Curve{Name: name, Points: []Point{{}}}, 1+len(p.Course)/maxPoints
	var pairs sprt.Pairs
	for i, halfPoints := range p.Course {
		pairs.Add(int(halfPoints))
		if n := i + 1; n%step == 0 || n == len(p.Course) {
			c.Points = append(c.Points, Point{X: float64(n), Y: p.test.LLR(pairs)})
		}
	}
	return c
}

// add adds the test to a section; number is that of the run.
func (p *llrPath) add(s *Section, number int, player string) {
	t, n := p.test, p.Pairs
	lower, upper := t.Bounds()
	s.add(Block{Facts: []Fact{
		{"result", t.VerdictText(n)},
		{"LLR", fmt.Sprintf("%.4f", t.LLR(n))},
		{"bounds", fmt.Sprintf("%.4f %.4f", lower, upper)},
		{"hypotheses", fmt.Sprintf("elo %v against %v, %s; alpha %v, beta %v", t.Elo0, t.Elo1, t.Model, t.Alpha, t.Beta)},
		{"Elo of " + player, n.EloText()},
		{"pairs", fmt.Sprintf("%d: %d, %d, %d, %d, %d (0, ½, 1, 1½, 2 points)", n.N(), n[0], n[1], n[2], n[3], n[4])},
	}})
	for _, note := range p.Identical.Notes(int(n.N())) {
		s.note(note)
	}
	s.figure(Chart{
		Title: "Log-likelihood ratio of H1 to H0, pair by pair, for " + player, XName: "game pairs", YName: "LLR",
		Curves: []Curve{p.curve("LLR")}, noPoint: true, levels: []level{{lower, "accept H0"}, {upper, "accept H1"}},
	}.plot(fmt.Sprintf("llr-%d", number)))
}
