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
// gonum's optimize has no such method: one of those evaluates the function at a point,
// and a match gives only the difference between two.
package spsa

import (
	"cmp"
	"math"
	"math/rand/v2"

	"gyges/rules/base/problems"
)

// Param is a parameter that is tuned.
type Param struct {
	Name  string
	Start float64 `yaml:"start"`
	Min   float64 `yaml:"min"` // bounds, with Max
	Max   float64 `yaml:"max"`
	// C is the perturbation at the end of the run, above 0; for a whole number at
	// least ½.
	C float64 `yaml:"c"`
	// R is the learning rate: the ratio a/c² at the end of the run. A game won moves
	// the parameter by R·C. 0: 0.002.
	R float64 `yaml:"r"`
	// Whole marks a parameter that takes only whole numbers. Others are rounded up or
	// down at random without bias, with one draw for both directions.
	Whole bool
}

// Settings are the settings of a run.
type Settings struct {
	Params []Param
	// Steps is the number of steps.
	Steps int `yaml:"steps"`
	// Pairs is the number of game pairs of a step.
	Pairs int `yaml:"pairs"`
	// Alpha is the decay exponent of the step size. 0: 0.602.
	Alpha float64 `yaml:"alpha"`
	// Gamma is the decay exponent of the perturbation. 0: 0.101.
	Gamma float64 `yaml:"gamma"`
	// A is the stability constant as a share of all pairs. 0: 0.1.
	A float64 `yaml:"a"`
	// Seed determines all perturbations.
	Seed uint64
}

// Check returns an error that joins a *[problems.FieldError] for each invalid field.
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
	return p.Err()
}

const maxCount = 1_000_000

func (p Param) check(list *problems.List) {
	field := "parameters." + p.Name
	list.Expect(p.Min < p.Max, field, "expected a min below max, found %v and %v", p.Min, p.Max)
	list.Expect(p.Min <= p.Start && p.Start <= p.Max, field,
		"expected a start from %v to %v, found %v", p.Min, p.Max, p.Start)
	list.Expect(p.C > 0 && !math.IsInf(p.C, 0), field, "expected a c above 0, found %v", p.C)
	list.Expect(!p.Whole || !(p.C < 0.5), field, "expected a c of at least 0.5 for whole numbers, found %v", p.C)
	list.Expect(0 <= p.R && p.R <= 10, field, "expected an r from 0 (for 0.002) to 10, found %v", p.R)
}

// Start returns the parameters at the start.
func (s *Settings) Start() []float64 {
	theta := make([]float64, len(s.Params))
	for i, p := range s.Params {
		theta[i] = p.Start
	}
	return theta
}

// Perturb returns the parameters that play each other in step k, from 1. They depend
// on the settings, k and theta alone.
func (s *Settings) Perturb(k int, theta []float64) (plus, minus []float64) {
	plus, minus = make([]float64, len(theta)), make([]float64, len(theta))
	deltas, draws := s.draw(k)
	for i, p := range s.Params {
		_, c := s.gains(p, k)
		plus[i] = p.measurable(theta[i]+c*deltas[i], draws[i])
		minus[i] = p.measurable(theta[i]-c*deltas[i], draws[i])
	}
	return plus, minus
}

// Update returns the parameters after step k; score is the number of games that plus
// won minus those it lost. They are not rounded.
func (s *Settings) Update(k int, theta []float64, score float64) []float64 {
	next := make([]float64, len(theta))
	deltas, _ := s.draw(k)
	for i, p := range s.Params {
		a, c := s.gains(p, k)
		next[i] = p.clip(theta[i] + a/c*score*deltas[i])
	}
	return next
}

// draw returns the directions of step k, +1 or -1, and a draw from 0 to 1 for the
// rounding of each parameter.
func (s *Settings) draw(k int) (deltas, draws []float64) {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(k)))
	for range s.Params {
		deltas, draws = append(deltas, float64(2*rng.IntN(2)-1)), append(draws, rng.Float64())
	}
	return deltas, draws
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

// measurable returns x clipped and rounded at random; u is a draw from 0 to 1.
func (p Param) measurable(x, u float64) float64 {
	x = p.clip(x)
	if p.Whole {
		x = p.clip(math.Floor(x + u))
	}
	return x
}

func (p Param) clip(x float64) float64 { return min(max(x, p.Min), p.Max) }

// Round returns parameters with whole numbers rounded.
func (s *Settings) Round(theta []float64) []float64 {
	list := append([]float64(nil), theta...)
	for i, p := range s.Params {
		if p.Whole {
			list[i] = p.clip(math.Round(theta[i]))
		}
	}
	return list
}
