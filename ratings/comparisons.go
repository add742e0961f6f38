package ratings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gyges/rules/base/interval"
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
	p, okA := r.Player(a)
	q, okB := r.Player(b)
	switch {
	case !okA:
		return Difference{}, fmt.Errorf("compare %.60q with %.60q: %.60q has no rating", a, b, a)
	case !okB:
		return Difference{}, fmt.Errorf("compare %.60q with %.60q: %.60q has no rating", a, b, b)
	case a == b:
		return Difference{}, fmt.Errorf("compare %.60q with itself: expected two players", a)
	case p.Group != q.Group:
		return Difference{}, fmt.Errorf("compare %.60q with %.60q: they are rated in different groups", a, b)
	}
	i, _ := r.data.number(a)
	j, _ := r.data.number(b)
	elo, sd := p.Elo-q.Elo, r.estimate.sd(r.estimate.rating[i], r.estimate.rating[j])*eloPerNat
	return Difference{Elo: elo, Error: interval.Z95 * sd, LOS: superiority(elo, sd)}, nil
}

// HeadToHead is what two players scored against each other, and what was
// expected of them. All is seen by A, who is rated higher.
type HeadToHead struct {
	Number   int // its place in the list, from 1
	A, B     string
	Count            // A's
	Expected float64 // points by the ratings and the advantage, from 0 to the games
	// Z is the points scored less those expected, over the standard deviation
	// that chance gives that, the pull of the games themselves on the ratings
	// allowed for: beyond ±2 in one of twenty pairings if the model is right.
	Z float64
}

// HeadToHeads lists the pairings that entered the fit, those that fit worst
// first.
func (r *Ratings) HeadToHeads() []HeadToHead {
	e := r.estimate
	if e == nil {
		return nil
	}
	list := make([]HeadToHead, len(e.residuals))
	for k := range list {
		m := &e.residuals[k]
		h := m.headToHead(e.correlation)
		if h.A, h.B = r.data.names[m.a], r.data.names[m.b]; r.place[m.a] > r.place[m.b] {
			h.A, h.B, h.Count = h.B, h.A, h.flip()
			h.Expected, h.Z = float64(h.Games())-h.Expected, 0-h.Z // no -0
		}
		list[k] = h
	}
	slices.SortStableFunc(list, func(a, b HeadToHead) int {
		// Rounded, so that equal ones stay in the order of names.
		return cmp.Compare(math.Round(1e6*math.Abs(b.Z)), math.Round(1e6*math.Abs(a.Z)))
	})
	for k := range list {
		list[k].Number = k + 1
	}
	return list
}

// headToHead compares a pairing with its expectation; names are left out.
func (m *residual) headToHead(correlation float64) HeadToHead {
	h := HeadToHead{Count: m.total()}
	for side := range m.scores {
		won := m.scores[side].expected()
		if side == 1 {
			won = 1 - won
		}
		h.Expected += won * float64(m.count(side).Games())
	}
	taken := math.Min(maxLeverage, m.difference*float64(m.games())/2) // of the variance, by the fit
	if sd := math.Sqrt(m.pointsVariance(correlation) * (1 - taken)); sd > 0 {
		h.Z = (h.Points() - h.Expected) / sd
	}
	return h
}

// pointsVariance is the variance of the points of a pairing.
func (m *residual) pointsVariance(correlation float64) float64 {
	var v [2]float64 // by side, of one game's points
	sum := 0.0
	for side := range m.scores {
		v[side] = m.scores[side].pointsVariance()
		sum += float64(m.count(side).Games()) * v[side]
	}
	return math.Max(0, sum-2*float64(m.pairCount())*correlation*math.Sqrt(v[0]*v[1]))
}

// Names returns all players in the order of the rating table.
func (r *Ratings) Names() (names []string) {
	for _, p := range r.Players {
		names = append(names, p.Name)
	}
	for _, u := range r.Unrated {
		names = append(names, u.Name)
	}
	return names
}

// Against returns what a player scored against another, also in games that were left out of the fit.
func (r *Ratings) Against(player, opponent string) Count {
	a, okA := r.data.number(player)
	b, okB := r.data.number(opponent)
	k, met := slices.BinarySearchFunc(r.data.met, pairing{a: min(a, b), b: max(a, b)}, pairing.compare)
	if !okA || !okB || !met {
		return Count{}
	}
	c := r.data.met[k].total()
	if a > b {
		return c.flip()
	}
	return c
}
