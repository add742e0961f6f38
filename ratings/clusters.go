package ratings

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"gyges/rules/base/interval"
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

// inOrder returns the same results with other numbers for the players, the first with the lower one if both played
// South.
func (p played) inOrder(place []int) played {
	p.a, p.b = place[p.a], place[p.b]
	if p.a > p.b && p.second >= 0 {
		p.a, p.b, p.first, p.second = p.b, p.a, p.second, p.first
	}
	return p
}

func comparePlayed(p, q played) int {
	return cmp.Or(cmp.Compare(p.opening, q.opening), p.a-q.a, p.b-q.b, p.first-q.first, p.second-q.second)
}

// clusters are the scores of a fit by opening. Results in one opening may depend on each other whoever plays them:
// agents that are alike play it alike. The covariance of the scores then is that of their sums over the openings
// (Liang and Zeger 1986): to that by pairs, which is shrunk, the products of the different pairs of an opening are
// added. With few openings the intervals are those of Student's distribution.
type clusters struct {
	scores   [][]clusterScore // by opening
	products *mat.SymDense    // what the openings add to the scores' covariance
	student  distuv.StudentsT // of an error over its standard error
	// inflation is the variance of a pairing's points over that of independent pairs: above 1 where one pairing plays an
	// opening several times.
	inflation float64
}

// clusterScore is the score of one pairing in an opening, as [gameScores] has it, and the same divided by the root of
// the share of its variance that the fit has left.
type clusterScore struct {
	pairing          int
	score, corrected [3]float64
}

// newClusters adds up the scores of results in the order of their openings.
func newClusters(e *estimate, results []played) *clusters {
	m := e.model
	number := make(map[[2]int]int, len(m.pairings))
	for k := range m.pairings {
		number[[2]int{m.pairings[k].a, m.pairings[k].b}] = k
	}
	c := &clusters{}
	if m.dim > 0 {
		c.products = mat.NewSymDense(m.dim, nil)
	}
	var squares, independent, all, taken float64
	var single []clusterScore // the scores of the pairs of an opening
	end := func(n int) {
		if len(single) == 0 {
			return
		}
		squares, all = squares+float64(n*n), all+float64(n)
		for _, s := range single {
			independent += s.corrected[0] * s.corrected[0]
			taken += m.pairings[s.pairing].difference
		}
		c.scores = append(c.scores, single)
		single = nil
	}
	for i, p := range results {
		if i > 0 && p.opening != results[i-1].opening {
			end(len(single))
		}
		if s, ok := m.clusterScore(number, p); ok {
			single = append(single, s)
		}
	}
	end(len(single))
	if len(c.scores) == 0 {
		return nil
	}
	// As many openings of equal size tell as much.
	openings := math.Max(all*all/squares, 2)
	more := math.Max(1, openings/(openings-1)*(1-taken/all))
	c.student = distuv.StudentsT{Sigma: 1, Nu: openings - 1}
	together := 0.0
	for o, single := range c.scores {
		if len(single) > 1 {
			c.add(m, more, single...)
			for _, s := range single {
				c.add(m, -1, s)
			}
		}
		merged := single[:0]
		for _, s := range single {
			if n := len(merged); n > 0 && merged[n-1].pairing == s.pairing {
				for i := range s.score {
					merged[n-1].score[i] += s.score[i]
					merged[n-1].corrected[i] += s.corrected[i]
				}
				continue
			}
			merged = append(merged, s)
		}
		for _, s := range merged {
			together += s.corrected[0] * s.corrected[0]
		}
		c.scores[o] = merged
	}
	if c.inflation = 1; independent > 0 {
		c.inflation = math.Max(1, together/independent)
	}
	return c
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
	s := clusterScore{pairing: k, score: met.scores[side].score[p.first]}
	taken := math.Min(maxLeverage, (met.difference+met.advantage)/2)
	left := [3]float64{1 - taken, 1 - taken, 1 - taken}
	if p.second >= 0 {
		for i, v := range met.scores[1].score[p.second] {
			s.score[i] += v
		}
		left = [3]float64{1 - met.difference, 1 - met.advantage, 1}
	}
	for i, v := range s.score {
		s.corrected[i] = v / math.Sqrt(left[i])
	}
	return s, true
}

// add adds the product of the sum of corrected scores with itself.
func (c *clusters) add(m *model, factor float64, scores ...clusterScore) {
	sum := map[int]float64{} // by parameter
	for _, s := range scores {
		sum[m.pairings[s.pairing].i] += s.corrected[0]
		sum[m.pairings[s.pairing].j] -= s.corrected[0]
		sum[m.advantage] += s.corrected[1]
		sum[m.draw] += s.corrected[2]
	}
	delete(sum, -1) // what isn't fitted
	for i, v := range sum {
		for j, w := range sum {
			if i <= j {
				c.products.SetSym(i, j, c.products.At(i, j)+factor*v*w)
			}
		}
	}
}

// form returns the quadratic form of the products.
func (c *clusters) form(y []float64) float64 {
	if c == nil || c.products == nil {
		return 0
	}
	v := mat.NewVecDense(len(y), y)
	return mat.Inner(v, c.products, v)
}

// z95 is the number of standard errors in half a 95 % interval.
func (c *clusters) z95() float64 {
	if c == nil {
		return interval.Z95
	}
	return c.student.Quantile(0.975)
}

// below returns the probability that the estimate of a parameter is less than a number of standard errors too high.
func (c *clusters) below(z float64) float64 {
	if c == nil {
		return distuv.UnitNormal.CDF(z)
	}
	return c.student.CDF(z)
}

// dispersion is the inflation; 1 where pairs are independent.
func (c *clusters) dispersion() float64 {
	if c == nil {
		return 1
	}
	return c.inflation
}

// play returns the scores of the pairings in a tournament in which chance decides for each opening whether its results
// deviate from those expected as they did, or the other way round (a wild bootstrap by clusters: Cameron, Gelbach and
// Miller 2008).
func (c *clusters) play(pairings int, rng *rand.Rand) [][3]float64 {
	scores := make([][3]float64, pairings)
	for _, opening := range c.scores {
		sign := float64(2*rng.IntN(2) - 1)
		for _, s := range opening {
			for i, v := range s.corrected {
				scores[s.pairing][i] += sign * v
			}
		}
	}
	return scores
}

// sortedPlayed returns the results by opening, with other numbers for the players.
func sortedPlayed(results []played, place []int) []played {
	list := make([]played, len(results))
	for i, p := range results {
		list[i] = p.inOrder(place)
	}
	slices.SortFunc(list, comparePlayed)
	return list
}
