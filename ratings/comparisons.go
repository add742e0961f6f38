package ratings

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"gyges/ratings/sprt"
	"gyges/rules/base/interval"
)

// This file answers what is asked of [Ratings] after the fit: how two players compare, and how well
// results fit.

// Difference is how much stronger one player is than another.
type Difference struct {
	Elo   float64 // positive if the first is rated higher
	Error float64 // half the 95 % interval in Elo
	// LOS is the likelihood of superiority: the probability, 0 to 1, that the first player is the
	// stronger one, by the normal approximation.
	LOS float64
}

// Difference compares two players. It isn't known, and NaN, if they are one player, or of different
// groups.
func (r *Ratings) Difference(a, b string) (d Difference, known bool) {
	p, i := r.find(a)
	q, j := r.find(b)
	rated := p != nil && q != nil
	if !rated || p == q || p.Group != q.Group {
		nan := math.NaN()
		return Difference{nan, nan, nan}, false
	}
	e := r.estimate
	sd := e.sd(e.rating[i], e.rating[j]) * eloPerNat
	d.Elo = p.Elo - q.Elo
	d.Error = interval.Z95 * sd
	d.LOS = superiority(d.Elo, sd)
	return d, true
}

// superiority is the probability that a difference is positive, by its estimate and its standard
// error, which may be 0.
func superiority(mean, sd float64) float64 {
	if mean == 0 {
		return 0.5
	}
	return distuv.UnitNormal.CDF(mean / sd)
}

// Names returns all players in the order of the rating table.
func (r *Ratings) Names() (names []string) {
	for _, p := range slices.Concat(r.Players, r.Unrated) {
		names = append(names, p.Name)
	}
	return names
}

// Against returns what a player scored against another, also in games that were left out of the
// fit.
func (r *Ratings) Against(player, opponent string) Count {
	a, okA := r.data.number(player)
	b, okB := r.data.number(opponent)
	pair := newPairing(min(a, b), max(a, b))
	k, met := slices.BinarySearchFunc(r.data.met, pair, pairing.compare)
	if !okA || !okB || !met {
		return Count{}
	}
	c := r.data.met[k].total()
	if a > b {
		return c.flip()
	}
	return c
}

// HeadToHead is what two players scored against each other, and what was expected, as A saw it, who
// is rated higher.
type HeadToHead struct {
	Number   int // its place in the list, from 1
	A, B     string
	Count               // A's
	Expected float64    // points by the ratings and the advantage, from 0 to the games
	Pairs    sprt.Pairs // by A's half points
	// Z is the points scored less those expected, over the standard deviation that chance gives
	// that, the pull of the games themselves on the ratings allowed for: beyond ±2 in one of
	// twenty pairings if the model is right.
	Z float64
}

const (
	// leastVariance is the smallest variance of points that is not rounding alone, where anchors
	// leave nothing to chance.
	leastVariance = 1e-20
	maxDeviation  = 1e6 // of points from those expected, in standard deviations
)

// HeadToHeads lists the pairings that entered the fit, those that fit worst first.
func (r *Ratings) HeadToHeads() []HeadToHead {
	e := r.estimate
	if e == nil {
		return nil
	}
	list := make([]HeadToHead, len(e.pairings))
	for k := range list {
		list[k] = r.headToHead(k)
	}
	slices.SortStableFunc(list, func(a, b HeadToHead) int {
		return cmp.Compare(b.misfit(), a.misfit())
	})
	for k := range list {
		list[k].Number = k + 1
	}
	return list
}

// misfit is the size of Z, rounded, so that equal ones stay in the order of names.
func (h HeadToHead) misfit() float64 { return math.Round(1e6 * math.Abs(h.Z)) }

// headToHead compares the kth pairing with its expectation.
func (r *Ratings) headToHead(k int) HeadToHead {
	m := r.estimate.residual(k)
	surplus, variance := m.surplus()
	pairs := float64(m.games()) / 2
	taken := math.Min(maxLeverage, m.difference*pairs) // of the variance, by the fit
	left := math.Max(leastVariance, variance*(1-taken))
	z := surplus / math.Sqrt(left)
	z = math.Max(-maxDeviation, math.Min(maxDeviation, z))
	h := HeadToHead{Count: m.total(), Pairs: m.pentanomial(), Z: z}
	h.Expected = h.Points() - surplus
	a, b := m.a, m.b
	if r.place[a] > r.place[b] {
		a, b = b, a
		h.Count = h.flip()
		h.Expected = float64(h.Games()) - h.Expected
		h.Z = 0 - z // no -0
		slices.Reverse(h.Pairs[:])
	}
	h.A = r.data.names[a]
	h.B = r.data.names[b]
	return h
}

// surplus returns the points of the pairing's first player less those expected, and the variance
// that chance gives the points.
func (m *residual) surplus() (surplus, variance float64) {
	var games, single [2]float64 // games, and the variance of the points of one, by who had South
	for side, w := range m.weights() {
		for o, n := range w {
			surplus += n * m.scores[side].score[o][0]
		}
		games[side] = w.sum()
		single[side] = m.scores[side].pointsVariance()
	}
	sum := games[0]*single[0] + games[1]*single[1]
	// The players swap sides in a pair: what South scores in both games cancels.
	pairs := float64(m.pairCount())
	common := 2 * pairs * m.correlation * math.Sqrt(single[0]*single[1])
	return surplus, math.Max(0, sum-common)
}

// GoodnessOfFit is Pearson's statistic, the sum over all pairings of (points - expectation)² over
// the variance that chance gives the points.
type GoodnessOfFit struct {
	ChiSquare float64
	// Degrees of freedom: pairings less the ratings fitted to them. 0 also where pairings have so
	// few games, less than eight on average, that the sum says nothing: then ChiSquare is 0 and P
	// is 1.
	Degrees int
	// P is the probability of a sum this large or larger by the chi-square distribution.
	P float64
}

// minGamesMet is the mean number of games of pairings from which on the sum is distributed about as
// it should be.
const minGamesMet = 8

// GoodnessOfFit compares all results with those expected.
func (r *Ratings) GoodnessOfFit() GoodnessOfFit {
	f := GoodnessOfFit{P: 1}
	e := r.estimate
	if e == nil {
		return f
	}
	degrees := len(e.pairings) - e.freeRatings()
	if degrees <= 0 || r.Used < minGamesMet*len(e.pairings) {
		return f
	}
	f.Degrees = degrees
	for k := range e.pairings {
		m := e.residual(k)
		surplus, variance := m.surplus()
		square := surplus * surplus / math.Max(leastVariance, variance)
		f.ChiSquare += math.Min(maxDeviation*maxDeviation, square)
	}
	f.P = distuv.ChiSquared{K: float64(f.Degrees)}.Survival(f.ChiSquare)
	return f
}
