package ratings

import "gonum.org/v1/gonum/stat/distuv"

// GoodnessOfFit is the sum over all pairings of the squared difference between points
// and expectation, over the variance that chance gives it.
type GoodnessOfFit struct {
	ChiSquare float64
	// Degrees of freedom: pairings less the ratings fitted to them. 0 also where
	// pairings have so few games, less than eight on average, that the sum says
	// nothing: then ChiSquare is 0 and P is 1.
	Degrees int
	// P is the probability of a sum this large or larger by the chi-square distribution.
	P float64
}

// minGamesMet is the number of games that pairings must have on average for the
// sum of squares to be distributed about as it should.
const minGamesMet = 8

// GoodnessOfFit compares all results with those expected.
func (r *Ratings) GoodnessOfFit() GoodnessOfFit {
	e := r.estimate
	if e == nil {
		return GoodnessOfFit{P: 1}
	}
	pairings := len(e.residuals)
	f := GoodnessOfFit{Degrees: pairings - e.ratings()}
	if f.Degrees <= 0 || r.Used < minGamesMet*pairings {
		return GoodnessOfFit{P: 1}
	}
	for k := range e.residuals {
		m := &e.residuals[k]
		if v, d := m.pointsVariance(e.correlation), m.surplus(); v > 0 {
			f.ChiSquare += d * d / v
		}
	}
	f.P = distuv.ChiSquared{K: float64(f.Degrees)}.Survival(f.ChiSquare)
	return f
}

// surplus returns the points of the pairing's first player less those expected.
func (m *residual) surplus() float64 {
	sum := 0.0
	for side := range m.scores {
		for o, n := range m.outcomes[side] {
			sum += n * m.scores[side].score[o][0]
		}
	}
	return sum
}
