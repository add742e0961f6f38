package report

import (
	"fmt"
	"math"

	"gyges/ratings/source"
	"gyges/ratings/sprt"
	"gyges/ratings/textfmt"
)

// tests builds the section on sequential tests.
func (b *builder) tests() Section {
	s := Section{ID: "test", Title: "The sequential test"}
	for i, r := range b.collected.runs {
		if r.path == nil || r.path.pairs.N() == 0 {
			continue
		}
		if len(b.collected.runs) > 1 {
			s.add(headingBlock("", textfmt.Visible(r.about.Name)))
		}
		b.test(&s, i, r)
	}
	return s
}

func (b *builder) test(s *Section, i int, r *run) {
	p, t := r.path, r.path.test
	lower, upper := t.Bounds()
	verdict := "undecided"
	switch t.Verdict(p.pairs) {
	case sprt.AcceptH0:
		verdict = fmt.Sprintf("H0 accepted: elo0 = %v fits better", t.Elo0)
	case sprt.AcceptH1:
		verdict = fmt.Sprintf("H1 accepted: elo1 = %v fits better", t.Elo1)
	}
	player := textfmt.Visible(b.label(p.player))
	s.add(Block{Facts: []Fact{
		{"result", verdict},
		{"LLR", fmt.Sprintf("%.4f", t.LLR(p.pairs))},
		{"bounds", fmt.Sprintf("%.4f %.4f", lower, upper)},
		{"hypotheses", fmt.Sprintf("elo %v against %v, %s; alpha %v, beta %v", t.Elo0, t.Elo1, t.Model, t.Alpha, t.Beta)},
		{"Elo of " + player, eloText(p.pairs)},
		{"pairs", fmt.Sprintf("%d: %d, %d, %d, %d, %d (0, ½, 1, 1½, 2 points)", p.pairs.N(), p.pairs[0], p.pairs[1], p.pairs[2], p.pairs[3], p.pairs[4])},
	}})
	line := plotLine{name: "LLR"}
	for _, q := range p.all() {
		line.points = append(line.points, plotPoint{x: float64(q.pairs), y: q.llr})
	}
	s.add(figureBlock(linePlot(plane{
		name: fmt.Sprintf("llr-%d", i+1), caption: "Log-likelihood ratio of H1 to H0, pair by pair, for " + player,
		xName: "game pairs", yName: "LLR", bare: true,
		levels: []level{{lower, "accept H0"}, {upper, "accept H1"}},
	}, []plotLine{line})))
}

// eloText is what pairs say of the strength, as gyges sprt prints it.
func eloText(p sprt.Pairs) string {
	elo, half, ok := p.Elo()
	switch {
	case !ok:
		return "no finite estimate: one player won everything"
	case math.IsNaN(half):
		return fmt.Sprintf("%.1f, no interval: all pairs gave the same", elo)
	}
	return fmt.Sprintf("%.1f ± %.1f (95 %%)", elo, half)
}

// llrPath follows the test of a run's two players, pair by pair.
type llrPath struct {
	test   sprt.Test
	player string // whose points are counted
	pairs  sprt.Pairs
	stride int64 // every so many pairs a point is kept
	points []llrPoint
}

// maxPath is the number of points kept of a path.
const maxPath = 600

type llrPoint struct {
	pairs int64
	llr   float64
}

// newLLRPath returns nil for a run without a test.
func newLLRPath(test, player string) *llrPath {
	t, err := sprt.Parse(test)
	if test == "" || err != nil {
		return nil
	}
	return &llrPath{test: t, player: player, stride: 1}
}

func (p *llrPath) add(first, second *source.Result) {
	half := 0
	for _, g := range []*source.Result{first, second} {
		points := 1 + int(g.Result) // South's half points
		if g.South != p.player {
			points = 2 - points
		}
		half += points
	}
	p.pairs.Add(half)
	n := p.pairs.N()
	if n%p.stride != 0 {
		return
	}
	p.points = append(p.points, llrPoint{n, p.test.LLR(p.pairs)})
	if len(p.points) < maxPath {
		return
	}
	// Keep every second one.
	p.stride *= 2
	kept := p.points[:0]
	for _, q := range p.points {
		if q.pairs%p.stride == 0 {
			kept = append(kept, q)
		}
	}
	p.points = kept
}

// all are the points with the beginning and the present end.
func (p *llrPath) all() []llrPoint {
	list := append([]llrPoint{{}}, p.points...)
	if n := p.pairs.N(); n != list[len(list)-1].pairs {
		list = append(list, llrPoint{n, p.test.LLR(p.pairs)})
	}
	return list
}
