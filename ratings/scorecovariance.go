package ratings

import "math"

// The score covariance of a pairing is the covariance of its part of the likelihood's
// gradient: how far chance may have moved it. The likelihood has its own idea
// of it, its second derivatives, but a half-point likelihood takes a drawn game
// for as uncertain as a decided one, and none knows that the two games of a pair
// depend on each other. So it is taken from the results, by game pair where there
// are pairs (a "sandwich" covariance clustered by pair: Liang and Zeger 1986),
// and, as one pairing has few games, drawn towards what all of them together say.
const (
	// pooled is how many games or pairs the pooled estimate counts for against
	// those of a pairing. Large enough that the intervals of a few dozen games
	// don't shake, small enough that two players who draw more, or less, than the
	// rest do so in their intervals after some hundred.
	pooled = 30.0
	// cautious is how many games or pairs without draws and dependence are added,
	// so that results that were all the same don't leave an interval of nothing.
	cautious = 1.0
	// pooledPairs is the same for the dependence between the games of a pair:
	// how many independent pairs are added.
	pooledPairs = 10.0
	// maxLeverage bounds by how much a result is taken to have pulled the fit
	// towards itself.
	maxLeverage = 0.9
)

// side is a game of a pairing with the first (0) or second (1) player as South:
// what each outcome adds to the gradient, by the difference, the advantage and
// the draw parameter, and how likely it is.
type side struct {
	score  [outcomes][3]float64
	chance [outcomes]float64
	cov    sym3
	free   sym3 // cov if draws were as uncertain as decided games
}

func newSide(l drawModel, k int, z, draw float64) side {
	s := side{chance: l.chances(z, draw)}
	sign := 1.0
	if k == 1 {
		sign = -1
	}
	var mean [3]float64
	for o := range outcomes {
		var one weights
		one[o] = 1
		dz, dt := l.slope(one, z, draw)
		s.score[o] = [3]float64{-sign * dz, -dz, -dt}
		for i, v := range s.score[o] {
			mean[i] += s.chance[o] * v
		}
	}
	for o, g := range s.score {
		s.cov.add(s.chance[o], outer(g[0]-mean[0], g[1]-mean[1], g[2]-mean[2]))
	}
	s.free = s.cov
	if !l.drawn() {
		zz, _, _ := l.curve(weights{1}, z, draw)
		s.free = side3(k, zz, 0, 0)
	}
	return s
}

// scoreCovariance works out the score covariance of all pairings of a fit.
type scoreCovariance struct {
	drawModel drawModel
	met       []meeting
	sides     [][2]side
	leverage  []leverage
	byPair    bool
	rhoZ      float64 // correlation of the two games of a pair, in South's surplus
	rhoDraw   float64 // the same in draws
}

// leverage is the leverage of one game pair of a pairing in its difference and in
// the advantage: the share of its variance that the fit has taken up.
type leverage struct{ u, v float64 }

func newScoreCovariance(m *model, met []meeting, x []float64, leverages []leverage, byPair bool) *scoreCovariance {
	s := &scoreCovariance{drawModel: m.drawModel, met: met, leverage: leverages, byPair: byPair}
	adv, draw := m.advantageAt(x), at(x, m.draw)
	if _, ok := m.drawModel.(halfPoints); ok {
		s.drawModel = halfPoints{m.drawShare(x)}
	}
	s.sides = make([][2]side, len(met))
	for k := range met {
		for i, z := range m.pairings[k].edges(x, adv) {
			s.sides[k][i] = newSide(s.drawModel, i, z, draw)
		}
	}
	if byPair {
		s.correlate()
	}
	return s
}

// drawShare fits how often games are drawn to all of them together.
func (m *model) drawShare(x []float64) drawShare {
	var scores, games []float64
	draws := 0.0
	adv := m.advantageAt(x)
	for k := range m.pairings {
		d := &m.pairings[k]
		for i, z := range d.edges(x, adv) {
			if n := d.games[i].sum(); n > 0 {
				scores, games = append(scores, logistic(z)), append(games, n)
				draws += d.games[i][1]
			}
		}
	}
	return fitDrawShare(scores, games, draws)
}

// correlate estimates how the games of a pair depend on each other, over all
// pairs. With g and h South's surplus in the two games, their sum v belongs to
// the advantage and their difference u to the ratings, and 4gh = v² - u². The
// fit has taken up a part of both, which is given back.
func (s *scoreCovariance) correlate() {
	var z, zOf, t, tOf float64
	pairs := 0
	for k := range s.met {
		m, sd, lv := &s.met[k], &s.sides[k], s.leverage[k]
		n := m.pairCount()
		if n == 0 {
			continue
		}
		pairs += n
		for i, row := range m.pairs {
			for j, c := range row {
				g, h := sd[0].score[i], sd[1].score[j]
				u, v := g[0]+h[0], g[1]+h[1]
				z += float64(c) * (v*v/(1-lv.v) - u*u/(1-lv.u)) / 4
				t += float64(c) * g[2] * h[2]
			}
		}
		zOf += float64(n) * math.Sqrt(sd[0].cov[3]*sd[1].cov[3])
		tOf += float64(n) * math.Sqrt(sd[0].cov[5]*sd[1].cov[5])
	}
	if pairs == 0 {
		return
	}
	more := 1 + pooledPairs/float64(pairs)
	s.rhoZ, s.rhoDraw = correlation(z, zOf*more), correlation(t, tOf*more)
}

func correlation(cov, of float64) float64 {
	if of <= 0 {
		return 0
	}
	return math.Max(-1, math.Min(1, cov/of))
}

// of is the score covariance of pairing k.
func (s *scoreCovariance) of(k int) sym3 {
	m, sd, lv := &s.met[k], &s.sides[k], s.leverage[k]
	var sum sym3
	single := m.single
	if s.byPair {
		sum.add(1, s.pairs(m, sd, lv))
	} else {
		for i := range single {
			single[i] = m.side(i)
		}
	}
	for i, counts := range single {
		n := float64(counts[0] + counts[1] + counts[2])
		if n == 0 {
			continue
		}
		var seen sym3
		// A pair has two games, so a game has half its leverage, of the two kinds
		// together.
		lost := math.Min(maxLeverage, (lv.u+lv.v)/2)
		for o, c := range counts {
			g := sd[i].score[o]
			seen.add(float64(c)/(1-lost), outer(g[0], g[1], g[2]))
		}
		sum.add(1, mix(n, seen, sd[i].cov, sd[i].free))
	}
	return sum
}

// pairs is the score covariance of a pairing's game pairs.
func (s *scoreCovariance) pairs(m *meeting, sd *[2]side, lv leverage) sym3 {
	n := float64(m.pairCount())
	if n == 0 {
		return sym3{}
	}
	fu, fv := 1/math.Sqrt(1-lv.u), 1/math.Sqrt(1-lv.v)
	var seen sym3
	for i, row := range m.pairs {
		for j, c := range row {
			g, h := sd[0].score[i], sd[1].score[j]
			seen.add(float64(c), outer(fu*(g[0]+h[0]), fv*(g[1]+h[1]), g[2]+h[2]))
		}
	}
	expected, free := sd[0].cov, sd[0].free
	expected.add(1, sd[1].cov)
	free.add(1, sd[1].free)
	c := s.rhoZ * math.Sqrt(sd[0].cov[3]*sd[1].cov[3])
	expected[0] -= 2 * c
	expected[3] += 2 * c
	expected[5] += 2 * s.rhoDraw * math.Sqrt(sd[0].cov[5]*sd[1].cov[5])
	return mix(n, seen, expected, free)
}

// mix is the score covariance of n games or pairs: what was seen, drawn towards what all
// together say.
func mix(n float64, seen, expected, free sym3) sym3 {
	f := n / (n + pooled + cautious)
	var m sym3
	m.add(f, seen)
	m.add(f*pooled, expected)
	m.add(f*cautious, free)
	return m
}
