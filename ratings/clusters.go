package ratings

import (
	"cmp"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// played is a game pair, or a game of none, in an opening. Players are numbers.
type played struct {
	opening       uint64
	a, b          int // a had South in the first game
	first, second int // outcomes for South; second is -1 for a game of no pair
}

// InOpening notes the opening, by a hash, of results that are added too: one game, in which south had South, or the two
// of a pair. [ByOpening] needs it of all games.
func (d *Data) InOpening(opening uint64, south, north string, results ...Result) {
	p := played{opening: opening, a: d.id(south), b: d.id(north), first: results[0].index(), second: -1}
	if len(results) > 1 {
		p.second = results[1].index()
	}
	if p.a != p.b {
		d.played = append(d.played, p)
	}
}

// ordered is a pair with the lower number as South first.
func (p played) ordered() played {
	if p.a > p.b && p.second >= 0 {
		p.a, p.b, p.first, p.second = p.b, p.a, p.second, p.first
	}
	return p
}

func comparePlayed(p, q played) int {
	return cmp.Or(cmp.Compare(p.opening, q.opening), p.a-q.a, p.b-q.b, p.first-q.first, p.second-q.second)
}

// clusterScore is the score of one pairing in an opening, as [gameScores] has it, divided by the root of the share of
// its variance that the fit has left.
type clusterScore struct {
	pairing   int
	corrected [3]float64
}

// cluster adds to the scores' covariance what the openings of results, which are in their order, do.
//
// Results in one opening may depend on each other whoever plays them: agents that are alike play it alike. The
// covariance of the scores then is that of their sums over the openings (Liang and Zeger 1986): to that by pairs, which
// is shrunk, the products of the different pairs of an opening are added. With few openings the intervals are those of
// Student's distribution.
func (c *covariance) cluster(scores *mat.SymDense, m *model, results []played) {
	number := make(map[[2]int]int, len(m.pairings))
	for k := range m.pairings {
		number[[2]int{m.pairings[k].a, m.pairings[k].b}] = k
	}
	var squares, independent, together, all, taken float64
	for len(results) > 0 {
		opening := results[0].opening
		var single []clusterScore // of the pairs of the opening
		for len(results) > 0 && results[0].opening == opening {
			if s, ok := m.clusterScore(number, results[0]); ok {
				single = append(single, s)
				independent += s.corrected[0] * s.corrected[0]
				taken += m.pairings[s.pairing].difference
			}
			results = results[1:]
		}
		if n := float64(len(single)); n > 0 {
			squares, all = squares+n*n, all+n
			c.openings = append(c.openings, single)
		}
	}
	if c.openings == nil {
		return
	}
	// As many openings of equal size tell as much.
	openings := math.Max(all*all/squares, 2)
	more := math.Max(1, openings/(openings-1)*(1-taken/all))
	student := distuv.StudentsT{Sigma: 1, Nu: openings - 1}
	c.ratio, c.z95 = student, student.Quantile(0.975)
	for o, single := range c.openings {
		if len(single) > 1 {
			m.addProduct(scores, more, single...)
			for _, s := range single {
				m.addProduct(scores, -1, s)
			}
		}
		merged := single[:1]
		for _, s := range single[1:] {
			if last := &merged[len(merged)-1]; last.pairing == s.pairing {
				floats.Add(last.corrected[:], s.corrected[:])
			} else {
				merged = append(merged, s)
			}
		}
		for _, s := range merged {
			together += s.corrected[0] * s.corrected[0]
		}
		c.openings[o] = merged
	}
	if independent > 0 {
		c.inflation = math.Max(1, together/independent)
	}
}

// clusterScore returns the score of a pair or game.
func (m *model) clusterScore(number map[[2]int]int, p played) (clusterScore, bool) {
	side := 0
	if p.a > p.b {
		p.a, p.b, side = p.b, p.a, 1
	}
	k, ok := number[[2]int{p.a, p.b}]
	if !ok {
		return clusterScore{}, false
	}
	met := &m.pairings[k]
	s := clusterScore{pairing: k, corrected: met.scores[side].score[p.first]}
	taken := math.Min(maxLeverage, (met.difference+met.advantage)/2)
	left := [3]float64{1 - taken, 1 - taken, 1 - taken}
	if p.second >= 0 {
		for i, v := range met.scores[1].score[p.second] {
			s.corrected[i] += v
		}
		left = [3]float64{1 - met.difference, 1 - met.advantage, 1}
	}
	for i := range left {
		s.corrected[i] /= math.Sqrt(left[i])
	}
	return s, true
}

// addProduct adds the product of the sum of corrected scores with itself.
func (m *model) addProduct(to *mat.SymDense, factor float64, scores ...clusterScore) {
	if m.dim == 0 {
		return
	}
	sum := make([]float64, m.dim)
	for _, s := range scores {
		p := &m.pairings[s.pairing]
		m.add(sum, term{i: p.i, j: p.j}, s.corrected)
	}
	to.SymRankOne(to, factor, mat.NewVecDense(m.dim, sum))
}

// play returns the scores of the pairings in a tournament in which chance decides for each opening whether its results
// deviate from those expected as they did, or the other way round (a wild bootstrap by clusters: Cameron, Gelbach and
// Miller 2008).
func (c *covariance) play(pairings int, rng *rand.Rand) [][3]float64 {
	scores := make([][3]float64, pairings)
	for _, opening := range c.openings {
		sign := float64(2*rng.IntN(2) - 1)
		for _, s := range opening {
			for i, v := range s.corrected {
				scores[s.pairing][i] += sign * v
			}
		}
	}
	return scores
}
