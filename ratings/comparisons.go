package ratings

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

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

// Difference compares two players. It isn't known, and NaN, if they are one player, or of different groups.
func (r *Ratings) Difference(a, b string) (d Difference, known bool) {
	p, okA := r.Player(a)
	q, okB := r.Player(b)
	if !okA || !okB || a == b || p.Group != q.Group {
		return Difference{math.NaN(), math.NaN(), math.NaN()}, false
	}
	i, _ := r.data.number(a)
	j, _ := r.data.number(b)
	elo, sd := p.Elo-q.Elo, r.estimate.sd(r.estimate.rating[i], r.estimate.rating[j])*eloPerNat
	return Difference{Elo: elo, Error: interval.Z95 * sd, LOS: superiority(elo, sd)}, true
}

// HeadToHead is what two players scored against each other, and what was expected, as A saw it, who is rated higher.
type HeadToHead struct {
	Number   int // its place in the list, from 1
	A, B     string
	Count            // A's
	Expected float64 // points by the ratings and the advantage, from 0 to the games
	// Z is the points scored less those expected, over the standard deviation that chance gives that, the pull of the
	// games themselves on the ratings allowed for: beyond ±2 in one of twenty pairings if the model is right.
	Z float64
}

// HeadToHeads lists the pairings that entered the fit, those that fit worst first.
func (r *Ratings) HeadToHeads() []HeadToHead {
	e := r.estimate
	if e == nil {
		return nil
	}
	list := make([]HeadToHead, len(e.pairings))
	for k := range list {
		m := e.residual(k)
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
	h, surplus := HeadToHead{Count: m.total()}, m.surplus()
	h.Expected = h.Points() - surplus
	taken := math.Min(maxLeverage, m.difference*float64(m.games())/2) // of the variance, by the fit
	z := surplus / math.Sqrt(math.Max(leastVariance, m.pointsVariance(correlation)*(1-taken)))
	h.Z = math.Max(-maxDeviation, math.Min(maxDeviation, z))
	return h
}

const (
	// leastVariance is the smallest variance of points that is not rounding alone, where anchors
	// leave nothing to chance.
	leastVariance = 1e-20
	maxDeviation  = 1e6 // of points from those expected, in standard deviations
)

// pointsVariance is the variance of the points of a pairing.
func (m *residual) pointsVariance(correlation float64) float64 {
	a, b := m.scores[0].pointsVariance(), m.scores[1].pointsVariance()
	sum := float64(m.count(0).Games())*a + float64(m.count(1).Games())*b
	return math.Max(0, sum-2*float64(m.pairCount())*correlation*math.Sqrt(a*b))
}

// Names returns all players in the order of the rating table.
func (r *Ratings) Names() (names []string) {
	for _, p := range slices.Concat(r.Players, r.Unrated) {
		names = append(names, p.Name)
	}
	return names
}

// Against returns what a player scored against another, also in games that were left out of the fit.
func (r *Ratings) Against(player, opponent string) Count {
	a, okA := r.data.number(player)
	b, okB := r.data.number(opponent)
	k, met := slices.BinarySearchFunc(r.data.met, newPairing(min(a, b), max(a, b)), pairing.compare)
	if !okA || !okB || !met {
		return Count{}
	}
	c := r.data.met[k].total()
	if a > b {
		return c.flip()
	}
	return c
}

// GoodnessOfFit is the sum over all pairings of (points - expectation)² over the variance that chance gives it.
type GoodnessOfFit struct {
	ChiSquare float64
	// Degrees of freedom: pairings less the ratings fitted to them. 0 also where pairings have so few games, less than
	// eight on average, that the sum says nothing: then ChiSquare is 0 and P is 1.
	Degrees int
	// P is the probability of a sum this large or larger by the chi-square distribution.
	P float64
}

// minGamesMet is the mean number of games of pairings from which on the sum is distributed about as it should be.
const minGamesMet = 8

// GoodnessOfFit compares all results with those expected.
func (r *Ratings) GoodnessOfFit() GoodnessOfFit {
	e, f := r.estimate, GoodnessOfFit{P: 1}
	if e == nil || len(e.pairings) <= e.ratings() || r.Used < minGamesMet*len(e.pairings) {
		return f
	}
	f.Degrees = len(e.pairings) - e.ratings()
	for k := range e.pairings {
		m := e.residual(k)
		d, v := m.surplus(), math.Max(leastVariance, m.pointsVariance(e.correlation))
		f.ChiSquare += math.Min(maxDeviation*maxDeviation, d*d/v)
	}
	f.P = distuv.ChiSquared{K: float64(f.Degrees)}.Survival(f.ChiSquare)
	return f
}

// surplus returns the points of the pairing's first player less those expected.
func (m *residual) surplus() float64 {
	sum, w := 0.0, m.weights()
	for side := range m.scores {
		for o, n := range w[side] {
			sum += n * m.scores[side].score[o][0]
		}
	}
	return sum
}
