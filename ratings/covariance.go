package ratings

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// estimate is the maximum of the likelihood with the covariance of what was fitted.
type estimate struct {
	*maximum
	share       drawShare
	leverages   []leverage // by pairing
	correlation float64    // of South's points in the two games of a pair
	// dispersion is the variance of the results about their expectation over that which the likelihood takes for granted:
	// less than one where draws count as half points.
	dispersion float64
	covariance
}

// leverage is that of a game pair of a pairing in the difference and the advantage: the share of its variance that the
// fit takes up.
type leverage struct{ difference, advantage float64 }

// residual says how the results of a pairing scatter about what the fit expects.
type residual struct {
	*pairing
	leverage
	scores [2]gameScores // by who had South
}

// estimate maximizes the likelihood. The covariance is H⁻¹ S H⁻¹: the inverse of the Hessian, the
// score covariance, and the inverse again. The constraints in H make it that of
// ratings relative to the weighted mean of their group, which has no variance.
func (l *likelihood) estimate(ctx context.Context) (*estimate, error) {
	if err := l.weigh(ctx); err != nil {
		return nil, err
	}
	m, err := l.maximize(ctx, make([]float64, l.dim))
	if err != nil {
		return nil, err
	}
	inverse, err := m.curvature.inverse(ctx)
	if err != nil {
		return nil, err
	}
	e := &estimate{maximum: m, share: m.drawShare(), leverages: m.leverages(inverse)}
	e.correlation, e.dispersion = e.correlate(), 1
	terms, observed, expected := slices.Clone(m.about.terms), 0.0, 0.0
	inParts(len(e.pairings), func(_, from, to int) {
		for k := from; k < to; k++ {
			terms[k].sym2 = e.residual(k).covariance(e.correlation)
		}
	})
	for k := range e.pairings {
		expected += m.about.terms[k].sym2[0]
		observed += terms[k].sym2[0]
	}
	if observed > 0 && expected > 0 {
		e.dispersion = observed / expected
	}
	e.covariance, err = m.curvature.sandwich(ctx, terms)
	return e, err
}

// residual returns that of a pairing.
func (e *estimate) residual(k int) residual {
	r := residual{pairing: &e.pairings[k], leverage: e.leverages[k]}
	for side, z := range e.logits(e.x, r.pairing) {
		if r.count(side).Games() > 0 {
			r.scores[side] = newGameScores(e.share, side, z)
		}
	}
	return r
}

// covariance is that of parameters.
type covariance interface {
	// variance returns that of parameter i less parameter j; that of a given rating, -1, is 0.
	variance(i, j int) float64
	// closeness returns that of each rating in a weighted sum to those that have weight in it.
	closeness(c *constraint) []float64
}

// widestOfOne is how much, in Elo, each player adds to the largest standard deviation: errors add
// up along a chain.
const widestOfOne = 1000

// sd returns the standard deviation of parameter i less parameter j. Where what is given
// contradicts the results, so that their second derivatives vanish, it says only that the
// difference is unknown, and has a bound.
func (e *estimate) sd(i, j int) float64 { return math.Min(math.Sqrt(e.variance(i, j)), e.widest) }

// dense is a covariance as a matrix; nil without parameters.
type dense struct{ *mat.SymDense }

func (d dense) variance(i, j int) float64 {
	of := func(i, j int) float64 {
		if i < 0 || j < 0 {
			return 0
		}
		return d.At(i, j)
	}
	return math.Max(0, of(i, i)+of(j, j)-2*of(i, j))
}

// superiority is the probability that a difference is positive, by its estimate and standard error, which may be 0.
func superiority(mean, sd float64) float64 {
	if mean == 0 {
		return 0.5
	}
	return distuv.UnitNormal.CDF(mean / sd)
}

// leverages returns those of the pairings, whose terms are the first of the Hessian with the given inverse.
func (m *maximum) leverages(inverse covariance) []leverage {
	list, advantage := make([]leverage, len(m.pairings)), inverse.variance(m.advantage, -1)
	inParts(len(list), func(_, from, to int) {
		for k := from; k < to; k++ {
			t := &m.about.terms[k]
			pairs := float64(m.pairings[k].games()) / 2
			list[k] = leverage{
				math.Min(maxLeverage, t.sym2[0]/pairs*inverse.variance(int(t.i), int(t.j))),
				math.Min(maxLeverage, t.sym2[2]/pairs*advantage),
			}
		}
	})
	return list
}

// The score covariance of a pairing is the covariance of its part of the likelihood's gradient. The likelihood's own
// estimate of it is its second derivatives, but a half-point likelihood takes a drawn game for as uncertain as a
// decided one, and none allows for the dependence between the two games of a pair. So it is estimated from the results,
// by game pair where there are pairs (a "sandwich" covariance clustered by pair: Liang and Zeger 1986), and, as one
// pairing has few games, shrunk towards an estimate from all of them together.
const (
	// pooled is the weight, in games or pairs, of the pooled estimate against those of a pairing: the intervals of a few
	// dozen games are stable, and players who draw more, or less, than the rest do so in theirs after some hundred.
	pooled = 30.0
	// cautious is the number of games or pairs without draws and dependence that are added: no interval has zero width.
	cautious = 1.0
	// pooledPairs is the number of independent pairs that are added for the dependence between the games of a pair.
	pooledPairs = 10.0
	// maxLeverage bounds the share of a result's variance that the fit is taken to have taken up.
	maxLeverage = 0.9
)

// gameScores is the distribution of the score: the gradient of a game's log-likelihood by difference and advantage.
type gameScores struct {
	score  [outcomes][2]float64
	chance [outcomes]float64
	cov    sym2
	// noDraws is cov if draws were as uncertain as decided games.
	noDraws sym2
}

// newGameScores returns that of a game in which the pairing's first (side 0) or second player had South.
func newGameScores(share drawShare, side int, z float64) gameScores {
	s := gameScores{chance: share.chances(z)}
	var mean [2]float64
	for o := range outcomes {
		var one weights
		one[o] = 1
		gradient, _ := one.loss(z).bySide(side)
		for i, v := range gradient {
			s.score[o][i] = -v
			mean[i] -= s.chance[o] * v
		}
	}
	for o, g := range s.score {
		s.cov.add(s.chance[o], outer(g[0]-mean[0], g[1]-mean[1]))
	}
	_, s.noDraws = weights{1}.loss(z).bySide(side)
	return s
}

// pointsVariance is the variance of South's points.
func (s *gameScores) pointsVariance() float64 {
	expected := s.chance[2] + s.chance[1]/2
	return math.Max(0, s.chance[2]+s.chance[1]/4-expected*expected)
}

// drawShare returns the share of draws, fitted to all games together.
func (m *maximum) drawShare() drawShare {
	scores, games := make([]float64, 2*len(m.pairings)), make([]float64, 2*len(m.pairings))
	draws := sumInParts(len(m.pairings), func(from, to int) (draws float64) {
		for k := from; k < to; k++ {
			p := &m.pairings[k]
			w := p.weights()
			for side, z := range m.logits(m.x, p) {
				scores[2*k+side], games[2*k+side] = logistic(z), w[side].sum()
				draws += w[side][1]
			}
		}
		return draws
	})
	return fitDrawShare(scores, games, draws)
}

// correlate estimates the correlation over all pairs. With g and h South's points above expectation in the two games,
// their sum v belongs to the advantage and their difference u to the ratings, and 4gh = v² - u². Both are divided by
// the share of their variance that the fit has left.
func (e *estimate) correlate() float64 {
	var cov, of float64
	pairs := 0
	for k := range e.pairings {
		n := e.pairings[k].pairCount()
		if n == 0 {
			continue
		}
		pairs += n
		m := e.residual(k)
		first, second := &m.scores[0], &m.scores[1]
		for i, row := range m.pairs {
			for j, c := range row {
				g, h := first.score[i], second.score[j]
				u, v := g[0]+h[0], g[1]+h[1]
				cov += float64(c) * (v*v/(1-m.advantage) - u*u/(1-m.difference)) / 4
			}
		}
		of += float64(n) * math.Sqrt(first.cov[2]*second.cov[2])
	}
	if of <= 0 {
		return 0
	}
	return math.Max(-1, math.Min(1, cov/(of*(1+pooledPairs/float64(pairs)))))
}

// covariance returns the score covariance of a pairing: of its single games and of its pairs.
func (m residual) covariance(correlation float64) sym2 {
	sum := m.pairsCovariance(correlation)
	// A pair has two games, so a game has half its leverage, of the two kinds together.
	taken := math.Min(maxLeverage, (m.difference+m.advantage)/2)
	for side, counts := range m.single {
		n, observed := float64(counts[0]+counts[1]+counts[2]), sym2{}
		if n == 0 {
			continue
		}
		for o, c := range counts {
			g := m.scores[side].score[o]
			observed.add(float64(c)/(1-taken), outer(g[0], g[1]))
		}
		sum.add(1, shrink(n, observed, m.scores[side].cov, m.scores[side].noDraws))
	}
	return sum
}

// pairsCovariance returns the score covariance of a pairing's game pairs.
func (m residual) pairsCovariance(correlation float64) sym2 {
	first, second := &m.scores[0], &m.scores[1]
	n := float64(m.pairCount())
	if n == 0 {
		return sym2{}
	}
	fu, fv := 1/math.Sqrt(1-m.difference), 1/math.Sqrt(1-m.advantage)
	var observed sym2
	for i, row := range m.pairs {
		for j, c := range row {
			g, h := first.score[i], second.score[j]
			observed.add(float64(c), outer(fu*(g[0]+h[0]), fv*(g[1]+h[1])))
		}
	}
	expected, noDraws := first.cov, first.noDraws
	expected.add(1, second.cov)
	noDraws.add(1, second.noDraws)
	c := correlation * math.Sqrt(first.cov[2]*second.cov[2])
	var f [2]float64 // standard deviations over those of independent games
	for k, more := range [...]float64{-2 * c, 2 * c} {
		if v := expected[2*k]; v > 0 {
			f[k] = math.Sqrt(math.Max(0, 1+more/v))
		}
	}
	for k, v := range outer(f[0], f[1]) { // the correlation of the two stays: no variance is below zero
		expected[k] *= v
	}
	return shrink(n, observed, expected, noDraws)
}

// shrink returns the score covariance of n games or pairs: the observed one, shrunk towards those expected of one.
func shrink(n float64, observed, expected, noDraws sym2) sym2 {
	f := n / (n + pooled + cautious)
	var sum sym2
	sum.add(f, observed)
	sum.add(f*pooled, expected)
	sum.add(f*cautious, noDraws)
	return sum
}
