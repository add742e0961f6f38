package ratings

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Difference is how much stronger one player is than another.
type Difference struct {
	Elo   float64 // positive if the first is rated higher
	Error float64 // half the 95 % interval in Elo
	// LOS is the likelihood of superiority: the probability, 0 to 1, that the
	// first player is the stronger one, by the normal approximation.
	LOS float64
}

// Difference compares two players by the covariance of their ratings. It is an
// error if they are one player, or not rated in one group.
func (r *Ratings) Difference(a, b string) (Difference, error) {
	i, okA := r.index[a]
	j, okB := r.index[b]
	switch {
	case !okA:
		return Difference{}, fmt.Errorf("compare %.60q with %.60q: %.60q has no rating", a, b, a)
	case !okB:
		return Difference{}, fmt.Errorf("compare %.60q with %.60q: %.60q has no rating", a, b, b)
	case i == j:
		return Difference{}, fmt.Errorf("compare %.60q with itself: expected two players", a)
	case r.Players[i].Group != r.Players[j].Group:
		return Difference{}, fmt.Errorf("compare %.60q with %.60q: they are rated in different groups", a, b)
	}
	e := r.estimate
	elo := r.Players[i].Elo - r.Players[j].Elo
	sd := math.Sqrt(e.cov.difference(e.param[i], e.param[j])) * eloPerNat
	return Difference{Elo: elo, Error: z95 * sd, LOS: superiority(elo, sd)}, nil
}

// superiority is the probability that a normal variable is positive. Without
// variance, it is or it isn't.
func superiority(mean, sd float64) float64 {
	switch {
	case sd > 0:
		return distuv.UnitNormal.CDF(mean / sd)
	case mean > 0:
		return 1
	case mean < 0:
		return 0
	}
	return 0.5
}
