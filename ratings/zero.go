package ratings

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	// A player counts in full in the mean that is zero if its closeness to the others is at least this share of the mean
	// closeness, and otherwise with the square of the ratio: all do in round-robins, gauntlets and Swiss tournaments.
	fullCloseness = 0.7
	maxWeighings  = 100 // of which some 10 do
)

// weigh sets the shares of the players in the sums that are zero. If all counted alike, one game of a newcomer would
// make the zero uncertain, and so everybody's distance to it. The shares follow from who met whom how often, and not
// from the results: the closeness of two players is one over the variance of their difference if all are equal.
func (l *likelihood) weigh() error {
	if len(l.constraints) == 0 {
		return nil
	}
	q := l.at(make([]float64, l.dim))
	factors, err := q.factorize()
	if err != nil {
		return err
	}
	c, err := (&maximum{likelihood: l, factors: factors}).inverse()
	for _, constraint := range l.constraints {
		var members []int
		for i, share := range constraint.shares {
			if share > 0 {
				members = append(members, i)
			}
		}
		for k, weight := range c.weights(members) {
			constraint.shares[members[k]] = weight
		}
	}
	return err
}

// weights returns the weights, 0 to 1, of the members of a group by their closeness to those that have weight.
func (c covariance) weights(members []int) []float64 {
	weights, closeness := slices.Repeat([]float64{1}, len(members)), make([]float64, len(members))
	for n, last := 0, 0.0; n < maxWeighings && len(members) > 2; n++ {
		sum := floats.Sum(weights)
		if math.Abs(sum-last) < 1e-9*sum {
			break
		}
		last = sum
		for k, i := range members {
			closeness[k] = 0
			for h, j := range members {
				if h != k {
					closeness[k] += weights[h] / c.variance(i, j)
				}
			}
		}
		full := fullCloseness * floats.Dot(weights, closeness) / sum
		for k := range weights {
			weights[k] = math.Min(1, closeness[k]*closeness[k]/full/full)
		}
	}
	return weights
}

// barelyLinked returns the players who have less than half the weight of others in the mean that is zero.
func (r *Ratings) barelyLinked() (names []string) {
	for _, p := range r.Players {
		i, _ := r.data.number(p.Name)
		number := r.estimate.rating[i]
		if number >= 0 && slices.ContainsFunc(r.estimate.constraints, func(c constraint) bool {
			return 0 < c.shares[number] && c.shares[number] < 0.5
		}) {
			names = append(names, p.Name)
		}
	}
	return names
}
