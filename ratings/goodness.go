package ratings

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

// GoodnessOfFit is the sum over all pairings of the squared difference between points
// and expectation, over the variance that chance gives it.
type GoodnessOfFit struct {
	ChiSquare float64
	// Degrees of freedom: pairings less the ratings fitted to them. 0 also where
	// pairings have so few games, less than eight on average, that the sum says
	// nothing: then ChiSquare is 0 and P is 1.
	Degrees int
	// P is the probability of a sum this large or larger if the model is right: the
	// share of simulated tournaments, or without any by the chi-square distribution;
	// 1 without degrees of freedom.
	P float64
	// Simulations is how many tournaments were simulated: 99 to 999; 0 where there are
	// too many pairings for that.
	Simulations int
}

const (
	// minGamesMet is the number of games that pairings must have on average for the
	// sum of squares to be distributed about as it should.
	minGamesMet = 8

	minSimulations = 99
	maxSimulations = 999
	// enoughLarger is how many simulations with a larger sum end them: their share is
	// known well enough then (Besag and Clifford 1991).
	enoughLarger = 100
	// fitWork bounds the time of the simulations, in units of a nanosecond or so, and
	// pairingWork is that of one pairing.
	fitWork     = 3e9
	pairingWork = 1000
)

// GoodnessOfFit compares all results with those expected. The probability is that among
// tournaments that are simulated by the fit, always with the same seed, in which
// everybody plays the same games and all is fitted anew by one step of Newton's method.
// It takes up to a few seconds, and no time where there are few players.
func (r *Ratings) GoodnessOfFit() GoodnessOfFit {
	f, e := GoodnessOfFit{P: 1}, r.estimate
	if e == nil {
		return f
	}
	pairings := len(e.model.pairings)
	f.Degrees = max(0, pairings-e.model.ratings())
	if f.Degrees == 0 || r.Used < minGamesMet*pairings {
		return GoodnessOfFit{P: 1}
	}
	s := newSimulation(e)
	f.ChiSquare = s.chiSquare(s.observed())
	enough := f.ChiSquare * (1 - 1e-9) // results may be the same but for rounding
	dim := float64(e.model.dim)
	most := int(math.Min(maxSimulations, fitWork/(pairingWork*float64(pairings)+dim*dim)))
	if most < minSimulations {
		f.P = distuv.ChiSquared{K: float64(f.Degrees)}.Survival(f.ChiSquare)
		return f
	}
	rng := rand.New(rand.NewPCG(1, 1))
	larger := 1
	for f.Simulations < most && larger < enoughLarger {
		f.Simulations++
		if s.chiSquare(s.refitted(s.play(rng))) >= enough {
			larger++
		}
	}
	f.P = float64(larger) / float64(f.Simulations+1)
	return f
}

// simulation plays tournaments by a fit. Their results are scores, the gradients of the
// likelihood, the first of which is points less those expected.
type simulation struct {
	*estimate
	*quadratic
	variance []float64 // of the points, by pairing
	lots     [][]lot   // by pairing
}

// newSimulation returns one of an estimate.
func newSimulation(e *estimate) *simulation {
	s := &simulation{estimate: e, quadratic: e.model.at(e.x)}
	for k := range e.model.pairings {
		met := &e.model.pairings[k]
		lots := []lot{met.pairLot(e.points)}
		for side, count := range met.single {
			one := &met.scores[side]
			lots = append(lots, lot{float64(count[0] + count[1] + count[2]), one.chance[:], one.score[:]})
		}
		s.variance, s.lots = append(s.variance, e.pointsVariance(k)), append(s.lots, lots)
	}
	return s
}

// observed returns the points less those expected, of the real games.
func (s *simulation) observed() []float64 {
	residuals := make([]float64, len(s.model.pairings))
	for k := range residuals {
		met := &s.model.pairings[k]
		for side := range met.scores {
			for o, n := range met.outcomes[side] {
				residuals[k] += n * met.scores[side].score[o][0]
			}
		}
	}
	return residuals
}

// play returns the scores of the pairings in a tournament.
func (s *simulation) play(rng *rand.Rand) [][3]float64 {
	scores := make([][3]float64, len(s.lots))
	for k, lots := range s.lots {
		for i := range lots {
			lots[i].draw(&scores[k], rng)
		}
	}
	return scores
}

// refitted returns the points less those expected by a fit to results with these scores.
func (s *simulation) refitted(scores [][3]float64) []float64 {
	gradient, step := make([]float64, s.dim), make([]float64, s.dim)
	for k, g := range scores {
		s.add(gradient, s.terms[k], g)
	}
	for k := range s.model.priors {
		s.add(gradient, s.terms[len(scores)+k], [3]float64{-s.model.priors[k].loss(s.x).dz})
	}
	residuals := make([]float64, len(scores))
	if s.dim > 0 && solve(s.cov.factors, step, gradient) != nil {
		clear(step)
	}
	for k, g := range scores {
		t := &s.terms[k]
		residuals[k] = g[0] - t.sym3[0]*(parameter(step, t.i)-parameter(step, t.j)) -
			t.sym3[1]*parameter(step, s.advantage) - t.sym3[2]*parameter(step, s.draw)
	}
	return residuals
}

// chiSquare adds up the squares of the residuals over their variances.
func (s *simulation) chiSquare(residuals []float64) float64 {
	sum := 0.0
	for k, v := range residuals {
		if s.variance[k] > 0 {
			sum += v * v / s.variance[k]
		}
	}
	return sum
}

// lot is a number of games or pairs whose outcomes have the same chances.
type lot struct {
	n      float64
	chance []float64
	score  [][3]float64
}

// draw adds the scores of the outcomes that chance gives: one game after the other, or of
// many all with the same outcome at once.
func (l *lot) draw(sum *[3]float64, rng *rand.Rand) {
	add := func(n float64, outcome int) {
		for i := range sum {
			sum[i] += n * l.score[outcome][i]
		}
	}
	const many = 20
	last := len(l.chance) - 1
	if l.n < many {
		for range int(l.n) {
			u, o := rng.Float64(), 0
			for ; o < last && u >= l.chance[o]; o++ {
				u -= l.chance[o]
			}
			add(1, o)
		}
		return
	}
	games, left := l.n, 1.0
	for o := 0; o < last && games > 0; o++ {
		n, p := games, l.chance[o]
		if p < left {
			n = distuv.Binomial{N: games, P: p / left, Src: rng}.Rand()
		}
		add(n, o)
		games, left = games-n, left-p
	}
	add(games, last)
}

// pairLot returns the game pairs of a pairing. The correlation of both games' points is
// the given one, or as much of it as their chances admit: a share of the pairs has one
// random number for both games, the others two.
func (m *fittedPairing) pairLot(correlation float64) lot {
	l := lot{n: float64(m.pairCount())}
	first, second := &m.scores[0], &m.scores[1]
	joint := coupled(first.chance, second.chance, correlation < 0)
	most := -first.expected() * second.expected() // the covariance with one random number for both
	for i, row := range joint {
		for j, p := range row {
			most += p * float64(i*j) / 4
		}
	}
	share := 0.0
	if want := correlation * math.Sqrt(first.pointsVariance()*second.pointsVariance()); want*most > 0 {
		share = math.Min(1, want/most)
	}
	for i, p := range first.chance {
		for j, q := range second.chance {
			g, h := first.score[i], second.score[j]
			l.chance = append(l.chance, (1-share)*p*q+share*joint[i][j])
			l.score = append(l.score, [3]float64{g[0] + h[0], g[1] + h[1], g[2] + h[2]})
		}
	}
	return l
}

// coupled returns the chances of two games' outcomes by one random number: a high one is
// a good result for South in both, or with opposite set, a bad one in the second.
func coupled(p, q [outcomes]float64, opposite bool) (joint [outcomes][outcomes]float64) {
	for i, j := 0, 0; i < outcomes && j < outcomes; {
		second := j
		if opposite {
			second = outcomes - 1 - j
		}
		common := math.Min(p[i], q[second])
		joint[i][second] += common
		p[i] -= common
		if q[second] -= common; p[i] <= 0 {
			i++
		} else {
			j++
		}
	}
	return joint
}
