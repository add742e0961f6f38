// Package ranking fits the weights of a policy to the moves that searches chose, by
// multinomial logistic regression.
//
// A move of a position is expected to be chosen with a probability in proportion to
// exp(score), where the score is the policy's. The weights minimise the mean of -ln p of the
// moves chosen, by AdaGrad (J. Duchi, E. Hazan and Y. Singer, 2011), one position at a
// time, at a rate that falls linearly to 0.
package ranking

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gyges/agents/policy"
	"gyges/rules"
)

// Choice is a position with the move that was chosen.
type Choice struct {
	Position rules.Position
	Move     rules.Move
}

// Settings are the settings of a fit.
type Settings struct {
	Epochs int             `json:"epochs" check:"1..10000" help:"Passes over all positions."`
	Rate   float64         `json:"rate" check:"0..1" zero:"for 0.1" help:"Learning rate of the first step."`
	Seed   uint64          `json:"seed,string" default:"1" help:"Seed of the order of positions."`
	Parent *policy.Weights `json:"-"` // to start from; nil: zero
}

const defaultRate = 0.1

// Measure is how well a policy predicts choices.
type Measure struct {
	Positions int                  `json:"positions"`
	Loss      float64              `json:"loss"`  // mean of -ln p of the moves chosen
	Among     [len(Firsts)]float64 `json:"among"` // share of positions whose move is among the first ones: see Firsts
}

// Firsts are the numbers of first moves that a [Measure] counts.
var Firsts = [4]int{1, 4, 8, 16}

// Result is the result of a fit.
type Result struct {
	Positions int             `json:"positions"` // fitted to
	Parent    Measure         `json:"parent"`    // on the test positions
	Test      Measure         `json:"test"`      // on the same, after the fit
	Weights   *policy.Weights `json:"-"`
}

// Fit fits a policy to choices of games under r and measures it on others. The error is
// ctx's, or that there are no choices.
func Fit(ctx context.Context, r *rules.Rules, train, test []Choice, s Settings) (*Result, error) {
	if len(train) == 0 {
		return nil, errors.New("expected positions with the moves played, found none")
	}
	f := &fit{rules: r, rate: cmp.Or(s.Rate, defaultRate)}
	if s.Parent != nil {
		for i, x := range s.Parent {
			f.weights[i] = float64(x) / policy.Unit
		}
	}
	result := &Result{Parent: f.measure(test)}
	rng := rand.New(rand.NewPCG(s.Seed, 0))
	order := slices.Clone(train)
	for epoch := range s.Epochs {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for i, c := range order {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			done := (float64(epoch) + float64(i)/float64(len(order))) / float64(s.Epochs)
			if f.position(c) {
				f.step(f.rate * (1 - done))
			}
		}
	}
	result.Weights = f.quantise()
	result.Positions, result.Test = len(train), f.measure(test)
	return result, nil
}

// fit is the state of a fit, with the moves of one position.
type fit struct {
	rules   *rules.Rules
	rate    float64
	weights [policy.NumWeights]float64
	squares [policy.NumWeights]float64 // sums of the gradient's squares
	grad    [policy.NumWeights]float64 // of the position

	moves    rules.MoveSet
	view     policy.View
	features []uint16  // of all moves
	ends     []int     // of the features of each move
	p        []float64 // probabilities of the moves
	chosen   int
	loss     float64
}

// position computes the features and probabilities of the moves of a position, and the
// loss. It returns false if there is nothing to learn: the move wins at once, is the only
// one, or one that loses at once.
func (f *fit) position(c Choice) bool {
	r, p := f.rules, c.Position
	if c.Move == rules.Pass || r.Outcome(r.Apply(p, c.Move)) != rules.Undecided {
		return false
	}
	r.Moves(p, &f.moves)
	if r.CanWin(p, p.Side().Other()) {
		r.QuickEvasions(p, &f.moves)
	}
	if !f.moves.Contains(c.Move) || f.moves.Len() < 2 {
		return false
	}
	f.view.Begin(r, p, &f.moves)
	f.features, f.ends, f.p = f.features[:0], f.ends[:0], f.p[:0]
	highest := math.Inf(-1)
	for m := range f.moves.All() {
		if m == c.Move {
			f.chosen = len(f.ends)
		}
		first := len(f.features)
		f.features = f.view.Features(m, f.features)
		score := 0.0
		for _, i := range f.features[first:] {
			score += f.weights[i]
		}
		f.ends, f.p = append(f.ends, len(f.features)), append(f.p, score)
		highest = max(highest, score)
	}
	sum, score := 0.0, f.p[f.chosen]
	for i, x := range f.p {
		f.p[i] = math.Exp(x - highest)
		sum += f.p[i]
	}
	for i := range f.p {
		f.p[i] /= sum
	}
	f.loss = math.Log(sum) + highest - score
	return true
}

// step makes a step against the gradient of the position's loss.
func (f *fit) step(rate float64) {
	first := 0
	for i, end := range f.ends {
		residual := f.p[i]
		if i == f.chosen {
			residual--
		}
		for _, k := range f.features[first:end] {
			f.grad[k] += residual
		}
		first = end
	}
	const epsilon = 1e-3
	for _, k := range f.features {
		if g := f.grad[k]; g != 0 { // a feature of several moves comes once
			f.squares[k] += g * g
			f.weights[k] -= rate * g / (math.Sqrt(f.squares[k]) + epsilon)
			f.grad[k] = 0
		}
	}
}

// measure returns the measure of the weights on choices.
func (f *fit) measure(choices []Choice) (m Measure) {
	for _, c := range choices {
		if !f.position(c) {
			continue
		}
		before := 0 // of equal ones half
		for i, p := range f.p {
			switch {
			case i == f.chosen:
			case p > f.p[f.chosen]:
				before += 2
			case p == f.p[f.chosen]:
				before++
			}
		}
		m.Positions++
		m.Loss += f.loss
		for k, n := range Firsts {
			if before/2 < n {
				m.Among[k]++
			}
		}
	}
	n := float64(max(m.Positions, 1))
	m.Loss /= n
	for k := range m.Among {
		m.Among[k] /= n
	}
	return m
}

// quantise returns the weights as whole numbers, and sets them to these.
func (f *fit) quantise() *policy.Weights {
	w := new(policy.Weights)
	for i, x := range f.weights {
		w[i] = int16(min(max(math.Round(x*policy.Unit), -policy.MaxWeight), policy.MaxWeight))
		f.weights[i] = float64(w[i]) / policy.Unit
	}
	return w
}
