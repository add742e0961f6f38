package mcts

import (
	"cmp"
	"math"
	"time"

	"gyges/agents"
	"gyges/rules"
)

type config struct {
	Iterations int64         `param:"iterations" check:"1..1000000000" help:"iterations for a move; 500 if neither they nor movetime bound the search"`
	MoveTime   time.Duration `param:"movetime" check:"1ms..1h" help:"time for a move"`
	Hash       int           `param:"hash" default:"64" check:"1..4096" help:"size of the tree in MB; when it is full, the subtrees with the fewest visits are pruned"`
	params
}

// params holds the tunable numbers of the search. A new one is a field here: the spec parser, `gyges agents` and SPSA
// read its tags. The scale of values is 100·√3, so that a point has the value 0.5.
type params struct {
	CPUCT            float64 `param:"cpuct" default:"0.3" check:"0..100" help:"exploration: weight of a move's prior against its value"`
	ValueScale       float64 `param:"value_scale" default:"173" check:"1..10000" help:"score in hundredths of a point that has the value 0.71"`
	PriorTemperature float64 `param:"prior_temperature" default:"0.15" check:"0.001..10" help:"difference of values that makes a prior e times as high"`
	WidthMin         int     `param:"width_min" default:"0" check:"0..4096" help:"progressive widening: children of a node at its first visit; 0: 16 with displacement but without Kang rules, else 8"`
	WidthGrowth      float64 `param:"width_growth" default:"0" check:"0..1000" help:"progressive widening: more children, times the square root of the visits; 0: 8 with displacement but without Kang rules, else 3"`
	WidthRoot        int     `param:"width_root" default:"2" check:"1..1000" help:"progressive widening: factor of the number of children at the root"`
	FinalShare       float64 `param:"final_share" default:"0.2" check:"0..1" help:"move played: visits that one with a higher value needs, as a share of those of the most visited; 1: the most visited"`
}

// forRules returns the parameters with the widths that suit the rules in place of 0. Matches
// at 20 ms a move prefer wide nodes under standard rules and narrow ones under Kang rules.
func (p params) forRules(o rules.Options) params {
	least, growth := 8, 3.0
	if o.Relocation && !o.Kang {
		least, growth = 16, 8
	}
	p.WidthMin, p.WidthGrowth = cmp.Or(p.WidthMin, least), cmp.Or(p.WidthGrowth, growth)
	return p
}

// maxValue is the value of the highest evaluation, a little less than 1.
const maxValue = 0.99996

// toValue maps a score to a value from -1 to 1. Like everything about values it uses only arithmetic that is exact by
// IEEE 754, and square roots, so that values are the same on every machine.
func (p *params) toValue(s agents.Score) float64 {
	x := float64(s) / p.ValueScale
	return x / math.Sqrt(1+float64(x*x)) // the conversion forbids a fused multiply-add
}

// toScore is the inverse of toValue. By default, values next to ±1 give about ±200 points.
func (p *params) toScore(v float64) agents.Score {
	v = min(max(v, -maxValue), maxValue)
	s := math.Round(p.ValueScale * (v / math.Sqrt(1-float64(v*v))))
	return agents.Score(min(max(s, -float64(agents.MaxEval)), float64(agents.MaxEval)))
}

// expTable holds exp(-i/expSteps): the prior of a move i/expSteps temperatures below the best, relative to that.
var expTable = func() (t [40 * expSteps]float64) {
	const step = 0.969233234476344081 // e^(-1/32)
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * step
	}
	return t
}()

const expSteps = 32

// setPriors sets the priors of sibling nodes from their static evaluations, the highest of which comes first.
func (p *params) setPriors(list []node) {
	total := 0.0
	for k := range list {
		below := float64(list[0].static-list[k].static) / p.PriorTemperature
		w := expTable[min(int(below*expSteps), len(expTable)-1)]
		list[k].prior = float32(w)
		total += w
	}
	for k := range list {
		list[k].prior /= float32(total)
	}
}
