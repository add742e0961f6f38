package report

import (
	"fmt"
	"slices"

	"gyges/ratings/source"
	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
)

// tests builds the section on sequential tests.
func (b *builder) tests() Section {
	s := Section{ID: "test", Title: "Sequential test"}
	for i, r := range b.collected.runs {
		if r.LLR == nil || r.LLR.Pairs.N() == 0 {
			continue
		}
		if len(b.collected.runs) > 1 {
			s.heading("", textfmt.Visible(r.about.Name))
		}
		r.LLR.add(&s, i+1, b.visibleLabel(r.LLR.Player))
	}
	return s
}

// llrPath follows the test of a run's two players, pair by pair.
type llrPath struct {
	Test   sprt.Test
	Player string // whose points are counted
	Pairs  sprt.Pairs
	Curve  Curve // LLR by number of pairs
}

// newLLRPath returns nil for a run without a test.
func newLLRPath(test, player string) *llrPath {
	t, err := sprt.Parse(test)
	if test == "" || err != nil {
		return nil
	}
	p := &llrPath{Test: t, Player: player, Curve: Curve{Name: "LLR"}}
	p.Curve.Add(Point{})
	return p
}

// addPair counts a game pair.
func (p *llrPath) addPair(first, second *source.Result) {
	half := 0
	for _, g := range []*source.Result{first, second} {
		points := 1 + int(g.Result) // South's half points
		if g.South != p.Player {
			points = 2 - points
		}
		half += points
	}
	p.Pairs.Add(half)
	p.Curve.Add(p.last())
}

// last is the point of all pairs.
func (p *llrPath) last() Point { return Point{X: float64(p.Pairs.N()), Y: p.Test.LLR(p.Pairs)} }

// add adds the test to a section; number is that of the run.
func (p *llrPath) add(s *Section, number int, player string) {
	t, n := p.Test, p.Pairs
	lower, upper := t.Bounds()
	s.add(Block{Facts: []Fact{
		{"result", t.VerdictText(n)},
		{"LLR", fmt.Sprintf("%.4f", t.LLR(n))},
		{"bounds", fmt.Sprintf("%.4f %.4f", lower, upper)},
		{"hypotheses", fmt.Sprintf("elo %v against %v, %s; alpha %v, beta %v", t.Elo0, t.Elo1, t.Model, t.Alpha, t.Beta)},
		{"Elo of " + player, n.EloText()},
		{"pairs", fmt.Sprintf("%d: %d, %d, %d, %d, %d (0, ½, 1, 1½, 2 points)", n.N(), n[0], n[1], n[2], n[3], n[4])},
	}})
	curve := p.Curve
	if last := p.last(); curve.Points[len(curve.Points)-1] != last {
		curve.Points = append(slices.Clip(curve.Points), last)
	}
	s.figure(Chart{
		Title: "Log-likelihood ratio of H1 to H0, pair by pair, for " + player, XName: "game pairs", YName: "LLR",
		Curves: []Curve{curve}, noPoint: true, levels: []level{{lower, "accept H0"}, {upper, "accept H1"}},
	}.plot(fmt.Sprintf("llr-%d", number)))
}
