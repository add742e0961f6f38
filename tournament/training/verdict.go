package training

import (
	"fmt"
	"math"

	"gyges/agents/eval"
	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
)

// Verdict says what a gain over something is by its 95 % interval, and if that shows none, how much more would narrow
// it to the gain, or to 10 Elo. g is nil if there is no finite one; then p has the game pairs, if any were played.
func Verdict(g *eval.Gain, p sprt.Pairs, over string) string {
	n := p.N()
	switch {
	case g == nil && n == 0:
		return "not compared with " + over
	case g == nil && p[4] == n:
		return fmt.Sprintf("stronger than %s: it won all %d pairs", over, n)
	case g == nil && p[0] == n:
		return fmt.Sprintf("weaker than %s: it lost all %d pairs", over, n)
	case g == nil:
		return fmt.Sprintf("no gain shown over %s: all %d pairs gave the same", over, n)
	}
	better, worse := "stronger", "weaker"
	unit, decimals := "Elo", 1
	count, more := float64(g.Count)/2, "play about %s more pairs"
	if g.Measure != "Elo" {
		better, worse = "better", "worse"
		unit, decimals = "nats of "+textfmt.Visible(g.Measure), 5
		count, more = 2*count, "take about %s more test positions"
	}
	size := math.Abs(g.Value)
	if g.Margin > 0 && size > g.Margin {
		direction := worse
		if g.Value > 0 {
			direction = better
		}
		return fmt.Sprintf("%s than %s by %.*f ± %.*f %s (95 %%)", direction, over, decimals, size,
			decimals, g.Margin, unit)
	}
	text := fmt.Sprintf("no gain shown over %s: %.*f ± %.*f %s (95 %%)", over, decimals, g.Value,
		decimals, g.Margin, unit)
	if g.Margin == 0 || count == 0 {
		return text
	}
	ratio := g.Margin / max(size, min(10, g.Margin/2))
	needed := math.Ceil(max(count*(ratio*ratio-1), 1))
	text += "; " + fmt.Sprintf(more, textfmt.Thousands(int64(needed)))
	if g.All > 0 {
		all := math.Ceil(needed * float64(g.All) / count)
		text += fmt.Sprintf(", some %s positions in all, as %s of %s are for the test",
			textfmt.Thousands(int64(all)), textfmt.Thousands(g.Count), textfmt.Thousands(g.All))
	}
	return text
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
	return fmt.Sprintf("No gain shown: none of %d generations was adopted; the last one: %s", n,
		Verdict(eloGain(last.Elo, last.EloMargin, 2*last.Pairs.N()), last.Pairs, initial))
}

// gain returns what the generation last adopted gains over the initial weights: by the rating, or else by the matches
// that adopted it and those before it; nil if it isn't known.
func (r *Result) gain() *eval.Gain {
	if r.Gain != nil {
		return r.Gain
	}
	g := &eval.Gain{Measure: "Elo"}
	for _, x := range r.Rating { // of an earlier version: without the covariance, so the margin is an upper bound
		if sign := map[string]float64{GenerationName(r.Best): 1, GenerationName(0): -1}[x.Player]; sign != 0 {
			g.Value, g.Margin = g.Value+sign*x.Elo, g.Margin+x.Margin
		}
	}
	for k := r.Best; k > 0 && len(r.Rating) == 0; k = r.Generations[k-1].Parent {
		m := &r.Generations[k-1]
		if m.Elo == nil || m.EloMargin == nil || m.Parent >= k {
			return nil
		}
		g.Value, g.Margin, g.Count = g.Value+*m.Elo, math.Hypot(g.Margin, *m.EloMargin), g.Count+2*m.Pairs.N()
	}
	return g
}
