package ratings

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// A player counts in full in the mean that is zero if its closeness to the others is at least fullCloseness of the mean
// closeness, and otherwise with the square of the ratio: all do in round-robins, gauntlets and Swiss tournaments.
const (
	fullCloseness = 0.7
	weighings     = 30 // more change little
)

// weigh sets the shares of the players in the sums that are zero. If all counted alike, one game of a newcomer would
// make the zero uncertain, and so everybody's distance to it. The shares follow from who met whom how often, and not
// from the results: the closeness of two players is one over the variance of their difference if all are equal.
func (l *likelihood) weigh() error {
	if len(l.constraints) == 0 {
		return nil
	}
	factors, err := l.at(make([]float64, l.dim)).factorize()
	if err != nil {
		return err
	}
	c, err := (&maximum{likelihood: l, factors: factors}).inverse()
	for k := range l.constraints {
		c.weigh(l.constraints[k].shares)
	}
	return err
}

func (c covariance) weigh(shares []float64) {
	for n, last := 0, 0.0; n < weighings && floats.Sum(shares) != last; n++ {
		last = floats.Sum(shares)
		closeness := make([]float64, len(shares))
		for i, own := range shares {
			for j := 0; own > 0 && j < len(shares); j++ {
				if i != j && shares[j] > 0 {
					closeness[i] += shares[j] / c.variance(i, j)
				}
			}
		}
		full := fullCloseness * floats.Dot(shares, closeness) / last
		for i := range shares {
			if closeness[i] > 0 {
				shares[i] = math.Min(1, closeness[i]*closeness[i]/full/full)
			}
		}
	}
}

// barelyLinked reports whether a player has less than half the weight of others in the mean that is zero.
func (e *estimate) barelyLinked(player int) bool {
	weight := 0.0 // it is in one group at most
	for _, c := range e.constraints {
		if i := e.rating[player]; i >= 0 {
			weight += c.shares[i]
		}
	}
	return 0 < weight && weight < 0.5
}
