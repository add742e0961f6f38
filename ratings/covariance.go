package ratings

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"gyges/rules/base/interval"
)

// estimate is the maximum of the likelihood with the covariance of what was fitted.
type estimate struct {
	*maximum
	share       drawShare
	leverages   []leverage // by pairing
	correlation float64    // of South's points in the two games of a pair
	// dispersion is the variance of the results about their expectation over the variance that the
	// likelihood takes for granted: less than one where draws count as half points.
	dispersion float64
	covariance
}

// leverage is the share of the variance of a game pair that the fit takes up, by the difference and
// by the advantage.
type leverage struct{ difference, advantage float64 }

// residual says how the results of a pairing scatter about what the fit expects.
type residual struct {
	*pairing
	leverage
	correlation float64       // see [estimate]
	scores      [2]gameScores // by who had South
}

// estimate maximizes the likelihood. The covariance is the sandwich H⁻¹ S H⁻¹ of Huber (1967)
// and White (1982): the inverse of the Hessian, the score covariance, and the inverse again.
// The constraints in H make it the covariance of ratings relative to the weighted mean of their
// group, which has no variance.
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
	e := &estimate{maximum: m, dispersion: 1}
	e.share = m.drawShare()
	e.leverages = m.leverages(inverse)
	e.correlation = e.correlate()
	scores := slices.Clone(m.about.terms)
	inParts(len(e.pairings), func(_, from, to int) {
		for k := from; k < to; k++ {
			scores[k].sym2 = e.residual(k).covariance()
		}
	})
	observed, expected := 0.0, 0.0
	for k := range e.pairings {
		expected += m.about.terms[k].sym2[0]
		observed += scores[k].sym2[0]
	}
	if observed > 0 && expected > 0 {
		e.dispersion = observed / expected
	}
	e.covariance, err = m.curvature.sandwich(ctx, inverse, scores)
	return e, err
}

// residual returns the residual of a pairing.
func (e *estimate) residual(k int) residual {
	p := &e.pairings[k]
	r := residual{pairing: p, leverage: e.leverages[k], correlation: e.correlation}
	for side, z := range e.logits(e.x, p) {
		if p.count(side).Games() > 0 {
			r.scores[side] = newGameScores(e.share, side, z)
		}
	}
	return r
}

// covariance is the covariance of the parameters: a matrix, [dense], or of many a sample,
// [sampled].
type covariance interface {
	// variance returns the variance of parameter i less parameter j; -1 is a given rating, which
	// has none.
	variance(i, j int) float64
	// closeness returns the closeness of each rating in a weighted sum to those that have weight in
	// it.
	closeness(c *constraint) []float64
}

// widestOfOne is how much, in Elo, each player adds to the largest standard deviation: errors add
// up along a chain.
const widestOfOne = 1000

// sd returns the standard deviation of parameter i less parameter j. Where what is given
// contradicts the results, so that their second derivatives vanish, it says only that the
// difference is unknown, and has a bound.
func (e *estimate) sd(i, j int) float64 { return math.Min(math.Sqrt(e.variance(i, j)), e.widest) }

// margin returns half the 95 % interval of a parameter, in Elo.
func (e *estimate) margin(i int) float64 { return interval.Z95 * eloPerNat * e.sd(i, -1) }

// dense is a covariance as a matrix; nil without parameters.
type dense struct{ *mat.SymDense }

func (d dense) variance(i, j int) float64 {
	sum := 0.0
	if i >= 0 {
		sum += d.At(i, i)
	}
	if j >= 0 {
		sum += d.At(j, j)
	}
	if min(i, j) >= 0 {
		sum -= 2 * d.At(i, j)
	}
	return math.Max(0, sum)
}

// leverages returns the leverages of the pairings, whose terms are the first of the Hessian with
// the given inverse.
func (m *maximum) leverages(inverse covariance) []leverage {
	list := make([]leverage, len(m.pairings))
	advantage := inverse.variance(m.advantage, -1)
	inParts(len(list), func(_, from, to int) {
		for k := from; k < to; k++ {
			t := m.about.terms[k]
			games := m.pairings[k].games()
			pairs := float64(games) / 2
			variance := inverse.variance(int(t.i), int(t.j))
			difference := t.sym2[0] / pairs * variance
			order := t.sym2[2] / pairs * advantage
			list[k].difference = math.Min(maxLeverage, difference)
			list[k].advantage = math.Min(maxLeverage, order)
		}
	})
	return list
}

// The score covariance of a pairing is the covariance of its part of the likelihood's gradient. The
// likelihood's own estimate of it is its second derivatives, but a half-point likelihood takes a
// drawn game for as uncertain as a decided one, and none allows for the dependence between the two
// games of a pair. So it is estimated from the results, by game pair where there are pairs (a
// "sandwich" covariance clustered by pair: Liang and Zeger 1986), and, as one pairing has few
// games, shrunk towards an estimate from all of them together.
const (
	// pooled is the weight, in games or pairs, of the pooled estimate against the estimate of one
	// pairing: the intervals of a few dozen games are stable, and players who draw more, or less,
	// than the rest do so in theirs after some hundred.
	pooled = 30.0
	// cautious is the number of games or pairs without draws and dependence that are added: no
	// interval has zero width.
	cautious = 1.0
	// pooledPairs is the number of independent pairs that are added for the dependence between the
	// games of a pair.
	pooledPairs = 10.0
	// maxLeverage bounds the share of a result's variance that the fit is taken to have taken up.
	maxLeverage = 0.9
)

// gameScores is the distribution of the score: the gradient of a game's log-likelihood by
// difference and advantage.
type gameScores struct {
	score  [outcomes][2]float64
	chance [outcomes]float64
	cov    sym2
	// noDraws is cov if draws were as uncertain as decided games.
	noDraws sym2
}

// newGameScores returns the distribution of a game in which the pairing's first (side 0) or second
// player had South.
func newGameScores(share drawShare, side int, z float64) gameScores {
	s := gameScores{chance: share.chances(z)}
	var difference, advantage float64 // the mean score
	for o, chance := range s.chance {
		var game weights
		game[o] = 1
		gradient, curve := game.loss(z).bySide(side)
		s.noDraws = curve // the same for each outcome
		s.score[o] = [2]float64{-gradient[0], -gradient[1]}
		difference -= chance * gradient[0]
		advantage -= chance * gradient[1]
	}
	for o, g := range s.score {
		s.cov.add(s.chance[o], outer(g[0]-difference, g[1]-advantage))
	}
	return s
}

// pointsVariance is the variance of South's points.
func (s *gameScores) pointsVariance() float64 {
	expected := s.chance[2] + s.chance[1]/2
	return math.Max(0, s.chance[2]+s.chance[1]/4-expected*expected)
}

// drawShare returns the share of draws, fitted to all games together.
func (m *maximum) drawShare() drawShare {
	n := 2 * len(m.pairings)     // by pairing and side
	scores := make([]float64, n) // expected of South
	games := make([]float64, n)
	draws := sumInParts(len(m.pairings), func(from, to int) (draws float64) {
		for k := from; k < to; k++ {
			p := &m.pairings[k]
			w := p.weights()
			for side, z := range m.logits(m.x, p) {
				i := 2*k + side
				scores[i] = logistic(z)
				games[i] = w[side].sum()
				draws += w[side][1]
			}
		}
		return draws
	})
	return fitDrawShare(scores, games, draws)
}

// pairScore returns the score of a game pair, by the outcomes of the games in which the first
// player had South and in which the second had.
func (m *residual) pairScore(first, second int) (difference, advantage float64) {
	g, h := m.scores[0].score[first], m.scores[1].score[second]
	return g[0] + h[0], g[1] + h[1]
}

// gamesDeviation is the standard deviation of South's points in one game times that in the other.
func (m *residual) gamesDeviation() float64 {
	return math.Sqrt(m.scores[0].cov[2] * m.scores[1].cov[2])
}

// correlate estimates the correlation over all pairs. With g and h South's points above expectation
// in the two games, their sum v belongs to the advantage and their difference u to the ratings:
// 4gh = v² − u². Both are divided by the share of their variance that the fit has left.
func (e *estimate) correlate() float64 {
	var covariance, most float64 // most: the covariance if the two games were alike
	pairs := 0
	for k := range e.pairings {
		n := e.pairings[k].pairCount()
		if n == 0 {
			continue
		}
		pairs += n
		m := e.residual(k)
		for i, row := range m.pairs {
			for j, count := range row {
				u, v := m.pairScore(i, j)
				product := v*v/(1-m.advantage) - u*u/(1-m.difference)
				covariance += float64(count) * product / 4
			}
		}
		most += float64(n) * m.gamesDeviation()
	}
	if most <= 0 {
		return 0
	}
	shrunk := covariance / (most * (1 + pooledPairs/float64(pairs)))
	return math.Max(-1, math.Min(1, shrunk))
}

// covariance returns the score covariance of a pairing: of its single games and of its pairs.
func (m residual) covariance() sym2 {
	sum := m.pairsCovariance()
	// A pair has two games, so a game has half its leverage, of the two kinds together.
	taken := math.Min(maxLeverage, (m.difference+m.advantage)/2)
	for side, counts := range m.single {
		s := &m.scores[side]
		var observed sym2
		for o, count := range counts {
			g := s.score[o]
			observed.add(float64(count)/(1-taken), outer(g[0], g[1]))
		}
		n := float64(counts[0] + counts[1] + counts[2])
		sum.add(1, shrink(n, observed, s.cov, s.noDraws))
	}
	return sum
}

// pairsCovariance returns the score covariance of a pairing's game pairs.
func (m residual) pairsCovariance() sym2 {
	n := m.pairCount()
	if n == 0 {
		return sym2{}
	}
	// The residuals, larger by what the fit has taken up of them.
	u := 1 / math.Sqrt(1-m.difference)
	v := 1 / math.Sqrt(1-m.advantage)
	var observed sym2
	for i, row := range m.pairs {
		for j, count := range row {
			difference, advantage := m.pairScore(i, j)
			observed.add(float64(count), outer(u*difference, v*advantage))
		}
	}
	expected, noDraws := m.scores[0].cov, m.scores[0].noDraws
	expected.add(1, m.scores[1].cov)
	noDraws.add(1, m.scores[1].noDraws)
	// The dependence of the two games changes the variances by the difference and by the advantage,
	// and their covariance so that their correlation stays: no variance is below zero.
	c := m.correlation * m.gamesDeviation()
	difference := deviationRatio(expected[0], -2*c)
	advantage := deviationRatio(expected[2], 2*c)
	for k, factor := range outer(difference, advantage) {
		expected[k] *= factor
	}
	return shrink(float64(n), observed, expected, noDraws)
}

// deviationRatio is the standard deviation with some more variance over the one without; 0 without
// any.
func deviationRatio(variance, more float64) float64 {
	if variance <= 0 {
		return 0
	}
	return math.Sqrt(math.Max(0, 1+more/variance))
}

// shrink returns the score covariance of n games or pairs: the observed one, shrunk towards those
// expected of one.
func shrink(n float64, observed, expected, noDraws sym2) sym2 {
	f := n / (n + pooled + cautious)
	var sum sym2
	sum.add(f, observed)
	sum.add(f*pooled, expected)
	sum.add(f*cautious, noDraws)
	return sum
}
