package ratings

import "math"

// drawShare is the probability of a draw at a given expected score, by the
// relation of Davidson (1970): draws are as the geometric mean of wins and
// losses. Its value is that constant of proportion, 0 without draws; it may be
// infinite, and then every game is drawn that can be.
type drawShare float64

// at is the probability d of a draw at the expected score e: the solution of
// d = v √(w l) with w = e-d/2 and l = 1-e-d/2.
func (v drawShare) at(e float64) float64 {
	most := 2 * math.Min(e, 1-e)
	switch {
	case v == 0 || most <= 0:
		return 0
	case math.IsInf(float64(v), 1):
		return most
	}
	// With r = 1/v²: (r - 1/4) d² + d/2 - e(1-e) = 0, in the form that doesn't
	// cancel.
	r := 1 / float64(v*v)
	s := e * (1 - e)
	root := math.Sqrt(math.Max(0, 0.25+4*(r-0.25)*s))
	return math.Min(most, 2*s/(0.5+root))
}

// fitDrawShare finds the share under which so many draws are expected in games
// at the given expected scores. If every game was drawn, the rest of the fit
// would take draws for certain; therefore draws·n/(n+1) are asked for in n
// games.
func fitDrawShare(scores, games []float64, draws float64) drawShare {
	total := 0.0
	for _, n := range games {
		total += n
	}
	if draws == 0 || total == 0 {
		return 0
	}
	draws *= total / (total + 1)
	expected := func(v drawShare) float64 {
		sum := 0.0
		for i, e := range scores {
			sum += games[i] * v.at(e)
		}
		return sum
	}
	low, high := -20.0, 20.0 // logarithms
	if expected(drawShare(math.Exp(high))) < draws {
		return drawShare(math.Inf(1))
	}
	for range 60 {
		if mid := (low + high) / 2; expected(drawShare(math.Exp(mid))) < draws {
			low = mid
		} else {
			high = mid
		}
	}
	return drawShare(math.Exp((low + high) / 2))
}
