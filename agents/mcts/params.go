package mcts

import (
	"math"

	"gyges/agents"
)

// params are the tunable numbers of the search: see tunables.
type params struct {
	cpuct            float64
	valueScale       float64
	priorTemperature float64
	widthMin         float64
	widthGrowth      float64
	widthRoot        float64
	groupShift       float64
	moveShift        float64
}

// tunable is a tunable number: the parameter that sets it, and where it is kept.
type tunable struct {
	agents.ParamDef
	field func(*params) *float64
}

// tunables returns the table of all tunable numbers of the search.
func tunables() []tunable {
	number := func(name, value string, least, most float64, field func(*params) *float64, doc string) tunable {
		return tunable{agents.ParamDef{Name: name, Type: agents.Float, Default: value, Min: least, Max: most, Doc: doc}, field}
	}
	whole := func(name, value string, least, most float64, field func(*params) *float64, doc string) tunable {
		return tunable{agents.ParamDef{Name: name, Type: agents.Int, Default: value, Min: least, Max: most, Doc: doc}, field}
	}
	return []tunable{
		number("cpuct", "0.5", 0, 100, func(p *params) *float64 { return &p.cpuct },
			"exploration: weight of a move's prior against its value"),
		number("value_scale", "173", 1, 10000, func(p *params) *float64 { return &p.valueScale },
			"score in hundredths of a point that has the value 0.71"),
		number("prior_temperature", "0.1", 0.001, 10, func(p *params) *float64 { return &p.priorTemperature },
			"difference of values that makes a prior e times as high"),
		whole("width_min", "16", 1, 4096, func(p *params) *float64 { return &p.widthMin },
			"progressive widening: children of a node at its first visit"),
		number("width_growth", "4", 0, 1000, func(p *params) *float64 { return &p.widthGrowth },
			"progressive widening: more children, times the square root of the visits"),
		whole("width_root", "4", 1, 1000, func(p *params) *float64 { return &p.widthRoot },
			"progressive widening: factor of the number of children at the root"),
		whole("prior_group_shift", "5", 0, 31, func(p *params) *float64 { return &p.groupShift },
			"move prior: learning rate of groups of moves, as a negative power of 2"),
		whole("prior_move_shift", "2", 0, 31, func(p *params) *float64 { return &p.moveShift },
			"move prior: learning rate of single moves, as a negative power of 2"),
	}
}

// tunableParams returns the definitions of the tunable numbers' parameters.
func tunableParams() (list []agents.ParamDef) {
	for _, t := range tunables() {
		list = append(list, t.ParamDef)
	}
	return list
}

// newParams returns the numbers that an agent's parameters set.
func newParams(v agents.Values) (p params) {
	for _, t := range tunables() {
		*t.field(&p) = v.Float(t.Name)
	}
	return p
}

// maxValue is the value of the highest evaluation, a little less than 1.
const maxValue = 0.99996

// toValue maps a score to a value from -1 to 1. Like everything about values it
// uses only arithmetic that is exact by IEEE 754, and square roots, so that values
// are the same on every machine.
func (p *params) toValue(s agents.Score) float64 {
	x := float64(s) / p.valueScale
	return x / math.Sqrt(1+float64(x*x)) // the conversion forbids a fused multiply-add
}

// toScore is the inverse of toValue. By default, values next to ±1 give about ±200
// points.
func (p *params) toScore(v float64) agents.Score {
	v = min(max(v, -maxValue), maxValue)
	s := math.Round(p.valueScale * (v / math.Sqrt(1-float64(v*v))))
	return agents.Score(min(max(s, -float64(agents.MaxEval)), float64(agents.MaxEval)))
}

// expTable holds exp(-i/expSteps): the prior of a move relative to that of the
// best, i/expSteps temperatures below its value.
var expTable = func() (t [40 * expSteps]float64) {
	const step = 0.969233234476344081 // e^(-1/32)
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * step
	}
	return t
}()

const expSteps = 32

// setPriors sets the priors of sibling nodes from their static evaluations, the
// highest of which comes first.
func (p *params) setPriors(list []node) {
	total := 0.0
	for k := range list {
		below := float64(list[0].static-list[k].static) / p.priorTemperature
		w := expTable[min(int(below*expSteps), len(expTable)-1)]
		list[k].prior = float32(w)
		total += w
	}
	for k := range list {
		list[k].prior /= float32(total)
	}
}
