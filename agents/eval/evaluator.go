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
	network *packed // nil: none
}

// New returns the evaluator with weights w for rules r. It returns an error if
// w was made for another family of rules, or holds a number out of bounds.
func New(w Weights, r *rules.Rules) (*Evaluator, error) { return newEvaluator(w, r, nil) }

// newEvaluator is New with a cache of packed networks, which may be nil.
func newEvaluator(w Weights, r *rules.Rules, cache map[*Network]*packed) (*Evaluator, error) {
	if f := Family(r); w.Rules != f {
		return nil, fmt.Errorf("%s are for %s rules; %s needs weights for %s rules", w.label(), w.Rules, r, f)
	}
	if err := w.check(); err != nil {
		return nil, err
	}
	e := &Evaluator{rules: r, weights: w.Values}
	if w.Network != nil {
		if e.network = cache[w.Network]; e.network == nil {
			e.network = w.Network.pack()
		}
		if cache != nil {
			cache[w.Network] = e.network
		}
	}
	return e, nil
}

// Extract fills f with the features of p from the side to move and in with the
// inputs of a network, and returns the output of the evaluator's network in
// hundredths of a point; 0 if it has none.
func (e *Evaluator) Extract(p rules.Position, f *[NumFeatures]float64, in *Inputs) (network float64) {
	co, cp := extractFeatures(e.rules, p, f)
	in.extract(p, &co, &cp)
	if e.network == nil {
		return 0
	}
	return float64(e.network.value(in)) / (QA * QB)
}

// Score returns the value of p for the side to move in hundredths of a point,
// within ±[agents.MaxEval]. It is defined while the game is undecided and no piece
// is to be placed.
func (e *Evaluator) Score(p rules.Position) agents.Score {
	score, _ := e.Evaluate(p)
	return score
}

// Evaluate returns the score of p, and whether the opponent could reach the goal if
// it were to move.
func (e *Evaluator) Evaluate(p rules.Position) (score agents.Score, attacked bool) {
	var f [NumFeatures]float64
	co, cp := extractFeatures(e.rules, p, &f)
	sum := e.dot(&f) + e.networkValue(p, &co, &cp)
	return agents.Score(math.Round(min(max(sum, -float64(agents.MaxEval)), float64(agents.MaxEval)))), cp.Winners > 0
}

func (e *Evaluator) networkValue(p rules.Position, co, cp *rules.Control) float64 {
	if e.network == nil {
		return 0
	}
	var in Inputs
	in.extract(p, co, cp)
	return float64(e.network.value(&in)) / (QA * QB)
}

// Term is the contribution of one feature to a score.
type Term struct {
	Feature string  // its name in weights files
	Value   float64 // in the position
	Weight  float64 // hundredths of a point for each
}

// Terms returns the contributions of the features that are not zero in p.
func (e *Evaluator) Terms(p rules.Position) []Term {
	var f [NumFeatures]float64
	var in Inputs
	var terms []Term
	if x := e.Extract(p, &f, &in); x != 0 {
		terms = append(terms, Term{networkName, x, 1})
	}
	for i, v := range f {
		if v != 0 && e.weights[i] != 0 {
			terms = append(terms, Term{names[i], v, e.weights[i]})
		}
	}
	return terms
}

// networkName is the network's name in a Term.
const networkName = "network"

// dot returns the sum of the weighted features.
func (e *Evaluator) dot(f *[NumFeatures]float64) float64 {
	sum := 0.0
	for i, w := range e.weights {
		sum += float64(w * f[i]) // the conversion forbids a fused multiply-add: equal sums on every machine
	}
	return sum
}
