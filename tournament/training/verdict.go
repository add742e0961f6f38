package training

import (
	"fmt"
	"math"

	"gyges/agents/eval"
	"gyges/ratings/sprt"
	"gyges/rules/base/textfmt"
)

// What the result of a training shows, in a sentence.

// Verdict says what a gain over something is by its 95 % interval, and if that shows none, how much
// more would narrow it to the gain, or to 10 Elo. g is nil if there is no finite one; then p has
// the game pairs, if any were played.
func Verdict(g *eval.Gain, p sprt.Pairs, over string) string {
	if g == nil {
		return verdictOfPairs(p, over)
	}
	better, worse := "stronger", "weaker"
	unit, decimals := "Elo", 1
	count, more := float64(g.Count)/2, "play about %s more pairs"
	if g.Measure != "Elo" {
		better, worse = "better", "worse"
		unit, decimals = "nats of "+textfmt.Visible(g.Measure), 5
		count, more = float64(g.Count), "take about %s more test positions"
	}
	interval := func(value float64) string {
		return fmt.Sprintf("%.*f ± %.*f %s (95 %%)", decimals, value, decimals, g.Margin, unit)
	}
	size := math.Abs(g.Value)
	if g.Margin > 0 && size > g.Margin {
		direction := worse
		if g.Value > 0 {
			direction = better
		}
		return fmt.Sprintf("%s than %s by %s", direction, over, interval(size))
	}
	text := fmt.Sprintf("no gain shown over %s: %s", over, interval(g.Value))

	// The interval narrows with the square root of the count.
	if g.Margin == 0 || count == 0 {
		return text
	}
	wanted := max(size, min(10, g.Margin/2))
	ratio := g.Margin / wanted
	needed := math.Ceil(max(count*(ratio*ratio-1), 1))
	text += "; " + fmt.Sprintf(more, textfmt.Thousands(int64(needed)))
	if g.All > 0 {
		all := math.Ceil(needed * float64(g.All) / count)
		text += fmt.Sprintf(", some %s positions in all, as %s of %s are for the test",
			textfmt.Thousands(int64(all)), textfmt.Thousands(g.Count), textfmt.Thousands(g.All))
	}
	return text
}

// Outcome is what a run has come to, for programs.
type Outcome struct {
	Decision sprt.Verdict `json:"verdict"` // Stopped until its end; then H1: a gain is shown, H0: a loss
	Folder   string       `json:"folder"`
}

// decide is [Verdict] in a word.
func decide(g *eval.Gain, p sprt.Pairs) sprt.Verdict {
	if g == nil { // all pairs gave the same, if there are any
		g = &eval.Gain{Value: float64(p[4] - p[0]), Margin: 0.5}
	}
	switch {
	case g.Margin == 0: // it isn't known
	case g.Value > g.Margin:
		return sprt.AcceptH1
	case g.Value < -g.Margin:
		return sprt.AcceptH0
	}
	return sprt.Undecided
}

// verdictOfPairs is [Verdict] where pairs give no finite estimate.
func verdictOfPairs(p sprt.Pairs, over string) string {
	switch n := p.N(); n {
	case 0:
		return "not compared with " + over
	case p[4]:
		return fmt.Sprintf("stronger than %s: it won all %d pairs", over, n)
	case p[0]:
		return fmt.Sprintf("weaker than %s: it lost all %d pairs", over, n)
	default:
		return fmt.Sprintf("no gain shown over %s: all %d pairs gave the same", over, n)
	}
}

// Verdict says how much stronger the generation last adopted is than the initial weights; ""
// without generations.
func (r *Result) Verdict() string {
	const initial = "the initial weights"
	n := len(r.Generations)
	if n == 0 || r.Best < 0 || r.Best > n {
		return ""
	}
	if r.Best == 0 {
		last := &r.Generations[n-1]
		gain := eloGain(last.Elo, last.EloMargin, last.Pairs)
		return fmt.Sprintf("No gain shown: none of %d generations was adopted; the last one: %s", n,
			Verdict(gain, last.Pairs, initial))
	}
	gain := r.gain()
	if gain == nil {
		return fmt.Sprintf("Generation %d of %d: not compared with %s; rating.pairs would do it",
			r.Best, n, initial)
	}
	verdict := Verdict(gain, sprt.Pairs{}, initial)
	return fmt.Sprintf("Generation %d of %d: %s", r.Best, n, verdict)
}

// gain returns what the generation last adopted gains over the initial weights: by the rating, or
// else by the matches that adopted it and those before it; nil if it isn't known.
func (r *Result) gain() *eval.Gain {
	if r.Gain != nil {
		return r.Gain
	}
	g := &eval.Gain{Measure: "Elo"}
	for k := r.Best; k > 0; k = r.Generations[k-1].Parent {
		m := &r.Generations[k-1]
		if m.Elo == nil || m.EloMargin == nil || m.Parent >= k {
			return nil
		}
		g.Value += *m.Elo
		g.Margin = math.Hypot(g.Margin, *m.EloMargin)
		g.Count += 2 * m.Pairs.N()
	}
	return g
}
