package eval

import (
	"math"

	"gyges/agents"
	"gyges/rules"
)

// WinProbability returns the probability that the side to move wins, draws counting half, by a
// score, of two agents like alphabeta:nodes=20000. A proven result is 0 or 1.
//
// The scale, how many hundredths of a point make the odds e times as high, is the maximum
// likelihood fit of results by the movers' unproven scores in some 250 games under each of
// standard, simplified and kang between copies of that agent, from random set-ups with two or three
// random plies. Without any tenth of the games the fit gives 56 to 63, 93 to 118, and 121 to 149.
func WinProbability(s agents.Score, r *rules.Rules) float64 {
	scale := 60.0
	switch Family(r) {
	case Simplified:
		scale = 110
	case Kang:
		scale = 135
	}
	switch {
	case s >= agents.WinScore:
		return 1
	case s <= -agents.WinScore:
		return 0
	}
	return 1 / (1 + math.Exp(-float64(s)/scale))
}
