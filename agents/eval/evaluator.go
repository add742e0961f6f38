// Package eval is the static evaluation: the sum of weight × feature from the side to move
// ([Evaluator.Extract]) and of the output of a [Network], whose inputs are the content and control
// of each square. Both are data: a versioned JSON file with the family of rules it is for and its
// provenance ([Read]). One for each family is embedded ([Default]).
//
// Begin with [Evaluator]. Agents embed a [Source], which reads the [Weights] that their parameters
// name and makes of them an evaluator for the rules of a game. A position goes through the rules'
// control of both sides to the features and the network's inputs, and from them to the score.
//
// The network has one hidden layer over binary inputs, as in the efficiently updatable networks of
// Y. Nasu (2018), but is small enough to be computed anew for every position.
package eval

import (
	"gyges/agents"
	"gyges/agents/eval/inputs"
	"gyges/agents/policy"
	"gyges/rules"
)

// Evaluator evaluates positions of one rule set. It holds no state: it may be
// shared between goroutines, and evaluating allocates nothing.
type Evaluator struct {
	rules   *rules.Rules
	weights Vector
	network *packed        // nil: none
	policy  *policy.Policy // nil: none
}

// New returns the evaluator with weights w for rules r. It returns an error if
// w was made for another family of rules, or holds a number out of bounds.
func New(w Weights, r *rules.Rules) (*Evaluator, error) {
	if err := w.suit(r); err != nil {
		return nil, err
	}
	if err := w.check(); err != nil {
		return nil, w.labelled(err)
	}
	e := &Evaluator{rules: r, weights: w.Values}
	if w.Network != nil {
		e.network = w.Network.pack()
	}
	if w.Policy != nil {
		e.policy = w.Policy.Pack()
	}
	return e, nil
}

// Policy returns the policy that orders moves, nil if there is none.
func (e *Evaluator) Policy() *policy.Policy { return e.policy }

// Extract fills f with the features of p from the side to move and in with the inputs of a network.
// It returns the output of the evaluator's network in hundredths of a point, 0 if it has none, and
// whether the opponent could reach the goal if it were to move.
func (e *Evaluator) Extract(
	p rules.Position, f *Vector, in *inputs.List,
) (network float64, attacked bool) {
	side := p.Side()
	own := e.rules.Control(p, side)
	opp := e.rules.Control(p, side.Other())
	v := collector{values: f}
	v.fill(p, &own, &opp)
	in.Extract(p, &own, &opp)
	if e.network != nil {
		network = float64(e.network.value(in)) / (QA * QB)
	}
	return network, opp.Winners > 0
}

// Score returns the value of p for the side to move in hundredths of a point, within
// ±[agents.MaxEval]. It is defined while the game is undecided and no piece is to be placed.
func (e *Evaluator) Score(p rules.Position) agents.Score {
	score, _ := e.Evaluate(p)
	return score
}

// Evaluate returns the score of p, and whether the opponent could reach the goal if it were to
// move.
func (e *Evaluator) Evaluate(p rules.Position) (score agents.Score, attacked bool) {
	var f Vector
	var in inputs.List
	network, attacked := e.Extract(p, &f, &in)
	sum := 0.0
	for i, w := range e.weights[:len(names)] {
		// The conversion forbids a fused multiply-add: equal sums on every machine.
		sum += float64(w * f[i])
	}
	return agents.Evaluated(sum + network), attacked
}

// Term is the contribution of one feature to a score.
type Term struct {
	Feature string  // its name in weights files; "network": the network's output
	Value   float64 // in the position
	Weight  float64 // hundredths of a point for each
}

// Terms returns the contributions of the features that are not zero in p.
func (e *Evaluator) Terms(p rules.Position) []Term {
	var f Vector
	var in inputs.List
	var terms []Term
	network, _ := e.Extract(p, &f, &in)
	if network != 0 {
		terms = append(terms, Term{"network", network, 1})
	}
	for i, v := range f[:len(names)] {
		if v != 0 && e.weights[i] != 0 {
			terms = append(terms, Term{names[i], v, e.weights[i]})
		}
	}
	return terms
}
