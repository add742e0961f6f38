package eval

import (
	"fmt"
	"math"

	"gyges/agents"
	"gyges/rules"
)

// Evaluator evaluates positions of one rule set. It holds no state: it may be
// shared between goroutines, and evaluating allocates nothing.
type Evaluator struct {
	rules   *rules.Rules
	weights [NumFeatures]float64
	network *wired // nil: none
}

// New returns the evaluator with weights w for rules r. It returns an error if
// w was made for another family of rules, or holds a number out of bounds.
func New(w Weights, r *rules.Rules) (*Evaluator, error) { return newEvaluator(w, r, nil) }

// newEvaluator does so with the network as it is kept, if it is.
func newEvaluator(w Weights, r *rules.Rules, kept map[*Network]*wired) (*Evaluator, error) {
	if f := Family(r); w.Rules != f {
		return nil, fmt.Errorf("%s are for %s rules; %s needs weights for %s rules", w.label(), w.Rules, r, f)
	}
	if err := w.check(); err != nil {
		return nil, err
	}
	e := &Evaluator{rules: r, weights: w.Values}
	if w.Network != nil {
		if e.network = kept[w.Network]; e.network == nil {
			e.network = w.Network.wire()
		}
		if kept != nil {
			kept[w.Network] = e.network
		}
	}
	return e, nil
}

// Features fills f with the features of p from the side to move.
func (e *Evaluator) Features(p rules.Position, f *[NumFeatures]float64) {
	measure(e.rules, p, f)
}

// Sense fills f with the features of p from the side to move and in with the
// inputs of a network, and returns what the evaluator's network makes of them, in
// hundredths of a point; 0 if it has none.
func (e *Evaluator) Sense(p rules.Position, f *[NumFeatures]float64, in *Inputs) (network float64) {
	co, cp := measure(e.rules, p, f)
	in.fill(p, &co, &cp)
	if e.network == nil {
		return 0
	}
	return float64(e.network.value(in)) / (Full * OutScale)
}

// Score returns the value of p for the side to move in hundredths of a point,
// within ±[agents.MaxEval]. It means something while the game goes on and no
// piece waits to be placed.
func (e *Evaluator) Score(p rules.Position) agents.Score {
	score, _ := e.Judge(p)
	return score
}

// Judge returns what Score does, and whether the opponent could reach his goal
// if he were to move.
func (e *Evaluator) Judge(p rules.Position) (score agents.Score, attacked bool) {
	var f [NumFeatures]float64
	co, cp := measure(e.rules, p, &f)
	sum := e.dot(&f) + e.networkValue(p, &co, &cp)
	return agents.Score(math.Round(min(max(sum, -float64(agents.MaxEval)), float64(agents.MaxEval)))), cp.Winners > 0
}

func (e *Evaluator) networkValue(p rules.Position, co, cp *rules.Control) float64 {
	if e.network == nil {
		return 0
	}
	var in Inputs
	in.fill(p, co, cp)
	return float64(e.network.value(&in)) / (Full * OutScale)
}

// Term is what one feature adds to a score.
type Term struct {
	Feature string  // its name in weights files
	Value   float64 // in the position
	Weight  float64 // hundredths of a point for each
}

// Terms divides the score of p over the features that are not zero there.
func (e *Evaluator) Terms(p rules.Position) []Term {
	var f [NumFeatures]float64
	var in Inputs
	var terms []Term
	if x := e.Sense(p, &f, &in); x != 0 {
		terms = append(terms, Term{networkName, x, 1})
	}
	for i, v := range f {
		if v != 0 && e.weights[i] != 0 {
			terms = append(terms, Term{names[i], v, e.weights[i]})
		}
	}
	return terms
}

// networkName stands for the network where a score is divided.
const networkName = "network"

// dot returns the sum of the weighted features.
func (e *Evaluator) dot(f *[NumFeatures]float64) float64 {
	sum := 0.0
	for i, w := range e.weights {
		sum += float64(w * f[i]) // the conversion forbids a fused multiply-add: equal sums on every machine
	}
	return sum
}
