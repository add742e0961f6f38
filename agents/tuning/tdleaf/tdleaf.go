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
	"context"
	"fmt"
	"gyges/agents/problems"
	"math"
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
	// Parent is the weights to start from, in hundredths of a point.
	Parent []float64
	// Frozen marks the weights that are not tuned; nil: none.
	Frozen []bool
	// Steps is the number of steps.
	Steps int
	// Lambda is λ, from 0 (each value is drawn to the next) to 1 (to the result).
	Lambda float64
	// Rate is the learning rate: the change of a feature's typical contribution to the
	// score in the first step, in hundredths of a point; above 0.
	Rate float64
	// Scale is K, the logit of a hundredth of a point; above 0.
	Scale float64
	// After is the state to resume from; nil: start at the beginning.
	After *State
	// Record is called after each step; may be nil. An error stops the run.
	Record func(State) error
}

// State is the state of a run after a step.
type State struct {
	Step    int // from 1; 0 before the first
	Games   int // in this step
	Weights []float64
	// Loss is the mean cross-entropy of the results by the values that the leaves
	// had before the step, in nats.
	Loss float64
	// Gradients and Features are the sums of squares of each weight's gradients
	// so far and of its feature's values, and Leaves how many those were.
	Gradients, Features []float64
	Leaves              float64
}

// Play plays the games of a step with weights. It must play the same games for
// the same step and weights.
type Play func(ctx context.Context, step int, weights []float64) ([]Game, error)

// Check returns an error that joins a *[problems.FieldError] for each thing that is
// wrong with the settings.
func (s *Settings) Check() error {
	var p problems.List
	n := len(s.Parent)
	p.Expect(n > 0, "weights", "expected parent weights, found none")
	p.Expect(s.Frozen == nil || len(s.Frozen) == n, "features",
		"expected %d flags of frozen weights, found %d", n, len(s.Frozen))
	p.Expect(1 <= s.Steps && s.Steps <= maxSteps, "steps",
		"expected a number from 1 to %d, found %d", maxSteps, s.Steps)
	p.Expect(0 <= s.Lambda && s.Lambda <= 1, "lambda", "expected a number from 0 to 1, found %v", s.Lambda)
	p.Expect(0 < s.Rate && s.Rate <= 1000, "rate", "expected a number above 0, at most 1000, found %v", s.Rate)
	p.Expect(0 < s.Scale && s.Scale <= 2, "scale", "expected a number above 0, at most 2, found %v", s.Scale)
	if a := s.After; a != nil {
		p.Expect(0 <= a.Step && a.Step <= s.Steps && len(a.Weights) == n && len(a.Gradients) == n && len(a.Features) == n, "after",
			"expected a state of this run to go on from")
	}
	return p.Err()
}

const maxSteps = 1_000_000

// Run makes the steps and returns the final state. If ctx is cancelled or play fails,
// the run can be resumed from the last recorded state.
func Run(ctx context.Context, s Settings, play Play) (State, error) {
	if err := s.Check(); err != nil {
		return State{}, err
	}
	n := len(s.Parent)
	state := State{Weights: s.Parent, Gradients: make([]float64, n), Features: make([]float64, n)}
	if s.After != nil {
		state = *s.After
	}
	for state.Step < s.Steps {
		games, err := play(ctx, state.Step+1, state.Weights)
		if err != nil {
			return state, err
		}
		if state, err = s.step(state, games); err != nil {
			return state, err
		}
		if s.Record != nil {
			if err := s.Record(state); err != nil {
				return state, err
			}
		}
	}
	return state, nil
}

// step returns the state after learning from games.
func (s *Settings) step(state State, games []Game) (State, error) {
	next := State{
		Step: state.Step + 1, Games: len(games), Leaves: state.Leaves,
		Weights:   append([]float64(nil), state.Weights...),
		Gradients: append([]float64(nil), state.Gradients...),
		Features:  append([]float64(nil), state.Features...),
	}
	gradient := make([]float64, len(s.Parent))
	loss, leaves := 0.0, 0
	for i := range games {
		l, n, err := s.accumulate(&games[i], state.Weights, gradient, next.Features)
		if err != nil {
			return state, fmt.Errorf("step %d, game %d: %w", next.Step, i, err)
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
