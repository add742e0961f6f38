package training

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gyges/agents/eval"
	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
)

// leastGain is a difference in Elo below which it isn't worth while to look for one.
const leastGain = 10

// Verdict says what a gain over something is by its 95 % interval, and if it shows nothing, how much more would. g is nil
// if there is no finite one; then p has the game pairs, if any were played.
func Verdict(g *eval.Gain, p sprt.Pairs, over string) string {
	if g == nil {
		return pairsVerdict(p, over)
	}
	words, unit, digits := []string{"stronger", "weaker"}, "Elo", 1
	count, more := float64(g.Count/2), "; play about %s more pairs to narrow it to ± %.*f"
	if g.Measure != "Elo" {
		words, unit, digits = []string{"better", "worse"}, "nats of "+textfmt.Visible(g.Measure), 5
		count, more = float64(g.Count), "; take about %s more positions to narrow it to ± %.*f"
	}
	size := math.Abs(g.Value)
	if g.Margin > 0 && size > g.Margin {
		return fmt.Sprintf("%s than %s by %.*f ± %.*f %s (95 %%)",
			words[map[bool]int{g.Value < 0: 1}[true]], over, digits, size, digits, g.Margin, unit)
	}
	text := fmt.Sprintf("no gain shown over %s: %+.*f ± %.*f %s (95 %%)", over, digits, g.Value, digits, g.Margin, unit)
	if wanted := max(size, min(leastGain, g.Margin/2)); wanted > 0 && count > 0 {
		ratio := g.Margin / wanted
		text += fmt.Sprintf(more, textfmt.Thousands(int64(math.Ceil(max(count*(ratio*ratio-1), 1)))), digits, wanted)
	}
	return text
}

// pairsVerdict is the verdict on pairs without a finite estimate of Elo.
func pairsVerdict(p sprt.Pairs, over string) string {
	switch n := p.N(); {
	case n == 0:
		return "not compared with " + over
	case p[4] == n:
		return fmt.Sprintf("stronger than %s: it won all %d pairs", over, n)
	case p[0] == n:
		return fmt.Sprintf("weaker than %s: it lost all %d pairs", over, n)
	}
	return fmt.Sprintf("no gain shown over %s: all %d pairs gave the same", over, p.N())
}

// IsGain reports whether a verdict is that something is gained.
func IsGain(verdict string) bool {
	return strings.HasPrefix(verdict, "stronger") || strings.HasPrefix(verdict, "better")
}

// Verdict says how much stronger the generation last adopted is than the initial weights; "" without generations.
func (r *Result) Verdict() string {
	const initial = "the initial weights"
	n := len(r.Generations)
	switch {
	case n == 0 || r.Best < 0 || r.Best > n:
		return ""
	case r.Best > 0 && r.gain() == nil:
		return fmt.Sprintf("Generation %d of %d: not compared with %s; rating.pairs would do it", r.Best, n, initial)
	case r.Best > 0:
		return fmt.Sprintf("Generation %d of %d: %s", r.Best, n, Verdict(r.gain(), sprt.Pairs{}, initial))
	}
	last := &r.Generations[n-1]
	text := fmt.Sprintf("No gain shown: none of %d generations was adopted", n)
	if last.Pairs.N() > 0 {
		gain := eloGain(last.Elo, last.EloMargin, 2*last.Pairs.N())
		text += fmt.Sprintf("; the last one is %s", Verdict(gain, last.Pairs, initial))
	}
	return strings.Replace(text, "is no gain shown over "+initial+": ", "has ", 1)
}

// gain returns what the generation last adopted gains over the initial weights: by the rating, or else by the matches
// that adopted it and those before it; nil if it isn't known.
func (r *Result) gain() *eval.Gain {
	rated := func(k int) int {
		return slices.IndexFunc(r.Rating, func(x Rated) bool { return x.Player == GenerationName(k) })
	}
	switch best, initial := rated(r.Best), rated(0); {
	case r.Gain != nil:
		return r.Gain
	case best >= 0 && initial >= 0: // of an earlier version: without the covariance, so the margin is an upper bound
		b, i := &r.Rating[best], &r.Rating[initial]
		return &eval.Gain{Measure: "Elo", Value: b.Elo - i.Elo, Margin: b.Margin + i.Margin}
	}
	g := &eval.Gain{Measure: "Elo"}
	for k := r.Best; k > 0; k = r.Generations[k-1].Parent {
		m := &r.Generations[k-1]
		if m.Elo == nil || m.EloMargin == nil || m.Parent >= k {
			return nil
		}
		g.Value, g.Margin, g.Count = g.Value+*m.Elo, math.Hypot(g.Margin, *m.EloMargin), g.Count+2*m.Pairs.N()
	}
	return g
}
