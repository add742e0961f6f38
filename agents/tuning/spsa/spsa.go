// Package spsa maximises a function that can only be measured with noise, such as
// an agent's strength, by simultaneous perturbation (J. C. Spall, "Multivariate
// stochastic approximation using a simultaneous perturbation gradient
// approximation", IEEE Transactions on Automatic Control 37, 1992), with the
// conventions of Fishtest, the testing framework of Stockfish.
//
// A step moves every parameter θ at once by its c in a random direction and the
// opposite one, and measures the two against each other in some game pairs:
//
//	θ± = θ ± c_k·Δ              Δ = +1 or -1 for each parameter
//	θ ← θ + (a_k/c_k)·score·Δ    score: games won by θ+ minus those lost
//	c_k = c/k^Gamma              a_k = a/(A+k)^Alpha
//
// where k counts pairs from 1, and all pairs of a step have the k of its first. As in
// Fishtest, the settings of a parameter are c and r = a_k/c_k² at the end of the run.
//
// It is written in the style of gonum's optimize, but is no optimize.Method: one
// of those asks for the value at a point, and a match gives only the difference
// between two.
package spsa

import (
	"cmp"
	"context"
	"fmt"
	"gyges/agents/problems"
	"math"
	"math/rand/v2"
)

// Param is a parameter that is tuned.
type Param struct {
	Name     string
	Start    float64
	Min, Max float64 // bounds
	// C is the perturbation at the end of the run, above 0; for a whole number at
	// least ½.
	C float64
	// R is the learning rate: the ratio a/c² at the end of the run. A game won moves
	// the parameter by R·C. 0: 0.002.
	R float64
	// Whole marks a parameter that takes only whole numbers. Others are rounded up or
	// down at random without bias, with one draw for both directions.
	Whole bool
}

// Settings are the settings of a run.
type Settings struct {
	Params []Param
	// Steps is the number of steps.
	Steps int
	// Pairs is the number of game pairs of a step.
	Pairs int
	// Alpha is the decay exponent of the step size. 0: 0.602.
	Alpha float64
	// Gamma is the decay exponent of the perturbation. 0: 0.101.
	Gamma float64
	// A is the stability constant as a share of all pairs. 0: 0.1.
	A float64
	// Seed determines all perturbations.
	Seed uint64
	// After is the step to resume after, one passed to Record in a run with the same
	// settings; nil: start at the beginning. The steps that follow are the same.
	After *Step
	// Record is called after each step; may be nil. An error stops the run.
	Record func(Step) error
}

// Step is a step that was made.
type Step struct {
	Step   int       // from 1
	Score  float64   // games won by Plus minus games lost
	Plus   []float64 // the perturbed parameters
	Minus  []float64 // and those perturbed the other way
	Params []float64 // after the step; not rounded
}

// Measure plays the pairs of step k between two vectors of parameters and returns the
// games won by plus minus those lost. It must be deterministic.
type Measure func(ctx context.Context, k int, plus, minus []float64) (float64, error)

// Check returns an error that joins a *[problems.FieldError] for each thing that is
// wrong with the settings.
func (s *Settings) Check() error {
	var p problems.List
	p.Expect(len(s.Params) > 0, "parameters", "expected some, found none")
	for _, x := range s.Params {
		x.check(&p)
	}
	p.Expect(1 <= s.Steps && s.Steps <= maxCount, "steps",
		"expected a number from 1 to %d, found %d", maxCount, s.Steps)
	p.Expect(1 <= s.Pairs && s.Pairs <= maxCount, "pairs",
		"expected a number from 1 to %d, found %d", maxCount, s.Pairs)
	p.Expect(0 <= s.Alpha && s.Alpha <= 2, "alpha", "expected a number from 0 (for 0.602) to 2, found %v", s.Alpha)
	p.Expect(0 <= s.Gamma && s.Gamma <= 2, "gamma", "expected a number from 0 (for 0.101) to 2, found %v", s.Gamma)
	p.Expect(0 <= s.A && s.A <= 10, "a", "expected a number from 0 (for 0.1) to 10, found %v", s.A)
	if s.After != nil {
		p.Expect(0 <= s.After.Step && s.After.Step <= s.Steps && len(s.After.Params) == len(s.Params), "after",
			"expected a step of this run to go on from")
	}
	return p.Err()
}

const maxCount = 1_000_000

func (x Param) check(p *problems.List) {
	field := "parameters." + x.Name
	p.Expect(x.Min < x.Max, field, "expected a min below max, found %v and %v", x.Min, x.Max)
	p.Expect(x.Min <= x.Start && x.Start <= x.Max, field, "expected a start from %v to %v, found %v", x.Min, x.Max, x.Start)
	p.Expect(x.C > 0 && !math.IsInf(x.C, 0), field, "expected a c above 0, found %v", x.C)
	p.Expect(!x.Whole || !(x.C < 0.5), field, "expected a c of at least 0.5 for whole numbers, found %v", x.C)
	p.Expect(0 <= x.R && x.R <= 10, field, "expected an r from 0 (for 0.002) to 10, found %v", x.R)
}

// Run makes the steps and returns the final parameters. If ctx is cancelled or a
// measurement fails, the run can be resumed after the last recorded step.
func Run(ctx context.Context, s Settings, measure Measure) ([]float64, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	theta := make([]float64, len(s.Params))
	for i, p := range s.Params {
		theta[i] = p.Start
	}
	first := 1
	if s.After != nil {
		first = s.After.Step + 1
		copy(theta, s.After.Params)
	}
	for k := first; k <= s.Steps; k++ {
		step := s.perturb(k, theta)
		score, err := measure(ctx, k, step.Plus, step.Minus)
		if err != nil {
			return theta, err
		}
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return theta, fmt.Errorf("step %d: expected a finite score, found %v", k, score)
		}
		for i, p := range s.Params {
			a, c := s.gains(p, k)
			theta[i] = clip(theta[i]+a/c*score*step.delta[i], p)
		}
		step.Score = score
		step.Params = append([]float64(nil), theta...)
		if s.Record != nil {
			if err := s.Record(step.Step); err != nil {
				return theta, err
			}
		}
	}
	return theta, nil
}

// gains returns a_k and c_k of a parameter in a step.
func (s *Settings) gains(p Param, step int) (a, c float64) {
	alpha, gamma := cmp.Or(s.Alpha, 0.602), cmp.Or(s.Gamma, 0.101)
	n := float64(s.Steps) * float64(s.Pairs)
	k := float64(step-1)*float64(s.Pairs) + 1
	stability := cmp.Or(s.A, 0.1) * n
	last := cmp.Or(p.R, 0.002) * p.C * p.C
	return last * math.Pow((stability+n)/(stability+k), alpha), p.C * math.Pow(n/k, gamma)
}

// perturbed is a step before its measurement.
type perturbed struct {
	Step
	delta []float64
}

// perturb returns the perturbations of step k, which depend on the seed and the step
// only.
func (s *Settings) perturb(k int, theta []float64) perturbed {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(k)))
	st := perturbed{Step: Step{Step: k}}
	for i, p := range s.Params {
		delta, u := float64(2*rng.IntN(2)-1), rng.Float64()
		_, c := s.gains(p, k)
		st.delta = append(st.delta, delta)
		st.Plus = append(st.Plus, measurable(theta[i]+c*delta, u, p))
		st.Minus = append(st.Minus, measurable(theta[i]-c*delta, u, p))
	}
	return st
}

// measurable returns x clipped and rounded at random; u is a draw from 0 to 1.
func measurable(x, u float64, p Param) float64 {
	x = clip(x, p)
	if p.Whole {
		x = clip(math.Floor(x+u), p)
	}
	return x
}

func clip(x float64, p Param) float64 { return min(max(x, p.Min), p.Max) }

// Round returns parameters with whole numbers rounded.
func (s *Settings) Round(theta []float64) []float64 {
	list := append([]float64(nil), theta...)
	for i, p := range s.Params {
		if p.Whole {
			list[i] = clip(math.Round(theta[i]), p)
		}
	}
	return list
}
