package ratings

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// HeadToHead is what two players scored against each other, and what was
// expected of them. All is seen by A, who is rated higher.
type HeadToHead struct {
	A, B     string
	Count            // A's
	Expected float64 // points by the ratings and the advantage, from 0 to the games
	// Z is the points scored less those expected, over the standard deviation
	// that chance gives that, the pull of the games themselves on the ratings
	// allowed for: beyond ±2 in one of twenty pairings if the model is right.
	Z float64
}

// GoodnessOfFit is the sum over all pairings of the squared difference between points
// and expectation, over the variance that chance gives it.
type GoodnessOfFit struct {
	ChiSquare float64
	// Degrees of freedom: pairings less the ratings fitted to them. 0 also where
	// pairings have so few games, less than eight on average, that the sum says
	// nothing: then ChiSquare is 0 and P is 1.
	Degrees int
	// P is the probability of a sum this large or larger if the model is right;
	// 1 without degrees of freedom.
	P float64
}

// minGamesMet is the number of games that pairings must have on average for the
// sum of squares to be distributed about as it should.
const minGamesMet = 8

// HeadToHeads lists the pairings that entered the fit, those that fit worst
// first.
func (r *Ratings) HeadToHeads() []HeadToHead {
	e := r.estimate
	if e == nil {
		return nil
	}
	list := make([]HeadToHead, len(e.met))
	for k := range e.met {
		list[k] = e.headToHead(k, r.meetings)
		if r.index[list[k].A] > r.index[list[k].B] {
			list[k] = list[k].flip()
		}
	}
	slices.SortStableFunc(list, func(a, b HeadToHead) int {
		// Rounded, so that equal ones stay in the order of names.
		return cmp.Compare(math.Round(1e6*math.Abs(b.Z)), math.Round(1e6*math.Abs(a.Z)))
	})
	return list
}

func (h HeadToHead) flip() HeadToHead {
	return HeadToHead{A: h.B, B: h.A, Count: h.Count.flip(), Expected: float64(h.Games()) - h.Expected, Z: -h.Z}
}

// headToHead compares pairing k with its expectation.
func (e *estimate) headToHead(k int, m *meetings) HeadToHead {
	met := &e.met[k]
	h := HeadToHead{A: m.names[met.a], B: m.names[met.b], Count: met.total()}
	sides := &e.scores.sides[k]
	for i, s := range sides {
		won := s.chance[2] + s.chance[1]/2
		if i == 1 {
			won = 1 - won
		}
		h.Expected += won * float64(met.count(i).Games())
	}
	if sd := math.Sqrt(e.chance(k) * e.left(k)); sd > 0 {
		h.Z = (h.Points() - h.Expected) / sd
	}
	return h
}

// left is the share of the variance of pairing k that the fit has not taken up.
func (e *estimate) left(k int) float64 {
	return 1 - math.Min(maxLeverage, e.leverages[k].u*float64(e.met[k].games())/2)
}

// chance is the variance of the points of pairing k.
func (e *estimate) chance(k int) float64 {
	met, sides := &e.met[k], &e.scores.sides[k]
	var v [2]float64 // by side, of one game's points
	for i, s := range sides {
		won := s.chance[2] + s.chance[1]/2
		v[i] = s.chance[2] + s.chance[1]/4 - won*won
	}
	pairs := float64(met.pairCount())
	sum := -2 * pairs * e.scores.rhoZ * math.Sqrt(v[0]*v[1])
	for i := range v {
		sum += float64(met.count(i).Games()) * v[i]
	}
	return math.Max(0, sum)
}

// goodnessOfFit adds the squares up. Each counts as far as the fit has left it free,
// so that what they add up to is the degrees of freedom.
func (r *Ratings) goodnessOfFit() GoodnessOfFit {
	f := GoodnessOfFit{P: 1}
	e := r.estimate
	f.Degrees = max(0, len(e.met)-e.model.ratings())
	if f.Degrees == 0 || r.Used < minGamesMet*len(e.met) {
		return GoodnessOfFit{P: 1}
	}
	for k := range e.met {
		z := e.headToHead(k, r.meetings).Z
		f.ChiSquare += z * z * e.left(k)
	}
	f.P = distuv.ChiSquared{K: float64(f.Degrees)}.Survival(f.ChiSquare)
	return f
}
