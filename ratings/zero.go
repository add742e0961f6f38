package ratings

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// This file says what the zero of a group without anchors is: a weighted mean of its ratings.

// A player counts in full in the mean that is zero if its closeness to the others is at least
// fullCloseness of the mean closeness, and otherwise with the square of the ratio: all do in
// round-robins, gauntlets and Swiss tournaments.
const (
	fullCloseness = 0.7
	weighings     = 30 // more change little
)

// weigh sets the shares of the players in the sums that are zero. If all counted alike, one game of
// a newcomer would make the zero uncertain, and so everybody's distance to it. The shares follow
// from who met whom how often, and not from the results: the closeness of two players is one over
// the variance of their difference if all are equal.
func (l *likelihood) weigh(ctx context.Context) error {
	if len(l.constraints) == 0 {
		return nil
	}
	q, err := l.at(make([]float64, l.dim)).curvature()
	if err != nil {
		return err
	}
	inverse, err := q.inverse(ctx)
	if err != nil {
		return err
	}
	for _, c := range l.constraints {
		c.weigh(inverse)
	}
	return nil
}

// weigh sets the shares of a group, by each player's closeness to the others. As these count by
// their shares, it is repeated until the shares stay.
func (c *constraint) weigh(inverse covariance) {
	last := 0.0
	for range weighings {
		sum := floats.Sum(c.shares)
		if sum == last {
			return
		}
		last = sum
		closeness := inverse.closeness(c)
		full := fullCloseness * floats.Dot(c.shares, closeness) / sum
		for k, v := range closeness {
			if v > 0 {
				c.shares[k] = math.Min(1, v*v/full/full)
			}
		}
	}
}

func (d dense) closeness(c *constraint) []float64 {
	closeness := make([]float64, len(c.shares))
	for k, i := range c.members {
		for h, j := range c.members {
			if h != k {
				closeness[k] += c.shares[h] / d.variance(i, j)
			}
		}
	}
	return closeness
}

// closeness is taken for one over the variance of a player's difference from a mean one.
func (s *sampled) closeness(c *constraint) []float64 {
	variances := make([]float64, len(c.members))
	sum := floats.Sum(c.shares)
	for _, draw := range s.draws {
		for q := range columns {
			mean := 0.0
			for k, i := range c.members {
				mean += c.shares[k] * float64(draw.solutions[i*columns+q]) / sum
			}
			for k, i := range c.members {
				d := float64(draw.solutions[i*columns+q]) - mean
				variances[k] += d * d
			}
		}
	}
	average := floats.Dot(c.shares, variances) / sum
	for k, v := range variances {
		variances[k] = 1 / (v + average)
	}
	return variances
}

// barelyLinked reports whether a player has less than half the weight of others in the mean that is
// zero.
func (e *estimate) barelyLinked(player int) bool {
	for _, c := range e.constraints {
		if k, ok := slices.BinarySearch(c.members, e.rating[player]); ok {
			return c.shares[k] < 0.5
		}
	}
	return false
}
