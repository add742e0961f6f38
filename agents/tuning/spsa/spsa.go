// Package spsa maximises a function that can only be measured with noise, such as an agent's
// strength, by simultaneous perturbation (J. C. Spall, "Multivariate stochastic approximation using
// a simultaneous perturbation gradient approximation", IEEE Transactions on Automatic Control 37,
// 1992), with the conventions of Fishtest, the testing framework of Stockfish.
//
// The manual, README.md beside this folder, has the formulas; there k counts pairs from 1, and all
// pairs of a step have the k of its first. gonum's optimize has no such method: one of those
// evaluates the function at a point, and a match gives only the difference between two.
package spsa

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gyges/rules/base/lists"
	"gyges/rules/base/problems"
)

// Param is a parameter that is tuned.
type Param struct {
	Name  string
	Start float64 `yaml:"start" help:"Where it begins. Default: what the agent has."`
	Min   float64 `yaml:"min" help:"Lower bound. Default: that of the parameter."`
	Max   float64 `yaml:"max" help:"Upper bound. Default: that of the parameter."`
	C     float64 `yaml:"c" help:"Perturbation at the end of the run, above 0; of a whole number at least 0.5."`
	R     float64 `yaml:"r" check:"0..10" zero:"for 0.002" help:"Learning rate, a/c² at the end of the run: a game won moves the parameter by r × c."`
	// Whole marks a parameter that takes only whole numbers. Others are rounded up or
	// down at random without bias, with one draw for both directions.
	Whole bool `yaml:"whole" help:"Whether only whole numbers are tried. Default: what the type says."`
}

// Settings are the settings of a run.
type Settings struct {
	Params []Param
	Steps  int     `yaml:"steps" check:"1..1000000" help:"Number of steps."`
	Pairs  int     `yaml:"pairs" check:"1..1000000" help:"Game pairs of a step."`
	Alpha  float64 `yaml:"alpha" check:"0..2" zero:"for 0.602" help:"Exponent by which steps get smaller."`
	Gamma  float64 `yaml:"gamma" check:"0..2" zero:"for 0.101" help:"Exponent by which perturbations get smaller."`
	A      float64 `yaml:"a" check:"0..10" zero:"for 0.1" help:"Stability constant as a share of all pairs."`
	Seed   uint64  // determines all perturbations
}

// Check adds the invalid settings to p, but for the bounds in their tags.
func (s *Settings) Check(p *problems.List) {
	p.Expect(len(s.Params) > 0, "parameters", "expected some, found none")
	for _, param := range s.Params {
		param.check(p)
	}
}

// check adds what is invalid in a parameter to a list.
func (p Param) check(list *problems.List) {
	field := "parameters." + p.Name
	sum := p.Start + p.Min + p.Max
	isFinite := math.Abs(sum) <= math.MaxFloat64 // NaN isn't
	list.Expect(isFinite, field,
		"expected numbers as start, min and max, found %v, %v and %v; give what the engine "+
			"doesn't announce, and whole: true if it is whole", p.Start, p.Min, p.Max)
	if !isFinite {
		return
	}
	room := p.Max - p.Min
	list.Expect(room > 0, field,
		"expected a min below max, found %v and %v", p.Min, p.Max)
	list.Expect(problems.Within(p.Start, p.Min, p.Max), field,
		"expected a start from %v to %v, found %v", p.Min, p.Max, p.Start)
	if p.Whole {
		whole := p.Min == math.Trunc(p.Min) && p.Max == math.Trunc(p.Max)
		list.Expect(whole, field,
			"expected a min and a max that are whole numbers, found %v and %v", p.Min, p.Max)
	}
	if room <= 0 { // which was told already
		room = math.Inf(1)
	}
	list.Expect(0 < p.C && p.C <= room, field,
		"expected a c above 0, at most max - min, found %v", p.C)
	if p.Whole {
		rounds := p.C < 0.5 // to the same numbers
		list.Expect(!rounds, field,
			"expected a c of at least 0.5 for whole numbers, found %v", p.C)
	}
	list.Expect(problems.Within(p.R, 0, 10), field,
		"expected an r from 0 (for 0.002) to 10, found %v", p.R)
}

// Start returns the parameters at the start.
func (s *Settings) Start() []float64 {
	return lists.Map(s.Params, func(p Param) float64 { return p.Start })
}

// Perturb returns the parameters that play each other in step k, from 1, by the settings, k and
// theta alone.
func (s *Settings) Perturb(k int, theta []float64) (plus, minus []float64) {
	directions := s.draw(k)
	for i, p := range s.Params {
		d := directions[i]
		_, c := s.gains(p, k)
		c *= d.delta
		plus = append(plus, p.measurable(theta[i]+c, d.rounding))
		minus = append(minus, p.measurable(theta[i]-c, d.rounding))
	}
	return plus, minus
}

// Update returns the parameters, unrounded, after step k; score is plus's games won less those
// lost.
func (s *Settings) Update(k int, theta []float64, score float64) []float64 {
	next := make([]float64, len(theta))
	directions := s.draw(k)
	for i, p := range s.Params {
		a, c := s.gains(p, k)
		next[i] = p.clip(theta[i] + a/c*score*directions[i].delta)
	}
	return next
}

// direction is what is drawn for a parameter in a step.
type direction struct {
	delta    float64 // +1 or -1
	rounding float64 // from 0 to 1: decides whether a number is rounded up
}

// draw returns the directions of step k.
func (s *Settings) draw(k int) []direction {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(k)))
	list := make([]direction, len(s.Params))
	for i := range list {
		list[i].delta = float64(2*rng.IntN(2) - 1)
		list[i].rounding = rng.Float64()
	}
	return list
}

// The usual settings, from Fishtest.
const (
	defaultAlpha = 0.602
	defaultGamma = 0.101
	defaultA     = 0.1
	defaultR     = 0.002
)

// gains returns a_k and c_k of a parameter in a step.
func (s *Settings) gains(p Param, step int) (a, c float64) {
	alpha := cmp.Or(s.Alpha, defaultAlpha)
	gamma := cmp.Or(s.Gamma, defaultGamma)
	n := float64(s.Steps * s.Pairs)
	earlier := (step - 1) * s.Pairs
	k := float64(earlier + 1)

	stability := cmp.Or(s.A, defaultA) * n
	decay := (stability + n) / (stability + k)
	rate := cmp.Or(p.R, defaultR)
	last := rate * p.C * p.C // a at the end of the run
	a = last * math.Pow(decay, alpha)
	c = p.C * math.Pow(n/k, gamma)
	return a, c
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
	list := slices.Clone(theta)
	for i, p := range s.Params {
		if p.Whole {
			list[i] = p.clip(math.Round(theta[i]))
		}
	}
	return list
}
