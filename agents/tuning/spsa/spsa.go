// Package spsa climbs a function that can only be measured with noise, such as
// an agent's strength, by simultaneous perturbation (J. C. Spall, "Multivariate
// stochastic approximation using a simultaneous perturbation gradient
// approximation", IEEE Transactions on Automatic Control 37, 1992), with the
// conventions of Fishtest, the testing framework of Stockfish.
//
// A step moves every parameter θ at once by its c in a random direction and the
// opposite one, and measures the two against each other in some game pairs:
//
//	θ± = θ ± c_k·Δ              Δ = +1 or -1 for each parameter
//	θ ← θ + (a_k/c_k)·score·Δ    score: games that θ+ won less those it lost
//	c_k = c/k^Gamma              a_k = a/(A+k)^Alpha
//
// where k counts pairs from 1, and all pairs of a step have the k of its first.
// As in Fishtest, what is given for each parameter is c and r = a_k/c_k² at the
// end of the run.
//
// It is written in the style of gonum's optimize, but is no optimize.Method: one
// of those asks for the value at a point, and a match gives only the difference
// between two.
package spsa

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gyges/agents/tuning"
)

// Param is a number that is tuned.
type Param struct {
	Name     string
	Start    float64
	Min, Max float64 // it never leaves these
	// C is how far it is moved for a measurement at the end of the run, above 0;
	// for a whole number at least ½.
	C float64
	// R is the ratio a/c² at the end of the run, which says how far a step goes: a
	// game won moves the parameter by R·C. 0: 0.002.
	R float64
	// Whole says that only whole numbers can be measured. Between them, one is
	// drawn so that their mean is right, with one draw for both directions.
	Whole bool
}

// Settings say how to climb.
type Settings struct {
	Params []Param
	// Steps is how many are made.
	Steps int
	// Pairs is how many game pairs a step measures.
	Pairs int
	// Alpha is how fast steps get shorter. 0: 0.602.
	Alpha float64
	// Gamma is how fast the distance of measurements gets shorter. 0: 0.101.
	Gamma float64
	// A is the share of all pairs after which steps begin to get shorter in
	// earnest. 0: 0.1.
	A float64
	// Seed is what all directions are drawn from.
	Seed uint64
	// After is the step to go on after; nil: the beginning. It is one that Record
	// was told in a run with the same settings, and what follows is the same.
	After *Step
	// Record is told each step; nil: nobody looks on. An error stops the run.
	Record func(Step) error
}

// Step is a step that was made.
type Step struct {
	Step   int       // from 1
	Score  float64   // games that Plus won less those it lost
	Plus   []float64 // what was measured,
	Minus  []float64 // and what against
	Params []float64 // where the step has led to; whole numbers, too, are between two
}

// Measure lets two vectors of parameters play so many pairs of step k against
// each other and returns how many more games plus won than minus. It must be the same for
// the same step and vectors.
type Measure func(ctx context.Context, k int, plus, minus []float64) (float64, error)

// Check returns an error that joins a *[tuning.FieldError] for each thing that is
// wrong with the settings.
func (s *Settings) Check() error {
	var p tuning.Problems
	p.Expect(len(s.Params) > 0, "parameters", "expected some, found none")
	for _, x := range s.Params {
		x.check(&p)
	}
	p.Expect(1 <= s.Steps && s.Steps <= maxCount, "steps", "expected a number from 1 to %d, found %d", maxCount, s.Steps)
	p.Expect(1 <= s.Pairs && s.Pairs <= maxCount, "pairs", "expected a number from 1 to %d, found %d", maxCount, s.Pairs)
	p.Expect(0 <= s.Alpha && s.Alpha <= 2, "alpha", "expected a number from 0 (for 0.602) to 2, found %v", s.Alpha)
	p.Expect(0 <= s.Gamma && s.Gamma <= 2, "gamma", "expected a number from 0 (for 0.101) to 2, found %v", s.Gamma)
	p.Expect(0 <= s.A && s.A <= 10, "a", "expected a number from 0 (for 0.1) to 10, found %v", s.A)
	if s.After != nil {
		p.Expect(0 <= s.After.Step && s.After.Step <= s.Steps && len(s.After.Params) == len(s.Params), "after", "expected a step of this run to go on from")
	}
	return p.Err()
}

const maxCount = 1_000_000

func (x Param) check(p *tuning.Problems) {
	field := "parameters." + x.Name
	p.Expect(x.Min < x.Max, field, "expected a min below max, found %v and %v", x.Min, x.Max)
	p.Expect(x.Min <= x.Start && x.Start <= x.Max, field, "expected a start from %v to %v, found %v", x.Min, x.Max, x.Start)
	p.Expect(x.C > 0 && !math.IsInf(x.C, 0), field, "expected a c above 0, found %v", x.C)
	p.Expect(!x.Whole || !(x.C < 0.5), field, "expected a c of at least 0.5 for whole numbers, found %v", x.C)
	p.Expect(0 <= x.R && x.R <= 10, field, "expected an r from 0 (for 0.002) to 10, found %v", x.R)
}

func orElse(x, otherwise float64) float64 {
	if x == 0 {
		return otherwise
	}
	return x
}

// Run makes the steps and returns the parameters they lead to. If ctx is
// cancelled or a measurement fails, what was recorded can be gone on from.
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
	alpha, gamma := orElse(s.Alpha, 0.602), orElse(s.Gamma, 0.101)
	n := float64(s.Steps) * float64(s.Pairs)
	k := float64(step-1)*float64(s.Pairs) + 1
	stability := orElse(s.A, 0.1) * n
	last := orElse(p.R, 0.002) * p.C * p.C
	return last * math.Pow((stability+n)/(stability+k), alpha), p.C * math.Pow(n/k, gamma)
}

// perturbed is a step that has still to be measured.
type perturbed struct {
	Step
	delta []float64
}

// perturb draws what step k measures. The draws depend on the seed and the step
// alone.
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

// measurable returns a value that can be measured in the place of x; u is a draw
// from 0 to 1.
func measurable(x, u float64, p Param) float64 {
	x = clip(x, p)
	if p.Whole {
		x = clip(math.Floor(x+u), p)
	}
	return x
}

func clip(x float64, p Param) float64 { return min(max(x, p.Min), p.Max) }

// Round returns parameters as they can be used: whole numbers where need be.
func (s *Settings) Round(theta []float64) []float64 {
	list := append([]float64(nil), theta...)
	for i, p := range s.Params {
		if p.Whole {
			list[i] = clip(math.Round(theta[i]), p)
		}
	}
	return list
}
