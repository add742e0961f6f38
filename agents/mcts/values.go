package mcts

import (
	"math"

	"gyges/agents"
)

// Values and evaluations. Nothing here goes beyond the arithmetic that is exact
// by IEEE 754, and square roots, so that values are the same on every machine.
const (
	// scale is the score, in hundredths of a point, that stands for the value
	// 0.71. A point, which is about what decides one game in two, gives 0.5.
	scale = 173
	// temperature is the difference of values that makes a prior e times as high.
	temperature = 0.1
	// mostValue is the value of the highest evaluation, and a little less than 1.
	mostValue = 0.99996
)

// squash turns a score into a value, from -1 to 1.
func squash(s agents.Score) float64 {
	x := float64(s) / scale
	return x / math.Sqrt(1+float64(x*x)) // the conversion forbids a fused multiply-add
}

// unsquash is the reverse of squash. Values next to ±1 give about ±200 points.
func unsquash(v float64) agents.Score {
	v = min(max(v, -mostValue), mostValue)
	return agents.Score(math.Round(scale * (v / math.Sqrt(1-float64(v*v)))))
}

// falls holds by how much a prior is lower the further a value lies below the
// best, in steps of temperature/fallSteps: e to the power of -1/fallSteps for each.
var falls = func() (t [40 * fallSteps]float64) {
	const step = 0.969233234476344081 // e^(-1/32)
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * step
	}
	return t
}()

const fallSteps = 32

// setPriors shares the visits out by the evaluations, the best of which comes first.
func setPriors(list []node) {
	total := 0.0
	for k := range list {
		below := float64(list[0].static-list[k].static) / temperature
		w := falls[min(int(below*fallSteps), len(falls)-1)]
		list[k].prior = float32(w)
		total += w
	}
	for k := range list {
		list[k].prior /= float32(total)
	}
}
