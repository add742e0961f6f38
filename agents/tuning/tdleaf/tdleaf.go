// Package tdleaf learns the weights of a linear evaluation from the games that a
// search with it plays, by temporal differences of the leaves that its principal
// variations lead to (J. Baxter, A. Tridgell and L. Weaver, "Learning to play
// chess using temporal differences", Machine Learning 40, 2000).
//
// A leaf with the features f is worth the probability that South wins,
//
//	v = 1 / (1 + exp(-K · Σ weight × feature))
//
// with the features as South sees them. The gradient of a game whose positions have
// the values v_1 … v_n, and whose result is v_n+1, is
//
//	Σ_t ∇v_t · Σ_j≥t λ^(j-t) · (v_j+1 - v_j)
//
// summed over the games of a step. The step size is AdaGrad's (J. Duchi, E. Hazan and
// Y. Singer, Journal of Machine Learning Research 12, 2011), in units of the weight's
// feature.
package tdleaf

import (
	"fmt"
	"math"
	"slices"

	"gyges/rules/base/problems"
)

// Leaf is the position at the end of one decision's principal variation.
type Leaf struct {
	Features []float64 // from the leaf's side to move
	Base     float64   // the rest of the evaluation, in hundredths of a point; finite
	South    bool      // South is to move there
	Proven   bool      // the game is decided there: Value is exact, and there is no gradient
	Value    float64   // if proven: 1 if South wins, 0 if North does, ½ for a draw
}

// Game is a game by its leaves, one for each decision, in order.
type Game struct {
	Leaves []Leaf
	Result float64 // 1 if South won, ½ for a draw, 0 if North won
}

// Settings are the settings of a run.
type Settings struct {
	// Frozen marks the weights that are not tuned; nil: none.
	Frozen []bool
	// Lambda is λ, from 0 (each value is drawn to the next) to 1 (to the result).
	Lambda float64
	// Rate is the learning rate: the change of a feature's typical contribution to the
	// score in the first step, in hundredths of a point; above 0.
	Rate float64
	// Scale is K, the logit of a hundredth of a point; above 0.
	Scale float64
}

// State is the state of a run after a step.
type State struct {
	Weights []float64 // in hundredths of a point
	// Loss is the mean cross-entropy of the results by the values that the leaves
	// had before the step, in nats.
	Loss float64
	// Gradients and Features are the sums of squares of each weight's gradients
	// so far and of its feature's values, and Leaves how many those were.
	Gradients, Features []float64
	Leaves              float64
}

// Start returns the state before the first step.
func Start(weights []float64) State {
	n := len(weights)
	return State{Weights: weights, Gradients: make([]float64, n), Features: make([]float64, n)}
}

// Check returns an error that joins a *[problems.FieldError] for each invalid field.
func (s *Settings) Check() error {
	var p problems.List
	p.Expect(0 <= s.Lambda && s.Lambda <= 1, "lambda", "expected a number from 0 to 1, found %v", s.Lambda)
	p.Expect(0 < s.Rate && s.Rate <= 1000, "rate", "expected a number above 0, at most 1000, found %v", s.Rate)
	p.Expect(0 < s.Scale && s.Scale <= 2, "scale", "expected a number above 0, at most 2, found %v", s.Scale)
	return p.Err()
}

// Step returns the state after learning from games played with the state's weights.
func (s *Settings) Step(state State, games []Game) (State, error) {
	next := State{
		Leaves:    state.Leaves,
		Weights:   slices.Clone(state.Weights),
		Gradients: slices.Clone(state.Gradients),
		Features:  slices.Clone(state.Features),
	}
	gradient := make([]float64, len(state.Weights))
	loss, leaves := 0.0, 0
	for i := range games {
		l, n, err := s.accumulate(&games[i], state.Weights, gradient, next.Features)
		if err != nil {
			return state, fmt.Errorf("game %d: %w", i, err)
		}
		loss, leaves = loss+l, leaves+n
	}
	next.Leaves += float64(leaves)
	if leaves > 0 {
		next.Loss = loss / float64(leaves)
	}
	for j, g := range gradient {
		if g == 0 || s.Frozen != nil && s.Frozen[j] {
			continue
		}
		next.Gradients[j] += g * g
		rms := math.Sqrt(next.Features[j] / next.Leaves)
		next.Weights[j] += s.Rate / rms * g / math.Sqrt(next.Gradients[j])
	}
	return next, nil
}

// accumulate adds the gradient of a game to gradient, and the squares of its features
// to squares. It returns the sum of the losses of its leaves that are not proven,
// and how many those are.
func (s *Settings) accumulate(g *Game, weights, gradient, squares []float64) (loss float64, leaves int, err error) {
	if !(0 <= g.Result && g.Result <= 1) {
		return 0, 0, fmt.Errorf("expected a result from 0 to 1, found %v", g.Result)
	}
	values := make([]float64, len(g.Leaves)+1)
	values[len(g.Leaves)] = g.Result
	for t := range g.Leaves {
		if values[t], err = s.value(&g.Leaves[t], weights); err != nil {
			return 0, 0, fmt.Errorf("decision %d: %w", t, err)
		}
	}
	tdErrors := 0.0 // Σ_j≥t λ^(j-t) (v_j+1 - v_j)
	for t := len(g.Leaves) - 1; t >= 0; t-- {
		v := values[t]
		tdErrors = values[t+1] - v + s.Lambda*tdErrors
		leaf := &g.Leaves[t]
		if leaf.Proven {
			continue
		}
		leaves++
		loss -= g.Result*math.Log(max(v, 1e-300)) + (1-g.Result)*math.Log(max(1-v, 1e-300))
		slope := v * (1 - v) * s.Scale * sign(leaf.South) * tdErrors
		for j, f := range leaf.Features {
			gradient[j] += slope * f
			squares[j] += f * f
		}
	}
	return loss, leaves, nil
}

// value returns the probability that South wins from a leaf.
func (s *Settings) value(l *Leaf, weights []float64) (float64, error) {
	if l.Proven {
		if !(0 <= l.Value && l.Value <= 1) {
			return 0, fmt.Errorf("expected a value from 0 to 1, found %v", l.Value)
		}
		return l.Value, nil
	}
	if len(l.Features) != len(weights) {
		return 0, fmt.Errorf("expected %d features, found %d", len(weights), len(l.Features))
	}
	if math.IsNaN(l.Base) || math.IsInf(l.Base, 0) {
		return 0, fmt.Errorf("expected a finite base, found %v", l.Base)
	}
	x := l.Base
	for j, f := range l.Features {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return 0, fmt.Errorf("feature %d: expected a finite number, found %v", j, f)
		}
		x += weights[j] * f
	}
	return 1 / (1 + math.Exp(-s.Scale*sign(l.South)*x)), nil
}

func sign(positive bool) float64 {
	if positive {
		return 1
	}
	return -1
}
